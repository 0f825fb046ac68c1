"""Corpora in the layout of mlgo-utils: ``corpus_description.json``, and for each module ``NAME.bc`` and ``NAME.cmd``.

They come from elsewhere. Names, sizes and links are checked before anything is read; bitcode is read in the sandbox
alone. ``NAME.cmd`` has the options of ``clang -cc1``, with a zero byte behind each: only the level is looked at.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field, ValidationError

from harness.base.digest import digest_file, digest_of
from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.reading import read_bytes
from harness.learn.corpus.facts import ModuleFacts
from harness.learn.corpus.job import Step, Work, made_by, tool_key
from harness.learn.corpus.kept import Made, keep, kept
from harness.learn.corpus.written import Import
from harness.sandbox.bench import Bench
from harness.suite.fields import Model
from harness.suite.tree import Entry, Kind, check_name, pack, read_folder

__all__ = ["Description", "ModuleFacts", "description_of", "import_modules", "imported_units"]

DESCRIPTION = "corpus_description.json"
_KIND = "corpus-imports"
_LARGEST_DESCRIPTION = 1 << 25
_LARGEST_COMMAND = 1 << 20
_LARGEST_MODULE = 1 << 24
_MOST = 20_000
"""Modules of one import."""
_LEVEL = re.compile(r"-(O[0-3sz])\Z", re.ASCII)


class Description(Model):
    """What ``corpus_description.json`` says, as far as it matters here."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    modules: tuple[str, ...] = Field(max_length=_MOST, strict=False)
    has_thinlto: bool = False


@dataclass(frozen=True)
class _Chosen:
    name: str
    bitcode: Entry
    level: str
    """``Oz``; empty where its options say none."""


def description_of(content: bytes, where: str) -> Description:
    """Parse a description. Raises UsageError for what is none, and for names that lead anywhere else."""
    value = parse_json(content, where, containers=100)
    try:
        found = Description.model_validate(value)
    except ValidationError as error:
        raise UsageError(f"not a description of a corpus: {error.errors()[0]['msg']}", where=where) from None
    for name in found.modules:
        check_name(name, where)
    if len(set(found.modules)) != len(found.modules):
        raise UsageError("refused: a module is named twice", where=where)
    return found


def import_modules(folder: Path, name: str, split: str, licence: str, bench: Bench) -> Import:
    """Take the modules of a folder into the cache. Raises UsageError for what no such corpus may hold."""
    tree = read_folder(folder, links=False)
    entry = tree.get(DESCRIPTION)
    if entry is None or entry.kind is not Kind.FILE:
        raise UsageError("not a corpus of mlgo-utils", where=str(folder), hint=f"it has no {DESCRIPTION}")
    description = description_of(read_bytes(folder / DESCRIPTION, _LARGEST_DESCRIPTION), str(folder / DESCRIPTION))
    chosen = [_chosen(one, folder, tree) for one in description.modules]
    identity = [[one.name, one.level, digest_file(folder / f"{one.name}.bc")] for one in chosen]
    key = digest_of([_KIND, 1, identity, tool_key(bench)])

    def make(entry: Path) -> None:
        skipped = Counter[str]()
        with bench.store.scratch() as scratch:
            packed = {f"{number}.bc": one.bitcode for number, one in enumerate(chosen)}
            pack(packed, scratch / "tree.tar")
            work = Work(name, scratch / "tree.tar", {}, "", _steps(chosen, bench), len(chosen))
            keep(entry, made_by(work, skipped, bench), skipped)

    bench.store.folder(_KIND, key, make)
    return Import(name=name, key=key, split=split, licence=licence)


def imported_units(one: Import, bench: Bench) -> Made:
    """What an earlier import took. Raises UsageError where the cache has it no more."""
    if not bench.store.has(_KIND, one.key):
        raise UsageError(
            "its modules are not in the cache any more",
            where=one.name,
            hint="harness corpus import DIR takes them anew",
        )
    return kept(bench.store.path(_KIND, one.key))


def _chosen(name: str, folder: Path, tree: Mapping[str, Entry]) -> _Chosen:
    where = str(folder / f"{name}.bc")
    bitcode, command = tree.get(f"{name}.bc"), tree.get(f"{name}.cmd")
    if bitcode is None or bitcode.kind is not Kind.FILE:
        raise UsageError("the description names a module that is not there", where=where)
    if bitcode.size > _LARGEST_MODULE:
        raise UsageError(f"refused: {bitcode.size} bytes, {_LARGEST_MODULE} are allowed", where=where)
    words = read_bytes(folder / f"{name}.cmd", _LARGEST_COMMAND).split(b"\0") if command is not None else []
    levels = [found[1] for word in words if (found := _LEVEL.match(word.decode("utf-8", "replace")))]
    return _Chosen(name, bitcode, levels[-1] if levels else "")


def _steps(chosen: Sequence[_Chosen], bench: Bench) -> list[Step]:
    """Each module as LLVM 22 writes it, without debug information and checked."""
    opt = bench.toolchain.tool("opt")
    return [
        Step(one.name, "llvm", (opt, "-strip-debug", "-passes=verify", f"{number}.bc", "-o"))
        for number, one in enumerate(chosen)
    ]
