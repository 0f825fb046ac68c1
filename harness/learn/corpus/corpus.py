"""The door for trainers: units and functions by split, with their facts, and their bitcode at once.

    corpus = load()
    for unit in corpus.modules("train"):
        train_on(unit.bitcode(), unit.facts["instructions"])

A shard is mapped into memory and a module is a zstd frame of it, so that reading one is no more than unpacking it.
"""

import mmap
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import zstandard

from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import UsageError
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule
from harness.learn.corpus.job import TOOL, tool_key
from harness.learn.corpus.tables import FUNCTIONS, UNITS
from harness.learn.corpus.written import FUNCTIONS_FILE, SUITES_FILE, UNITS_FILE, About, corpus_folder, read_about
from harness.problems.passes.session.observations import AUTOPHASE
from harness.record.parquet import read_frame
from harness.sandbox import GIB, MIB, SCRATCH, Job, Limits
from harness.sandbox.bench import Bench
from harness.toolchain.native import llvm_program

if TYPE_CHECKING:
    import polars

__all__ = ["Corpus", "Module", "load", "parts"]

_SIZE = struct.Struct("<I")
_SECONDS = 300.0


@dataclass(frozen=True)
class Module:
    """A unit of the corpus."""

    corpus: "Corpus"
    facts: Mapping[str, Any]
    """Its row of ``units.parquet``."""

    @property
    def name(self) -> str:
        """``zlib/adler32.c``."""
        return str(self.facts["name"])

    def bitcode(self) -> bytes:
        """As clang wrote it, no pass run. Raises UsageError where the shard was altered."""
        return self.corpus.bitcode(self.facts)

    def frozen(self, folder: Path) -> FrozenModule:
        """The same as a file of ``folder``, for what compiles programs of suites. It cannot be run."""
        file = folder / f"{self.facts['digest']}.bc"
        if not file.is_file():
            file.write_bytes(self.bitcode())
        return FrozenModule(file, self.facts["digest"], self.facts["instructions"], Target.X86_64, Level.OZ)


class Corpus:
    """A corpus on disk. Threads may share it; processes each open their own."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageError where there is none."""
        self.folder = folder
        self.about: About = read_about(folder)
        self._shards: dict[str, mmap.mmap] = {}
        self._checked: set[int] = set()
        self._lock = threading.Lock()
        self._decompressor = zstandard.ZstdDecompressor()

    @cached_property
    def units(self) -> "polars.DataFrame":
        """A row for each unit; docs/corpus.md has the columns."""
        columns = {**UNITS, **dict.fromkeys(AUTOPHASE, "Int64")}
        return read_frame(self.folder / UNITS_FILE, columns, "a table of units")

    @cached_property
    def functions(self) -> "polars.DataFrame":
        """A row for each function that is listed: each shape once."""
        return read_frame(self.folder / FUNCTIONS_FILE, FUNCTIONS, "a table of functions")

    @cached_property
    def suites(self) -> Mapping[str, Sequence[int]]:
        """Program of a suite → its features of Autophase."""
        import json

        found: dict[str, list[int]] = json.loads((self.folder / SUITES_FILE).read_bytes())
        return found

    def modules(self, split: str | None = None, **equal: Any) -> Iterator[Module]:
        """Units in their order: of a split, and with these values in other columns (``language="c++"``).

        Generated ones are given only where ``split="generated"`` asks for them.
        """
        import polars

        frame = self.units
        frame = frame.filter(polars.col("split") == split if split else polars.col("split") != "generated")
        for column, value in equal.items():
            frame = frame.filter(polars.col(column) == value)
        for row in frame.iter_rows(named=True):
            yield Module(self, row)

    def bitcode(self, facts: Mapping[str, Any]) -> bytes:
        """Of the unit with this row. Its digest is checked the first time. Raises UsageError where it was altered."""
        offset, length = facts["offset"], facts["length"]
        try:
            with self._lock:
                frame = self._shard(facts["shard"])[offset : offset + length]
                content = self._decompressor.decompress(frame, max_output_size=facts["size"])
        except zstandard.ZstdError:
            content = None
        is_checked = facts["unit"] in self._checked
        if content is None or (not is_checked and digest_bytes(content) != facts["digest"]):
            where = str(self.folder / facts["shard"])
            raise UsageError("the corpus was altered after it was built", where=where, hint="harness corpus build")
        self._checked.add(facts["unit"])
        return content

    def _shard(self, name: str) -> mmap.mmap:
        if name not in self._shards:
            with (self.folder / name).open("rb") as file:
                self._shards[name] = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self._shards[name]


def load(folder: Path | None = None) -> Corpus:
    """The corpus in a folder, or the one in the cache. Raises UsageError where there is none."""
    return Corpus(corpus_folder(folder))


def parts(module: Module, bench: Bench) -> list[bytes]:
    """A unit's functions as modules of their own, by ``place`` of the table of functions; kept in the cache.

    Each has one function, and what it reaches in the file, internal; constants come along, and variables are declared,
    since nobody knows what another function has stored there. One process makes all of a unit.

    Raises UsageError where LLVM fails.
    """
    key = digest_of(["corpus-parts", 1, module.facts["digest"], tool_key(bench)])

    def make(entry: Path) -> None:
        with bench.store.scratch() as scratch:
            (scratch / "module.bc").write_bytes(module.bitcode())
            job = Job(
                f"/{TOOL}",
                ("parts", "module.bc"),
                system=True,
                folders=bench.toolchain.folders,
                files={
                    f"/{TOOL}": llvm_program(TOOL, bench.toolchain, bench.store),
                    f"{SCRATCH}/module.bc": scratch / "module.bc",
                },
                limits=Limits(wall=10 * _SECONDS, cpu=_SECONDS, memory=4 * GIB, file_size=GIB, output=512 * MIB),
            )
            done = bench.sandbox.run(job)
        if not done.ok:
            bench.store.require_space(done.stderr)
            raise UsageError(f"cannot be taken apart: {done.reason_line()}", where=module.name)
        (entry / "parts.zst").write_bytes(zstandard.compress(done.stdout, 3))

    entry = bench.store.folder("corpus-parts", key, make)
    found = _split(zstandard.decompress((entry / "parts.zst").read_bytes()))
    if len(found) != module.facts["functions"]:
        raise UsageError("its functions are not those that are listed", where=module.name)
    return found


def _split(content: bytes) -> list[bytes]:
    found: list[bytes] = []
    offset = 0
    while offset < len(content):
        (size,) = _SIZE.unpack_from(content, offset)
        offset += _SIZE.size
        found.append(content[offset : offset + size])
        offset += size
    return found
