"""The schema of a run file: one header line, then one row per measurement.

A cell whose outcome is not ``ok`` has one row without a metric: it has no numbers. A metric that cannot
be taken of an ``ok`` cell has a row without a value, whose detail says why.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from harness.vocabulary import Isolation, Level, Outcome, PolicyClass, PolicyKind, Split, Target, Track

__all__ = ["SCHEMA", "BenchmarkFacts", "Header", "Host", "Row"]

SCHEMA = 2


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


class Row(Model):
    """One measurement, or one cell that gave none."""

    cell: str
    """Key of the cell: digest of everything that its result depends on."""
    campaign: str | None = None
    """Timing campaign; None for what needs no clock."""
    benchmark: str
    target: Target
    track: Track
    kind: PolicyKind
    policy_class: PolicyClass = Field(alias="class")
    policy: str
    policy_digest: str
    seed: int
    level: Level
    """Level that the module was frozen at."""
    isolation: Isolation
    """What stood between the machine and foreign code when it was measured."""
    frozen_digest: str | None
    decisions_digest: str | None
    object_digest: str | None
    outcome: Outcome
    detail: str = ""
    """For people: why the outcome is not ok, or why an ok cell has no value of this metric."""
    metric: str | None = None
    workload: str | None = None
    function: str | None = None
    pair: int | None = None
    order: int | None = None
    layout: int | None = None
    value: int | float | None = None
    unit: str | None = None

    def line(self) -> dict[str, Any]:
        """As it stands in a run file: fields that say nothing are left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)
