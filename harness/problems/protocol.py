"""What a run asks of whoever knows its benchmarks: requests that become tasks, and tasks that give results.

A suite's benchmarks are programs (``harness.problems.programs``), or what another folder of ``harness/problems`` has in
their place. ``harness run``, ``evaluate``, ``replay``, ``repro``, ``suites`` and ``fetch`` know them by this alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from harness.base.answers import Answer, Table
from harness.base.engine import Engine
from harness.base.progress import Observer
from harness.base.views import Choose, Parts
from harness.base.vocabulary import Isolation, Target
from harness.policy import Policy
from harness.rank.compare import Versus
from harness.rank.question import Question
from harness.record import Header, Row, RunFile
from harness.record.recorder import Recorded, Recorder
from harness.record.rows import Block, Campaign
from harness.sandbox.bench import Bench

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "Asked",
    "Benchmarks",
    "Conclusion",
    "Pages",
    "Replaying",
    "Request",
    "Session",
    "Suite",
    "SuiteAsked",
    "Task",
    "Trial",
    "View",
    "suite_facts",
]

Result = TypeVar("Result")
AnyTask = TypeVar("AnyTask")


@dataclass(frozen=True)
class Asked:
    """A run in the words of whoever asks for it."""

    suite: str
    """Its name, or a path."""
    benchmarks: Sequence[str] = ()
    """All of the suite's where none is named."""
    policies: Sequence[str | Policy] = ()
    """Names or folders, or policies; ``all``; the usual ones where none is named."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was given of the options that ``options.py`` of a problem's folder declares for ``run``."""


@dataclass(frozen=True)
class Session:
    """What all parts of a run share."""

    bench: Bench
    engine: Engine
    observer: Observer
    recorder: Recorder
    found: dict[str, Any] = field(default_factory=dict)
    """What a request finds out in one of its steps and needs in a later one."""


class Task(Protocol[Result]):
    """One cell, ready to be computed: frozen, picklable, with all that it needs."""

    @property
    def key(self) -> str:
        """Digest of everything that the result depends on."""

    @property
    def entry(self) -> str:
        """Its name in the run's journal."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def weight(self) -> float:
        """What it costs beside the others; in a request whose tasks run alone, the seconds that it has."""

    def known(self, bench: Bench) -> Result | None:
        """The final result, from the cache or because nothing is to be computed; None where it must be."""

    def compute(self, bench: Bench) -> Result:
        """The result, as a value that travels: whoever gets it reads nothing on the worker's disk.

        Never raises CellError: that is an outcome.
        """

    def keep(self, result: Result, bench: Bench) -> None:
        """Put the result into the cache, unless it may be the machine's fault."""

    def shown(self, result: Result, bench: Bench) -> Sequence[Row]:
        """The rows of a result that is not final yet, to be looked at; none of one that is."""

    def recorded(self, result: Result, isolation: Isolation) -> Recorded | None:
        """What the run gets of it; None for a result that is not final yet: ``Request.conclude`` records it."""


@dataclass(frozen=True)
class Conclusion:
    """What a request adds to its run when all tasks are computed."""

    header: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the run file's header."""
    campaigns: Sequence[Campaign] = ()
    blocks: Sequence[Block] = ()
    verified: bool = False
    """Whether objects were verified on inputs that nobody had seen."""
    notes: tuple[str, ...] = ()
    """For people."""
    failed: bool = False
    """Something is not as it should be that no row says."""
    left_out: Sequence[Row] = ()
    """One row of each benchmark that counts for nobody: it fails under what all are compared with."""


class Definition(Protocol):
    """What every definition of a suite says."""

    @property
    def version(self) -> str:
        """Of the suite."""

    @property
    def description(self) -> str:
        """For people."""

    @property
    def min_coverage(self) -> float:
        """The share of the benchmarks that a ranked policy was run on."""


class Suite(Protocol):
    """A suite of whatever sort."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def definition(self) -> Definition:
        """What its file says."""


def suite_facts(suite: Suite, benchmarks: int) -> dict[str, Any]:
    """One line of ``harness suites``, of a suite with so many benchmarks."""
    definition = suite.definition
    fields = {"name": suite.name, "version": definition.version, "programs": benchmarks}
    return fields | {"description": definition.description}


class Request(Protocol[AnyTask]):
    """A run that is asked for, checked. ``AnyTask``: the sort of ``Task`` that it becomes."""

    @property
    def suite(self) -> Suite:
        """Whose benchmarks the policies are run on."""

    @property
    def track(self) -> str:
        """What is optimised for."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """The machines."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Those that decide, references that are timed beside them included."""

    @property
    def alone(self) -> bool:
        """Whether one task runs at a time, while nothing else of the harness measures on this machine."""

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of the metrics that are taken."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What people should know before it begins."""

    @property
    def identity(self) -> object:
        """As JSON: what makes another run of it, whose journal this one cannot go on with."""

    def outlook(self, bench: Bench, workers: int) -> list[str]:
        """What the run would do, in lines for people."""

    def beginning(self, bench: Bench) -> "Request[AnyTask] | None":
        """A small part of it that is worth being done, and shown, before all of it; None where nothing is."""

    def header(self, bench: Bench) -> Mapping[str, Any]:
        """What is known of the run file's header before anything is computed, but the machine's part."""

    def tasks(self, session: Session) -> Sequence[AnyTask]:
        """Every cell, when all that they need is there. Raises HarnessError when nothing sound could come of it."""

    def ready(self, pending: Sequence[AnyTask], session: Session) -> Sequence[AnyTask]:
        """Those that are neither recorded nor known, as they are computed."""

    def took(self, tasks: int, seconds: float, bench: Bench) -> None:
        """Told how many seconds of a worker the computed tasks took."""

    def conclude(self, done: Sequence[tuple[AnyTask, Any]], session: Session) -> Conclusion:
        """What is left to do when all tasks are computed. ``done``: those of this run, final or not."""

    def filed(self, file: Path | None, session: Session) -> list[str]:
        """Write what stands beside the run file; None: all was recorded before. Returns remarks for people."""


@dataclass(frozen=True)
class Replaying:
    """A recorded run to be replayed, or one row of it to be told how."""

    run: RunFile
    benchmarks: Sequence[str] = ()
    policies: Sequence[str] = ()
    suite: str | None = None
    """Path of the run's suite, if it does not come with the harness."""


@dataclass(frozen=True)
class SuiteAsked:
    """What is asked of a suite by ``harness suites WORD NAME [BENCHMARK]…``."""

    suite: str
    """Its name, or a path."""
    benchmarks: Sequence[str]
    options: Mapping[str, Any]
    """Those that were given of what ``options.py`` declares for ``suites WORD``."""
    bench: Bench
    engine: Engine
    observer: Observer


@dataclass(frozen=True)
class View:
    """What a problem shows in the place of a page's own, which shows what ``harness.rank`` answers."""

    title: str
    parts: Callable[["duckdb.DuckDBPyConnection", Question, Choose], Parts]


class Pages(Protocol):
    """What the leaderboard's pages ask, and show, of one sort of benchmarks."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Of the address: what else ``ask`` and views let the reader choose, and all pages keep."""

    @property
    def replay(self) -> str:
        """What ``harness replay`` does, for people."""

    @property
    def script(self) -> str:
        """What the script of ``harness repro`` is, for people."""

    def ask(self, index: "duckdb.DuckDBPyConnection", every: Sequence[Question], choose: Choose) -> Question:
        """Which of the questions about one suite, track and target the reader has, and with which restrictions."""

    def require(self, index: "duckdb.DuckDBPyConnection", question: Question) -> None:
        """Raise UsageError for restrictions that leave nothing."""

    def view_of(self, question: Question) -> dict[str, str]:
        """The parameters of the address that asks this question."""

    def describe(self, question: Question) -> str:
        """One line that says what is looked at."""

    def policies(self, index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
        """Those that can be compared, the best first."""

    def conditions(self, header: Header) -> dict[str, str]:
        """What a run's header says of its benchmarks alone: name → words."""

    @property
    def views(self) -> Mapping[str, View]:
        """Page → what is shown there instead: of ``standings`` and ``program``."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A small run that shows in a minute or two whether a policy works."""

    suite: str
    benchmarks: tuple[str, ...]
    """The smallest first. Nothing of them comes from elsewhere."""
    options: Mapping[str, Any]
    """Of ``harness run``."""
    reference: str | None
    """The policy that values are compared with; None: nothing is."""
    on_copies: Mapping[str, Any] | None = None
    """Options that have policies run on copies with other names too; None: there are no copies."""


class Benchmarks(Protocol):
    """How suites of one sort are read, run and replayed."""

    def trial(self, track: str) -> Trial:
        """What shows whether a policy of this track works."""

    @property
    def called(self) -> str:
        """What its benchmarks are, for people: ``programs``."""

    @property
    def tracks(self) -> frozenset[str]:
        """Of its runs."""

    @property
    def pages(self) -> Pages:
        """What the leaderboard asks and shows."""

    def names(self) -> list[str]:
        """The suites that come with the harness."""

    def owns(self, suite: str) -> bool:
        """Whether a name or path is a suite of this sort."""

    def facts(self, suite: str) -> dict[str, Any]:
        """What ``suite_facts`` gives."""

    def show(self, suite: str, bench: Bench | None, observer: Observer) -> Answer:
        """Its benchmarks; without a workbench, what can be said of them without one."""

    def fetch(self, asked: SuiteAsked, folder: Path | None) -> Answer:
        """Get everything that it needs from elsewhere, or from the folder."""

    @property
    def suite_words(self) -> Mapping[str, Callable[[SuiteAsked], Answer]]:
        """What else can be asked of a suite: the word of ``harness suites WORD`` → who answers."""

    def request(self, asked: Asked) -> Request[Any]:
        """Check every word. Raises UsageError for the first that means nothing."""

    def standings(self, index: "duckdb.DuckDBPyConnection", question: Question, options: Mapping[str, Any]) -> Table:
        """The standings that answer the question. Raises UsageError where nothing is recorded.

        ``options``: those of its own that were given to ``harness leaderboard``.
        """

    def standings_sql(self, question: Question) -> str:
        """The query behind them."""

    def versus(self, index: "duckdb.DuckDBPyConnection", question: Question, a: str, b: str) -> Versus:
        """Two policies side by side, by the figures of the standings. Raises UsageError for who has no rows."""

    def versus_sql(self, question: Question, a: str, b: str) -> str:
        """The query behind it."""

    @property
    def legend(self) -> str:
        """What the columns of the standings mean, in lines."""

    def replay(self, asked: Replaying, bench: Bench, engine: Engine, observer: Observer) -> Answer:
        """Rebuild what was measured from the decisions alone, and compare."""

    def script(self, asked: Replaying, row: Row, bench: Bench) -> str:
        """A shell script that rebuilds what the row is about without the harness."""
