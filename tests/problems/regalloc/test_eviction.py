"""What Greedy evicts, asked of a policy: Greedy's own answers give clang's own object, others are followed or refused,
and all that is said of them is what LLVM says to its own learned advisor."""

import json
import os
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from harness.apply.compile import optimise
from harness.apply.plan import OBJECT, clang_generate, reference_plan
from harness.base.digest import digest_bytes, digest_file
from harness.base.errors import CellError, UsageError
from harness.base.process import Limits, run
from harness.base.vocabulary import Outcome, PolicyClass, Target
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.policy.forms.interface import Element
from harness.problems.regalloc.ask import ask, known
from harness.problems.regalloc.evictions import EVICTION, SLOTS
from harness.problems.regalloc.log import functions_of
from harness.problems.regalloc.replay import REGALLOC
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import policy_of
from tests.problems.regalloc.made import (
    Modules,
    computed,
    decide,
    evicting,
    eviction_policy,
    object_of,
    plain,
    refused,
    shown_to,
)

BOTH = pytest.mark.parametrize("name", ["pressure", "throws"])
ON_TARGETS = pytest.mark.parametrize("target", list(Target))
NONE = SLOTS - 1
REFUSED = "mask[32] ? 32 : own"
"""Nothing where that is legal, in C."""


def cpp_policy(body: str, **values: int) -> Policy:
    """An eviction function in C++."""
    text = f"unsigned getEviction(const LiveInterval &LI, EvictionContext &Context) {{ {body} }}"
    declared = "// [hyperparam]: most, int, 0, 100, 0\n"
    return eviction_policy("cpp", "heuristic", "heuristic.cpp", declared + text, **values)


def python_policy(text: str) -> Policy:
    """One in Python."""
    return eviction_policy("python", "policy", "policy.py", text)


# -- as Greedy


@BOTH
@ON_TARGETS
def test_greedys_evictions_give_clangs_own_object(name: str, target: Target, modules: Modules, bench: Bench) -> None:
    """By name, by the feature that a policy gets, and by what is written then: nothing, since nothing differs."""
    frozen = modules.frozen(name, target)
    own = plain(frozen, bench)
    assert object_of({"eviction": "default"}, frozen, bench) == own
    answer = ask(evicting("own", bench), frozen, bench)
    assert answer.body == {"functions": []}
    assert digest_bytes(answer.object) == own == object_of(answer.body, frozen, bench)


@ON_TARGETS
def test_what_is_decided_can_be_followed(target: Target, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen(target=target)
    answer = ask(evicting(REFUSED, bench), frozen, bench)
    crowded = next(one for one in functions_of(answer.body) if one.name == "crowded")
    assert 10 < len(crowded.evicted) < crowded.evictions and not crowded.given and crowded.questions > 20
    assert {slot for _, _, slot in crowded.evicted} == {NONE}
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, bench) != plain(frozen, bench)
    assert object_of({"eviction": "refuse"}, frozen, bench) == digest_bytes(answer.object)


def test_other_registers_are_freed_than_greedys(modules: Modules, bench: Bench) -> None:
    """The last legal one: the evicted find other places, and more than once."""
    frozen = modules.frozen()
    last = "({ int64_t at = own; for (int n = 0; own < 32 && n < 32; n++) if (mask[n]) at = n; at; })"
    answer = ask(evicting(last, bench), frozen, bench)
    slots = {slot for one in functions_of(answer.body) for _, _, slot in one.evicted}
    assert len(slots) > 1 and NONE not in slots
    assert digest_bytes(answer.object) == object_of(answer.body, frozen, bench) != plain(frozen, bench)


def test_what_was_evicted_as_often_as_llvm_allows_may_not_be_evicted_by_a_policy(
    modules: Modules, bench: Bench
) -> None:
    """LLVM allows a hundred times: too often to be met, so that it is told to allow less."""
    last = "max((slot for slot in range(32) if features['mask'][slot]), default=32)"

    def legal(*options: str) -> list[int]:
        shown = shown_to(last, EVICTION, modules.frozen(), bench, *options)
        return [sum(one["mask"][:NONE]) for one in shown]

    once, usually = legal("-mlregalloc-max-eviction-count=0"), legal()
    assert legal("-mlregalloc-max-eviction-count=100") == usually
    assert once[0] == usually[0] and len(once) < len(usually)
    assert sum(once) / len(once) < sum(usually) / len(usually)


WEIGHTS = """
  double Weights[NumSlots];
  for (unsigned Slot = 0; Slot < NumSlots; ++Slot) {
    Weights[Slot] = Slot == NoEviction ? LI.weight() : 0;
    for (const LiveInterval *One : Context.evicted(Slot))
      Weights[Slot] = std::max<double>(Weights[Slot], One->weight());
  }
"""
"""The largest spill weight of each slot, in C++."""


def test_the_cheapest_by_name_is_what_the_weights_say(modules: Modules, bench: Bench) -> None:
    """The least of all that is legal; where the live range itself, or else Greedy's own choice, costs no more, that."""
    body = (
        WEIGHTS
        + """
      double Least = HUGE_VAL;
      for (unsigned Slot = 0; Slot < NumSlots; ++Slot)
        Least = Context.isLegal(Slot) ? std::min(Least, Weights[Slot]) : Least;
      const unsigned First = Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();
      if (Weights[First] == Least)
        return First;
      for (unsigned Slot = 0; Slot < NoEviction; ++Slot)
        if (Context.isLegal(Slot) && Weights[Slot] == Least)
          return Slot;
      return 99;
    """
    )
    frozen = modules.frozen()
    named = ask(known("cheapest", "eviction"), frozen, bench)
    assert named.body == decide(cpp_policy(body), frozen, bench).body != {"functions": []}
    assert object_of({"eviction": "cheapest"}, frozen, bench) == object_of(named.body, frozen, bench)


# -- what it shows


@ON_TARGETS
def test_it_shows_what_llvm_shows_and_does_what_llvm_does(
    target: Target, modules: Modules, bench: Bench, tmp_path: Path
) -> None:
    """The same policy at LLVM's own channel for evictions is asked the same, and gives the same object."""
    frozen = modules.frozen(target=target)
    theirs, object_of_theirs = llvms_evictions(frozen, bench, tmp_path)
    policy = evicting("mask[32] ? 32 : ({ int64_t at = 0; while (!mask[at]) at++; at; })", bench)
    answer = ask(policy, frozen, bench)
    assert digest_bytes(answer.object) == object_of_theirs != plain(frozen, bench)
    ours = shown_to("32 if features['mask'][32] else int(features['mask'].argmax())", EVICTION, frozen, bench)
    assert len(ours) == len(theirs) > 50
    names = [one.name for one in EVICTION.features if one.name not in ("mask", "default_slot")]
    for one, other in zip(ours, theirs, strict=True):
        for name in names:
            assert np.array_equal(one[name], other[name], equal_nan=True), name
        mask = np.array(other["mask"])
        mask[one["default_slot"]] = 1
        assert np.array_equal(one["mask"], mask)
    for name in names:
        if name not in ("is_free", "nr_urgent", "nr_rematerializable"):
            assert len({value for one in ours for value in np.ravel(one[name])}) > 1, name


def llvms_evictions(frozen: FrozenModule, bench: Bench, folder: Path) -> tuple[list[dict[str, Any]], str]:
    """What LLVM says to the other end of its own channel, which evicts nothing where it need not; and the object."""
    optimised = optimise(frozen, reference_plan(frozen.level, frozen.target), bench)
    options = ("-regalloc-enable-advisor=release", f"-regalloc-evict-interactive-channel-base={folder}/channel")
    step = clang_generate(frozen.level, frozen.target, options)
    (folder / step.reads).write_bytes(optimised.bitcode.read_bytes())
    for end in ("in", "out"):
        os.mkfifo(folder / f"channel.{end}")
    tensors = EVICTION.features[:-1]
    kinds = {Element.INT64: "q", Element.FLOAT: "f"}
    found: list[dict[str, Any]] = []

    def answer() -> None:
        with (folder / "channel.in").open("wb", buffering=0) as to, (folder / "channel.out").open("rb") as out:
            assert [one["name"] for one in json.loads(out.readline())["features"]] == [one.name for one in tensors]
            for line in out:
                if "observation" in json.loads(line):
                    question: dict[str, Any] = {}
                    for one in tensors:
                        words = struct.Struct(f"<{one.size}{kinds[one.element]}")
                        question[one.name] = list(words.unpack(out.read(words.size)))
                    out.read(1)
                    question["progress"] = question["progress"][0]
                    found.append(question)
                    mask = question["mask"]
                    to.write(struct.pack("<q", NONE if mask[NONE] else mask.index(1)))

    host = threading.Thread(target=answer)
    host.start()
    done = run([bench.toolchain.tool("clang"), *step.arguments], cwd=folder, limits=Limits(wall=120, cpu=60))
    host.join()
    assert done.ok, done.stderr
    return found, digest_file(folder / OBJECT)


# -- what cannot be used


@pytest.mark.parametrize("slot", ["33", "-1", "mask[0] ? own : 0", "asked == 2 ? 33 : own"])
def test_what_is_no_legal_slot_ends_a_program(slot: str, modules: Modules, bench: Bench) -> None:
    """Which only computes: it has no excuse, not even once."""
    with pytest.raises(CellError, match=r"answers (that )?could not be used") as raised:
        ask(evicting(slot, bench), modules.frozen(), bench)
    assert (raised.value.outcome, raised.value.transient) == (Outcome.POLICY_ERROR, False)


def python_that_says(answer: str, times: int, own: str = "features['default_slot']") -> Policy:
    """So many times this, and then what Greedy says."""
    return python_policy(
        "import time\n"
        "asked = 0\n"
        "def decide(features):\n"
        "    global asked\n"
        "    asked += 1\n"
        f"    return {answer} if asked <= {times} else {own}\n"
    )


MASKED = "list(features['mask']).index(0)"
LATE = "(time.sleep(1.5), 99)[1] if asked == 2 else 99"
"""The second is late; the first may take longer, as the process must start."""


@pytest.mark.parametrize("answer", ["33", "None", "-1", MASKED, LATE])
def test_two_of_them_are_replaced_by_greedys(answer: str, modules: Modules, bench: Bench) -> None:
    assert decide(python_that_says(answer, 2), modules.frozen(), bench).body == {"functions": []}


@pytest.mark.parametrize("answer", ["33", MASKED, LATE])
def test_the_third_ends_the_policy(answer: str, modules: Modules, bench: Bench) -> None:
    with pytest.raises(CellError, match=r"policy\.py gave 3 answers that could not be used") as raised:
        decide(python_that_says(answer, 3), modules.frozen(), bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 33;", "it gave 3 answers that could not be used"),
        ("return 1u << 31;", "it gave 3 answers that could not be used"),
        (
            "for (unsigned Slot = 0;; ++Slot) if (!Context.isLegal(Slot)) return Slot;",
            "it gave 3 answers that could not be used",
        ),
        ("volatile int *null = nullptr; return *null;", "clang crashed: SIGSEGV"),
    ],
)
def test_what_cpp_may_not_answer(body: str, said: str, modules: Modules, bench: Bench) -> None:
    with pytest.raises(CellError, match=said) as raised:
        decide(cpp_policy(body), modules.frozen(), bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR


def test_cpp_may_answer_so_twice(modules: Modules, bench: Bench) -> None:
    body = "static int asked; return asked++ < most ? 33 : Context.defaultSlot();"
    assert decide(cpp_policy(body, most=2), modules.frozen(), bench).body == {"functions": []}


# -- forms


def test_all_forms_decide_alike(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    expected = ask(evicting(REFUSED, bench), frozen, bench).body
    forms = [
        cpp_policy("return Context.isLegal(NoEviction) ? NoEviction : Context.defaultSlot();"),
        python_policy(
            f"def decide(features):\n    return {NONE} if features['mask'][{NONE}] else features['default_slot']"
        ),
        eviction_policy("onnx", "model", "model.onnx", refusing_model()),
    ]
    for policy in forms:
        assert decide(policy, frozen, bench).body == expected, policy.manifest.form


def refusing_model() -> bytes:
    """Its answer is a position: the last where the mask has it, else Greedy's."""
    last = helper.make_tensor("last", TensorProto.INT64, [1], [NONE])
    inputs = [
        helper.make_tensor_value_info("mask", TensorProto.INT64, [1, SLOTS]),
        helper.make_tensor_value_info("default_slot", TensorProto.INT64, [1]),
    ]
    nodes = [
        helper.make_node("Gather", ["mask", "last"], ["legal"], axis=1),
        helper.make_node("Cast", ["legal"], ["is_legal"], to=TensorProto.BOOL),
        helper.make_node("Reshape", ["is_legal", "one"], ["flat"]),
        helper.make_node("Where", ["flat", "last", "default_slot"], ["index_to_evict"]),
    ]
    one = helper.make_tensor("one", TensorProto.INT64, [1], [1])
    output = helper.make_tensor_value_info("index_to_evict", TensorProto.INT64, [1])
    graph = helper.make_graph(nodes, "refuse", inputs, [output], [last, one])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    content: bytes = model.SerializeToString()
    onnx.checker.check_model(model)
    return content


def test_a_tree_ranks_the_slots(modules: Modules, bench: Bench) -> None:
    """It is asked of each in turn: the one with the largest sum is named."""
    tree = {
        "schema": 1,
        "features": ["weighed_reads_by_max"],
        "trees": [{"nodes": [{"feature": 0, "threshold": 0.5, "below": 1, "above": 2}, {"value": 1}, {"value": 0}]}],
    }
    policy = eviction_policy("tree", "tree", "tree.json", json.dumps(tree))
    frozen = modules.frozen()
    body = decide(policy, frozen, bench).body
    assert any(one.evicted for one in functions_of(body))
    assert object_of(body, frozen, bench) != plain(frozen, bench)


def test_cpp_sees_what_would_be_evicted(modules: Modules, bench: Bench) -> None:
    """Registers, and the live ranges in them: the largest of their weights is what LLVM makes a feature of."""
    body = """
      float Largest = 0;
      for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
        if (Context.isLegal(Slot) && !Context.TRI.getName(Context.registerAt(Slot))[0])
          return 99;
        for (const LiveInterval *One : Context.evicted(Slot))
          Largest = std::max(Largest, One->weight());
      }
      if (Context.isLegal(NoEviction))
        Largest = std::max(Largest, LI.weight());
      for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
        float Weight = 0;
        for (const LiveInterval *One : Context.evicted(Slot))
          Weight = std::max(Weight, One->weight());
        if (Largest > 0 && std::isfinite(Largest) && Weight / Largest != Context.Features.use_def_density[Slot])
          return 99;
      }
      return Context.registerAt(NoEviction) == 0 ? Context.defaultSlot() : 99;
    """
    assert decide(cpp_policy(body), modules.frozen(), bench).body == {"functions": []}


INFINITE = (
    WEIGHTS
    + """
  bool Any = false;
  for (unsigned Slot = 0; Slot < NumSlots; ++Slot)
    Any |= Context.isLegal(Slot) && std::isinf(Weights[Slot]);
"""
)
"""Whether something that cannot be spilled is among what may be evicted, in C++."""


def test_beside_what_cannot_be_spilled_no_weight_is_a_number(modules: Modules, bench: Bench) -> None:
    """LLVM divides by the largest: infinity by itself is none, and what is divided by it is 0, also of slot 32."""
    frozen = modules.frozen()
    with pytest.raises(CellError, match="it gave 3 answers that could not be used"):
        decide(cpp_policy(f"{INFINITE} return Any ? 99 : Context.defaultSlot();"), frozen, bench)
    body = f"""{INFINITE}
      for (unsigned Slot = 0; Any && Slot < NumSlots; ++Slot) {{
        const float Said = Context.Features.use_def_density[Slot];
        if (Context.isLegal(Slot) && std::isinf(Weights[Slot]) ? !std::isnan(Said) : Said != 0)
          return 99;
      }}
      return Context.defaultSlot();
    """
    assert decide(cpp_policy(body), frozen, bench).body == {"functions": []}


def test_what_cpp_saw_stays_as_it_is(modules: Modules, bench: Bench) -> None:
    """Of one slot, when others are looked at."""
    body = """
      ArrayRef<const LiveInterval *> Seen[NoEviction];
      SmallVector<const LiveInterval *, 8> Copies[NoEviction];
      for (unsigned Slot = 0; Slot < NoEviction; ++Slot) {
        Seen[Slot] = Context.evicted(Slot);
        Copies[Slot].append(Seen[Slot].begin(), Seen[Slot].end());
      }
      for (unsigned Slot = 0; Slot < NoEviction; ++Slot)
        if (Seen[Slot] != ArrayRef<const LiveInterval *>(Copies[Slot]) || Context.evicted(Slot) != Seen[Slot])
          return 99;
      return Context.defaultSlot();
    """
    assert decide(cpp_policy(body), modules.frozen(), bench).body == {"functions": []}


# -- what does not fit


def changed(body: dict[str, Any], place: int, value: Any) -> dict[str, Any]:
    """The body with another item of function ``crowded``."""
    rows = [[*row] for row in body["functions"]]
    crowded = next(row for row in rows if row[0] == "crowded")
    crowded[place] = value
    return {"functions": rows}


def test_decisions_that_do_not_fit_are_refused(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    body = ask(evicting(REFUSED, bench), frozen, bench).body
    crowded = next(row for row in body["functions"] if row[0] == "crowded")
    _, _, _, _, _, asked, evicted = crowded
    more = f"{int(asked, 16) + 1:x}"
    assert "questions about evictions in function crowded" in refused(changed(body, 5, more), frozen, bench)
    step, register, slot = evicted[3].split()
    other = f"{step} {int(register, 16) + 1:x} {slot}"
    assert "of another live range" in refused(changed(body, 6, [*evicted[:3], other, *evicted[4:]]), frozen, bench)
    masked = f"{step} {register} 1f"
    assert "no slot 31 that can be freed" in refused(
        changed(body, 6, [*evicted[:3], masked, *evicted[4:]]), frozen, bench
    )
    assert "crowded is not what was decided about" in refused(changed(body, 1, "1"), frozen, bench)


def test_priorities_and_evictions_in_one_file(modules: Modules, bench: Bench) -> None:
    """Of different functions, from different policies."""
    frozen = modules.frozen()
    evictions = ask(evicting(REFUSED, bench), frozen, bench).body["functions"]
    priorities = ask(computed("return 4294967295.0 - feature[0];", bench), frozen, bench).body["functions"]
    mixed = {
        "functions": [
            *(one for one in evictions if one[0] == "crowded"),
            *(one for one in priorities if one[0] == "floating"),
        ]
    }
    assert len(mixed["functions"]) == 2
    both = object_of(mixed, frozen, bench)
    alone = [object_of({"functions": [one]}, frozen, bench) for one in mixed["functions"]]
    assert len({both, *alone, plain(frozen, bench)}) == 4


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"form": "eviction", "values": {"eviction": "most"}}, "needs one of default, refuse, cheapest, not 'most'"),
        ({"form": "eviction", "values": {"priority": "default"}}, "values.eviction"),
        ({"form": "priority", "values": {"priority": "default"}, "question": "eviction"}, "is asked nothing"),
        ({"form": "python", "question": "evictions"}, "unknown question 'evictions'; there are: priority, eviction"),
    ],
)
def test_what_means_nothing(fields: dict[str, object], said: str) -> None:
    from harness.policy.problems import require_meant

    made = policy_of(REGALLOC, "python", "policy", "policy.py", "def decide(features): return 0")
    fixed = {"policy_class": PolicyClass.FIXED, "budget": None, "deterministic": False}
    manifest = made.manifest.model_copy(update=fixed | fields)
    policy = Policy(manifest, made.folder, made.contents, baseline=False)
    with pytest.raises(UsageError, match=said):
        require_meant(policy, "submission.toml")
        problem_of(REGALLOC).check(policy, "submission.toml")
