"""The schema of a run file: one header line, one line a campaign and a timed block, then one row per measurement.

A cell whose outcome is not ``ok`` has one row without a metric: it has no numbers. A metric that cannot
be taken of an ``ok`` cell has a row without a value, whose detail says why.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from harness.base.errors import UsageError
from harness.base.machine import identity_of
from harness.base.vocabulary import Isolation, Level, Outcome, PolicyClass, Split, Target
from harness.record.fresh import Fresh

__all__ = [
    *("CONTROL", "MOVED"),
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
    "failed_rows",
]

SCHEMA = 8
READABLE = (2, 3, 4, 5, 6, 7, 8)
"""Schemas of run files that can be read: 2 has no campaigns; 3 no copies and hidden workloads; 4 no solvers; 5 no
fresh verification, and names of 5 and before carry 48 bits of their digest, later ones 128; rows of 6 and before have
a ``kind`` in place of problem and form (``harness.base.upgrade``)."""
NOT_REACHED = "the budget was spent before its first pair"
"""Detail of a run time that was not taken: it says nothing against what was timed before."""
CONTROL, MOVED = "control", "moved"
"""Stands in a block for the copy of the reference's object."""


def _moment(value: str) -> str:
    datetime.fromisoformat(value)
    return value


Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256, in hexadecimal."""
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=128)]
"""Of a benchmark, a policy, an object: what can stand in a path, a command and an address as it is."""
Names = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$", max_length=10_000)]
"""Of workloads, joined by ``+``."""
MetricName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9._-]*(@[A-Za-z0-9][A-Za-z0-9._+-]*)?$", max_length=128)]
Label = Annotated[
    str,
    Field(pattern=r"^[^\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]*$", max_length=1000),
    WithJsonSchema({"type": "string", "maxLength": 1000}),  # many validators do not know \p
]
"""Words for people, in one line: no control characters, and none that turn the direction of writing."""
Moment = Annotated[
    str,
    Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?\+00:00$"),
    AfterValidator(_moment),
]
"""UTC, ISO 8601."""
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Exact = Annotated[int, Field(gt=-(1 << 126), lt=1 << 126)]
"""Costs of sharding instances exceed 64 bits; DuckDB's widest whole number has 127."""
Number = Annotated[float, Field(allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Model(BaseModel):
    """Frozen, strict about keys; ``class`` is spelt ``policy_class`` in Python."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class Host(Model):
    """The machine that measured."""

    cpu: Label
    vendor: Label | None = None
    family: Label | None = None
    model: Label | None = None
    stepping: Label | None = None
    """Of the CPU, as its kernel gives them; None in files older than schema 8."""
    llvm: Label | None = None
    """What LLVM calls the CPU: whose model llvm-mca has of it."""
    hypervisor: Label | None = None
    microcode: Label | None = None
    memory: Count | None = None
    """Bytes."""
    cores: Count
    kernel: Label
    governor: Label | None
    """Of the first core's frequency; None where the kernel does not say."""
    load: Amount
    """One-minute load average when the run began."""
    sandbox: Label
    """What isolated foreign code and limited it, in words of the machine's mechanisms."""

    @property
    def identity(self) -> str:
        """Times are pooled only between runs with the same. Of older files the CPU's name, which no machine has."""
        if self.vendor is None:
            return self.cpu
        family, model, stepping = (word or "unknown" for word in (self.family, self.model, self.stepping))
        return identity_of(self.vendor, family, model, stepping, self.hypervisor, self.cores)


class BenchmarkFacts(Model):
    """What standings can be restricted by, as it was when the run was made."""

    split: Split
    origin: Name
    program_digest: Digest
    """Of the sources and of how they are built."""
    workloads: Digest | None = None
    """Of the workloads that objects were verified and counted on; None of an instance, and in files older than it."""
    runtime: dict[Target, Digest] = {}
    """Per target, fingerprint of C library, linker and emulator with all that it is linked with besides, as the C++
    library. Empty of an instance, and in files older than it."""
    cluster: Name | None = None
    """Of those that share code; None: it shares none, or the file is older than clusters."""


class InstanceFacts(Model):
    """What was known of a sharding instance when the run was made."""

    seconds: Amount
    """A solver's limit of wall time at time scale 1."""
    best: Exact | None = None
    """The lowest cost known."""
    bound: Exact | None = None
    """A proven lower bound of the cost."""
    plain: Exact | None = None
    """Of the problem's plain assignment, as a failure counts; None where that is not feasible, and in older files."""


class Solving(Model):
    """Under which conditions solvers ran."""

    time_scale: Amount
    """Of the instances' limits."""
    cores: Count
    """That a solver had."""
    instances: dict[Name, InstanceFacts]
    missing: dict[Name, str] = {}
    """Instances that were asked for and were not to be had, each with the reason."""
    renumbered: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    """What the copies under other numbers follow from; None where there are none, or a secret made them."""


class Header(Model):
    """First line of a run file."""

    schema_version: Count = SCHEMA
    run: str
    """The file's name without its extension: suite, track, time, and the digest of header and rows."""
    suite: Name
    suite_version: Label
    track: Name
    started: Moment
    """UTC, ISO 8601."""
    finished: Moment
    command: tuple[str, ...]
    harness_version: Label
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")] | None
    """The harness's own commit; None outside a git checkout."""
    dirty: bool | None
    """Whether the checkout had changes beyond that commit."""
    packages: tuple[Label, ...] = ()
    """Other packages whose code ran in the harness, unsandboxed, with their versions."""
    llvm_version: Label
    llvm: Digest
    """Fingerprint of the compiler: rows of different ones are never ranked together."""
    runtime: dict[Target, Digest]
    """Per target, fingerprint of C library, linker and emulator."""
    host: Host
    jobs: Count
    compile_timeout: Amount
    benchmarks: dict[Name, BenchmarkFacts]
    min_coverage: Annotated[float, Field(ge=0, le=1)] = 0.8
    """The suite's rule: with a smaller share of its programs a policy is not ranked."""
    trained_on: dict[Name, tuple[Name, ...]] = {}
    """Policy → those of the benchmarks that it was trained on; policies trained on none are left out."""
    deterministic: tuple[Name, ...] = ()
    """Searches that find the same whenever they are asked: one seed is all that they have."""
    ceilings: tuple[Name, ...] = ()
    """Policies that hold the best that is known of each program: a measure for others, never ranked."""
    spaces: dict[Name, dict[Name, Digest]] = {}
    """Policy that decides in steps → what it chose from (``actions.TABLE``) and what it saw, each with its digest."""
    hidden: Digest | None = None
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

    object: Name
    """The object's digest; ``control``: the copy of the reference's object; ``moved``: that in another layout."""
    cpu: Amount
    """Seconds of user and system time."""
    wall: Amount
    """Seconds of its turns."""
    preemptions: Count
    """How often another process took the core."""
    first: Count
    """Its place in the block's first round of turns, from 0."""


class Conditions(Model):
    """The machine during one block. Shares are of time, from 0 to 1."""

    seconds: Number
    """From the first turn to the last, by a clock that stands still while the machine is suspended."""
    waited: Number
    """Share of the turns in which the timed process did not run."""
    others: Number
    """Share of the timed core's time that other processes used."""
    busy: Number
    """Cores' worth of time that other processes used, on all cores together."""
    steal: Number
    """Share of the timed core's time that the hypervisor gave to others."""
    pressure: Number | None
    """Share in which some process of the machine waited for a core; None where the kernel does not say."""
    load: Number
    frequency: Number | None
    """MHz of the timed core; None where the kernel does not say."""
    throttled: Annotated[int, Field(gt=-(1 << 63), lt=1 << 63)]
    """Times that a control group's quota or heat slowed the timed process down."""
    idle: Number
    """Seconds in which nobody had a turn."""
    suspended: Number
    """Seconds for which the machine stood still or its clock was set."""


class Block(Model):
    """One round of timed runs: every object once (or ``passes`` times), in turns, in one layout."""

    campaign: Name
    benchmark: Name
    target: Target
    workload: Names
    inputs: Digest
    """Digest of all that the times depend on beside the objects: arguments, input files and right result of the
    workloads, the version of twins, what is linked, and the fingerprint of C library and linker."""
    number: Count
    """Of the program's blocks in this campaign, from 0."""
    layout: Count
    """Seed of the link order and of the environment's padding."""
    passes: Count
    samples: tuple[Sample, ...]
    conditions: Conditions


class Control(Model):
    """The reference against a copy of itself, over the whole campaign."""

    ratio: Amount
    """Above 1: the copy was faster. ``low`` and ``high``: the 99 % interval."""
    low: Amount | None
    """None where there are too few pairs for an interval."""
    high: Amount | None
    pairs: Count


class Moved(Model):
    """What the places of functions alone do to a time: the reference in two layouts, over the whole campaign."""

    pairs: Count
    moved: Amount
    """Standard deviation of the log-ratio of the two, robust (1.4826 times the median deviation from 0)."""
    still: Amount
    """The same of the reference and its copy, in one layout."""


class Campaign(Model):
    """One uninterrupted series of blocks on one machine."""

    campaign: Name
    started: Moment
    """UTC, ISO 8601."""
    finished: Moment
    core: Count
    """The core that everything was timed on."""
    slice: Amount
    """Seconds of a turn, on average."""
    precision: Amount
    """Half-width at which a program was measured no further, as a log-ratio."""
    budget: Amount
    """Seconds that the campaign could take."""
    seconds: Amount
    """That its blocks took."""
    calibration: Amount | None = None
    """CPU seconds of a fixed piece of work when it began; None in files older than schema 8."""
    blocks: Count
    control: Control
    moved: Moved | None = None
    """None without such pairs, and in files that are older than them."""
    marks: tuple[Label, ...]
    """Why its times cannot be used; empty: they can."""


class History(Model):
    """Cost over time: the feasible answers of a solver that were better than all before."""

    cell: Digest
    benchmark: Name
    policy: Name
    seconds: tuple[Amount, ...]
    """When each was printed, from the solver's start, ascending."""
    costs: tuple[Exact, ...]
    """Descending."""


class Row(Model):
    """One measurement, or one cell that gave none."""

    cell: Digest
    """Key of the cell: digest of everything that its result depends on."""
    campaign: Name | None = None
    """The campaign that timed it last; None for what needs no clock. Its value is then a median over blocks."""
    benchmark: Name
    target: Target
    track: Name
    problem: Name
    """What the policy decides."""
    form: Name | None = None
    """How it is written; None in rows of schema 6 and before whose ``kind`` does not tell."""
    policy_class: PolicyClass = Field(alias="class")
    policy: Name
    policy_digest: Digest
    seed: Count
    copy_: Count = Field(default=0, alias="copy")
    """Number of the module's copy with other names and another order that it was made of; 0: the module itself."""
    level: Level | None = None
    """Level that the module was frozen at; None where nothing is compiled."""
    isolation: Isolation
    """What stood between the machine and foreign code when it was measured."""
    frozen_digest: Digest | None
    decisions_digest: Digest | None
    object_digest: Digest | None
    outcome: Outcome
    detail: str = ""
    """For people: why the outcome is not ok, or why an ok cell has no value of this metric."""
    fresh: Digest | None = None
    """Digest of the fresh input that the object fails on; None of every other outcome."""
    metric: MetricName | None = None
    metric_version: Annotated[int, Field(ge=1, lt=1 << 31)] = 1
    """Values of two versions are never compared; left out, as in older schemas: the first."""
    workload: Names | None = None
    function: Label | None = None
    value: Exact | Number | None = None
    unit: Label | None = None

    @property
    def module_level(self) -> Level:
        """The level of a row that is about a module. Raises UsageError for one that is not."""
        if self.level is None:
            raise UsageError(f"{self.policy} on {self.benchmark}: nothing was compiled")
        return self.level

    def line(self) -> dict[str, Any]:
        """As it stands in a run file: fields that say nothing are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def failed_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Those of cells that ended with an outcome other than ``ok`` and ``unsupported``."""
    return tuple(row for row in rows if row.outcome not in (Outcome.OK, Outcome.UNSUPPORTED))
