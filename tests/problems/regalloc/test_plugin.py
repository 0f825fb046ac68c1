"""The plugin in clang's own code generation: Greedy's priorities through it are Greedy's; others are followed, or
refused."""

import json
import os
import struct
import threading
from pathlib import Path
from typing import Any

import pytest

from harness.apply import compile_plan
from harness.apply.compile import optimise
from harness.apply.plan import CompilePlan, clang_generate, clang_optimise, reference_plan
from harness.base.digest import digest_bytes, digest_file
from harness.base.errors import CellError
from harness.base.process import Limits, run
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.policy.forms import program
from harness.problems.regalloc.ask import ask, known
from harness.problems.regalloc.features import PRIORITY
from harness.problems.regalloc.log import Function, functions_of
from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import (
    Modules,
    computed,
    decide,
    object_of,
    plain,
    priority_policy,
    python_policy,
    refused,
    shown_to,
)

BOTH = pytest.mark.parametrize("name", ["pressure", "throws"])
ON_TARGETS = pytest.mark.parametrize("target", list(Target))
DEFAULT_PRIORITY = 3
"""Its place among the features."""


# -- as Greedy


@BOTH
@ON_TARGETS
def test_greedys_priorities_give_clangs_own_object(name: str, target: Target, modules: Modules, bench: Bench) -> None:
    """By name, by the feature that a policy gets, and by what is written then: nothing, since nothing differs."""
    frozen = modules.frozen(name, target)
    own = plain(frozen, bench)
    assert object_of({"priority": "default"}, frozen, bench) == own
    answer = ask(computed(f"return feature[{DEFAULT_PRIORITY}];", bench), frozen, bench)
    assert answer.body == {"functions": []}
    assert digest_bytes(answer.object) == own == object_of(answer.body, frozen, bench)


@BOTH
@ON_TARGETS
def test_a_constant_gives_what_llvms_dummy_advisor_gives(
    name: str, target: Target, modules: Modules, bench: Bench
) -> None:
    frozen = modules.frozen(name, target)
    dummy = plain(frozen, bench, "-regalloc-enable-priority-advisor=dummy")
    answer = ask(computed("return 0;", bench), frozen, bench)
    assert object_of({"priority": "constant"}, frozen, bench) == dummy
    assert object_of(answer.body, frozen, bench) == digest_bytes(answer.object) == dummy


def test_it_is_another_object_where_there_is_pressure(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    assert object_of({"priority": "constant"}, frozen, bench) != plain(frozen, bench)


def test_without_a_policy_the_plugin_does_nothing(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    loaded = CompilePlan(
        clang_optimise(frozen.level, frozen.target), clang_generate(frozen.level, frozen.target, (), "regalloc")
    )
    assert compile_plan(frozen, loaded, bench).digest == plain(frozen, bench)


# -- what it shows


@ON_TARGETS
def test_size_stage_and_weight_are_those_that_llvm_shows(
    target: Target, modules: Modules, bench: Bench, tmp_path: Path
) -> None:
    """LLVM's own channel for priorities, asked about the same live ranges; of three late stages ours knows one."""
    frozen = modules.frozen(target=target)
    theirs = llvms_ranges(frozen, bench, tmp_path)
    ours = shown(frozen, bench)
    assert [(one["li_size"], min(one["stage"], 3), one["weight"]) for one in theirs] == [
        (one["li_size"], one["stage"], one["weight"]) for one in ours
    ]
    assert {one["stage"] for one in ours} == {1, 2, 3}


def shown(frozen: FrozenModule, bench: Bench) -> list[dict[str, Any]]:
    """The features of every live range, as a policy gets them that says 0 of each."""
    return shown_to("0.0", PRIORITY, frozen, bench)


def llvms_ranges(frozen: FrozenModule, bench: Bench, folder: Path) -> list[dict[str, Any]]:
    """What LLVM says to the other end of its own channel, which says 0 of each live range."""
    optimised = optimise(frozen, reference_plan(frozen.level, frozen.target), bench)
    step = clang_generate(
        frozen.level,
        frozen.target,
        (
            "-regalloc-enable-priority-advisor=release",
            f"-regalloc-priority-interactive-channel-base={folder}/channel",
        ),
    )
    (folder / step.reads).write_bytes(optimised.bitcode.read_bytes())
    for end in ("in", "out"):
        os.mkfifo(folder / f"channel.{end}")
    found: list[dict[str, Any]] = []

    def answer() -> None:
        with (folder / "channel.in").open("wb", buffering=0) as to, (folder / "channel.out").open("rb") as out:
            names = [feature["name"] for feature in json.loads(out.readline())["features"]]
            for line in out:
                if "observation" in json.loads(line):
                    values = struct.unpack("<qqf", out.read(20))
                    out.read(1)
                    found.append(dict(zip(names, values, strict=True)))
                    to.write(struct.pack("<f", 0))

    host = threading.Thread(target=answer)
    host.start()
    done = run([bench.toolchain.tool("clang"), *step.arguments], cwd=folder, limits=Limits(wall=120, cpu=60))
    host.join()
    assert done.ok, done.stderr
    return found


@ON_TARGETS
def test_other_features_are_what_they_say(target: Target, modules: Modules, bench: Bench) -> None:
    ranges = shown(modules.frozen(target=target), bench)
    for one in ranges:
        assert one["is_spillable"] == (one["weight"] != float("inf"))
        assert 0 <= one["begin"] <= one["end"] <= one["function_size"]
        assert one["li_size"] == 0 or (one["segments"] >= 1 and one["values"] >= 1)
        assert not one["is_local"] or one["segments"] >= 1
        assert one["default_priority"] >> 31 == (one["stage"] != 2)
        assert one["default_priority"] >> 30 & 1 == one["has_hint"] or one["stage"] == 2
    for name in ("is_local", "is_split", "has_hint"):
        assert {one[name] for one in ranges} == {0, 1}, name
    for name in ("calls", "operands", "registers", "segments", "values", "begin", "end", "function_size"):
        assert len({one[name] for one in ranges}) > 1, name


# -- what it writes, and follows


def test_what_is_decided_can_be_followed(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    answer = ask(computed("return 4294967295.0 - feature[0];", bench), frozen, bench)
    functions = {one.name: one for one in functions_of(answer.body)}
    crowded = functions["crowded"]
    assert 20 < len(crowded.given) <= crowded.questions
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, bench) != plain(frozen, bench)


def test_priorities_of_the_plugins_own_are_written_by_name(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    answer = ask(known("seeded-3"), frozen, bench)
    functions = list(functions_of(answer.body))
    assert {one.priority for one in functions} == {"seeded-3"}
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, bench)
    assert object_of({"priority": "seeded-3"}, frozen, bench) == digest_bytes(answer.object)
    assert object_of({"priority": "seeded-4"}, frozen, bench) != digest_bytes(answer.object)


def test_each_function_may_have_another(modules: Modules, bench: Bench) -> None:
    """The object has one function's code from the one, and the other's from the other."""
    frozen = modules.frozen()
    body = ask(known("constant"), frozen, bench).body
    mixed = {
        "functions": [
            [name, digest, "constant" if name == "crowded" else "default", "0", []]
            for name, digest, *_ in body["functions"]
        ]
    }
    found = object_of(mixed, frozen, bench)
    assert found not in (plain(frozen, bench), object_of({"priority": "constant"}, frozen, bench))
    only = {"functions": [one for one in mixed["functions"] if one[0] == "crowded"]}
    assert object_of(only, frozen, bench) == found


@pytest.mark.parametrize("priority", ["zero / zero", "1 / zero"])
def test_what_is_no_number_ends_the_policy(priority: str, modules: Modules, bench: Bench) -> None:
    policy = computed(f"volatile double zero = 0; return {priority};", bench)
    with pytest.raises(CellError, match="3 answers that could not be used") as raised:
        ask(policy, modules.frozen(), bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR


def test_two_of_them_are_replaced(modules: Modules, bench: Bench) -> None:
    """By Greedy's own priority: the rest is as the policy says."""
    frozen = modules.frozen()
    body = (
        f"static int asked; volatile double zero = 0; return asked++ < 2 ? zero / zero : feature[{DEFAULT_PRIORITY}];"
    )
    policy = computed(body, bench)
    with pytest.raises(CellError) as raised:  # a program has no excuse
        ask(policy, frozen, bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_ERROR, False)
    assert raised.value.message == "made.c: 2 answers could not be used"
    lenient = python_policy(
        "asked = 0\n"
        "def decide(features):\n"
        "    global asked\n"
        "    asked += 1\n"
        "    return float('nan') if asked <= 2 else float(features['default_priority'])\n"
    )
    assert decide(lenient, frozen, bench).body == {"functions": []}


@pytest.mark.parametrize("at", [1, 2, 20])
def test_one_answer_that_is_no_number_ends_a_program(at: int, modules: Modules, bench: Bench) -> None:
    body = f"static int asked; volatile double zero = 0; return ++asked == {at} ? zero / zero : 1;"
    with pytest.raises(CellError) as raised:
        ask(computed(body, bench), modules.frozen(), bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_ERROR, False)
    assert raised.value.message == "made.c: 1 answers could not be used"


def test_a_program_that_is_late_is_no_fault_of_the_policy(
    modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the machine can be slow where microseconds are enough: the next run tries again."""
    monkeypatch.setattr(program, "REPLY_SECONDS", 1.0)
    wait = "struct timespec most = {1, 500000000}; static int asked; if (++asked == 2) nanosleep(&most, 0);"
    policy = computed(f"{wait} return feature[{DEFAULT_PRIORITY}];", bench, "time.h")
    with pytest.raises(CellError) as raised:
        ask(policy, modules.frozen(), bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_TIMEOUT, True)
    assert raised.value.message == "made.c: 1 answers did not come within 1 s each"


def test_outside_the_range_it_is_bounded(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    low, high = (ask(computed(f"return {value};", bench), frozen, bench) for value in ("-5", "1e300"))
    assert object_of(low.body, frozen, bench) == object_of({"priority": "constant"}, frozen, bench)
    given = {priority for one in functions_of(high.body) for _, _, priority in one.given}
    assert given == {2**32 - 1}


# -- what does not fit


def changed(body: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The body with another function ``crowded``."""
    names = ("name", "digest", "priority", "questions", "given")
    rows = []
    for row in body["functions"]:
        one = dict(zip(names, row, strict=True))
        rows.append([(one | fields)[name] if row[0] == "crowded" else one[name] for name in names])
    return {"functions": rows}


def test_decisions_of_other_code_are_refused(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    body = ask(computed("return feature[0];", bench), frozen, bench).body
    crowded: Function = next(one for one in functions_of(body) if one.name == "crowded")
    given = [f"{step:x} {register:x} {priority:x}" for step, register, priority in crowded.given]
    more, fewer = (f"{crowded.questions + by:x}" for by in (1, -1))
    assert "crowded is not what was decided about" in refused(changed(body, digest="1"), frozen, bench)
    assert "no function crowding" in refused(changed(body, name="crowding"), frozen, bench)
    assert "questions about function crowded" in refused(changed(body, questions=more), frozen, bench)
    assert refused(changed(body, questions=fewer), frozen, bench)
    step, register, priority = given[3].split()
    other = [*given[:3], f"{step} {int(register, 16) + 1:x} {priority}", *given[4:]]
    assert "of another live range" in refused(changed(body, given=other), frozen, bench)
    unknown = changed(body, priority="greediest", questions="0", given=[])
    assert "no priority function greediest" in refused(unknown, frozen, bench)


def test_decisions_of_another_target_are_refused(modules: Modules, bench: Bench) -> None:
    body = ask(computed("return 0;", bench), modules.frozen(), bench).body
    assert refused(body, modules.frozen(target=Target.AARCH64), bench)


def test_two_compilations_at_once(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    policy = computed("return feature[0];", bench)
    alone = ask(policy, frozen, bench).object
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(ask(policy, frozen, bench).object)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone, alone]


# -- in the compiler's process

SIZE = """
// [hyperparam]: local, int, 0, 1, 0
double getPriority(const LiveInterval &LI, PriorityContext &Context) {
  return local != 0 && Context.feature(RangeFeature::is_local) != 0 ? 0 : LI.getSize();
}
"""


def test_cpp_decides_as_a_process_does(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    decisions = decide(priority_policy(SIZE), frozen, bench)
    assert decisions.body == ask(computed("return feature[0];", bench), frozen, bench).body
    assert decide(priority_policy(SIZE, local=1), frozen, bench).body != decisions.body
    assert object_of(decisions.body, frozen, bench) == object_of({"priority": "size"}, frozen, bench)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('return std::nan("");', "it gave 3 answers that could not be used"),
        ("volatile int *null = nullptr; return *null;", "clang crashed: SIGSEGV"),
        (
            "const_cast<LiveInterval &>(LI).clear(); return 0;",
            "another object|crashed|questions about",
        ),
    ],
)
def test_what_cpp_may_not_do(body: str, said: str, modules: Modules, bench: Bench) -> None:
    text = f"double getPriority(const LiveInterval &LI, PriorityContext &Context) {{ {body} }}"
    with pytest.raises(CellError, match=said) as raised:
        decide(priority_policy(text), modules.frozen(), bench)
    assert raised.value.outcome in (Outcome.POLICY_ERROR, Outcome.NOT_REPLAYABLE)


def test_an_object_is_no_other_than_its_digest(modules: Modules, bench: Bench) -> None:
    """What ``plain`` compares is what the linker gets."""
    frozen = modules.frozen()
    compiled = compile_plan(frozen, reference_plan(frozen.level, frozen.target), bench)
    assert digest_file(compiled.object) == compiled.digest == plain(frozen, bench)
