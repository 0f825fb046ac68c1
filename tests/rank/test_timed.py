"""Run time is ranked by pairs of sound campaigns, and by nothing else."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.vocabulary import SPEED, Isolation, Outcome, PolicyClass, Target
from harness.measure import find_metric
from harness.rank import Question, Standing, campaigns, compare, programs, standings, versus
from harness.rank.question import questions
from harness.rank.words import campaign_lines, reason_lines
from harness.record import Row, open_index
from harness.record.rows import NOT_REACHED
from tests.rows import LLVM, block, blocks, campaign, header, row, run_file, written_by_another

QUESTION = Question("made", "x86-64", "speed", "runtime.cpu", "greedy", LLVM)
MARK = "a busy neighbour: programs waited for their core in 31% of the time"
TWELVE = tuple(f"b{number:02}" for number in range(12))


def at(day: int) -> str:
    return f"2026-01-{day:02}T00:00:00+00:00"


def timed(benchmark: str, policy: str, value: float | None = 1.0, **fields: Any) -> Row:
    """A row of run time; without a value, an ok cell that could not be timed."""
    made = {"metric": "runtime.cpu", "unit": "s", "track": SPEED, "outcome": Outcome.OK, "campaign": "c1", "detail": ""}
    if value is None:
        made |= {"campaign": None, "detail": "run-crash: killed by SIGSEGV"}
    return row(benchmark, policy, value, **{**made, **fields})


def failed(benchmark: str, policy: str) -> Row:
    return row(benchmark, policy, None, track=SPEED)


Times = Mapping[str, float]
"""Policy → seconds."""


def record(
    results: Path,
    day: int,
    times: Mapping[str, Times],
    *marks: str,
    name: str = "c1",
    count: int = 15,
    rows: Sequence[Row] = (),
    cpu: str = "Test",
    noise: float = 0.002,
    version: int = 1,
    machine: Mapping[str, Any] | None = None,
    calibration: float | None = None,
    isolation: Isolation = Isolation.SANDBOX,
    **fields: Any,
) -> None:
    """A run with one campaign in which the policies of each program were timed together, and with other rows."""
    all_rows, taken = list(rows), []
    for benchmark, seconds in times.items():
        taken_by = {"campaign": name, "metric_version": version, "isolation": isolation}
        mine = {policy: timed(benchmark, policy, value, **taken_by) for policy, value in seconds.items()}
        all_rows += mine.values()
        objects = {str(mine[policy].object_digest): value for policy, value in seconds.items()}
        taken += blocks(objects, count, benchmark, noise, campaign=name, **fields)
    host = header([])["host"] | {"cpu": cpu} | (machine or {})
    made = [campaign(name, at(day), *marks, blocks=len(taken), calibration=calibration)]
    run_file(results, all_rows, made, taken, track=SPEED, started=at(day), finished=at(day), host=host)


def table(results: Path, question: Question = QUESTION) -> dict[str, Standing]:
    with open_index(results) as index:
        return {standing.policy: standing for standing in standings(index, question)}


def lines(results: Path, question: Question = QUESTION) -> list[str]:
    with open_index(results) as index:
        rows = standings(index, question)
        return campaign_lines(campaigns(index, question), (row.pairs for row in rows)) + reason_lines(rows)


def near(ratio: float) -> Any:
    return pytest.approx(ratio, rel=0.003)


def test_run_time_is_what_campaigns_take() -> None:
    assert find_metric("runtime.cpu").timed and find_metric("runtime.wall").timed
    assert not any(find_metric(name).timed for name in ("compile.cpu", "instructions", "mca.cycles@znver3"))


def test_ratios_are_those_of_the_pairs(tmp_path: Path) -> None:
    """And not of the shown medians, which come from blocks that differ in speed."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}, "two": {"greedy": 1.0, "basic": 0.8}})
    slow = [timed("one", "basic", 99.0)]  # what is shown, from another day
    run_file(tmp_path, slow, track=SPEED, started=at(2), finished=at(2))
    basic = table(tmp_path)["basic"]
    assert basic.strict == basic.matched == near(1.0)
    assert (basic.wins, basic.ties, basic.losses, basic.pairs) == (1, 0, 1, 15)
    assert basic.these_low is not None and basic.these_high is not None and basic.low is not None
    assert 0.99 < basic.these_low < basic.strict < basic.these_high < 1.01
    assert basic.low < 0.5, "two programs say little of programs like these"
    assert basic.mde is None, "no difference would be found on two programs"
    with open_index(tmp_path) as index:
        found = {p.benchmark: p for p in programs(index, QUESTION, "basic")}
    assert (found["one"].policy, found["one"].ratio) == (99.0, near(0.8))
    assert [(p.verdict, p.pairs) for p in found.values()] == [("better", 15), ("worse", 15)]
    assert (found["one"].low or 0) < 0.8 * 1.001 and (found["one"].high or 0) > 0.8 * 0.999


def test_clear_differences_order_and_noise_shares_ranks(tmp_path: Path) -> None:
    record(
        tmp_path,
        1,
        {
            name: {"greedy": 1.0, "basic": 1.1, "alike": 1.0 + (0.02 if number % 2 else -0.02), "fast-o0": 2.0}
            for number, name in enumerate(TWELVE)
        },
    )
    found = table(tmp_path)
    ranks = {policy: (standing.rank, standing.rank_high) for policy, standing in found.items()}
    assert ranks == {"greedy": (1, 2), "alike": (1, 2), "basic": (3, 3), "fast-o0": (4, 4)}
    assert all(standing.reasons == () for standing in found.values())
    assert lines(tmp_path) == [
        "timed in one campaign on Test, 15 pairs a program (median); control 1.0004 (99 % interval 0.9989 – 1.0019)"
    ]


def test_equal_objects_are_exactly_one_whatever_was_timed(tmp_path: Path) -> None:
    same = {"object_digest": "o" * 64}
    rows = [timed("one", "greedy", 1.0, **same), timed("one", "twin", 1.5, **same), timed("one", "idle", None, **same)]
    record(tmp_path, 1, {"two": {"greedy": 1.0, "twin": 1.25, "idle": 1.0}}, rows=rows)
    found = table(tmp_path)
    assert found["twin"].strict == pytest.approx(math.sqrt(0.8), rel=0.003)
    assert (found["idle"].completed, found["idle"].ties) == (2, 2)
    assert (found["greedy"].strict, found["greedy"].these_low, found["greedy"].mde) == (1.0, 1.0, None)
    with open_index(tmp_path) as index:
        one = next(p for p in programs(index, QUESTION, "twin") if p.benchmark == "one")
        assert (one.ratio, one.low, one.pairs, one.verdict, one.same_object) == (1.0, None, None, "equal", True)
        sides = next(c for c in compare(index, QUESTION, "twin", "greedy") if c.benchmark == "one")
        idle = next(c for c in compare(index, QUESTION, "idle", "twin") if c.benchmark == "one")
    assert (sides.ratio, sides.verdict, sides.low, sides.mde, sides.outcome_a) == (1.0, "equal", None, None, "ok")
    assert (idle.ratio, idle.outcome_a) == (1.0, "ok")


def test_a_marked_campaign_is_shown_and_ranks_nobody(tmp_path: Path) -> None:
    times = {name: {"greedy": 1.0, "basic": 1.25} for name in TWELVE}
    record(tmp_path, 1, times, MARK)
    basic = table(tmp_path)["basic"]
    assert (basic.rank, basic.strict) == (None, near(0.8))
    assert basic.reasons == (f"timed only in a marked campaign: {MARK}",)
    assert (basic.wins, basic.ties, basic.unresolved, basic.losses) == (0, 0, 12, 0)
    assert lines(tmp_path) == [
        f"campaign c1 of 2026-01-01 is marked, nothing is ranked by it: {MARK}",
        f"not ranked: timed only in a marked campaign: {MARK}",
    ]
    assert table(tmp_path)["greedy"].rank is None, "not even the reference"
    with open_index(tmp_path) as index:
        found = versus(index, QUESTION, "greedy", "basic")
        assert {p.verdict for p in programs(index, QUESTION, "basic")} == {None}
    assert {row.verdict for row in found.rows} == {None}
    assert found.rows[0].ratio == near(1.25) and found.rows[0].remark == f"marked campaign: {MARK}"
    assert (found.summary.p, found.summary.wins, found.summary.ties) == (None, 0, 0)
    assert found.summary.conclusion.startswith("nothing is concluded: 12 of 12 programs were timed only in a marked")


def test_nobody_is_ranked_by_a_marked_campaign_of_equal_objects(tmp_path: Path) -> None:
    same = {"object_digest": "o" * 64}
    rows = [timed(name, policy, **same) for name in TWELVE for policy in ("greedy", "twin")]
    made = [found for name in TWELVE for found in blocks({"o" * 64: 1.0}, 12, name)]
    run_file(tmp_path, rows, [campaign("c1", at(1), MARK)], made, track=SPEED)
    assert {(row.rank, row.strict, row.reasons) for row in table(tmp_path).values()} == {
        (None, 1.0, (f"timed only in a marked campaign: {MARK}",))
    }


def test_a_campaign_without_the_sandbox_makes_no_marked_one_sound(tmp_path: Path) -> None:
    same = {"object_digest": "o" * 64}
    rows = [timed(name, policy, **same) for name in TWELVE for policy in ("greedy", "twin")]
    made = [found for name in TWELVE for found in blocks({"o" * 64: 1.0}, 12, name)]
    run_file(tmp_path, rows, [campaign("c1", at(1), MARK)], made, track=SPEED)
    trusted = [one.model_copy(update={"isolation": Isolation.TRUSTED, "campaign": "c2"}) for one in rows]
    late = [one.model_copy(update={"campaign": "c2"}) for one in made]
    run_file(tmp_path, trusted, [campaign("c2", at(2))], late, track=SPEED, started=at(2), finished=at(2))
    assert {(row.rank, row.reasons) for row in table(tmp_path).values()} == {
        (None, (f"timed only in a marked campaign: {MARK}",))
    }


def test_a_sound_campaign_counts_and_not_a_newer_marked_one(tmp_path: Path) -> None:
    record(tmp_path, 1, {name: {"greedy": 1.0, "basic": 1.25} for name in TWELVE})
    record(tmp_path, 2, {name: {"greedy": 1.0, "basic": 2.0} for name in TWELVE}, MARK, name="c2")
    basic = table(tmp_path)["basic"]
    assert (basic.rank, basic.strict, basic.reasons, basic.pairs) == (2, near(0.8), (), 15)
    assert lines(tmp_path)[1:] == [f"campaign c2 of 2026-01-02 is marked, nothing is ranked by it: {MARK}"]


def test_one_program_of_a_marked_campaign_is_enough_to_refuse(tmp_path: Path) -> None:
    record(tmp_path, 1, {name: {"greedy": 1.0, "basic": 1.25} for name in TWELVE[1:]})
    record(tmp_path, 2, {TWELVE[0]: {"greedy": 1.0, "basic": 2.0}}, MARK, name="c2")
    found = table(tmp_path)
    assert found["basic"].reasons == (f"timed only in a marked campaign on 1 of 12 programs: {MARK}",)
    assert found["basic"].strict == near((0.8**11 / 2) ** (1 / 12))
    assert (found["greedy"].rank, found["greedy"].rank_high) == (1, 1)


def test_sound_campaigns_of_one_machine_are_pooled(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}}, count=6)
    record(tmp_path, 2, {"one": {"greedy": 3.0, "basic": 3.75}}, count=7, name="c2")
    basic = table(tmp_path)["basic"]
    assert (basic.pairs, basic.strict) == (13, near(0.8))
    assert lines(tmp_path)[0].startswith("timed in 2 campaigns on Test, 13 pairs a program (median); control of the ")


def test_machines_are_not_pooled(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 2.0}}, cpu="Old")
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 1.25}}, cpu="New", name="c2")
    record(tmp_path, 3, {"one": {"greedy": 1.0, "basic": 4.0}}, MARK, cpu="Newest", name="c3")
    basic = table(tmp_path)["basic"]
    assert (basic.pairs, basic.strict) == (15, near(0.8))
    assert lines(tmp_path)[0].startswith("timed in one campaign on New, 15 pairs")
    assert "campaign c1 of 2026-01-01 on Old is not used: another machine, workload or objects" in lines(tmp_path)


def test_a_changed_workload_is_not_pooled(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 2.0}}, inputs=digest_of("old"))
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 1.25}}, inputs=digest_of("new"), name="c2")
    assert (table(tmp_path)["basic"].pairs, table(tmp_path)["basic"].strict) == (15, near(0.8))


def test_pairs_of_two_versions_of_the_metric_are_not_pooled(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 2.0}})
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 1.25}}, name="c2", version=2)
    assert (table(tmp_path)["basic"].pairs, table(tmp_path)["basic"].strict) == (15, near(0.8))


def test_times_taken_without_the_sandbox_are_not_pooled(tmp_path: Path) -> None:
    """They are as many, and newer."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}})
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 2.0}}, name="c2", isolation=Isolation.TRUSTED)
    basic = table(tmp_path)["basic"]
    assert (basic.pairs, basic.strict) == (15, near(0.8))
    unused = "campaign c2 of 2026-01-02 on Test is not used: taken without the sandbox, or of another machine"
    assert any(line.startswith(unused) for line in lines(tmp_path))


def test_rows_that_took_such_times_over_have_none(tmp_path: Path) -> None:
    """As harnesses before this one recorded them."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 2.0}}, isolation=Isolation.TRUSTED)
    rows = [timed("one", "greedy", 1.0), timed("one", "basic", 2.0)]
    run_file(tmp_path, rows, track=SPEED, started=at(2), finished=at(2))
    assert table(tmp_path)["basic"].completed == 0


def test_rows_that_say_so_have_times_taken_without_the_sandbox(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0}, "two": {"greedy": 1.0, "basic": 1.25}})
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 2.0}}, name="c2", isolation=Isolation.TRUSTED)
    basic = table(tmp_path)["basic"]
    assert (basic.completed, basic.strict) == (2, near(math.sqrt(0.8 / 2)))


def test_pairs_of_one_layout_are_one(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}}, count=12, layout=7)
    with open_index(tmp_path) as index:
        (one,) = programs(index, QUESTION, "basic")
    assert (one.outcome, one.detail, one.ratio) == ("not measured", "1 pairs of at least 10", None)


def test_fewer_than_ten_pairs_are_no_measurement(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25, "fast-o0": 2.0}}, count=9)
    record(tmp_path, 2, {"two": {"greedy": 1.0, "basic": 1.25, "fast-o0": 2.0}}, count=10, name="c2")
    basic = table(tmp_path)["basic"]
    assert (basic.completed, basic.benchmarks, basic.matched, basic.losses) == (1, 2, near(0.8), 2)
    assert basic.strict is None, "nothing is known of fast-o0 on `one`, so that nothing is of what a failure counts as"
    assert basic.reasons == ("coverage 1 of 2 is below the suite's rule of 80 %",)
    with open_index(tmp_path) as index:
        one = next(p for p in programs(index, QUESTION, "basic") if p.benchmark == "one")
        sides = next(c for c in compare(index, QUESTION, "basic", "greedy") if c.benchmark == "one")
    assert (one.outcome, one.detail, one.pairs) == ("not measured", "9 pairs of at least 10", None)
    assert (sides.ratio, sides.verdict, sides.remark) == (None, None, "9 pairs of at least 10")


@pytest.mark.parametrize(
    ("broken", "outcome", "detail"),
    [
        (lambda name, policy: failed(name, policy), "wrong-output", "workload small: output differs"),
        (lambda name, policy: timed(name, policy, None), "not measured", "run-crash: killed by SIGSEGV"),
    ],
    ids=["wrong output", "crashes when timed"],
)
def test_what_fails_is_seen_and_leaves_the_rest(broken: Any, outcome: str, detail: str, tmp_path: Path) -> None:
    """Even where a campaign has pairs of it, from before it failed."""
    times = {name: {"greedy": 1.0, "basic": 1.25, "fast-o0": 2.0} for name in TWELVE}
    record(tmp_path, 1, times)
    day = {"started": at(2), "finished": at(2)}
    run_file(tmp_path, [broken(TWELVE[0], "basic")], track=SPEED, **day)
    basic = table(tmp_path)["basic"]
    assert (basic.completed, basic.benchmarks, basic.matched, basic.losses) == (11, 12, near(0.8), 12)
    assert basic.strict == near((0.8**11 / 2) ** (1 / 12)), "it counts as the slowest baseline"
    assert basic.rank == 2 and math.isfinite(basic.high or math.inf)
    with open_index(tmp_path) as index:
        found = {p.benchmark: p for p in programs(index, QUESTION, "basic")}
        sides = {c.benchmark: c for c in compare(index, QUESTION, "basic", "greedy")}
    one = found[TWELVE[0]]
    assert (one.outcome, one.detail, one.policy, one.ratio, one.verdict) == (outcome, detail, None, None, None)
    assert one.counted == near(0.5)
    assert (sides[TWELVE[0]].ratio, sides[TWELVE[0]].outcome_a) == (None, outcome)
    assert [p.ratio for name, p in found.items() if name != TWELVE[0]] == [near(0.8)] * 11


def test_times_that_are_none_are_no_pairs(tmp_path: Path) -> None:
    rows = [timed("one", "greedy"), timed("one", "basic")]
    names = [str(made.object_digest) for made in rows]
    taken = blocks(dict.fromkeys(names, 1.0), 12) + [block({names[0]: 1.0, names[1]: 0.0}, n) for n in range(12, 15)]
    run_file(tmp_path, rows, [campaign()], taken, track=SPEED)
    assert (table(tmp_path)["basic"].pairs, table(tmp_path)["basic"].strict) == (12, near(1.0))


def test_an_endless_time_is_refused(tmp_path: Path) -> None:
    """No run writes one; a file that another program wrote may."""
    rows = [timed("one", "greedy"), timed("one", "basic")]
    taken = blocks(dict.fromkeys((str(made.object_digest) for made in rows), 1.0), 12, noise=0)
    whole = run_file(tmp_path, rows, [campaign()], taken, track=SPEED)
    lines = whole.read_bytes().splitlines(keepends=True)[1:]
    endless = [line.replace(b'"cpu":1.0', b'"cpu":1e999', 1) if b'"number":3,' in line else line for line in lines]
    assert endless != lines
    other = written_by_another(whole, b"".join(endless))
    with pytest.raises(UsageError, match="not JSON"):
        table(other.parent)


def test_what_the_budget_did_not_reach_is_lacking_coverage(tmp_path: Path) -> None:
    """A program without any pairs neither counts nor is forgotten."""
    spent = "the budget was spent before its first pair"
    rows = [timed("late", policy, None, detail=spent) for policy in ("greedy", "basic")]
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}}, rows=rows)
    basic = table(tmp_path)["basic"]
    assert (basic.benchmarks, basic.strict, basic.rank) == (1, near(0.8), None)
    assert basic.reasons == ("coverage 1 of 2 is below the suite's rule of 80 %",)
    with open_index(tmp_path) as index:
        late = next(p for p in programs(index, QUESTION, "basic") if p.benchmark == "late")
    assert (late.outcome, late.detail, late.counted) == ("not measured", spent, None)


def test_wall_time_is_shown_only(tmp_path: Path) -> None:
    wall = {"metric": "runtime.wall"}
    record(
        tmp_path,
        1,
        {"one": {"greedy": 1.0, "basic": 1.25}},
        rows=[timed("one", "greedy", 2.0, **wall), timed("one", "basic", 3.0, **wall)],
    )
    basic = table(tmp_path, replace(QUESTION, metric="runtime.wall"))["basic"]
    assert (basic.rank, basic.strict, basic.pairs) == (None, pytest.approx(2 / 3), None)
    assert basic.reasons == ("shown only: runtime.cpu ranks",)
    with open_index(tmp_path) as index:
        assert campaigns(index, replace(QUESTION, metric="runtime.wall")) == []


def test_what_was_timed_is_ranked_by_time_where_it_was(tmp_path: Path) -> None:
    counted = [
        row("one", "greedy", 9, metric="instructions", unit="instructions", track=SPEED, target=target)
        for target in Target
    ]
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}}, rows=counted)
    run_file(tmp_path, [row("one", "greedy", 9, metric="instructions", track=SPEED)], track=SPEED, suite="x")
    run_file(tmp_path, [row("one", "Oz")])
    with open_index(tmp_path) as index:
        asked = {(q.suite, q.track, q.target): q.metric for q in questions(index)}
    assert asked == {
        ("made", "speed", "x86-64"): "runtime.cpu",
        ("made", "speed", "aarch64"): "instructions",
        ("made", "size", "x86-64"): "size.alloc",
        ("x", "speed", "x86-64"): "instructions",
    }


# --- seeds


def searched(results: Path, seconds: Mapping[str, Sequence[float | None]], noise: float = 0.002) -> None:
    """A search with one object a seed; None where the seed's program crashes."""
    rows, taken = [], []
    for name, mine in seconds.items():
        rows += [timed(name, "greedy"), timed(name, "fast-o0", 2.0)]
        objects = {str(made.object_digest): made.value or 0 for made in rows[-2:]}
        for seed, value in enumerate(mine):
            made = timed(name, "search", value, seed=seed, object_digest=f"{name}-{value}")
            rows.append(made.model_copy(update={"policy_class": PolicyClass.SEARCH}))
            objects |= {} if value is None else {f"{name}-{value}": value}
        taken += blocks(objects, 15, name, noise)
    run_file(results, rows, [campaign()], taken, track=SPEED)


def test_seeds_of_a_search(tmp_path: Path) -> None:
    searched(tmp_path, dict.fromkeys(TWELVE, (0.8, 0.82, 0.8, 0.78, 0.8)))
    mine = table(tmp_path)["search"]
    mean = math.exp(-math.fsum(map(math.log, (0.8, 0.82, 0.8, 0.78, 0.8))) / 5)
    assert (mine.seeds, mine.completed, mine.rank, mine.strict) == (5, 12, 1, near(mean))
    assert mine.reasons == ("the only entry of its class that is ranked",)
    with open_index(tmp_path) as index:
        one = programs(index, QUESTION, "search")[0]
        sides = compare(index, QUESTION, "search", "greedy")[0]
    assert (one.pairs, one.verdict, one.ratio, one.object_digest) == (15, "better", near(mean), None)
    assert one.high is not None and one.low is not None and one.high / one.low > 1.02, "as far as seeds differ"
    assert (sides.ratio, sides.low) == (pytest.approx(one.ratio), pytest.approx(one.low))


def test_a_seed_that_fails_counts_as_the_slowest_baseline(tmp_path: Path) -> None:
    searched(tmp_path, {name: (0.8, None if name == TWELVE[0] else 0.8, 0.8, 0.8, 0.8) for name in TWELVE})
    mine = table(tmp_path)["search"]
    assert (mine.completed, mine.matched, mine.losses) == (11, near(1.25), 1)
    assert mine.strict == near((1.25**11 / 2) ** (1 / 12))


def test_seeds_that_found_the_same_object_are_not_five_measurements(tmp_path: Path) -> None:
    """Their noise is the same noise."""
    searched(tmp_path / "five", dict.fromkeys(TWELVE, (0.8,) * 5), noise=0.01)
    searched(tmp_path / "one", dict.fromkeys(TWELVE, (0.8,)), noise=0.01)
    five, one = (table(tmp_path / folder)["search"] for folder in ("five", "one"))
    assert five.strict == one.strict
    widths = [(side.these_high or 0) - (side.these_low or 0) for side in (five, one)]
    assert widths[0] > 0.8 * widths[1] > 0


# --- two policies


def test_two_policies_are_compared_by_their_own_pairs(tmp_path: Path) -> None:
    factors = [1.25, 1.1, 1.0, 1.003, 0.9] + [1.1] * 7
    times = {name: {"greedy": 1.0, "a": 1.0, "b": factor} for name, factor in zip(TWELVE, factors, strict=True)}
    record(tmp_path, 1, times, noise=0.0005)
    with open_index(tmp_path) as index:
        found = versus(index, QUESTION, "a", "b")
        back = versus(index, QUESTION, "b", "a")
    rows = {row.benchmark: row for row in found.rows}
    assert [rows[name].verdict for name in TWELVE[:5]] == ["better", "better", "equivalent", "equivalent", "worse"]
    assert [rows[name].ratio for name in TWELVE[:5]] == [near(factor) for factor in factors[:5]]
    assert [row.ratio for row in found.rows] == sorted((row.ratio or 0 for row in found.rows), reverse=True)
    assert all(row.pairs == 15 and (row.low or 9) < (row.ratio or 0) < (row.high or 0) for row in found.rows)
    assert all(row.mde is not None and 0 < row.mde < 0.01 for row in found.rows)
    summary = found.summary
    assert (summary.wins, summary.ties, summary.losses, summary.completed) == (9, 2, 1, 12)
    assert summary.p is not None and summary.p < 0.05
    alone = f"(p = {summary.p:.2g}, at 5 % for this pair alone)"
    assert summary.conclusion == f"a is faster than b on programs like these {alone}"
    assert back.summary.mean == pytest.approx(1 / (summary.mean or 0))
    assert [row.ratio for row in back.rows][::-1] == [pytest.approx(1 / (row.ratio or 0)) for row in found.rows]


def test_policies_that_never_met_are_not_compared(tmp_path: Path) -> None:
    record(tmp_path, 1, {name: {"greedy": 1.0, "a": 1.25} for name in TWELVE})
    record(tmp_path, 2, {name: {"greedy": 1.0, "b": 1.5} for name in TWELVE}, name="c2")
    with open_index(tmp_path) as index:
        found = versus(index, QUESTION, "a", "b")
    assert {(row.ratio, row.verdict, row.pairs) for row in found.rows} == {(None, None, None)}
    remark = "never timed together: harness run --suite made --track speed --policy a,b"
    assert {row.remark for row in found.rows} == {remark}
    assert found.summary.conclusion == remark
    ranked = table(tmp_path)
    assert (ranked["a"].rank, ranked["b"].rank, ranked["a"].rank_high, ranked["b"].rank_high) == (2, 2, 3, 3)


def test_the_queries_say_what_they_must(tmp_path: Path) -> None:
    """Every shown number comes from the printed query's rows."""
    from harness.rank.compare import compare_sql
    from harness.rank.standings import standings_sql
    from harness.statistics import paired_effect

    record(tmp_path, 1, {name: {"greedy": 1.0, "basic": 1.25} for name in TWELVE})
    with open_index(tmp_path) as index:
        names = index.sql(standings_sql(QUESTION)).columns
        given = [dict(zip(names, found, strict=True)) for found in index.execute(standings_sql(QUESTION)).fetchall()]
        sides = index.sql(compare_sql(QUESTION, "basic", "greedy")).fetchall()
        strict = {row.policy: row.strict for row in standings(index, QUESTION)}
    pairs = {
        (one["policy"], one["benchmark"]): [pair["log_ratio"] for pair in one["pairs"] or [{"log_ratio": 0.0}]]
        for one in given
    }
    for policy in ("greedy", "basic"):
        mean = math.fsum(paired_effect(pairs[policy, name]).estimate for name in TWELVE) / 12
        assert strict[policy] == pytest.approx(math.exp(mean))
    assert len(sides) == 12


def test_a_budget_that_ended_too_soon_takes_nothing_back(tmp_path: Path) -> None:
    """Unlike a program that has failed since."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}})
    late = timed("one", "basic", None, detail=NOT_REACHED)
    run_file(tmp_path, [late], track=SPEED, started=at(2), finished=at(2))
    assert table(tmp_path)["basic"].strict == near(0.8)
    crash = timed("one", "basic", None)
    run_file(tmp_path, [crash], track=SPEED, started=at(3), finished=at(3))
    assert table(tmp_path)["basic"].completed == 0


def test_a_run_that_is_nearly_all_blocks_can_be_read(tmp_path: Path) -> None:
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.25}}, count=60)
    assert table(tmp_path)["basic"].pairs == 60


ZEN = {"vendor": "AuthenticAMD", "family": "25", "model": "17", "stepping": "1", "hypervisor": "KVM"}


@pytest.mark.parametrize("changed", [{"model": "1"}, {"hypervisor": None}, {"cores": 4}, {"vendor": None}])
def test_times_of_two_machines_are_never_pooled(tmp_path: Path, changed: dict[str, Any]) -> None:
    """Both call themselves alike; the last is of a file that does not say more than that."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 2.0}}, cpu="AMD EPYC", machine=ZEN | changed)
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 1.25}}, cpu="AMD EPYC", machine=ZEN, name="c2")
    basic = table(tmp_path)["basic"]
    assert (basic.strict, basic.pairs) == (near(0.8), 15)
    record(tmp_path, 3, {"one": {"greedy": 1.0, "basic": 1.25}}, cpu="AMD EPYC", machine=ZEN, name="c3")
    assert table(tmp_path)["basic"].pairs == 30


def test_what_campaigns_differ_by_is_in_the_interval(tmp_path: Path) -> None:
    """Two that are sure of themselves and contradict one another leave little to be said."""
    record(tmp_path, 1, {"one": {"greedy": 1.0, "basic": 1.10}, "two": {"greedy": 1.0, "basic": 1.1}})
    (alone,) = (row for row in table(tmp_path).values() if row.policy == "basic")
    record(tmp_path, 2, {"one": {"greedy": 1.0, "basic": 0.95}, "two": {"greedy": 1.0, "basic": 1.1}}, name="c2")
    (both,) = (row for row in table(tmp_path).values() if row.policy == "basic")
    with open_index(tmp_path) as index:
        found = {p.benchmark: p for p in programs(index, QUESTION, "basic")}
    assert (alone.losses, both.losses, both.unresolved) == (2, 1, 1)
    assert found["one"].verdict == "unresolved" and found["two"].verdict == "worse"
    assert None not in (both.these_low, both.these_high, alone.these_low, alone.these_high)
    assert both.these_high - both.these_low > 5 * (alone.these_high - alone.these_low)  # type: ignore[operator]


def test_a_machine_that_has_changed_is_remarked_on(tmp_path: Path) -> None:
    for day, calibration in enumerate([0.100, 0.104, 0.096, 0.115], 1):
        times = {"one": {"greedy": 1.0, "basic": 1.1}}
        record(tmp_path, day, times, name=f"c{day}", machine=ZEN, calibration=calibration)
    changed = [line for line in lines(tmp_path) if "a fixed piece of work" in line]
    assert len(changed) == 1
    assert "campaign c4" in changed[0] and "115 ms" in changed[0] and "15% more" in changed[0]


def test_modelled_cycles_are_of_the_programs_that_were_timed_and_modelled(tmp_path: Path) -> None:
    """Who was not modelled on a program has not failed it."""
    taken = {"greedy": 1000, "mine": 990, "few": 980, "fast-o0": 3000}
    every = [(name, value, benchmark) for name, value in taken.items() for benchmark in (*TWELVE, "untimed")]
    rows = [row(b, name, value, metric="mca.cycles", track=SPEED) for name, value, b in every]
    rows += [
        row(b, name, value, metric="mca.cycles@znver5", track=SPEED)
        for name, value, b in every
        if name != "few" or b in TWELVE[:2]
    ]
    times = {benchmark: dict.fromkeys(("greedy", "mine", "few"), 1.0) for benchmark in TWELVE}
    record(tmp_path, 1, times, rows=rows, machine={"llvm": "znver5"})
    usual = find_metric("mca.cycles").model(Target.X86_64)
    found = {name: one.modelled for name, one in table(tmp_path).items()}
    assert found["greedy"] == {usual: 1.0, "znver5": 1.0}
    assert found["mine"] == pytest.approx({usual: 1000 / 990, "znver5": 1000 / 990})
    assert found["few"] == pytest.approx({usual: 1000 / 980})
    with open_index(tmp_path) as index:
        both = versus(index, replace(QUESTION, reference=""), "few", "mine").summary.modelled
    assert both == pytest.approx({usual: 990 / 980, "znver5 on 2 of 12 programs": 990 / 980})
