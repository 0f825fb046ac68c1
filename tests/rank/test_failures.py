"""What failures do to verdicts and ranks: nothing that helps, and nothing that hides a difference."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.digest import digest_of
from harness.base.vocabulary import SPEED, PolicyClass
from harness.rank import Question, versus
from harness.rank.contest import known, lost, result
from harness.rank.pairs import ahead
from harness.rank.sides import Side, counted
from harness.rank.verdicts import judge
from harness.record import Row, open_index
from harness.statistics.flips import LEVEL
from tests.rank.test_standings import QUESTION, record, table
from tests.rank.test_timed import QUESTION as TIMED
from tests.rank.test_timed import ZEN
from tests.rank.test_timed import record as record_times
from tests.rank.test_timed import table as timed_table
from tests.rows import LLVM, row


def board(fails: tuple[int, ...], *, name: str = "mine", programs: int = 10, floor: bool = True) -> list[Row]:
    """A policy that is 1 % larger on every program, and fails some."""
    rows = [row(f"b{n:02}", "Oz", 10_000) for n in range(programs)]
    if floor:
        rows += [row(f"b{n:02}", "O0", 16_000 + 100 * n) for n in range(programs)]
    return rows + [row(f"b{n:02}", name, None if n in fails else 10_100 + n % 3) for n in range(programs)]


@pytest.mark.parametrize("fails", [(), (2,), (2, 7)])
def test_who_fails_is_worse_all_the_same(fails: tuple[int, ...], tmp_path: Path) -> None:
    """The failures alone make a spread in which no test would see anything."""
    record(tmp_path, 0, board(fails))
    mine = table(tmp_path)["mine"]
    assert mine.verdict == "worse" and mine.p is not None and mine.p < 0.05
    assert mine.strict is not None and mine.matched is not None and mine.strict <= mine.matched + 1e-12
    assert mine.low is not None and mine.high is not None and mine.low <= mine.strict <= mine.high < 1
    assert (mine.rank, mine.losses) == (2, 10)


def test_who_fails_is_worse_among_others_too(tmp_path: Path) -> None:
    """The others decide how large a difference has to be, and the failures alone make every difference small."""
    rng = np.random.default_rng(3)
    others = [
        row(f"b{n:02}", f"other{k}", round(10_000 * math.exp(0.01 * rng.standard_normal())))
        for n in range(10)
        for k in range(4)
    ]
    record(tmp_path, 0, board((2, 7)) + others)
    assert table(tmp_path)["mine"].verdict == "worse"


def test_who_fails_is_behind_its_equal_that_does_not_hide(tmp_path: Path) -> None:
    """Of three alike, two of which fail, nobody comes to stand before who is better than all."""
    rows = board(()) + board((1,), name="once")[-10:] + board((1, 5), name="twice")[-10:]
    record(tmp_path, 0, rows + [row(f"b{n:02}", "good", 9_900 - n % 2) for n in range(10)])
    found = table(tmp_path)
    assert (found["good"].rank, found["Oz"].rank) == (1, 2)
    assert {found[name].rank for name in ("mine", "once", "twice")} == {3}


def test_the_same_is_said_of_two(tmp_path: Path) -> None:
    record(tmp_path, 0, board((2, 7)))
    with open_index(tmp_path) as index:
        summary = versus(index, QUESTION, "mine", "Oz").summary
    assert summary.failed == {"mine": ("b02", "b07")}
    assert summary.strict is not None and summary.mean is not None and summary.strict < summary.mean < 1
    assert summary.high is not None and summary.high < 1
    assert summary.conclusion.startswith("Oz is better than mine")
    assert "mine is worse than Oz" in summary.in_class


def test_a_failure_that_counts_too_little_is_not_ranked(tmp_path: Path) -> None:
    record(tmp_path / "without", 0, board((2, 7), floor=False))
    mine = table(tmp_path / "without")["mine"]
    assert mine.rank is None and mine.verdict is None
    assert (mine.strict, mine.low, mine.high, mine.median) == (None,) * 4, "1 at best, whatever failed"
    assert mine.matched is not None and mine.losses == 10
    (why,) = mine.reasons
    assert "O0" in why and "b02, b07" in why
    lost_too = [one for one in board((2, 7)) if (one.policy, one.benchmark) != ("O0", "b02")]
    record(tmp_path / "failed", 0, [*lost_too, row("b02", "O0", None)])
    found = table(tmp_path / "failed")
    assert found["mine"].rank is None and "b02" in found["mine"].reasons[0] and "b07" not in found["mine"].reasons[0]
    assert found["O0"].rank is not None


@st.composite
def sides(draw: st.DrawFn) -> list[Side]:
    """Policies on programs, of which some fail; the first is the floor."""
    programs = [f"b{n:02}" for n in range(draw(st.integers(6, 9)))]
    value = st.one_of(st.none(), st.floats(-1, 1).map(lambda x: round(x, 3)))
    values = draw(st.lists(st.tuples(*[value] * len(programs)), min_size=2, max_size=5, unique=True))
    results = [
        {b: result([lost("") if v is None else known(math.exp(v))]) for b, v in zip(programs, line, strict=True)}
        for line in values
    ]
    return [
        Side(
            f"p{n}",
            "fixed",
            mine,
            counted(mine, results[0]),
            tuple(programs),
            {b: (digest_of([n, b]),) for b in programs},
            0,
        )
        for n, mine in enumerate(results)
    ]


@settings(deadline=None, max_examples=60)
@given(sides())
def test_no_failure_is_a_gain(found: list[Side]) -> None:
    """What counts with a failure spared is never below strict, and never above what the policy completed or 0."""
    for side in found:
        own = [place for one in side.results.values() for place in one.estimates]
        for place, (mean, spared) in enumerate(zip(side.means, side.lenient, strict=True)):
            completed = list(side.results.values())[place].completed
            assert mean <= spared + 1e-12
            assert (spared == mean) if completed else spared <= min([0.0, *own]) + 1e-12


@settings(deadline=None, max_examples=40)
@given(sides())
def test_each_pair_is_judged_by_itself(found: list[Side]) -> None:
    every = ahead(found, {}, paired=False)
    for one, other in ((a, b) for n, a in enumerate(found) for b in found[n + 1 :]):
        for pair, chance in ahead([one, other], {}, paired=False).items():
            among = every.get(pair) or every[pair[::-1]]  # of two that are all but equal, rounding says who leads
            assert chance is not None and among is not None
            assert among.p == pytest.approx(chance.p, abs=0.05 if chance.p > 0.9 else 1e-12)
            if chance.below(LEVEL):
                assert pair in every


def test_a_pair_of_many_programs_is_judged_as_alone() -> None:
    """With 24 clusters sign vectors are drawn; a pair that differs on 12 of them is tried with every one, whoever
    else is in the table."""
    rng = np.random.default_rng(1)
    clusters = tuple(f"b{n:02}" for n in range(24))

    def side(name: str, values: list[float]) -> Side:
        results = {b: result([known(math.exp(v))]) for b, v in zip(clusters, values, strict=True)}
        return Side(name, "fixed", results, counted(results, {}), clusters, {b: (name + b,) for b in clusters}, 0)

    some = [side("Oz", [0.0] * 24), side("mine", [*(0.01 + 0.013 * rng.standard_normal(12)), *[0.0] * 12])]
    alone = ahead(some, {}, paired=False)
    (chance,) = alone.values()
    assert chance is not None and chance.low == chance.p == chance.high
    crowd = [side(f"other{n}", rng.standard_normal(24).tolist()) for n in range(3)]
    assert alone.items() <= ahead([*some, *crowd], {}, paired=False).items()


def test_copies_under_many_seeds_count_once(tmp_path: Path) -> None:
    values = {"Oz": 1000, "first": 950, "second": 990, "third": 1020}
    rows = [
        row(f"b{n}", name, value + (n * 7 + value) % 31 * (name != "Oz"))
        for n in range(9)
        for name, value in values.items()
    ]
    record(tmp_path, 0, rows)
    before = table(tmp_path)
    copies = [
        one.model_copy(
            update={
                "policy": f"copy{n}",
                "policy_digest": digest_of(n),
                "seed": seed,
                "cell": digest_of([n, seed, one.cell]),
            }
        )
        for n in range(4)
        for seed in range(n + 1)
        for one in rows
        if one.policy == "first"
    ]
    record(tmp_path, 1, [*rows, *copies])
    after = table(tmp_path)
    for name in values:
        told = ("verdict", "p", "mde", "rank", "rank_high", "strict", "low", "high")
        assert [getattr(after[name], field) for field in told] == [getattr(before[name], field) for field in told]


def test_equal_objects_of_which_one_failed_are_two_entries(tmp_path: Path) -> None:
    rows = board(())
    flaky = [
        one.model_copy(update={"policy": "flaky", "policy_digest": digest_of("f"), "cell": digest_of(["f", one.cell])})
        for one in rows
        if one.policy == "mine"
    ]
    bad = row("b03", "flaky", None).model_copy(update={"object_digest": flaky[3].object_digest, "cell": flaky[3].cell})
    record(tmp_path, 0, rows)
    before = table(tmp_path)["mine"]
    record(tmp_path, 1, [*rows, *flaky[:3], bad.model_copy(update={"policy_digest": digest_of("f")}), *flaky[4:]])
    found = table(tmp_path)
    assert found["flaky"].completed == 9
    assert found["mine"].mde == pytest.approx(before.mde, rel=0.2)
    assert found["flaky"].mde is not None and before.mde is not None and found["flaky"].mde > 10 * before.mde


def speeds(seed: int) -> list[Row]:
    rng = np.random.default_rng(seed)
    common = {"track": SPEED, "metric": "instructions", "unit": "instructions"}
    return [
        row(f"b{n:02}", name, round(1e6 * math.exp(lead + 0.004 * rng.standard_normal())), **common)
        for n in range(9)
        for name, lead in {"greedy": 0.0, "basic": 0.003, "pbqp": 0.001, "fast-o0": 0.6}.items()
    ]


@pytest.mark.parametrize("seed", range(8))
def test_two_references_are_told_the_same_whichever_is_shown(seed: int, tmp_path: Path) -> None:
    record(tmp_path, 0, speeds(seed), track=SPEED)
    opposite = {"better": "worse", "worse": "better"}
    question = Question("made", "x86-64", "speed", "instructions", "greedy", LLVM)
    found = {name: table(tmp_path, replace(question, reference=name)) for name in ("greedy", "basic", "pbqp")}
    for one in found:
        for other in found:
            if one != other:
                here, there = found[one][other], found[other][one]
                assert here.verdict == opposite.get(str(there.verdict), there.verdict)
                assert here.p == pytest.approx(there.p)


@pytest.mark.parametrize("programs", [2, 5])
def test_nothing_is_told_of_fewer_than_six(programs: int, tmp_path: Path) -> None:
    rows = [row(f"b{n}", name, value) for n in range(programs) for name, value in {"Oz": 1000, "mine": 1001}.items()]
    record(tmp_path, 0, rows)
    found = table(tmp_path)["mine"]
    assert (found.verdict, found.mde) == ("not resolved", None)


def test_times_without_pairs_are_won_by_nobody(tmp_path: Path) -> None:
    values = {"Oz": 1.0, "mine": 0.9}
    rows = [
        row(f"b{n}", name, value, metric="compile.cpu", unit="s") for n in range(8) for name, value in values.items()
    ]
    record(tmp_path, 0, rows)
    mine = table(tmp_path, replace(QUESTION, metric="compile.cpu"))["mine"]
    assert (mine.wins, mine.ties, mine.unresolved, mine.losses) == (0, 0, 8, 0)
    with open_index(tmp_path) as index:
        summary = versus(index, replace(QUESTION, metric="compile.cpu"), "mine", "Oz").summary
    assert (summary.wins, summary.unresolved, summary.losses) == (0, 8, 0)
    assert summary.mean is None and summary.conclusion.startswith("nothing is concluded: CPU seconds")


def test_who_is_perhaps_first_is_called_so(tmp_path: Path) -> None:
    learned = {"policy_class": PolicyClass.ZERO_SHOT}
    rows = [row(f"b{n}", "Oz", 1000) for n in range(8)]
    rows += [row(f"b{n}", "up", 1000 - (-1) ** n * 7 - n % 3, **learned) for n in range(8)]
    rows += [row(f"b{n}", "down", 1000 + (-1) ** n * 9 + n % 2, **learned) for n in range(8)]
    record(tmp_path, 0, rows)
    found = table(tmp_path)
    assert (found["up"].rank, found["up"].rank_high) == (1, 2)
    assert found["up"].reasons == ("perhaps first of its class, and not shown to be above Oz",)


def test_one_program_timed_elsewhere_takes_no_table_away(tmp_path: Path) -> None:
    times = {f"b{n}": {"greedy": 1.0, "basic": 1.1} for n in range(7)}
    record_times(tmp_path, 1, times, cpu="AMD EPYC", machine=ZEN)
    other = ZEN | {"model": "9"}
    record_times(tmp_path, 2, {"b0": {"greedy": 1.0, "basic": 0.5}}, cpu="Xeon", name="c2", machine=other)
    basic = timed_table(tmp_path, TIMED)["basic"]
    assert basic.completed == 7 and basic.strict == pytest.approx(1 / 1.1, rel=0.003)
    record_times(tmp_path, 3, times, cpu="Xeon", name="c3", machine=other)
    assert timed_table(tmp_path, TIMED)["basic"].completed == 7


def test_judgements_of_nobody_are_none() -> None:
    assert judge([]) == {}
