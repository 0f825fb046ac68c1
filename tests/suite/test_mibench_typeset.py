"""typeset of mibench: hyphens as Liang's rule puts them, lines that say what the text says, the fewest demerits."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.suite.generators import generate
from harness.toolchain import find_toolchain

SOURCES = Path(__file__).parents[2] / "suites" / "mibench" / "src" / "typeset"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("typeset")


@pytest.fixture(scope="module")
def typeset(folder: Path) -> Path:
    program = folder / "typeset"
    files = sorted(str(path) for path in SOURCES.glob("*.c"))
    command = [find_toolchain().tool("clang"), "-O1", "-Wall", "-Wextra", "-Werror", *files, "-o", str(program)]
    subprocess.run(command, check=True, timeout=120)
    return program


def run(typeset: Path, folder: Path, *arguments: str, patterns: str, text: str, code: int = 0) -> str:
    (folder / "patterns.txt").write_text(patterns)
    (folder / "text.txt").write_text(text)
    command = [typeset, *arguments, "patterns.txt", "text.txt"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, text=True)
    assert done.returncode == code, done
    assert (code == 2) == bool(done.stderr)
    return done.stdout


def hyphenated(word: str, lines: list[str]) -> str:
    """Liang's rule, in the plainest way: every pattern at every place."""
    for line in lines:
        if "-" in line and line.replace("-", "") == word:
            allowed = {len(line[:place].replace("-", "")) for place, letter in enumerate(line) if letter == "-"}
            break
    else:
        marked = f".{word}."
        most = [0] * (len(marked) + 1)
        for line in lines:
            if "-" in line:
                continue
            letters = re.sub(r"\d", "", line)
            digits = [int(digit or "0") for digit in re.findall(r"(\d?)(?:[a-z.]|$)", line)]
            for start in range(len(marked) - len(letters) + 1):
                if marked.startswith(letters, start):
                    for place, digit in enumerate(digits[: len(letters) + 1]):
                        most[start + place] = max(most[start + place], digit)
        allowed = {place for place in range(len(word)) if most[place + 1] % 2}
    allowed = {place for place in allowed if 2 <= place <= len(word) - 3} if len(word) >= 5 else set()
    return "".join(("-" if place in allowed else "") + letter for place, letter in enumerate(word))


def test_published_example(typeset: Path, folder: Path) -> None:
    """The patterns that meet in "hyphenation", from appendix H of The TeXbook."""
    patterns = "hy3ph he2n hena4 hen5at 1na n2at 1tio 2io o2n\n"
    assert run(typeset, folder, "-h", patterns=patterns, text="hyphenation\n") == "hy-phen-ation\n"


def test_exceptions_come_first(typeset: Path, folder: Path) -> None:
    out = run(typeset, folder, "-h", patterns="1t a1b ta-ble pres-ent\n", text="table present batter\n")
    assert out == "ta-ble\npres-ent\nba-t-ter\n"


@pytest.mark.parametrize("seed", range(3))
def test_hyphens_follow_the_rule(typeset: Path, folder: Path, seed: int) -> None:
    patterns = generate("hyphenation", seed, {"count": 400, "exceptions": 10}).decode()
    words = generate("words", seed, {"count": 150}).decode()
    out = run(typeset, folder, "-h", patterns=patterns, text=words)
    lines = patterns.split()
    assert out.split() == [hyphenated(word, lines) for word in words.split()]
    assert out.count("-") > 60


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("measure", ["90", "180", "400"])
def test_no_way_of_breaking_is_better(typeset: Path, folder: Path, seed: int, measure: str) -> None:
    """The program compares with a second search, which tries every pair of breaks."""
    patterns = generate("hyphenation", seed, {"count": 500}).decode()
    text = generate("text", seed, {"size": 5000}).decode()
    out = run(typeset, folder, "-v", "-w", measure, "-t", "3000", patterns=patterns, text=text)
    assert re.search(r"points: \d+ paragraphs .* \d+ lines, \d+ forced", out)


def pages(out: str) -> list[list[tuple[str, int, int]]]:
    """The pieces of text of each page, with their heights and places."""
    found: list[list[tuple[str, int, int]]] = []
    for line in out.splitlines():
        if line.startswith("%%Page:"):
            found.append([])
        elif match := re.fullmatch(r"\((.*)\) (-?\d+) (-?\d+) w", line):
            found[-1].append((re.sub(r"\\(.)", r"\1", match[1]), int(match[2]), int(match[3])))
    return found


@pytest.mark.parametrize("measure", [120, 345])
def test_pages_hold_the_text(typeset: Path, folder: Path, measure: int) -> None:
    patterns = generate("hyphenation", 5, {"count": 800}).decode()
    text = generate("text", 5, {"size": 12_000}).decode()
    out = run(typeset, folder, "-p", "-w", str(measure), "-r", "30", "-t", "3000", patterns=patterns, text=text)
    joined = ""
    for page in pages(out):
        assert len({y for _, y, _ in page}) <= 30
        for (piece, y, x), (_, next_y, next_x) in zip(page, [*page[1:], ("", -1, 0)], strict=True):
            assert 72_000 <= x < 72_000 + measure * 1000
            assert next_y < y or next_x > x
            joined += piece[:-1] + "\0" if next_y != y and piece.endswith("-") else piece + " "
    # A hyphen at the end of a line is the text's own, or was put there.
    pattern = re.escape(" ".join(joined.split())).replace("\0", "[- ]{0,2}")
    assert re.fullmatch(pattern, " ".join(text.split()))


def test_looseness_makes_paragraphs_longer(typeset: Path, folder: Path) -> None:
    patterns = generate("hyphenation", 6, {"count": 800}).decode()
    text = generate("text", 6, {"size": 8000}).decode()
    lines = []
    for looseness in ("-1", "0", "1"):
        out = run(typeset, folder, "-l", looseness, "-w", "250", "-t", "4000", patterns=patterns, text=text)
        lines.append(int(re.findall(r"(\d+) lines", out)[0]))
    assert lines[0] <= lines[1] < lines[2]


@pytest.mark.parametrize(
    "arguments, patterns, text",
    [
        ((), "a1b", ""),
        ((), "a1b", "caf\u00e9\n"),
        ((), "a1B", "word\n"),
        ((), "12", "word\n"),
        ((), "a1b ab2", "word\n"),
        (("-w", "3"), "a1b", "word\n"),
        (("-x",), "a1b", "word\n"),
        (("-w", "100", "-n", "90"), "a1b", "word\n"),
    ],
)
def test_nonsense_is_refused(typeset: Path, folder: Path, arguments: tuple[str, ...], patterns: str, text: str) -> None:
    run(typeset, folder, *arguments, patterns=patterns, text=text, code=2)
