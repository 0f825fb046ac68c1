"""What the upstream programs of spec-like compute is right: checked by rules, by proofs, or a second time in Python."""

import math
import re
import subprocess
from collections import Counter
from itertools import product
from operator import mul
from pathlib import Path

import pytest

from harness.base.store import Store
from harness.suite.generators import generate
from harness.suite.load import choose, load_suite
from tests.suite.chess import legal_moves, position
from tests.suite.upstream import build_program, check_output

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("upstream")


# phalanx


@pytest.fixture(scope="module")
def phalanx(store: Store, folder: Path) -> Path:
    return build_program("spec-like", "phalanx", store, folder)


OPTIONS = ("-c+", "-o-", "-b-", "-s+", "-l-", "-t", "1024")


def answers(phalanx: Path, folder: Path, script: str) -> list[str]:
    out = check_output(phalanx, folder, *OPTIONS, stdin=script.encode())
    return re.findall(r"^move ([a-h][1-8][a-h][1-8][qrbn]?)$", out, re.MULTILINE)


@pytest.mark.parametrize("seed", range(4))
def test_phalanx_plays_by_the_rules(phalanx: Path, folder: Path, seed: int) -> None:
    script = generate("xboard", seed, {"count": 6, "depth": 3}).decode()
    fens = re.findall(r"^setboard (.*)$", script, re.MULTILINE)
    moves = answers(phalanx, folder, script)
    assert len(moves) == len(fens) == 6
    for fen, move in zip(fens, moves, strict=True):
        assert move in legal_moves(position(fen)), (fen, move)


MATES = {
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1": 1,  # on the last rank
    "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1": 2,  # two rooks
    "7k/8/8/8/1r6/r7/8/6K1 b - - 0 1": 2,
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 2,  # Paul Morphy's problem
}


@pytest.mark.parametrize("fen", MATES)
def test_phalanx_finds_known_mates(phalanx: Path, folder: Path, fen: str) -> None:
    script = f"force\ndepth 6\nsetboard {fen}\ngo\nforce\nquit\n"
    out = check_output(phalanx, folder, *OPTIONS, stdin=script.encode())
    assert f"Mate in {MATES[fen]}" in out


def test_phalanx_takes_a_queen(phalanx: Path, folder: Path) -> None:
    script = "force\ndepth 4\nsetboard 3q2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1\ngo\nforce\nquit\n"
    assert answers(phalanx, folder, script) == ["d1d8"]


def test_phalanx_prints_no_time(phalanx: Path, folder: Path) -> None:
    script = generate("xboard", 5, {"count": 2, "depth": 5})
    out = check_output(phalanx, folder, *OPTIONS, stdin=script)
    assert set(re.findall(r"Time=(\S+),", out)) == {"0.00"}
    assert "Processor time ......... 0:00:00.00" in out


# libquantum


@pytest.fixture(scope="module")
def libquantum(store: Store, folder: Path) -> Path:
    return build_program("spec-like", "libquantum", store, folder)


FACTORINGS = [(15, 2), (15, 7), (15, 13), (21, 2), (33, 10), (35, 13), (39, 14), (45, 8), (51, 2)]
"""Numbers and bases: their powers fit into an int."""


def test_libquantum_finds_factors(libquantum: Path, folder: Path) -> None:
    found = 0
    for number, base in FACTORINGS:
        done = subprocess.run([libquantum, str(number), str(base)], capture_output=True, timeout=60, text=True)
        assert done.returncode in (0, 2), done
        match = re.search(rf"^{number} = (\d+) \* (\d+)$", done.stdout, re.MULTILINE)
        if done.returncode == 0:
            assert match and int(match[1]) * int(match[2]) == number and 1 < int(match[1]) < number
            found += 1
        else:
            assert "try again" in done.stdout
    assert found >= len(FACTORINGS) // 2


def test_libquantum_is_always_the_same(libquantum: Path, folder: Path) -> None:
    once, again = (check_output(libquantum, folder, "15", "13") for _ in range(2))
    assert once == again
    assert "15 = 5 * 3" in once


def test_libquantum_refuses_small_numbers(libquantum: Path, folder: Path) -> None:
    assert "Invalid number" in check_output(libquantum, folder, "6", code=3)


# hmmer


@pytest.fixture(scope="module")
def hmmer(store: Store, folder: Path) -> Path:
    return build_program("spec-like", "hmmer", store, folder)


# The background of HMMER 3 for amino acids in alphabetical order (Swiss-Prot 50.8).
BACKGROUND = (
    *(0.0787945, 0.0151600, 0.0535222, 0.0668298, 0.0397062, 0.0695071, 0.0229198, 0.0590092, 0.0594422, 0.0963728),
    *(0.0237718, 0.0414386, 0.0482904, 0.0395639, 0.0540978, 0.0683364, 0.0540687, 0.0673417, 0.0114135, 0.0304133),
)
AMINO = "ACDEFGHIKLMNPQRSTVWY"
NEVER = -math.inf


def log_sum(*values: float) -> float:
    most = max(values)
    return most + math.log(sum(math.exp(value - most) for value in values)) if most > NEVER else NEVER


def model_of(text: str) -> tuple[list[list[float]], list[list[float]]]:
    """Emission and transition probabilities by node (node 0 begins)."""
    rows = [line.split() for line in text.splitlines()]
    start = next(place for place, row in enumerate(rows) if row[0] == "COMPO")
    matches, moves = [[0.0] * 20], []
    for place in range(start + 2, len(rows) - 1):
        row = rows[place]
        if len(row) == 7:
            moves.append([0.0 if part == "*" else math.exp(-float(part)) for part in row])
        elif len(row) > 20:
            matches.append([math.exp(-float(part)) for part in row[1:21]])
    return matches, moves


def forward(model: str, residues: str, join: object) -> float:
    """The score of a protein in nats: Eddy, Accelerated Profile HMM Searches (2011), multihit and local."""
    plus = log_sum if join is sum else max
    matches, moves = model_of(model)
    size, length = len(matches) - 1, len(residues)
    occupancy = [0.0, moves[0][0] + moves[0][1]]
    for node in range(1, size):
        occupancy.append(occupancy[-1] * (moves[node][0] + moves[node][1]) + (1 - occupancy[-1]) * moves[node][5])
    weight = sum(occupancy[node] * (size - node + 1) for node in range(1, size + 1))
    entry = [NEVER] + [math.log(occupancy[node] / weight) for node in range(1, size + 1)]
    t = [[math.log(part) if part > 0 else NEVER for part in row] for row in moves]
    leave = math.log(3 / (length + 3))
    stay = math.log(length / (length + 3))
    half = math.log(0.5)
    m, i, d = ([NEVER] * (size + 1) for _ in range(3))
    n, b, j, c = 0.0, leave, NEVER, NEVER
    for letter in residues:
        x = AMINO.index(letter)
        new_m, new_i, new_d = ([NEVER] * (size + 1) for _ in range(3))
        end = NEVER
        for k in range(1, size + 1):
            odds = math.log(matches[k][x] / BACKGROUND[x])
            new_m[k] = odds + plus(m[k - 1] + t[k - 1][0], i[k - 1] + t[k - 1][3], d[k - 1] + t[k - 1][5], b + entry[k])
            if k < size:
                new_i[k] = plus(m[k] + t[k][1], i[k] + t[k][4])
            new_d[k] = plus(new_m[k - 1] + t[k - 1][2], new_d[k - 1] + t[k - 1][6])
            end = plus(end, new_m[k], new_d[k])
        m, i, d = new_m, new_i, new_d
        j = plus(j + stay, end + half)
        c = plus(c + stay, end + half)
        n += stay
        b = plus(n + leave, j + leave)
    return c + leave


def align(hmmer: Path, folder: Path, seed: int, **protein: int) -> tuple[str, str, str]:
    model = generate("profile", seed, {"length": protein["model"], "family": 3}).decode()
    fasta = generate("protein", seed, {"family": 3, **protein}).decode()
    (folder / "model.hmm").write_text(model)
    (folder / "protein.fa").write_text(fasta)
    return model, "".join(fasta.splitlines()[1:]), check_output(hmmer, folder, "model.hmm", "protein.fa")


@pytest.mark.parametrize("seed", range(3))
def test_hmmer_scores_as_the_theory_says(hmmer: Path, folder: Path, seed: int) -> None:
    model, residues, out = align(hmmer, folder, seed, length=90, domains=1 + seed % 2, model=25)
    scores = {name: float(value) for name, value in re.findall(r"^(\w+) = (-?[\d.]+) nats$", out, re.MULTILINE)}
    assert scores["fwd"] == pytest.approx(forward(model, residues, sum), abs=0.02)
    assert scores["bck"] == pytest.approx(scores["fwd"], abs=0.02)
    assert scores["vit"] == pytest.approx(forward(model, residues, max), abs=0.002)


def test_hmmer_finds_the_domains(hmmer: Path, folder: Path) -> None:
    score = []
    for domains in (0, 2):
        _, _, out = align(hmmer, folder, 8, length=300, domains=domains, model=60)
        score.append(float(re.findall(r"^fwd = (\S+)", out, re.MULTILINE)[0]))
    assert score[1] > score[0] + 20


# glpk


@pytest.fixture(scope="module")
def glpk(store: Store, folder: Path) -> Path:
    return build_program("spec-like", "glpk", store, folder)


class Problem:
    """What the LP file says."""

    def __init__(self, text: str) -> None:
        self.maximise = text.startswith("Maximize")
        body = text.split("Subject To")
        self.cost = self._terms(body[0].split("cost:")[1])
        constraints = re.split(r"^(?:Bounds|General|End)$", body[1], flags=re.MULTILINE)[0]
        self.rows = []
        for row in re.split(r"^ r\d+:", constraints, flags=re.MULTILINE)[1:]:
            left, relation, right = re.split(r"(<=|>=)", row)
            self.rows.append((self._terms(left), relation, float(right)))
        bounds = re.findall(r"^ (x\w+) <= (\d+)$", text, re.MULTILINE)
        self.upper = {name: float(value) for name, value in bounds}
        self.names = list(self.cost)

    @staticmethod
    def _terms(text: str) -> dict[str, float]:
        return {name: float(sign + number) for sign, number, name in re.findall(r"([+-]) (\d+) (x\w+)", text)}


Solution = tuple[str, float, list[tuple[float, float]], list[tuple[float, float]]]


def solve(glpk: Path, folder: Path, *options: str, **params: int | str) -> tuple[Problem, Solution]:
    """Status, objective, and (value, dual) of rows and of columns."""
    seed = int(params.pop("seed"))
    text = generate("lp", seed, params).decode()
    (folder / "problem.lp").write_text(text)
    out = check_output(glpk, folder, *options, "--lp", "problem.lp", "-w", "solution.txt")
    assert re.search(r"Time used: +0\.0 secs", out)
    lines = [line.split() for line in (folder / "solution.txt").read_text().splitlines()]
    head = next(line for line in lines if line[0] == "s")
    rows = [(float(line[-2]), float(line[-1])) for line in lines if line[0] == "i"]
    columns = [(float(line[-2]), float(line[-1])) for line in lines if line[0] == "j"]
    status = head[4] if head[1] == "mip" else head[4] + head[5]
    return Problem(text), (status, float(head[-1]), rows, columns)


def check_feasible(problem: Problem, values: dict[str, float]) -> None:
    for terms, relation, side in problem.rows:
        total = sum(factor * values[name] for name, factor in terms.items())
        slack = side - total if relation == "<=" else total - side
        assert slack > -1e-6 * max(1.0, abs(side))
    for name, value in values.items():
        assert -1e-9 <= value <= problem.upper.get(name, math.inf) + 1e-9


@pytest.mark.parametrize("options", [(), ("--dual",), ("--nopresol", "--primal", "--std", "--noscale")])
@pytest.mark.parametrize("kind", ["packing", "transport"])
def test_glpk_proves_its_optimum(glpk: Path, folder: Path, kind: str, options: tuple[str, ...]) -> None:
    """Feasible, dual feasible, and both objectives equal: no solution is better."""
    problem, (status, objective, rows, columns) = solve(glpk, folder, *options, seed=11, kind=kind, rows=12, columns=25)
    assert status == "ff"
    values = {name: value for name, (value, _) in zip(problem.names, columns, strict=True)}
    check_feasible(problem, values)
    assert sum(problem.cost[name] * value for name, value in values.items()) == pytest.approx(objective)
    sign = 1.0 if problem.maximise else -1.0
    bound = 0.0
    for (_, relation, side), (_, dual) in zip(problem.rows, rows, strict=True):
        assert sign * dual * (1 if relation == "<=" else -1) >= -1e-7
        bound += dual * side
    for name, (_, reduced) in zip(problem.names, columns, strict=True):
        if sign * reduced > 1e-7:
            bound += reduced * problem.upper[name]
    assert bound == pytest.approx(objective, rel=1e-7)
    for name, (_, reduced) in zip(problem.names, columns, strict=True):
        by_rows = sum(row[0].get(name, 0.0) * dual for row, (_, dual) in zip(problem.rows, rows, strict=True))
        assert problem.cost[name] - by_rows == pytest.approx(reduced, abs=1e-6)


def test_glpk_interior_point_agrees_with_simplex(glpk: Path, folder: Path) -> None:
    _, simplex = solve(glpk, folder, seed=12, kind="packing", rows=15, columns=30)
    _, interior = solve(glpk, folder, "--interior", seed=12, kind="packing", rows=15, columns=30)
    assert interior[1] == pytest.approx(simplex[1], rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_glpk_solves_small_integer_problems(glpk: Path, folder: Path, seed: int) -> None:
    problem, (status, objective, _, _) = solve(glpk, folder, "--cuts", seed=seed, kind="knapsacks", rows=2, columns=8)
    assert status == "o"
    rows = [([int(terms[name]) for name in problem.names], side) for terms, _, side in problem.rows]
    worth = [int(problem.cost[name]) for name in problem.names]
    fitting = (
        choice
        for choice in product(range(3), repeat=8)
        if all(sum(map(mul, choice, weights)) <= side for weights, side in rows)
    )
    assert objective == max(sum(map(mul, choice, worth)) for choice in fitting)


def test_glpk_covers_everything(glpk: Path, folder: Path) -> None:
    problem, (status, objective, _, _) = solve(glpk, folder, seed=4, kind="cover", rows=15, columns=14)
    names = problem.names
    assert status == "o"
    best = min(
        sum(problem.cost[name] for name in chosen)
        for mask in range(1 << len(names))
        if (chosen := [name for n, name in enumerate(names) if mask >> n & 1])
        and all(any(name in terms for name in chosen) for terms, _, _ in problem.rows)
    )
    assert objective == best


# mawk


@pytest.fixture(scope="module")
def mawk(store: Store, folder: Path) -> Path:
    return build_program("spec-like", "mawk", store, folder)


@pytest.mark.parametrize(
    "program, expected",
    [
        ('BEGIN { print substr("hello", 2, 3), index("hello", "l"), length("hello") }', "ell 3 5\n"),
        ('BEGIN { n = split("a:b:c", p, ":"); print n, p[1] p[3] }', "3 ac\n"),
        ('BEGIN { s = "foo bar foo"; print gsub(/foo/, "[&]", s), s }', "2 [foo] bar [foo]\n"),
        ('BEGIN { print match("xxabcabc", /(abc)+/), RSTART, RLENGTH }', "3 3 6\n"),
        ('BEGIN { printf "%5.2f|%-5s|%05d|%c|%x\\n", 3.14159, "ab", 42, 65, 255 }', " 3.14|ab   |00042|A|ff\n"),
        ("BEGIN { print 2 ^ 10, 7 % 3, 1e6, 0.1 + 0.2, 1 / 3 }", "1024 1 1000000 0.3 0.333333\n"),
        ('BEGIN { print toupper("abc") tolower("DEF"), ("a" < "b"), ("10" < "9"), (10 < 9) }', "ABCdef 1 1 0\n"),
        ("function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(20) }", "6765\n"),
        ('BEGIN { a["x"]; if ("x" in a) print "in"; delete a["x"]; print ("x" in a) }', "in\n0\n"),
        ('BEGIN { print "A" ~ /^[[:upper:]]$/, "ab" ~ /^(a|b)*$/, "a.c" ~ /a\\.c/, "abc" ~ /a\\.c/ }', "1 1 1 0\n"),
    ],
)
def test_mawk_does_what_posix_says(mawk: Path, folder: Path, program: str, expected: str) -> None:
    assert check_output(mawk, folder, program) == expected


def workload_program(name: str) -> str:
    """The program text of one of the suite's workloads."""
    (program,) = choose(load_suite("spec-like"), ["mawk"])
    (workload,) = (workload for workload in program.benchmark.workloads if workload.name == name)
    return workload.args[0]


def test_mawk_counts_words(mawk: Path, folder: Path) -> None:
    text = generate("text", 3, {"size": 20_000})
    (folder / "input.txt").write_bytes(text)
    lines = check_output(mawk, folder, workload_program("words"), "input.txt").splitlines()
    counts = Counter(re.findall("[a-z]+", text.decode().lower()))
    assert lines[-1] == f"{sum(counts.values())} words, {len(counts)} of them distinct"
    ranked = sorted(counts, key=lambda word: (counts[word], word), reverse=True)
    assert lines[:40] == [f"{counts[word]:6} {word}" for word in ranked[:40]]


def test_mawk_reads_logs(mawk: Path, folder: Path) -> None:
    log = generate("weblog", 3, {"lines": 300})
    (folder / "access.log").write_bytes(log)
    out = check_output(mawk, folder, workload_program("weblog"), "access.log")
    rows = [line.split() for line in log.decode().splitlines()]
    size = sum(int(row[9]) for row in rows if row[9] != "-")
    assert f"requests {len(rows)}, bytes {size}, visitors {len({row[0] for row in rows})}" in out
    for answer, count in Counter(row[8] for row in rows if row[8][0] in "45").items():
        assert f"answer {answer}: {count}\n" in out
    hours = Counter(row[3].split(":")[1] for row in rows)
    for hour, count in hours.items():
        assert re.search(rf"^hour {hour} +{count} ", out, re.MULTILINE)


def test_mawk_measures_distances(mawk: Path, folder: Path) -> None:
    words = generate("words", 3, {"count": 30}).decode().split()
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words))
    out = check_output(mawk, folder, workload_program("distances"), "words.txt")
    found = re.findall(r"^(\w+) (\w+) (\d+)$", out, re.MULTILINE)
    assert len(found) == len(words)
    for left, right, distance in found:
        assert int(distance) == edit_distance(left, right)
        assert int(distance) == min(edit_distance(left, word) for word in words if word != left)


def edit_distance(left: str, right: str) -> int:
    row = list(range(len(right) + 1))
    for a in left:
        above = row
        row = [above[0] + 1]
        for place, b in enumerate(right):
            row.append(min(above[place] + (a != b), above[place + 1] + 1, row[-1] + 1))
    return row[-1]


def test_mawk_refuses_what_is_no_program(mawk: Path, folder: Path) -> None:
    check_output(mawk, folder, "BEGIN { print (", code=2)
    check_output(mawk, folder, "{ print }", "absent.txt", code=2)
