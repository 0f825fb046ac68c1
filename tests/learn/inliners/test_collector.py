"""The worker compiles as clang does, and says what was decided."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness.apply import compile_plan
from harness.apply.plan import reference_plan
from harness.base.store import Store
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.learn.inliners.collector import HEURISTIC, PARTS, Collector, Compiled, Exploration
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network, fresh
from harness.learn.inliners.pool import Pool
from harness.problems.inlining.ask import DEFAULT, ask
from harness.problems.inlining.features import STATIC_FEATURES
from harness.problems.inlining.sites import Who, parse_log, sites_of
from harness.problems.programs.session.worker import SessionLost
from harness.sandbox import MIB, Reason
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain
from harness.toolchain.elf import allocated_bytes, executable_bytes, symbols
from harness.toolchain.native import llvm_program
from tests.learn.inliners.conftest import SMALL
from tests.problems.inlining.made import GROWING, LAYERS, Modules, always

PROGRAMS = ("cbench/crc32", "cbench/qsort", "mibench/basicmath", "polybench/trmm")


def some_network(seed: int = 0, features: tuple[str, ...] = STATIC_FEATURES) -> Network:
    seen = np.random.default_rng(seed).integers(0, 200, (500, len(features)))
    return fresh(features, seen, (8,), seed)


def as_bitcode(text: str, toolchain: Toolchain) -> bytes:
    command = [toolchain.tool("opt"), "-passes=verify", "-", "-o", "-"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("target", list(Target))
@pytest.mark.parametrize("name", PROGRAMS)
def test_llvms_heuristic_gives_the_object_that_clang_makes(name: str, target: Target, bench: Bench) -> None:
    frozen = modules_of([name], target, Level.OZ, bench)[name]
    plain = compile_plan(frozen, reference_plan(Level.OZ, target), bench).object
    with Collector(bench) as collector:
        done = collector.compile(frozen.bitcode.read_bytes())
    assert (done.alloc, done.text) == (allocated_bytes(plain), executable_bytes(plain))
    functions = [one for one in symbols(plain) if one.is_function]
    sizes = {one.size for one in functions}
    outlined = sum(one.name.startswith("OUTLINED_FUNCTION") for one in functions)  # for AArch64, at the end
    assert {size for size in done.functions.tolist() if size >= 0} <= sizes and (done.functions >= 0).any()
    there = done.functions >= 0
    assert ((done.unwinds >= 0) == there).all()
    assert 0 < done.unwind - done.unwinds[there].sum() < 64 + 40 * outlined, "what all of them share is no more"


@pytest.mark.slow
@pytest.mark.parametrize("target", list(Target))
def test_llvms_heuristic_gives_clangs_object_for_a_whole_suite(target: Target, bench: Bench) -> None:
    with Collector(bench) as collector:
        for frozen in modules_of("cbench", target, Level.OZ, bench).values():
            plain = compile_plan(frozen, reference_plan(Level.OZ, target), bench).object
            done = collector.compile(frozen.bitcode.read_bytes())
            assert (done.alloc, done.text) == (allocated_bytes(plain), executable_bytes(plain))


def test_questions_are_those_that_the_plugin_asks(bench: Bench) -> None:
    frozen = modules_of(["cbench/qsort"], Target.X86_64, Level.OZ, bench)["cbench/qsort"]
    answer = ask(DEFAULT, frozen, bench, features=True)
    rows = np.frombuffer(answer.features, np.int64).reshape(-1, len(STATIC_FEATURES) + 3)
    with Collector(bench) as collector:
        steps = collector.compile(frozen.bitcode.read_bytes(), all_features=True).steps
    assert (steps.features == rows[:, 1:-2]).all()
    assert steps.inline.tolist() == [site.inline for site in sites_of(answer.body) if site.who is Who.POLICY]


def test_what_was_decided_before_is_what_a_new_worker_makes(small: list[Module], bench: Bench) -> None:
    """Code is generated once for modules that are decided alike."""
    names = ("callee_calls", "cost_estimate", "callee_bytes")
    start = some_network(1, names)
    chance = np.random.default_rng(0)
    moved = start.parameters() + 0.3 * chance.standard_normal((4, start.parameters().size))
    networks = [start.with_parameters(values).as_data() for values in (*moved, *moved[::-1])]
    bitcode = small[1].read()

    def made(collector: Collector, network: bytes, once_for_callee: bool, closed: bool) -> Compiled:
        collector.use(network)
        return collector.compile(
            bitcode, Exploration(), once_for_callee=once_for_callee, closed=closed, with_decisions=True
        )

    ways = [(network, once, closed) for once in (False, True) for closed in (False, True) for network in networks]
    with Collector(bench) as lasting:
        again = [made(lasting, *way) for way in ways]
    assert 1 < len({one.digest for one in again}) < len(again)
    for way, old in zip(ways, again, strict=True):
        with Collector(bench) as collector:
            new = made(collector, *way)
        assert (old.alloc, old.text, old.unwind, old.digest) == (new.alloc, new.text, new.unwind, new.digest)
        assert old.table == new.table
        assert old.functions.tolist() == new.functions.tolist()
        assert old.steps.logits.tolist() == new.steps.logits.tolist()


def test_the_network_there_is_the_network_here(small: list[Module], bench: Bench) -> None:
    names = ("callee_calls", "cost_estimate", "callee_bytes")
    network = some_network(1, names)
    with Collector(bench) as collector:
        collector.use(network.as_data())
        steps = collector.compile(small[1].read(), Exploration()).steps
    assert steps.features.shape == (len(steps.inline), 3) and len(steps.inline) > 20
    np.testing.assert_allclose(steps.logits, network.logits(steps.features), rtol=1e-4, atol=1e-5)
    assert (steps.inline == (steps.logits > 0)).all() and 0 < steps.inline.mean() < 1


def test_chance_is_of_the_seed_alone(small: list[Module], bench: Bench) -> None:
    bitcode = small[1].read()
    with Collector(bench) as first, Collector(bench) as second:
        for collector in (first, second):
            collector.use(some_network().as_data())
        one = first.compile(bitcode, Exploration(1.0, 7))
        first.compile(small[0].read(), Exploration(1.0, 8))
        again, other = second.compile(bitcode, Exploration(1.0, 7)), first.compile(bitcode, Exploration(1.0, 9))
    assert one.digest == again.digest and (one.steps.inline == again.steps.inline).all()
    assert one.steps.inline.tolist() != other.steps.inline.tolist()


def test_chance_has_the_odds_that_the_logits_say(small: list[Module], bench: Bench) -> None:
    with Collector(bench) as collector:
        collector.use(some_network().as_data())
        steps = [collector.compile(small[1].read(), Exploration(2.0, seed)).steps for seed in range(20)]
    odds = np.concatenate([1 / (1 + np.exp(-one.logits.astype(float) / 2)) for one in steps])
    drawn = np.concatenate([one.inline for one in steps])
    assert len(odds) > 500
    for low, high in [(0.0, 0.35), (0.35, 0.65), (0.65, 1.0)]:
        within = (odds >= low) & (odds < high)
        if within.sum() > 50:
            assert abs(drawn[within].mean() - odds[within].mean()) < 4 * np.sqrt(0.25 / within.sum())


def test_a_function_may_be_decided_beforehand(small: list[Module], bench: Bench) -> None:
    with Collector(bench) as collector:
        plain = collector.compile(small[1].read())
        callee = int(plain.steps.callees[0])
        for inline in (True, False):
            done = collector.compile(small[1].read(), HEURISTIC, forced={callee: inline})
            of_it = done.steps.callees == callee
            assert (done.steps.inline[of_it] == inline).all() and of_it.any()
        assert len({callee}) == 1 and done.functions.shape == plain.functions.shape


def test_decisions_can_be_followed_as_a_table(small: list[Module], bench: Bench) -> None:
    with Collector(bench) as collector:
        collector.use(some_network().as_data())
        drawn = collector.compile(small[1].read(), Exploration(1.0, 3), with_decisions=True)
        again = collector.compile(small[1].read(), table=drawn.table)
        assert again.digest == drawn.digest != collector.compile(small[1].read()).digest
        assert collector.compile(small[1].read(), table=b"").digest == collector.compile(small[1].read()).digest


def test_a_module_grows_as_far_as_in_a_run(bench: Bench, tmp_path: Path) -> None:
    """What a training tries is what a run can measure."""
    frozen = Modules(tmp_path, bench).made("growing", GROWING)
    with Collector(bench) as collector:
        forced = dict.fromkeys(range(LAYERS + 2), True)
        table = collector.compile(frozen.bitcode.read_bytes(), forced=forced, with_decisions=True).table
    assert sites_of(parse_log(table.decode())) == sites_of(ask(always(bench), frozen, bench).body)


def test_parts_are_of_the_functions_that_are_left(small: list[Module], bench: Bench) -> None:
    with Collector(bench) as collector:
        done = collector.compile(small[1].read(), with_parts=True)
    assert done.parts is not None and done.parts.shape == (len(done.functions), len(PARTS))
    assert (done.parts[:, PARTS.index("functions")] == (done.functions >= 0)).all()
    assert (done.parts[done.functions >= 0][:, PARTS.index("returns")] >= 0).all()


@pytest.mark.parametrize("content", [b"", b"BC\xc0\xde", b"no module at all"])
def test_what_is_no_module_is_refused_and_the_worker_goes_on(content: bytes, small: list[Module], bench: Bench) -> None:
    with Collector(bench) as collector:
        with pytest.raises(ValueError, match="compiling a module"):
            collector.compile(content)
        assert collector.compile(small[0].read()).alloc > 0


@pytest.mark.parametrize("cut", [0, 1, 5, 40, -1, -4])
def test_what_is_no_network_is_refused(cut: int, bench: Bench) -> None:
    data = some_network().as_data()
    with Collector(bench) as collector:
        with pytest.raises(ValueError, match="no network"):
            collector.use(data[:cut] if cut else b"")
        with pytest.raises(ValueError, match="no network"):
            collector.use(data + b"\0\0\0\0")


def test_a_lost_worker_is_replaced_and_counted(small: list[Module], bench: Bench) -> None:
    with Pool(bench, 1) as pool:

        def work(collector: Collector, module: Module) -> int:
            if module.name == SMALL[2]:
                collector.seconds = 0.0  # no answer can be in time
            return collector.compile(module.read()).alloc

        found = list(pool.each("compile", small[:4], work))
        assert [size is None for size in found] == [False, False, True, False]
        assert len(pool.lost) == 1 and pool.cpu > 0


def test_a_worker_that_the_machine_ends_costs_no_answer(small: list[Module], bench: Bench) -> None:
    """Else the same seed would not give the same network on a machine that was once short of memory."""
    ended: list[str] = []

    def work(collector: Collector, module: Module) -> int:
        if not ended:
            ended.append(module.name)
            collector.close()
        return collector.compile(module.read()).alloc

    with Pool(bench, 1) as pool:
        assert None not in list(pool.each("compile", small[:3], work))
        assert ended and not pool.lost


def test_a_worker_that_cannot_be_started_is_started_once_more(
    small: list[Module], bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a training does not go on as if no module could be compiled."""
    started: list[str] = []

    def broken(name: str, toolchain: Toolchain, store: Store) -> Path:
        started.append(name)
        return Path("/usr/bin/true") if len(started) != 2 else llvm_program(name, toolchain, store)

    def work(collector: Collector, module: Module) -> int:
        return collector.compile(module.read()).alloc

    monkeypatch.setattr("harness.problems.programs.session.worker.llvm_program", broken)
    with Pool(bench, 1) as pool:
        assert None not in list(pool.each("compile", small[:2], work)) and len(started) == 2
    with Pool(bench, 1) as pool, pytest.raises(SessionLost, match="the start"):
        list(pool.each("compile", small[:2], work))


def test_what_a_lost_worker_has_used_is_counted(bench: Bench) -> None:
    long = modules_of(["cbench/bzip2"], Target.X86_64, Level.OZ, bench)["cbench/bzip2"].bitcode.read_bytes()

    def work(collector: Collector, bitcode: bytes) -> int:
        collector.seconds = 0.4
        return collector.compile(bitcode).alloc

    with Pool(bench, 1) as pool:
        assert list(pool.each("compile", [long], work, tries=1)) == [None]
        assert pool.cpu > 0.3


def test_a_worker_ends_at_its_memory(bench: Bench, toolchain: Toolchain) -> None:
    stores = "store volatile i64 1, ptr @x\n" * 100_000
    text = f'target triple = "x86_64-linux-gnu"\n@x = global i64 0\ndefine void @f() {{\n{stores}ret void\n}}\n'
    large = as_bitcode(text, toolchain)
    with pytest.raises(SessionLost) as lost, Collector(bench, memory=64 * MIB) as collector:
        collector.compile(large)
    assert lost.value.why is Reason.MEMORY


ASSEMBLY = """target triple = "x86_64-linux-gnu"
define internal i64 @ticks() minsize {
  %low = call i64 asm sideeffect "rdtsc", "={ax},~{dx}"()
  ret i64 %low
}
define i64 @from(i64 %then) minsize {
  %now = call i64 @ticks()
  %passed = sub i64 %now, %then
  ret i64 %passed
}
define i64 @both() minsize {
  %first = call i64 @from(i64 1)
  %second = call i64 @from(i64 %first)
  ret i64 %second
}
"""


def test_assembly_within_functions_is_compiled(bench: Bench, toolchain: Toolchain) -> None:
    with Collector(bench) as collector:
        done = collector.compile(as_bitcode(ASSEMBLY, toolchain))
    assert done.functions[0] == -1 and (done.functions[1:] > 0).all(), "ticks has one caller: it is inlined and goes"


def test_a_file_may_be_taken_for_a_whole_program(bench: Bench, toolchain: Toolchain) -> None:
    """Then a function that others call goes with its calls; the one that nobody calls stays."""
    content = as_bitcode(ASSEMBLY, toolchain)
    with Collector(bench) as collector:
        forced = {0: True, 1: True, 2: True}
        usual = collector.compile(content, forced=forced)
        closed = collector.compile(content, forced=forced, closed=True)
    assert usual.functions[1] > 0 and closed.functions[1] == -1
    assert closed.functions[2] > 0 and closed.alloc < usual.alloc


STRANGE = """
target triple = "x86_64-pc-linux-gnu"
module asm ".section .eh_frame,\\22a\\22,@unwind"
module asm ".long 12"
module asm ".long 4"
module asm ".long nowhere - ."
module asm ".long 0"
module asm ".text"
define i32 @main() { ret i32 0 }
"""


def test_an_unwind_table_that_names_no_function_is_read(bench: Bench, toolchain: Toolchain) -> None:
    with Collector(bench) as collector:
        done = collector.compile(as_bitcode(STRANGE, toolchain))
    assert done.functions.tolist() == [3] and done.unwind >= 16
