"""From a compiled cell to its ``Code``: generate once more with the block map beside the code, and once
as text; see that the program with the map is the measured one, byte for byte; read all three."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from harness.apply import Compiled, CompilePlan, Step, run_step
from harness.apply.plan import OBJECT
from harness.base.digest import digest_of
from harness.base.errors import CellError
from harness.basic_blocks.address_map import FLAGS as MAP_FLAGS
from harness.basic_blocks.address_map import read_address_map
from harness.basic_blocks.code import Code
from harness.basic_blocks.disassembly import block_texts
from harness.basic_blocks.spills import FLAGS as SPILL_FLAGS
from harness.basic_blocks.spills import spill_traffic
from harness.sandbox.bench import Bench
from harness.toolchain.elf import loaded

__all__ = ["MAPPED", "analyse", "generate_variants", "mapped_step"]

MAPPED, _TEXT = "mapped.o", "program.mir"
Link = Callable[[Path, Path], None]
"""Links an object to a program."""


def mapped_step(generate: Step, flags: tuple[str, ...]) -> Step:
    """The generate step, writing the object ``MAPPED`` with these flags, which put a block map beside the code."""
    if "-c" not in generate.arguments:
        raise ValueError(f"not clang's step: {generate}")
    plain = tuple(MAPPED if word == OBJECT else word for word in generate.arguments)
    return replace(generate, arguments=(*plain, *flags), writes=MAPPED, leaves=())


def generate_variants(generate: Step) -> tuple[Step, Step]:
    """The generate step, writing the block map beside the code; and stopping at the finished code's text."""
    text = tuple({OBJECT: _TEXT, "-c": "-S"}.get(word, word) for word in generate.arguments)
    return (
        mapped_step(generate, MAP_FLAGS),
        replace(generate, arguments=(*text, *SPILL_FLAGS), writes=_TEXT, leaves=()),
    )


def analyse(
    compiled: Compiled, plan: CompilePlan, optimised: Callable[[], Path], link: Link, linked_as: object, bench: Bench
) -> Code | str:
    """The object's code, from the cache or read now; or why it cannot be had.

    ``optimised`` gives the module that the plan generated the object from; ``linked_as`` is what the linked
    program depends on besides the object. Equal objects are analysed once.
    """
    import zstandard

    key = digest_of(["code", 1, compiled.digest, linked_as, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> None:
        with bench.store.scratch() as folder:
            module = optimised()
            try:
                code = _read(compiled, plan, module, link, folder, bench)
                content = b"+" + code.dump()
            except ValueError as error:
                bench.store.require_space()
                content = b"-" + str(error).encode()
        (entry / "code.zst").write_bytes(zstandard.ZstdCompressor(level=3).compress(content))

    entry = bench.store.folder(bench.area("code"), key, make)
    content = zstandard.ZstdDecompressor().decompress((entry / "code.zst").read_bytes())
    return Code.load(content[1:]) if content[:1] == b"+" else content[1:].decode()


def _read(compiled: Compiled, plan: CompilePlan, optimised: Path, link: Link, folder: Path, bench: Bench) -> Code:
    mapped, text = generate_variants(plan.generate)
    program, twin = folder / "program", folder / "twin"
    try:
        run_step(mapped, optimised, folder, bench)
        run_step(text, optimised, folder, bench)
        link(compiled.object, program)
        link(folder / MAPPED, twin)
    except CellError as error:
        if error.transient:
            raise
        raise ValueError(error.message) from None
    if loaded(program) != loaded(twin):
        raise ValueError("the compiler gives other code when it writes the BB address map")
    blocks = read_address_map(twin, bench)
    texts = block_texts(twin, blocks, bench)
    traffic = spill_traffic((folder / _TEXT).read_text("utf-8", "replace"))
    return Code.join(blocks, texts, traffic)
