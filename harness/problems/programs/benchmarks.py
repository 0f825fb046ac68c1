"""Suites of programs: ``harness.problems.protocol.Benchmarks``."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.answers import Answer, Column, Table
from harness.base.engine import Engine
from harness.base.progress import Observer
from harness.base.vocabulary import SIZE, SPEED
from harness.problems.protocol import Asked, Replaying, SuiteAsked, Trial, suite_facts
from harness.rank.compare import Versus, compare_sql, versus
from harness.rank.question import Question
from harness.record import Row
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite, suite_names

if TYPE_CHECKING:
    import duckdb

    from harness.problems.programs.pages import ProgramPages
    from harness.problems.programs.run import ProgramRun

__all__ = ["Programs"]

_COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("target", "target"),
    Column("policy", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", lambda digest: str(digest)[:12]),
    Column("rebuilt", "rebuilt", lambda digest: str(digest)[:12]),
    Column("detail", "detail"),
)


class Programs:
    """See ``harness.problems.protocol.Benchmarks``."""

    called = "programs"
    tracks = frozenset({SIZE, SPEED})

    @property
    def pages(self) -> "ProgramPages":
        """Ratios, as ``harness.rank`` gives them."""
        from harness.problems.programs.pages import ProgramPages

        return ProgramPages()

    def trial(self, track: str) -> Trial:
        """Programs of the harness's own, in C, that compile in tenths of a second."""
        from harness.problems.programs.tracks import REFERENCES

        metrics = ["size.alloc", "size.text", *(["instructions"] if track == SPEED else ["ir.instructions"])]
        benchmarks = ("crc32", "sha", "qsort", "adpcm")
        return Trial("cbench", benchmarks, {"track": track, "metric": metrics}, REFERENCES[track][0], {"perturb": True})

    def names(self) -> list[str]:
        """The suites that come with the harness."""
        return suite_names()

    def owns(self, suite: str) -> bool:
        """Whether a suite of programs is called so."""
        return suite in suite_names()

    def facts(self, suite: str) -> dict[str, Any]:
        """One line of `harness suites`."""
        loaded = load_suite(suite)
        return suite_facts(loaded, len(loaded.programs))

    def show(self, suite: str, bench: Bench | None, _observer: Observer) -> Answer:
        """The suite's programs."""
        from harness.problems.programs.suites import show

        return show(suite, bench)

    def fetch(self, asked: SuiteAsked, folder: Path | None) -> Answer:
        """Every source of the suite that is not in the cache, or all of them from ``folder``."""
        from harness.problems.programs.stages import fetch_sources
        from harness.suite.sources import fetched_tree

        programs = load_suite(asked.suite).programs
        fetch_sources(programs, asked.bench, asked.engine, asked.observer, folder)
        sources = {program.benchmark.source for program in programs}
        trees = {one.benchmark.source: fetched_tree(one, asked.bench.store).path for one in programs}
        there = f"{len(sources)} source trees of {len(programs)} programs are here and verified"
        return Answer(notes=(*(f"  {name}: {path}" for name, path in trees.items()), f"{asked.suite}: {there}"))

    @property
    def suite_words(self) -> Mapping[str, Callable[[SuiteAsked], Answer]]:
        """What else can be asked."""
        from harness.problems.programs import suites

        return {"check": suites.check, "table": suites.table, "profile": suites.profile, "coverage": suites.coverage}

    def request(self, asked: Asked) -> "ProgramRun":
        """Raises UsageError for the first word that means nothing."""
        from harness.freeze.perturb import COPIES
        from harness.problems.programs.options import OPTIONS
        from harness.problems.programs.run import make_request
        from harness.suite.hidden import read_secret
        from harness.timing.request import USUAL_TIMING, TimingRequest

        given = asked.options
        own = {option.name for option in OPTIONS["run"]}
        timing = TimingRequest(
            given.get("budget", USUAL_TIMING.budget),
            given.get("precision", USUAL_TIMING.precision),
            given.get("again", USUAL_TIMING.again),
        )
        return make_request(
            asked.suite,
            asked.benchmarks,
            asked.policies,
            given.get("target", ()),
            given.get("track", SIZE),
            given.get("metric", ()),
            COPIES if given.get("perturb") else 0,
            read_secret(given["seed_file"]) if given.get("seed_file") is not None else None,
            timing,
            fresh=not given.get("no_fresh", False),
            log_features=given.get("log_features", False),
            extras={name: value for name, value in given.items() if name not in own},
        )

    def standings(self, index: "duckdb.DuckDBPyConnection", question: Question, _options: Mapping[str, Any]) -> Table:
        """Geometric means against the question's reference."""
        from harness.problems.programs.tables import standings_table

        return standings_table(index, question)

    def standings_sql(self, question: Question) -> str:
        """The query behind them."""
        from harness.rank.standings import standings_sql

        return standings_sql(question)

    def versus(self, index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> Versus:
        """Program by program."""
        return versus(index, question, a, b)

    def versus_sql(self, question: Question, a: str, b: str) -> str:
        """One row a program and pair of seeds."""
        return compare_sql(question, a, b)

    @property
    def legend(self) -> str:
        """What the columns mean."""
        from harness.problems.programs.tables import LEGEND

        return LEGEND

    def replay(self, asked: Replaying, bench: Bench, engine: Engine, observer: Observer) -> Answer:
        """Objects and deterministic values, rebuilt from the decisions alone."""
        from harness.problems.programs.rebuild import replay_run

        # Decisions stand beside the run, wherever it was found.
        results = asked.run.path.parent
        answers = replay_run(asked.run, bench, engine, results, observer, asked.benchmarks, asked.policies, asked.suite)
        different = [answer for answer in answers if answer.outcome != "ok"]
        values = sum(answer.values for answer in answers)
        notes = [
            f"{len(answers) - len(different)} of {len(answers)} objects rebuilt from their decisions are equal",
            f"{values - sum(len(answer.differing) for answer in answers)} of {values} values measured again are equal",
        ]
        if skipped := sorted({name for answer in answers for name in answer.skipped}):
            why = "the suite's version, C library, linker or emulator is another than in the run"
            notes.append(f"not compared, since {why}: {', '.join(skipped)}")
        table = Table([asdict(one) for one in answers], _COLUMNS, shown=[asdict(one) for one in different])
        return Answer((table,), tuple(notes), failed=bool(different))

    def script(self, asked: Replaying, row: Row, _bench: Bench) -> str:
        """Bare tool commands that give the row's object."""
        from harness.problems.programs.script import repro_script

        return repro_script(asked.run, row, asked.run.path.parent, asked.suite)
