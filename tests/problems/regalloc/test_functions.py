"""What allocates a function: each of LLVM's allocators for one function as for all, and who chooses."""

import re
from dataclasses import dataclass

import pytest

from harness.apply import compile_plan
from harness.apply.compile import optimise
from harness.apply.plan import reference_plan
from harness.base.digest import digest_bytes
from harness.base.errors import CellError, UsageError
from harness.base.process import Limits, run
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.problems.programs.take import Made, costs_of_functions
from harness.problems.regalloc.ask import ask, known
from harness.problems.regalloc.features import FUNCTION, FUNCTION_FEATURES
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.replay import ALLOCATIONS
from harness.sandbox.bench import Bench
from tests.problems.regalloc.made import (
    Modules,
    asking_of,
    decide,
    object_of,
    plan_of_body,
    priority_policy,
    python_policy,
    shown_to,
)

ON_TARGETS = pytest.mark.parametrize("target", list(Target))
BY_NAME = """
Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {
  if (MF.getName() == "crowded")
    return Allocation::Basic;
  return MF.getName() == "floating" ? Allocation::PBQP : Allocation::Greedy;
}
"""


def chooser(text: str) -> Policy:
    """One in C++."""
    return asking_of("function", priority_policy(text))


def python_chooser(text: str) -> Policy:
    """One in Python."""
    return asking_of("function", python_policy(text))


def chosen(body: dict[str, object]) -> dict[str, str]:
    """Function → what allocates it."""
    return {one.name: one.priority for one in functions_of(body)}


@pytest.mark.parametrize("name", ["pressure", "throws"])
@ON_TARGETS
@pytest.mark.parametrize("allocator", ["basic", "pbqp"])
def test_an_allocator_by_function_is_llvms_own(
    allocator: str, target: Target, name: str, modules: Modules, bench: Bench
) -> None:
    """Each function of the module has it; LLVM's option has it for all."""
    frozen = modules.frozen(name, target)
    whole = compile_plan(frozen, plan_of_body({"allocator": allocator}, frozen), bench).digest
    answer = ask(known(allocator), frozen, bench)
    assert set(chosen(answer.body).values()) == {allocator}
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, bench) == whole
    assert whole != object_of({"priority": "default"}, frozen, bench)


@ON_TARGETS
def test_each_function_is_allocated_as_if_all_were(target: Target, modules: Modules, bench: Bench) -> None:
    """Spills, reloads and static cost of a function are those that it has where all are allocated so."""
    frozen = modules.frozen(target=target)
    body = decide(chooser(BY_NAME), frozen, bench).body
    assert chosen(body) == {"crowded": "basic", "floating": "pbqp"}
    for metric in ("spills", "reloads", "mca.static"):
        mixed = costs(body, metric, frozen, bench)
        for name, by in {"crowded": "basic", "floating": "pbqp", "main": "greedy", "assembled": "greedy"}.items():
            assert mixed.get(name) == costs({"allocator": by}, metric, frozen, bench).get(name), (metric, name)


def costs(body: dict[str, object], metric: str, frozen: FrozenModule, bench: Bench) -> dict[str, float]:
    """Function → cost, under these decisions."""
    assert frozen.program is not None
    plan = plan_of_body(body, frozen)
    made = Made(frozen.program, frozen.target, frozen, plan, compile_plan(frozen, plan, bench))
    return dict(costs_of_functions(made, [metric], bench)[metric])


def test_live_ranges_have_no_spill_weights_yet(modules: Modules, bench: Bench) -> None:
    """An allocator computes them: whoever chooses sees 0, of every live range there is."""
    text = (
        "Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {\n"
        "  unsigned Ranges = 0;\n"
        "  for (unsigned Index = 0; Index < MF.getRegInfo().getNumVirtRegs(); ++Index) {\n"
        "    const Register Virtual = Register::index2VirtReg(Index);\n"
        "    if (!Context.LIS.hasInterval(Virtual))\n"
        "      continue;\n"
        "    if (Context.LIS.getInterval(Virtual).weight() != 0)\n"
        "      return Allocation::Basic;\n"
        "    ++Ranges;\n"
        "  }\n"
        "  return Ranges > 20 ? Allocation::Size : Allocation::Greedy;\n"
        "}\n"
    )
    found = chosen(decide(chooser(text), modules.frozen(), bench).body)
    assert set(found.values()) == {"size"} and "crowded" in found


def test_python_chooses_as_cpp_does(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    least = max(int(one["vector_pressure"]) for one in shown_to("0", FUNCTION, frozen, bench))
    cpp = chooser(
        "Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) {\n"
        f"  return Context.feature(FunctionFeature::vector_pressure) < {least} ? Allocation::Greedy\n"
        "                                                                    : Allocation::Seeded3;\n"
        "}\n"
    )
    place = ALLOCATIONS.index("seeded-3")
    python = python_chooser(
        f"def decide(features):\n    return 0 if features['vector_pressure'] < {least} else {place}\n"
    )
    bodies = [decide(one, frozen, bench).body for one in (cpp, python)]
    assert chosen(bodies[0]) == chosen(bodies[1]) == {"floating": "seeded-3"}


@ON_TARGETS
def test_features_are_those_of_llvms_own_listing(target: Target, modules: Modules, bench: Bench) -> None:
    """Of the machine code as llc prints it before Greedy, and of what is live after its instructions."""
    frozen = modules.frozen(target=target)
    found = {int(one["instructions"]): one for one in shown_to("0", FUNCTION, frozen, bench)}
    listed = listed_functions(frozen, bench)
    assert len(listed) == len(found) == 6
    for one in listed:
        features = found[len(one.instructions)]
        assert features["blocks"] == len(one.successors)
        assert features["calls"] == sum("csr_" in words for _, words in one.instructions)
        for bank in ("general", "vector"):
            live = one.live(bank)
            assert features[f"{bank}_ranges"] == sum(one.bank(register) == bank for register in one.used)
            assert features[f"{bank}_pressure"] == max(live)
            assert (features[f"{bank}_excess"] > 0) == (max(live) > features[f"{bank}_registers"])
        if features["calls"] == 1:
            place = next(n for n, (_, words) in enumerate(one.instructions) if "csr_" in words)
            over = features["general_over_calls"] / features["call_frequency"]
            assert over == pytest.approx(one.live("general")[place])
    crowded = max(found.values(), key=lambda one: one["general_excess"])
    assert crowded["general_pressure"] > crowded["general_registers"] > 5
    assert crowded["loops"] == crowded["depth"] == 1 and crowded["frequency"] > crowded["instructions"]


@dataclass(frozen=True)
class Listed:
    """A function as llc prints it."""

    classes: dict[str, str]
    successors: dict[str, list[str]]
    instructions: list[tuple[str, str]]
    """Its block, and its text."""

    @property
    def used(self) -> set[str]:
        """Virtual registers that an instruction names."""
        return {register for _, words in self.instructions for register in re.findall(r"%\d+", words)}

    def bank(self, register: str) -> str:
        """The sort of registers that it can have."""
        return "general" if self.classes[register].startswith("g") else "vector"

    def live(self, bank: str) -> list[int]:
        """After each instruction: how many virtual registers of the sort are defined there, or used later."""
        into: dict[str, set[str]] = {block: set() for block in self.successors}
        while True:
            before = {block: set(live) for block, live in into.items()}
            after: list[set[str]] = []
            for block in reversed(list(self.successors)):
                live = set().union(*(into[one] for one in self.successors[block]))
                for _, words in reversed([one for one in self.instructions if one[0] == block]):
                    defined, used = defined_and_used(words)
                    after.append(live | defined)
                    live = live - defined | used
                into[block] = live
            if into == before:
                return [sum(self.bank(one) == bank for one in live) for live in reversed(after)]


def defined_and_used(words: str) -> tuple[set[str], set[str]]:
    """Virtual registers of an instruction. What defines a part of a register uses the rest, unless it says undef."""
    left, is_definition, right = words.partition(" = ")
    if not is_definition:
        left, right = "", words
    defined = set(re.findall(r"%\d+", left))
    parts = set(re.findall(r"(?<!undef )(%\d+)\.\w+", left))
    return defined, {*re.findall(r"%\d+", right), *parts}


def listed_functions(frozen: FrozenModule, bench: Bench) -> list[Listed]:
    """What is read from llc's text."""
    bitcode = optimise(frozen, reference_plan(frozen.level, frozen.target), bench).bitcode
    words = ["-O3", "-relocation-model=pic", "-stop-before=greedy", "-o", "-", str(bitcode)]
    done = run([bench.toolchain.tool("llc"), *words], cwd=bitcode.parent, limits=Limits(wall=120, cpu=60))
    assert done.ok, done.stderr
    found = []
    for text in done.stdout.decode().split("\n---\nname: ")[1:]:
        head, _, code = text.partition("\nbody: ")
        classes = {f"%{number}": name for number, name in re.findall(r"id: (\d+), class: (\w+)", head)}
        successors: dict[str, list[str]] = {}
        instructions = []
        block = ""
        for line in code.splitlines()[1:]:
            if begun := re.match(r"  bb\.(\d+)", line):
                block = begun[1]
                successors[block] = []
            elif line.startswith("    successors: "):
                successors[block] = re.findall(r"%bb\.(\d+)", line)
            elif line.startswith("    ") and line.strip() and not line.startswith("    liveins: "):
                instructions.append((block, re.sub(r"::.*|%(stack|fixed-stack|const|bb|jump-table)\.\S+", "", line)))
        found.append(Listed(classes, successors, instructions))
    return found


def test_what_is_no_allocation_is_replaced_and_the_third_ends_the_policy(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    often = python_chooser("def decide(features):\n    return 99\n")
    with pytest.raises(CellError, match="3 answers that could not be used") as raised:
        decide(often, frozen, bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR
    twice = python_chooser(
        "asked = 0\ndef decide(features):\n    global asked\n    asked += 1\n    return 99 if asked <= 2 else 0\n"
    )
    assert decide(twice, frozen, bench).body == {"functions": []}
    wild = chooser(
        "Allocation getAllocation(const MachineFunction &MF, FunctionContext &Context) { return Allocation(200); }"
    )
    with pytest.raises(CellError, match="it gave 3 answers that could not be used"):
        decide(wild, frozen, bench)


def test_decisions_that_name_no_allocator_are_refused(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    body = ask(known("basic"), frozen, bench).body
    other = {"functions": [[name, digest, "linear-scan", *rest] for name, digest, _, *rest in body["functions"]]}
    with pytest.raises(CellError, match="there is no priority function linear-scan"):
        object_of(other, frozen, bench)


def test_a_question_is_one_of_those_there_are() -> None:
    policy = asking_of("function", priority_policy("double getPriority() { return 0; }"))
    problem_of("regalloc").check(policy, "submission.toml")
    named = asking_of("function", policy_of_priority())
    with pytest.raises(UsageError, match="question: a policy of form 'priority' is asked nothing"):
        problem_of("regalloc").check(named, "submission.toml")


def policy_of_priority() -> Policy:
    """The baseline that names a priority function."""
    from harness.policy import load_policy

    return load_policy("constant-priority")


def test_names_are_those_of_the_plugin(modules: Modules, bench: Bench) -> None:
    """In the same order: every position gives what is called so."""
    frozen = modules.frozen()
    for place, name in enumerate(ALLOCATIONS):
        body = decide(python_chooser(f"def decide(features):\n    return {place}\n"), frozen, bench).body
        assert set(chosen(body).values()) == ({name} if place else set())
    assert len(FUNCTION_FEATURES) == len(shown_to("0", FUNCTION, frozen, bench)[0])
