"""The schema of ``suites/NAME/suite.toml``: a suite, its sources, its programs, their workloads.

Only the shape is checked here. Whether the sources can be had is ``sources``' business, whether
they compile is ``freeze``'s, whether they behave is ``admission``'s.
"""

import re
from collections import Counter
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.base.vocabulary import Origin, Split
from harness.suite.fields import (
    Argument,
    ExitStatus,
    Flag,
    Line,
    Link,
    Model,
    Name,
    Package,
    Prose,
    RelativePath,
    SanitizerCheck,
    Sha256,
    Tarball,
    relative,
    require_version,
)

__all__ = [
    *("LEAST_COVERAGE", "Benchmark", "Build", "Coverage", "Input", "Part", "Shared", "Source", "Suite", "Workload"),
]

_BUILD_WEIGHT = 150
"""A package's own build, configuring included, takes as long as so many translation units."""
LEAST_COVERAGE = 0.8
"""The share of a program's basic blocks that its ``count`` workloads execute together, unless it has another target."""
LONGEST_PATTERN = 500
"""Characters of a regular expression."""
_MOST_ARGUMENTS = 64 << 10
"""Bytes of all arguments of a run together; the kernel takes 128 KiB in one of them."""
_LARGEST_NUMBER = 10**9
"""Of a generator's parameters. What they may make altogether is limited where it is made."""

Parameter = (
    Annotated[int, Field(ge=-_LARGEST_NUMBER, le=_LARGEST_NUMBER)] | Annotated[str, Field(max_length=10_000)] | bool
)


class Input(Model):
    """One file that a generator makes for a workload."""

    file: RelativePath
    """Name in the working folder of the run."""
    generator: Name | None = None
    """A name of ``harness.suite.generators``."""
    seed: int | None = Field(default=None, ge=0, lt=1 << 63)
    """Of the generator: another seed gives other bytes."""
    params: dict[Line, Parameter] = Field(default={}, max_length=20)
    """The generator's keyword arguments."""
    tree: RelativePath | None = None
    """Instead of a generator and its seed: a file of the program's source tree, such as a model that it needs."""

    @model_validator(mode="after")
    def _one_origin(self) -> Self:
        made = self.generator is not None and self.seed is not None
        if made == (self.tree is not None) or (self.tree and (self.generator or self.seed is not None or self.params)):
            raise ValueError(f"input {self.file!r} needs a generator and a seed, or the name of a file of the tree")
        return self


class Workload(Model):
    """One way to run a program."""

    name: Name
    """For messages, tables and ``expected.json``."""
    kind: Literal["count", "time"] = "count"
    """``count``: at most 0.05 s native, verifies and counts. ``time``: 0.3 to 2 s, native only, for timing."""
    args: tuple[Argument, ...] = Field(default=(), max_length=1000)
    """Arguments after argv[0]."""
    stdin: RelativePath | None = None
    """An input file that becomes standard input; otherwise standard input is empty."""
    inputs: tuple[Input, ...] = Field(default=(), max_length=100)
    """Files that are there before the run: a generator makes them, or they are files of the tree."""
    outputs: tuple[RelativePath, ...] = Field(default=(), max_length=100)
    """Files that the program writes, checked beside standard output."""
    exit: ExitStatus = 0
    """The exit status of a correct run. 126 to 192 are what shells and emulators make of failures and signals."""
    timeout: float = Field(default=10.0, gt=0, le=600)
    """Seconds of wall time for a native run; QEMU gets ten times as many."""
    stderr: bool = False
    """Whether standard error is checked as well, as error paths need whose only output is a message."""
    drop: tuple[Annotated[str, Field(max_length=LONGEST_PATTERN)], ...] = Field(default=(), max_length=20)
    """Output filter: lines of standard output, and of standard error where it is checked, that match one of these
    regular expressions do not count. For timings and dates that a program insists on printing."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        files = [i.file for i in self.inputs]
        if duplicate := [name for name, count in Counter(files).items() if count > 1]:
            raise ValueError(f"two inputs are called {duplicate[0]!r}")
        if self.stdin is not None and self.stdin not in files:
            raise ValueError(f"stdin {self.stdin!r} is not one of the inputs {files}")
        if sum(len(word.encode()) + 1 for word in self.args) > _MOST_ARGUMENTS:
            raise ValueError(f"args: more than {_MOST_ARGUMENTS:,} bytes in all")
        for pattern in self.drop:
            try:
                re.compile(pattern.encode())  # output is bytes
            except (re.error, ValueError, OverflowError, RecursionError) as error:
                raise ValueError(f"drop pattern {pattern!r} is not a regular expression: {error}") from None
        return self


class Part(Model):
    """A further Debian source package, unpacked into a folder of the tree: a library that the program is built with."""

    folder: RelativePath
    """Where in the tree."""
    package: Package
    """The source package's name."""
    version: Line
    """The upstream version, without the Debian revision."""
    tarball: Tarball
    """File name of the orig tarball."""
    sha256: Sha256
    """Of the orig tarball."""

    @model_validator(mode="after")
    def _same_release(self) -> Self:
        require_version(self.package, self.version, self.tarball)
        return self


class Build(Model):
    """How a package's own build system makes its programs.

    The steps run in the sandbox, in a copy of the tree. The environment names compilers and flags (``CC``, ``CXX``,
    ``AR``, ``RANLIB``, ``NM``, ``CFLAGS``, ``CXXFLAGS``, ``LDFLAGS``); in an argument, ``{host}`` stands for the
    target's triple. Programs are linked with LTO, and the whole-program module of the link is what is frozen.
    """

    steps: tuple[Annotated[tuple[Argument, ...], Field(min_length=1, max_length=1000)], ...] = Field(
        min_length=1, max_length=100
    )
    """Commands, run one after the other in the tree's folder."""
    programs: tuple[RelativePath, ...] = Field(min_length=1, max_length=1000)
    """The executables that come of it, relative to the tree."""
    seconds: float = Field(default=600.0, gt=0, le=7200)
    """CPU time of the whole build, all its processes together. Of wall time it has ten times as much."""
    processes: int = Field(default=32, ge=1, le=1024)
    """At one time: a build that makes more is stopped."""
    scratch: int = Field(default=1024, ge=16, le=16384)
    """MiB of files, the tree included."""


class Source(Model):
    """A source tree that one or more programs are built from."""

    origin: Origin
    """``debian``: an upstream release, pinned; ``own``: a folder beside the suite; ``local``: a folder elsewhere."""
    licence: Line
    """An SPDX expression."""
    package: Package | None = None
    """``debian``: the source package's name."""
    version: Line | None = None
    """``debian``: the upstream version, without the Debian revision."""
    tarball: Tarball | None = None
    """``debian``: file name of the orig tarball."""
    sha256: Sha256 | None = None
    """``debian``: of the orig tarball."""
    path: Line | None = None
    """``own``: folder inside the suite's folder; ``local``: path relative to suite.toml, or absolute."""
    overlay: RelativePath | None = None
    """``debian``: folder of the suite whose files are laid over the unpacked tree (a config.h, say)."""
    parts: tuple[Part, ...] = Field(default=(), max_length=100)
    """``debian``: further packages in folders of the tree."""
    build: Build | None = None
    """For programs that need their own build system; others name their ``files``."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed = ("package", "version", "tarball", "sha256") if self.origin is Origin.DEBIAN else ("path",)
        allowed = {*needed, "overlay"} if self.origin is Origin.DEBIAN else set(needed)
        for field in needed:
            if getattr(self, field) is None:
                raise ValueError(f"a source of origin {self.origin.value!r} needs the field {field!r}")
        for field in ("package", "version", "tarball", "sha256", "path", "overlay"):
            if field not in allowed and getattr(self, field) is not None:
                raise ValueError(f"a source of origin {self.origin.value!r} has no field {field!r}")
        require_version(self.package, self.version, self.tarball)
        if self.parts and self.origin is not Origin.DEBIAN:
            raise ValueError(f"a source of origin {self.origin.value!r} has no field 'parts'")
        if self.origin is Origin.OWN:
            relative(self.path or "")
        return self


class Coverage(Model):
    """What the ``count`` workloads of a program must execute, where it is not the usual share."""

    blocks: float = Field(ge=0, le=1)
    """The least share of the basic blocks."""
    reason: Prose
    """Why no more: what the blocks are that no workload reaches."""


class Benchmark(Model):
    """One program."""

    name: Name
    """The program's name, in results too."""
    source: Name
    """Which of the suite's sources it is built from."""
    description: Prose
    """What it does, for people."""
    language: Literal["c", "c++"] = "c"
    """Which driver compiles and links it."""
    files: tuple[RelativePath, ...] = Field(default=(), max_length=10_000)
    """Translation units, relative to the source tree."""
    program: RelativePath | None = None
    """Instead of ``files``: one of the programs that the source's ``build`` makes."""
    include: tuple[RelativePath, ...] = Field(default=(), max_length=100)
    """Include folders, relative to the source tree ('.' is the tree itself)."""
    defines: tuple[Line, ...] = Field(default=(), max_length=1000)
    """NAME or NAME=VALUE, without -D."""
    flags: tuple[Flag, ...] = Field(default=(), max_length=100)
    """The dialect: language standard, char signedness, aliasing, overflow, warnings. No others."""
    link: tuple[Link, ...] = Field(default=(), max_length=100)
    """Libraries of the system that it is linked with, as ``-lm``."""
    noinline: tuple[Line, ...] = Field(default=(), max_length=1000)
    """Functions that the source itself marks noinline; any other is a leaked flag."""
    unsanitized: dict[SanitizerCheck, Prose] = Field(default={}, max_length=100)
    """Checks of UndefinedBehaviorSanitizer that upstream code is exempt from, each with the reason
    why no pass can exploit it."""
    coverage: Coverage | None = None
    """A lower target than ``LEAST_COVERAGE`` for a program that was not written for the suite, with the reason."""
    unthrown: Prose | None = None
    """Why no workload throws an exception, of a program that has code for exceptions."""
    split: Split
    """``train``: policies may be made on it; ``test``: they may not."""
    cluster: Name | None = None
    """Programs that share code, as those of one library do, have the same: statistics take them for one, since what a
    policy does to the one it does to the others. None: it shares none."""
    workloads: tuple[Workload, ...] = Field(min_length=1, max_length=200)
    """The ways to run it; at least one of the kind ``count``."""

    @property
    def weight(self) -> float:
        """Roughly what freezing it costs, in translation units."""
        return float(len(self.files) or _BUILD_WEIGHT)

    @model_validator(mode="after")
    def _unique(self) -> Self:
        for what, names in (("files", self.files), ("workloads", [w.name for w in self.workloads])):
            if duplicate := [name for name, count in Counter(names).items() if count > 1]:
                raise ValueError(f"{what}: {duplicate[0]!r} is there twice")
        if bool(self.files) == (self.program is not None):
            raise ValueError("files: name the translation units, or the `program` that the source's build makes")
        if self.program is not None and (self.defines or self.flags or self.include):
            raise ValueError("defines, flags and include go with `files`; a build has options of its own")
        if all(workload.kind != "count" for workload in self.workloads):
            raise ValueError("workloads: none is of the kind 'count': nothing would verify an object")
        return self


class Shared(Model):
    """Programs of another suite that this one has too: one definition, not two."""

    suite: Name
    """One that comes with the harness."""
    benchmarks: tuple[Name, ...] = Field(min_length=1, max_length=1000)
    """Names of its programs."""


class Suite(Model):
    """A named, versioned set of benchmarks."""

    name: Name
    """Its name, in results too."""
    version: Line
    """Another one whenever a program or a workload changes."""
    description: Prose
    """What it is, for people."""
    min_coverage: float = Field(default=0.8, gt=0, le=1)
    """A policy that completes a smaller share of the programs is not ranked."""
    kernels: bool = False
    """Its programs are kernels, which boards of all suites show apart too."""
    absent: dict[Line, Prose] = Field(default={}, max_length=1000)
    """Programs that the suite's definition names and that are not here, each with the reason."""
    shared: tuple[Shared, ...] = Field(default=(), max_length=100)
    """Programs of suites that come with the harness."""
    sources: dict[Name, Source] = Field(default={}, max_length=1000)
    """Name → source tree."""
    benchmarks: tuple[Benchmark, ...] = Field(default=(), max_length=1000)
    """The programs that are defined here."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.benchmarks and not self.shared:
            raise ValueError("benchmarks: the suite has none")
        names = Counter([*(b.name for b in self.benchmarks), *(n for other in self.shared for n in other.benchmarks)])
        if duplicate := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two benchmarks are called {duplicate[0]!r}")
        for benchmark in self.benchmarks:
            if benchmark.source not in self.sources:
                raise ValueError(
                    f"benchmark {benchmark.name!r} names the source {benchmark.source!r}; "
                    f"the suite has {', '.join(sorted(self.sources))}"
                )
            own = self.sources[benchmark.source].origin is Origin.OWN
            if own and benchmark.coverage and benchmark.coverage.blocks < LEAST_COVERAGE:
                raise ValueError(
                    f"benchmark {benchmark.name!r}: a program of origin 'own' may not set a target of coverage below "
                    f"{LEAST_COVERAGE:.0%}; write workloads, or remove what nothing reaches"
                )
            build = self.sources[benchmark.source].build
            if benchmark.program is not None and (build is None or benchmark.program not in build.programs):
                raise ValueError(
                    f"benchmark {benchmark.name!r}: program {benchmark.program!r} is not one of the programs that "
                    f"the build of source {benchmark.source!r} makes"
                )
        return self
