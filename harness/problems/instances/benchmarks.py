"""Suites of instances: ``harness.problems.protocol.Benchmarks``."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.base.answers import Answer, Column, Table
from harness.base.engine import Engine
from harness.base.errors import UsageError
from harness.base.progress import Observer
from harness.problems.instances.domain import Domain
from harness.problems.instances.request import SolveRequest, make_solve_request
from harness.problems.instances.suite import load_instances, suite_file, suite_names
from harness.problems.protocol import Asked, Replaying, SuiteAsked, Trial, suite_facts
from harness.rank.compare import Versus, compare_sql, versus
from harness.rank.question import Question
from harness.record import Row
from harness.sandbox.bench import Bench

if TYPE_CHECKING:
    import duckdb

    from harness.problems.instances.pages import InstancePages

__all__ = ["Instances"]

_COLUMNS = (
    Column("instance", "benchmark"),
    Column("solver", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", "{:,}".format, right=True),
    Column("judged", "judged", "{:,}".format, right=True),
    Column("detail", "detail"),
)


@dataclass(frozen=True)
class Instances:
    """See ``harness.problems.protocol.Benchmarks``."""

    domain: Domain[Any]

    @property
    def called(self) -> str:
        """What its benchmarks are."""
        return self.domain.called

    @property
    def tracks(self) -> frozenset[str]:
        """Of its runs: one, called as the problem."""
        return frozenset({self.domain.name})

    @property
    def pages(self) -> "InstancePages":
        """Scores, and what was reached over time."""
        from harness.problems.instances.pages import InstancePages

        return InstancePages(self.domain)

    def trial(self, _track: str) -> Trial:
        """The two smallest instances that are made here, in a fifth of their time.

        A solver may find another answer each time, so that nothing is compared.
        """
        suite = self.names()[0]
        own = [one for one in load_instances(self.domain, suite).instances if one.entry.made]
        smallest = sorted(own, key=lambda one: one.entry.seconds)[:2]
        return Trial(suite, tuple(one.entry.name for one in smallest), {"time_scale": 0.2}, None, {"perturb": True})

    def names(self) -> list[str]:
        """The suites that come with the harness."""
        return suite_names(self.domain)

    def owns(self, suite: str) -> bool:
        """Whether a suite of instances is called so, or is at this path."""
        return suite_file(self.domain, suite) is not None

    def facts(self, suite: str) -> dict[str, Any]:
        """One line of `harness suites`."""
        loaded = load_instances(self.domain, suite)
        return suite_facts(loaded, len(loaded.instances))

    def show(self, suite: str, bench: Bench | None, observer: Observer) -> Answer:
        """The suite's instances."""
        from harness.problems.instances.suites import show

        return show(self.domain, suite, bench, observer)

    def fetch(self, asked: SuiteAsked, folder: Path | None) -> Answer:
        """Every instance's file, or those in ``folder``."""
        from harness.problems.instances.suites import fetch

        return fetch(self.domain, asked, folder)

    @property
    def suite_words(self) -> Mapping[str, Callable[[SuiteAsked], Answer]]:
        """What else can be asked."""
        from harness.problems.instances import suites

        return {"check": partial(suites.check, self.domain), "write": partial(suites.write, self.domain)}

    def request(self, asked: Asked) -> SolveRequest:
        """Raises UsageError for the first word that means nothing."""
        from harness.suite.hidden import read_secret

        given = asked.options
        own = self.domain.name
        if (track := given.get("track", own)) != own:
            raise UsageError(f"{asked.suite} is a suite of {self.called}: its track is {own!r}, not {track!r}")
        scale, cores = given.get("time_scale", 1.0), given.get("cores")
        return make_solve_request(
            self.domain,
            asked.suite,
            asked.benchmarks,
            asked.policies,
            scale,
            cores,
            given.get("repeats", 1),
            read_secret(given["seed_file"]) if given.get("seed_file") is not None else None,
            perturb=given.get("perturb", False),
        )

    def standings(self, index: "duckdb.DuckDBPyConnection", question: Question, options: Mapping[str, Any]) -> Table:
        """As the contest scores, with what can be told apart."""
        from harness.problems.instances.tables import standings_table

        published, instances = options.get("published", True), options.get("instances", False)
        return standings_table(self.domain, index, question, published=published, instances=instances)

    def standings_sql(self, question: Question) -> str:
        """The query behind them."""
        from harness.problems.instances.entries import solver_sql

        return solver_sql(self.domain, question)

    def versus(self, index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> Versus:
        """Costs as the standings have them; of another metric, its values."""
        from harness.problems.instances.compare import compare_solvers
        from harness.problems.instances.standings import COST

        if question.metric != COST:
            return versus(index, question, a, b)
        return compare_solvers(self.domain, index, question, a, b)

    def versus_sql(self, question: Question, a: str, b: str) -> str:
        """That of the standings, of two solvers."""
        from harness.problems.instances.entries import solver_sql
        from harness.problems.instances.standings import COST

        return solver_sql(self.domain, question, a, b) if question.metric == COST else compare_sql(question, a, b)

    @property
    def legend(self) -> str:
        """What the columns mean."""
        from harness.problems.instances.tables import LEGEND

        return LEGEND

    def replay(self, asked: Replaying, bench: Bench, _engine: Engine, observer: Observer) -> Answer:
        """The recorded assignments, judged again."""
        from harness.problems.instances.replay import judge_again

        answers = judge_again(self.domain, asked.run, bench, observer, asked.benchmarks, asked.policies, asked.suite)
        different = [answer for answer in answers if answer.outcome != "ok"]
        equal = f"{len(answers) - len(different)} of {len(answers)}"
        table = Table([asdict(one) for one in answers], _COLUMNS, shown=[asdict(one) for one in different])
        note = f"{equal} assignments are worth what was recorded"
        return Answer((table,), (note,), failed=bool(different))

    def script(self, asked: Replaying, row: Row, bench: Bench) -> str:
        """Plain Python that judges the row's assignment."""
        from harness.problems.instances.replay import judging_script

        return judging_script(self.domain, asked.run, row, bench, asked.suite)
