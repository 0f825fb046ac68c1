"""Suites from elsewhere: their sources, modules and objects read nothing of the user's files."""

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.apply.reference import reference_object
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Origin, Target
from harness.basic_blocks.throughput import Model, block_costs
from harness.freeze import freeze
from harness.problems.programs import script
from harness.sandbox.bench import Bench
from harness.suite.sources import source_tree, tree_digest
from harness.suite.workloads import prepare
from harness.verify.link import linked
from harness.verify.sanitizers import sanitizer_findings
from tests.programs import own_program, write_files

WORD = "hunter2"
NATIVE = Target.X86_64
MAIN = "int main(void) { return 0; }\n"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the user's that nobody else may read."""
    path = write_files(tmp_path / "home", {"secret": f"{WORD}\n"}) / "secret"
    path.chmod(0o600)
    return path


@pytest.fixture
def cache(tmp_path: Path, bench: Bench) -> Bench:
    """A workbench on a cache of its own, whose content can be looked through."""
    assert bench.sandbox
    shutil.copytree(bench.cache / "native", tmp_path / "cache" / "native")
    return Bench(bench.toolchain, tmp_path / "cache")


IN_FUNCTION = r'__asm__(".pushsection .rodata\n.incbin \"SECRET\"\n.popsection");'
WAYS = {
    "incbin": r'__asm__(".data\n.incbin \"SECRET\"\n.text");' + "\n" + MAIN,
    "incbin in a function": f"int main(void) {{ {IN_FUNCTION} return 0; }}\n",
    "assembly that includes": r'__asm__(".include \"SECRET\"");' + "\n" + MAIN,
    "include": f'#include "SECRET"\n{MAIN}',
    "include of the next": f'#include_next "SECRET"\n{MAIN}',
    "embed": f'const unsigned char stolen[] = {{\n#embed "SECRET"\n}};\n{MAIN}',
    "a library by its path": f'#pragma comment(lib, "SECRET")\n{MAIN}',
}


@pytest.mark.parametrize("way", WAYS)
def test_a_source_reads_no_file_of_the_user(way: str, secret: Path, tmp_path: Path, cache: Bench) -> None:
    program = own_program(tmp_path / "suite", {"main.c": WAYS[way].replace("SECRET", str(secret))})
    with pytest.raises((UsageError, CellError)) as raised:
        built, _ = reference_object(program, Level.OZ, NATIVE, cache)
        with linked(program.benchmark, NATIVE, built, cache):
            pass
    assert WORD not in str(raised.value)
    found = " ".join(sanitizer_findings(program, prepare(program, cache.store), cache))
    assert WORD not in found
    assert "cannot be built with sanitizers" in found or way == "a library by its path"  # its linker ignores those
    kept = [path for path in cache.cache.rglob("*") if path.is_file() and WORD.encode() in path.read_bytes()]
    assert kept == []


def test_a_link_to_a_file_of_the_user_is_no_source_and_no_input(secret: Path, tmp_path: Path, cache: Bench) -> None:
    inputs: list[dict[str, Any]] = [{"name": "only", "inputs": [{"file": "in", "tree": "data"}]}]
    for number, target in enumerate((str(secret), "../../home/secret", "../../home")):
        program = own_program(tmp_path / f"suite{number}", {"main.c": MAIN}, workloads=inputs)
        (program.folder / "src" / "data").symlink_to(target)
        with pytest.raises(UsageError, match="refused: the link data leads out of the source tree"):
            prepare(program, cache.store)
        with pytest.raises(UsageError, match="refused: the link data leads out of the source tree"):
            freeze(program, NATIVE, Level.OZ, cache)
        with pytest.raises(UsageError, match="refused: the link data leads out of the source tree"):
            script._sources(program)  # what `harness repro` prints is made to be passed on


def test_a_link_inside_the_tree_is_followed_as_ever(tmp_path: Path, cache: Bench) -> None:
    program = own_program(tmp_path / "suite", {"real.c": MAIN})
    (program.folder / "src" / "main.c").symlink_to("real.c")
    through = replace(program, benchmark=program.benchmark.model_copy(update={"files": ("main.c",)}))
    assert freeze(through, NATIVE, Level.OZ, cache).instructions > 0


@pytest.mark.parametrize("origin", ["own", "local"])
def test_a_source_folder_elsewhere(
    origin: str, secret: Path, tmp_path: Path, cache: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = own_program(tmp_path / "suite", {"main.c": MAIN})
    (program.folder / "door").symlink_to(secret.parent)
    path = "door" if origin == "own" else str(secret.parent)
    source = program.source.model_copy(update={"origin": Origin(origin), "path": path})
    elsewhere = replace(program, source=source)
    with pytest.raises(UsageError, match="refused: the source folder is not in the suite's folder") as raised:
        tree_digest(elsewhere)
    if origin == "local":
        assert "HARNESS_SOURCES" in (raised.value.hint or "")
        monkeypatch.setenv("HARNESS_SOURCES", str(secret.parent))
        assert source_tree(elsewhere, cache).path == secret.parent


def test_a_fifo_among_the_sources_is_named(tmp_path: Path) -> None:
    program = own_program(tmp_path / "suite", {"main.c": MAIN})
    os.mkfifo(program.folder / "src" / "pipe.c")
    with pytest.raises(UsageError, match="refused: a FIFO, a socket or a device, not a regular file"):
        tree_digest(program)


def test_disassembled_text_reads_no_file(secret: Path, cache: Bench) -> None:
    """Names of a hostile object's symbols come near the text that llvm-mca reads, and its errors are recorded."""
    (cost,) = block_costs([f'.include "{secret}"'], Model(NATIVE, "skylake"), cache)
    assert cost.cycles is None and WORD not in cost.problem
