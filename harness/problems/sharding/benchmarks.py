"""Suites of sharding instances: ``harness.problems.protocol.Benchmarks``."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.answers import Answer, Column, Table
from harness.base.engine import Engine
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.base.vocabulary import Track
from harness.problems.protocol import Asked, Replaying, SuiteAsked, suite_facts
from harness.problems.sharding.request import SolveRequest, make_solve_request
from harness.problems.sharding.suite import load_sharding_suite, sharding_file, sharding_names
from harness.rank.question import Question
from harness.record import Row
from harness.sandbox.bench import Bench

if TYPE_CHECKING:
    import duckdb

__all__ = ["Instances"]

_COLUMNS = (
    Column("instance", "benchmark"),
    Column("solver", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", "{:,}".format, right=True),
    Column("judged", "judged", "{:,}".format, right=True),
    Column("detail", "detail"),
)


class Instances:
    """See ``harness.problems.protocol.Benchmarks``."""

    called = "sharding instances"
    tracks = frozenset({Track.SHARDING})

    def names(self) -> list[str]:
        """The suites that come with the harness."""
        return sharding_names()

    def owns(self, suite: str) -> bool:
        """Whether a suite of instances is called so, or is at this path."""
        return sharding_file(suite) is not None

    def facts(self, suite: str) -> dict[str, Any]:
        """One line of `harness suites`."""
        loaded = load_sharding_suite(suite)
        return suite_facts(loaded, len(loaded.problems))

    def show(self, suite: str, bench: Bench | None, observer: Observer) -> Answer:
        """The suite's instances."""
        from harness.problems.sharding.suites import show

        return show(suite, bench, observer)

    def fetch(self, asked: SuiteAsked, folder: Path | None) -> Answer:
        """Every instance's file, or those in ``folder``."""
        from harness.problems.sharding.suites import fetch

        return fetch(asked, folder)

    @property
    def suite_words(self) -> Mapping[str, Callable[[SuiteAsked], Answer]]:
        """What else can be asked."""
        from harness.problems.sharding import suites

        return {"check": suites.check, "write": suites.write}

    def request(self, asked: Asked) -> SolveRequest:
        """Raises UsageError for the first word that means nothing."""
        given = asked.options
        track = given.get("track", Track.SHARDING.value)
        if track != Track.SHARDING.value:
            raise UsageError(
                f"{asked.suite} is a suite of {self.called}: its track is {Track.SHARDING.value!r}, not {track!r}"
            )
        scale, cores = given.get("time_scale", 1.0), given.get("cores")
        return make_solve_request(asked.suite, asked.benchmarks, asked.policies, scale, cores)

    def standings(self, index: "duckdb.DuckDBPyConnection", question: Question, options: Mapping[str, Any]) -> Table:
        """As the contest scores, with what can be told apart."""
        from harness.problems.sharding.tables import standings_table

        published, instances = options.get("published", True), options.get("instances", False)
        return standings_table(index, question, published=published, instances=instances)

    def standings_sql(self, question: Question) -> str:
        """The query behind them."""
        from harness.problems.sharding.entries import solver_sql

        return solver_sql(question)

    @property
    def legend(self) -> str:
        """What the columns mean."""
        from harness.problems.sharding.tables import LEGEND

        return LEGEND

    def replay(self, asked: Replaying, bench: Bench, _engine: Engine, observer: Observer) -> Answer:
        """The recorded assignments, judged again."""
        from harness.problems.sharding.replay import judge_again

        answers = judge_again(asked.run, bench, observer, asked.benchmarks, asked.policies, asked.suite)
        different = [answer for answer in answers if answer.outcome != "ok"]
        equal = f"{len(answers) - len(different)} of {len(answers)}"
        table = Table([asdict(one) for one in answers], _COLUMNS, shown=[asdict(one) for one in different])
        note = f"{equal} assignments have the cost and the peak that were recorded"
        return Answer((table,), (note,), failed=bool(different))

    def script(self, asked: Replaying, row: Row, bench: Bench) -> str:
        """Plain Python that judges the row's assignment."""
        from harness.problems.sharding.replay import judging_script

        return judging_script(asked.run, row, bench, asked.suite)
