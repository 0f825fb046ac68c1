"""The schema of a run file: one header line, one line a campaign and a timed block, then one row per measurement.

A cell whose outcome is not ``ok`` has one row without a metric: it has no numbers. A metric that cannot
be taken of an ``ok`` cell has a row without a value, whose detail says why.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness.errors import UsageError
from harness.record.fresh import Fresh
from harness.vocabulary import Isolation, Level, Outcome, PolicyClass, PolicyKind, Split, Target, Track

__all__ = [
    "CONTROL",
    "NOT_REACHED",
    "READABLE",
    "SCHEMA",
    "BenchmarkFacts",
    "Block",
    "Campaign",
    "Conditions",
    "Control",
    "Header",
    "History",
    "Host",
    "InstanceFacts",
    "Row",
    "Sample",
    "Solving",
]

SCHEMA = 6
READABLE = (2, 3, 4, 5, 6)
"""Schemas of run files that can be read: 2 has no campaigns; 3 no copies and hidden workloads; 4 no solvers; 5 no
fresh verification, and names of 5 and before carry 48 bits of their digest, later ones 128."""
NOT_REACHED = "the budget was spent before its first pair"
"""Detail of a run time that was not taken: it says nothing against what was timed before."""
CONTROL = "control"
"""Stands in a block for the copy of the reference's object."""


class Model(BaseModel):
    """Frozen, strict about keys; ``class`` is spelt ``policy_class`` in Python."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Host(Model):
    """The machine that measured."""

    cpu: str
    cores: int
    kernel: str
    governor: str | None
    """Of the first core's frequency; None where the kernel does not say."""
    load: float
    """One-minute load average when the run began."""
    sandbox: str
    """What isolated foreign code and limited it, in words of the machine's mechanisms."""


class BenchmarkFacts(Model):
    """What standings can be restricted by, as it was when the run was made."""

    split: Split
    origin: str
    program_digest: str
    """Of the sources and of how they are built."""


class InstanceFacts(Model):
    """What was known of a sharding instance when the run was made."""

    seconds: float
    """A solver's limit of wall time at time scale 1."""
    best: int | None = None
    """The lowest cost known."""
    bound: int | None = None
    """A proven lower bound of the cost."""


class Solving(Model):
    """Under which conditions solvers ran."""

    time_scale: float
    """Of the instances' limits."""
    cores: int
    """That a solver had."""
    instances: dict[str, InstanceFacts]
    missing: dict[str, str] = {}
    """Instances that were asked for and were not to be had, each with the reason."""


class Header(Model):
    """First line of a run file."""

    schema_version: int = SCHEMA
    run: str
    """The file's name without its extension: suite, track, time, and the digest of header and rows."""
    suite: str
    suite_version: str
    track: Track
    started: str
    """UTC, ISO 8601."""
    finished: str
    command: tuple[str, ...]
    harness_version: str
    commit: str | None
    """The harness's own commit; None outside a git checkout."""
    dirty: bool | None
    """Whether the checkout had changes beyond that commit."""
    llvm_version: str
    llvm: str
    """Fingerprint of the compiler: rows of different ones are never ranked together."""
    runtime: dict[str, str]
    """Per target, fingerprint of C library, linker and emulator."""
    host: Host
    jobs: int
    compile_timeout: float
    benchmarks: dict[str, BenchmarkFacts]
    min_coverage: float = 0.8
    """The suite's rule: with a smaller share of its programs a policy is not ranked."""
    trained_on: dict[str, tuple[str, ...]] = {}
    """Policy → those of the benchmarks that it was trained on; policies trained on none are left out."""
    hidden: str | None = None
    """Digest of the secret whose hidden workloads verified every object too; None without any."""
    asked_again_after: float | None = Field(default=None, ge=0)
    """Seconds, at least, from the first asking of policies that run code of their own to the second; None without such
    policies, and in older runs, which asked twice in a row."""
    solving: Solving | None = None
    """Of runs of solvers."""
    fresh: Fresh | None = None
    """Verification on inputs that nobody had seen; None of older runs, and of solvers."""


class Sample(Model):
    """What one object took in one block, per run of the workload."""

    object: str
    """The object's digest; ``control``: the copy of the reference's object."""
    cpu: float
    """Seconds of user and system time."""
    wall: float
    """Seconds of its turns."""
    preemptions: int
    """How often another process took the core."""
    first: int
    """Its place in the block's first round of turns, from 0."""


class Conditions(Model):
    """The machine during one block. Shares are of time, from 0 to 1."""

    seconds: float
    """From the first turn to the last, by a clock that stands still while the machine is suspended."""
    waited: float
    """Share of the turns in which the timed process did not run."""
    others: float
    """Share of the timed core's time that other processes used."""
    busy: float
    """Cores' worth of time that other processes used, on all cores together."""
    steal: float
    """Share of the timed core's time that the hypervisor gave to others."""
    pressure: float | None
    """Share in which some process of the machine waited for a core; None where the kernel does not say."""
    load: float
    frequency: float | None
    """MHz of the timed core; None where the kernel does not say."""
    throttled: int
    """Times that a control group's quota or heat slowed the timed process down."""
    idle: float
    """Seconds in which nobody had a turn."""
    suspended: float
    """Seconds for which the machine stood still or its clock was set."""


class Block(Model):
    """One round of timed runs: every object once (or ``passes`` times), in turns, in one layout."""

    campaign: str
    benchmark: str
    target: Target
    workload: str
    inputs: str
    """Digest of the workload: arguments, input files, pinned result."""
    number: int
    """Of the program's blocks in this campaign, from 0."""
    layout: int
    """Seed of the link order and of the environment's padding."""
    passes: int
    samples: tuple[Sample, ...]
    conditions: Conditions


class Control(Model):
    """The reference against a copy of itself, over the whole campaign."""

    ratio: float
    """Above 1: the copy was faster. ``low`` and ``high``: the 99 % interval."""
    low: float | None
    """None where there are too few pairs for an interval."""
    high: float | None
    pairs: int


class Campaign(Model):
    """One uninterrupted series of blocks on one machine."""

    campaign: str
    started: str
    """UTC, ISO 8601."""
    finished: str
    core: int
    """The core that everything was timed on."""
    slice: float
    """Seconds of a turn, on average."""
    precision: float
    """Half-width at which a program was measured no further, as a log-ratio."""
    budget: float
    """Seconds that the campaign could take."""
    seconds: float
    """That its blocks took."""
    blocks: int
    control: Control
    marks: tuple[str, ...]
    """Why its times cannot be used; empty: they can."""


class History(Model):
    """Cost over time: the feasible answers of a solver that were better than all before."""

    cell: str
    benchmark: str
    policy: str
    seconds: tuple[float, ...]
    """When each was printed, from the solver's start, ascending."""
    costs: tuple[int, ...]
    """Descending."""


class Row(Model):
    """One measurement, or one cell that gave none."""

    cell: str
    """Key of the cell: digest of everything that its result depends on."""
    campaign: str | None = None
    """The campaign that timed it last; None for what needs no clock. Its value is then a median over blocks."""
    benchmark: str
    target: Target
    track: Track
    kind: PolicyKind
    policy_class: PolicyClass = Field(alias="class")
    policy: str
    policy_digest: str
    seed: int
    copy_: int = Field(default=0, alias="copy")
    """Number of the module's copy with other names and another order that it was made of; 0: the module itself."""
    level: Level | None = None
    """Level that the module was frozen at; None where nothing is compiled."""
    isolation: Isolation
    """What stood between the machine and foreign code when it was measured."""
    frozen_digest: str | None
    decisions_digest: str | None
    object_digest: str | None
    outcome: Outcome
    detail: str = ""
    """For people: why the outcome is not ok, or why an ok cell has no value of this metric."""
    fresh: str | None = None
    """Digest of the fresh input that the object fails on; None of every other outcome."""
    metric: str | None = None
    workload: str | None = None
    function: str | None = None
    value: int | float | None = None
    unit: str | None = None

    @property
    def module_level(self) -> Level:
        """The level of a row that is about a module. Raises UsageError for one that is not."""
        if self.level is None:
            raise UsageError(f"{self.policy} on {self.benchmark}: nothing was compiled")
        return self.level

    def line(self) -> dict[str, Any]:
        """As it stands in a run file: fields that say nothing are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
