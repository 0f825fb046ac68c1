"""From the object to its blocks: the address map is that of the measured code, or there is none."""

import subprocess
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.apply import Compiled, CompilePlan, Step, clang_generate, compile_plan, optimise, run_step
from harness.base.vocabulary import Level, Outcome, Target
from harness.basic_blocks import Block, Code, analyse, generate_variants
from harness.basic_blocks.address_map import MappedBlock, read_address_map
from harness.basic_blocks.disassembly import BlockText, block_texts
from harness.basic_blocks.spills import Traffic
from harness.freeze import FrozenModule, freeze
from harness.policy import problem_of
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from harness.toolchain import TARGETS, Toolchain
from harness.toolchain.elf import loaded
from harness.verify import link_program
from tests.basic_blocks.cells import cell, code_of, made, measure

targets = pytest.mark.parametrize("target", Target)

PLAIN = """
#include <stdio.h>
int main(int argc, char **argv) { for (int i = 0; i < argc + 3; i++) printf("%d\\n", i); return 0; }
"""
OTHER = PLAIN.replace("argc + 3", "argc + 4")


def compiled(program: Program, target: Target, bench: Bench) -> tuple[FrozenModule, CompilePlan, Compiled]:
    one = cell(program, target)
    frozen = freeze(program, target, one.level, bench)
    kind = problem_of(one.policy.manifest.problem)
    decisions = kind.decide(one.policy, frozen, 0, bench).decisions
    plan = kind.plan(decisions, target)
    return frozen, plan, compile_plan(frozen, plan, bench)


@targets
def test_a_map_of_other_code_is_not_believed(target: Target, bench: Bench, tmp_path: Path) -> None:
    """As if the compiler gave other code when it writes the map."""
    program = made(tmp_path / "a", PLAIN)
    frozen, plan, mine = compiled(program, target, bench)
    _, _, other = compiled(made(tmp_path / "b", OTHER), target, bench)

    def link(linked_object: Path, output: Path) -> None:
        link_program(program.benchmark, target, linked_object, output, bench)

    foreign = Compiled(other.object, "0" * 64, 0, 0.0)
    found = analyse(foreign, plan, lambda: optimise(frozen, plan, bench).bitcode, link, ["foreign"], bench)
    assert found == "the compiler gives other code when it writes the BB address map"
    right = analyse(mine, plan, lambda: optimise(frozen, plan, bench).bitcode, link, ["right"], bench)
    assert isinstance(right, Code)


@targets
@pytest.mark.parametrize("level", [Level.O0, Level.O3, Level.OZ])
def test_options_of_the_variants_leave_the_code_as_it_is(
    level: Level, target: Target, bench: Bench, tmp_path: Path
) -> None:
    """What is loaded of the linked program, byte for byte."""
    program = made(tmp_path, PLAIN)
    frozen = freeze(program, target, level, bench)
    mapped, text = generate_variants(clang_generate(level, target))
    subprocess.run(["cp", frozen.bitcode, tmp_path / mapped.reads], check=True)
    linked = []
    for step in (clang_generate(level, target), mapped):
        subprocess.run([bench.toolchain.tool(step.tool), *step.arguments], cwd=tmp_path, check=True, timeout=60)
        linked.append(tmp_path / f"{step.writes}.linked")
        link_program(program.benchmark, target, tmp_path / step.writes, linked[-1], bench)
    assert loaded(linked[0]) == loaded(linked[1])
    assert read_address_map(linked[0], bench) == []
    assert {block.function for block in read_address_map(linked[1], bench)} == {"main"}
    assert "-stop-after=stack-frame-layout" in text.arguments and "-S" in text.arguments


@pytest.mark.parametrize("tool", ["llvm-readobj", "llvm-objdump"])
def test_a_tool_that_is_killed_is_asked_again(tool: str, bench: Bench, tmp_path: Path) -> None:
    """As by a machine without memory: it says nothing of the object, and nothing of it is kept."""
    program, bench = made(tmp_path / "a", PLAIN), replace(bench, cache=tmp_path / "cache")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (tools := Path(folder) / "llvm" / "bin").mkdir(parents=True)
        for known in bench.toolchain.bin.iterdir():
            (tools / known.name).symlink_to(known.resolve())
        (tools / tool).unlink()
        (tools / tool).write_text("#!/bin/sh\nkill -9 $$\n")
        (tools / tool).chmod(0o755)
        toolchain = Toolchain(tools, bench.toolchain.version)
        vars(toolchain)["fingerprint"] = bench.toolchain.fingerprint
        result = measure(program, Target.X86_64, replace(bench, toolchain=toolchain), "size.alloc", "mca.cycles")
    assert result.transient and f"{tool}: killed by SIGKILL" in result.detail
    again = measure(program, Target.X86_64, bench, "size.alloc", "mca.cycles")
    assert again.outcome is Outcome.OK and not again.missing and again.values["mca.cycles"] > 0


def test_only_clangs_step_has_variants() -> None:
    with pytest.raises(ValueError, match="not clang's step"):
        generate_variants(Step("opt", ("-passes=x", "frozen.bc"), "frozen.bc", "opt.bc"))


@targets
def test_a_program_without_symbols(target: Target, bench: Bench, tmp_path: Path) -> None:
    """A function that has none is called by its place; it has its blocks, counts and cycles all the same."""
    source = """
#include <stdio.h>
__attribute__((noinline)) static int hidden(int x) __asm__(".Lhidden");
static int hidden(int x) { return x * 41 + 1; }
int main(int argc, char **argv) { printf("%d\\n", hidden(argc)); return 0; }
"""
    program = made(tmp_path, source, noinline=(".Lhidden", "\\01.Lhidden", "hidden"))
    code = code_of(program, target, bench)
    assert isinstance(code, Code)
    assert code.spills_unknown is None
    assert len([name for name in code.functions if name.startswith("<unnamed ")]) == 1
    result = measure(program, target, bench)
    assert result.outcome is Outcome.OK and not result.missing


def test_a_stripped_program_is_no_program_with_blocks(toolchain: Toolchain, bench: Bench, tmp_path: Path) -> None:
    program = made(tmp_path, PLAIN)
    _, _, object_ = compiled(program, Target.X86_64, bench)
    linked = tmp_path / "linked"
    link_program(program.benchmark, Target.X86_64, object_.object, linked, bench)
    subprocess.run([toolchain.tool("llvm-strip"), str(linked)], check=True, timeout=60)
    assert read_address_map(linked, bench) == []
    (tmp_path / "text").write_text("no program")
    with pytest.raises(ValueError, match="cannot be read"):
        read_address_map(tmp_path / "text", bench)


@targets
def test_texts_of_blocks(target: Target, bench: Bench, tmp_path: Path) -> None:
    """No address is left in them, no padding, and their instructions fill the blocks."""
    code = code_of(made(tmp_path, PLAIN), target, bench)
    assert isinstance(code, Code)
    for block in code.blocks:
        lines = code.texts[block.text].split("\n") if block.instructions else []
        assert len(lines) == block.instructions == sum(count for _, count in block.segments)
        assert [offset for offset, _ in block.segments] == sorted({offset for offset, _ in block.segments})
        if target is Target.AARCH64:
            assert block.size == 4 * block.instructions
    everything = "\n".join(code.texts)
    assert "<" not in everything
    assert f"{code.blocks[0].address:x}" not in everything
    assert not any(text.split("\n")[-1].startswith("nop") for text in code.texts)


def test_a_block_that_begins_in_the_middle_of_an_instruction(bench: Bench, tmp_path: Path) -> None:
    program = made(tmp_path, PLAIN)
    _, _, object_ = compiled(program, Target.X86_64, bench)
    linked = tmp_path / "linked"
    link_program(program.benchmark, Target.X86_64, object_.object, linked, bench)
    main = min(address for name, address in loaded(linked) if name == ".text")
    with pytest.raises(ValueError, match="no instruction begins at"):
        block_texts(linked, [MappedBlock("main", 0, main, 1, 1.0), MappedBlock("x", 1, main + 1, 3, 1.0)], bench)


counts = st.integers(0, 1 << 40)


@given(
    st.lists(
        st.builds(
            Block,
            *(st.sampled_from(["f", "g\n", 'h"é']), counts, counts, counts, counts, counts, counts),
            *(st.floats(0, 1e9), counts, counts, counts),
            segments=st.lists(st.tuples(counts, counts)).map(tuple),
        )
    ).map(tuple),
    st.lists(st.text()).map(tuple),
    st.none() | st.text(),
)
def test_code_is_stored_and_read_back(blocks: tuple[Block, ...], texts: tuple[str, ...], why: str | None) -> None:
    code = Code(blocks, texts, why)
    assert Code.load(code.dump()) == code


def test_blocks_that_the_allocators_text_lacks() -> None:
    mapped = [MappedBlock("f", 0, 16, 4, 1.0), MappedBlock("f", 1, 20, 4, 0.5)]
    texts = [BlockText(("nop",), 4, 0, 0, ((0, 1),))] * 2
    both = {0: Traffic(1, 2), 1: Traffic(0, 3)}
    right = Code.join(mapped, texts, {"f": both, "g": {0: Traffic(9, 9)}})
    assert right.spills_unknown is None
    assert [(b.spills, b.reloads) for b in right.blocks] == [(1, 2), (0, 3)]
    assert "blocks of function f" in (Code.join(mapped, texts, {"f": {0: Traffic(0, 0)}, "g": {}}).spills_unknown or "")
    assert "blocks of function f" in (Code.join(mapped, texts, {"f": {**both, 2: Traffic(0, 0)}}).spills_unknown or "")
    nameless = [replace(block, function="<unnamed 1>") for block in mapped]
    assert [b.spills for b in Code.join(nameless, texts, {"f": both}).blocks] == [1, 0]
    assert Code.join(nameless, texts, {"f": both, "g": both}).spills_unknown is not None


def test_every_target_has_a_counter_and_a_model(toolchain: Toolchain) -> None:
    for target in Target:
        assert Path(toolchain.counter(target)).name == TARGETS[target].counter


@targets
def test_what_generates_the_code_generates_its_variants(target: Target, bench: Bench, tmp_path: Path) -> None:
    """A plugin in code generation and its files belong to the step: the map and the text need them too."""
    program = made(tmp_path / "a", PLAIN)
    frozen, plan, _ = compiled(program, target, bench)
    steered = clang_generate(frozen.level, target, (), "inline", (("decisions.txt", "made up"),))
    for variant in generate_variants(steered):
        assert (variant.plugin, variant.files, variant.tool) == (steered.plugin, steered.files, steered.tool)
    with bench.store.scratch() as folder:
        optimised = optimise(frozen, plan, bench).bitcode
        for step in (steered, *generate_variants(steered)):
            run_step(step, optimised, folder, bench)
            assert (folder / step.writes).stat().st_size > 0
