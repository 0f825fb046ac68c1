"""What is timed in the place of a measured object: the same code, with functions that a linker can move.

All of an object's code is one section as a rule, which moves as a block: where its functions stand to each other stays
as it is, and so does whatever luck is in that. The *twin* is made by the same decisions with a section for each
function. Whether its functions are the same is checked, once.
"""

from pathlib import Path
from random import Random
from typing import Any

from harness.apply import compile_plan
from harness.apply.plan import CompilePlan, in_sections
from harness.base.digest import digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.sandbox.bench import Bench
from harness.timing.same_code import CHECK, differing
from harness.toolchain.elf import SHF_EXECINSTR, SHT_NOBITS, sections, symbols, with_room_behind

__all__ = ["TWIN", "arranged", "twin_of"]

TWIN = 1
"""Version of what is timed: times of two versions are never compared."""
_ROOM = 256
"""Bytes, fewer than that, behind each function: up to four lines of the cache."""
_FILL = b"\x90"
"""The instruction that does nothing, in one byte."""
_SHOWN = 3


def twin_of(measured: Path, frozen: FrozenModule, plan: CompilePlan, bench: Bench) -> Path:
    """The twin of the object that the plan gave.

    Raises CellError (``not-replayable``) where sections change a function's code: then nothing can be timed in its
    place.
    """
    twin = compile_plan(frozen, in_sections(plan), bench)
    key = digest_of(["twin", TWIN, CHECK, digest_file(measured), twin.digest, bench.toolchain.fingerprint.llvm])
    area = bench.area("twins")
    known: dict[str, Any] | None = bench.store.get(area, key)
    if known is None:
        known = {"differing": differing(measured, twin.object, bench)}
        bench.store.put(area, key, known)
    if names := known["differing"]:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        why = f"other code or data with functions in sections of their own: {', '.join(names[:_SHOWN])}{more}"
        raise CellError(Outcome.NOT_REPLAYABLE, why)
    return twin.object


def arranged(twin: Path, layout: int, output: Path) -> list[str]:
    """The twin in a layout: written with as much room behind each function as the layout says. Returns their order.

    Functions of the same name have the same room and order in every object of a layout, so that what objects share
    stands alike in all of them.
    """
    there = sections(twin)
    code = {n for n, one in enumerate(there) if one.flags & SHF_EXECINSTR and one.type != SHT_NOBITS}
    names = {one.section: one.name for one in symbols(twin) if one.is_function and one.section in code}
    draws = {number: Random(f"{layout}/{name}") for number, name in names.items()}
    room = {number: draw.randrange(_ROOM) for number, draw in draws.items()}
    output.write_bytes(with_room_behind(twin, room, _FILL))
    return [names[number] for number in sorted(names, key=lambda number: (draws[number].random(), names[number]))]
