"""Every form decides a made-up problem: a number, a vector and a masked table, for every sort of decision."""

import json
import math
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Outcome
from harness.policy.forms.decider import Host
from harness.policy.forms.interface import Choice, Decision, Element, Index, Interface, Number, Tensor
from harness.policy.forms.registry import all_forms, checked_form
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench
from tests.problems.inlining.made import policy_of

ROWS, COLUMNS = 5, 3
MASK, SIZE = Tensor("mask", shape=(ROWS,)), Tensor("size")
VECTOR, TABLE = Tensor("vector", Element.FLOAT, (3,)), Tensor("table", Element.FLOAT, (ROWS, COLUMNS))
YES, THREE = Choice("choice", ("no", "yes")), Choice("choice", ("stop", "left", "right"))
NUMBER, INDEX = Number("worth"), Index("candidate", "mask")
DECISIONS: dict[str, Decision] = {"yes": YES, "three": THREE, "number": NUMBER, "index": INDEX}
FILES = {"onnx": "model.onnx", "tree": "tree.json", "python": "policy.py", "cpp": "heuristic.cpp"}


def interface(decision: Decision, state: tuple[Tensor, ...] = ()) -> Interface:
    return Interface("the made problem", (SIZE, VECTOR, TABLE, MASK), decision, state)


def questions(count: int = 12) -> list[dict[str, Any]]:
    random = np.random.default_rng(5)
    return [
        {
            "size": np.int64(random.integers(-9, 9)),
            "vector": random.normal(size=3).astype(np.float32),
            "table": random.normal(size=(ROWS, COLUMNS)).astype(np.float32),
            "mask": np.array([0, *random.integers(0, 2, ROWS - 2), 1], np.int64),
        }
        for _ in range(count)
    ]


def packed(asked: Interface, number: int, question: dict[str, Any]) -> bytes:
    parts = [struct.pack("=q", number)]
    for feature in asked.features:
        content = np.ascontiguousarray(question[feature.name]).tobytes()
        parts.append(content.ljust(feature.words * 8, b"\0"))
    return b"".join(parts)


def answers(host: Host, asked: Interface, given: list[dict[str, Any]], bench: Bench) -> list[int | float]:
    """What the process says, over real pipes to its real sandbox."""
    to, back, leash = os.pipe(), os.pipe(), os.pipe()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(bench.sandbox.run_with, host.job, (to[0], back[1]), leash[0])
        with os.fdopen(to[1], "wb", 0) as ask:
            ask.write(json.dumps({"features": asked.names}).encode() + b"\n")
            for number, question in enumerate(given):
                ask.write(packed(asked, number, question))
        done = running.result(60)
        os.close(leash[1])
    assert done.ok, done.reason_line()
    with os.fdopen(back[0], "rb") as said:
        wanted, content = said.read(len(asked.features)), said.read()
    assert wanted[asked.names.index("size")] in (0, 1)
    words = list(struct.iter_unpack("=qd" if isinstance(asked.decision, Number) else "=qq", content))
    assert [number for number, _ in words] == list(range(len(given)))
    return [word for _, word in words]


def expected(decision: Decision, question: dict[str, Any]) -> int | float:
    size, vector, table = int(question["size"]), question["vector"], question["table"]
    if decision is YES:
        return int(vector[1] > 0.25)
    if decision is THREE:
        return int(np.argmax(vector))
    if decision is NUMBER:
        return float(2.5 if size <= 3 else -1.25)
    allowed = [row for row in range(ROWS) if question["mask"][row]]
    return max(allowed, key=lambda row: (table[row][2] > 0.25, -row))


def network(decision: Decision) -> bytes:
    """The rule as an ONNX model."""
    floats, table = TensorProto.FLOAT, TABLE.shape
    if decision is YES:
        nodes = [
            helper.make_node("Gather", ["vector", "one"], ["x"]),
            helper.make_node("Greater", ["x", "edge"], ["out"]),
        ]
        inputs, kind = [("vector", floats, [1, 3])], TensorProto.BOOL
        nodes[0].attribute.append(helper.make_attribute("axis", 1))
    elif decision is THREE:
        nodes, inputs, kind = [helper.make_node("Identity", ["vector"], ["out"])], [("vector", floats, [3])], floats
    elif decision is NUMBER:
        nodes = [
            helper.make_node("LessOrEqual", ["size", "three"], ["few"]),
            helper.make_node("Where", ["few", "high", "low"], ["out"]),
        ]
        inputs, kind = [("size", TensorProto.INT64, [1])], floats
    else:
        nodes = [
            helper.make_node("Gather", ["table", "two"], ["x"], axis=1),
            helper.make_node("Greater", ["x", "edge"], ["y"]),
            helper.make_node("Cast", ["y"], ["out"], to=floats),
        ]
        inputs, kind = [("table", floats, list(table))], floats
    constants = {
        "one": np.array([1]), "two": np.array([2]), "edge": np.float32([0.25]), "three": np.array([3]),
        "high": np.float32([2.5]), "low": np.float32([-1.25]),
    }  # fmt: skip
    return model(nodes, inputs, [("out", kind)], constants)


def model(nodes: Any, inputs: Any, outputs: Any, constants: Any) -> bytes:
    graph = helper.make_graph(
        nodes,
        "made",
        [helper.make_tensor_value_info(*one) for one in inputs],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    content: bytes = made.SerializeToString()
    return content


def tree(decision: Decision) -> bytes:
    name, edge, below, above = {
        YES: ("vector[1]", 0.25, -1.0, 1.0),
        NUMBER: ("size", 3, 2.5, -1.25),
        INDEX: ("table[2]", 0.25, 0.0, 1.0),
        THREE: ("size", 3, 0.0, 1.0),
    }[decision]
    nodes = [{"feature": 0, "threshold": edge, "below": 1, "above": 2}, {"value": below}, {"value": above}]
    return json.dumps({"schema": 1, "features": [name], "trees": [{"nodes": nodes}]}).encode()


PYTHON = {
    YES: "bool(f['vector'][1] > 0.25)",
    THREE: "f['vector'].argmax()",
    NUMBER: "2.5 if f['size'] <= 3 else -1.25",
    INDEX: "max((r for r in range(5) if f['mask'][r]), key=lambda r: (f['table'][r][2] > 0.25, -r))",
}
CPP = {
    YES: "return f.vector[1] > edge;",
    THREE: "return std::max_element(f.vector, f.vector + 3) - f.vector;",
    NUMBER: "return f.size <= 3 ? 2.5 : -1.25;",
    INDEX: "int best = -1; for (int r = 0; r < 5; ++r) if (f.mask[r] && "
    "(best < 0 || (f.table[r][2] > edge && !(f.table[best][2] > edge)))) best = r; return best;",
}


def policy(form: str, decision: Decision, content: bytes | None = None, **values: Any) -> Policy:
    if content is None:
        result = "double" if isinstance(decision, Number) else "int64_t"
        content = {
            "onnx": lambda: network(decision),
            "tree": lambda: tree(decision),
            "python": lambda: f"def decide(f):\n    return {PYTHON[decision]}\n".encode(),
            "cpp": lambda: (
                f"// [hyperparam]: edge, float, 0, 1, 0.25\n{result} decide(const Features &f) {{ {CPP[decision]} }}\n"
            ).encode(),
        }[form]()
    role = all_forms()[form].role
    return policy_of("inlining", form, role, FILES[form], content, **values)


def opened(one: Policy, asked: Interface, bench: Bench) -> Host:
    decider = checked_form(one, asked, "submission.toml").open(one, asked, 0, bench)
    assert isinstance(decider, Host)
    return decider


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("form", FILES)
def test_every_form_decides_every_sort_that_it_supports(form: str, decision: str, bench: Bench) -> None:
    asked = interface(DECISIONS[decision])
    one = policy(form, DECISIONS[decision])
    if (form, decision) == ("tree", "three"):
        with pytest.raises(UsageError, match=r"form: the sum of a tree.json says yes or no"):
            checked_form(one, asked, "submission.toml")
        return
    given = questions()
    found = answers(opened(one, asked, bench), asked, given, bench)
    assert found == [expected(DECISIONS[decision], question) for question in given]


def test_forms_are_found_by_their_folders() -> None:
    assert set(all_forms()) == set(FILES)


def test_a_network_gets_its_state_back(bench: Bench) -> None:
    state = Tensor("total", Element.FLOAT, (1,))
    asked = interface(NUMBER, (state,))
    content = model(
        [
            helper.make_node("Cast", ["size"], ["x"], to=TensorProto.FLOAT),
            helper.make_node("Add", ["x", "total"], ["total_next"]),
            helper.make_node("Identity", ["total_next"], ["worth"]),
        ],
        [("size", TensorProto.INT64, [1]), ("total", TensorProto.FLOAT, [1])],
        [("worth", TensorProto.FLOAT), ("total_next", TensorProto.FLOAT)],
        {},
    )
    given = questions()
    found = answers(opened(policy("onnx", NUMBER, content), asked, bench), asked, given, bench)
    assert found == np.cumsum([question["size"] for question in given]).tolist()


def test_values_of_a_manifest_are_in_the_program(bench: Bench) -> None:
    asked, given = interface(YES), questions()
    found = answers(opened(policy("cpp", YES, edge=0.75), asked, bench), asked, given, bench)
    assert found == [int(question["vector"][1] > 0.75) for question in given]


@pytest.mark.parametrize(
    ("form", "decision", "content"),
    [
        ("python", INDEX, b"def decide(f): return 0"),
        ("python", THREE, b"def decide(f): return 3"),
        ("cpp", INDEX, b"int decide(const Features &) { return 0; }"),
        ("cpp", THREE, b"int decide(const Features &) { return -7; }"),
        ("python", NUMBER, b"def decide(f): return float('nan')"),
    ],
)
def test_answers_that_are_none_are_unusable(form: str, decision: Decision, content: bytes, bench: Bench) -> None:
    asked = interface(decision)
    for word in answers(opened(policy(form, decision, content), asked, bench), asked, questions(3), bench):
        assert math.isnan(word) if decision is NUMBER else word == -1


def test_what_does_not_fit_is_refused_with_the_place(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"no feature 'vector' \(an element of a tensor is NAME\[0\]\)"):
        content = tree(YES).replace(b"vector[1]", b"vector")
        checked_form(policy("tree", YES, content), interface(YES), "submission.toml")
    wide = model([helper.make_node("Identity", ["vector"], ["out"])], [("vector", 1, [4])], [("out", 1)], {})
    with pytest.raises(CellError, match=r"input 'vector': its shape is \[4\]; \[3\] or \[1, 3\] are allowed") as raised:
        opened(policy("onnx", THREE, wide), interface(THREE), bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR
    with pytest.raises(CellError, match=r"heuristic.cpp:1:\d+: no member named 'weight'"):
        opened(policy("cpp", YES, b"int decide(const Features &f) { return f.weight; }"), interface(YES), bench)


def test_an_interface_says_all_of_itself() -> None:
    asked = interface(INDEX, (Tensor("memory", Element.FLOAT, (4,)),))
    assert Interface.parse(asked.text()).text() == asked.text() and asked.digest != interface(INDEX).digest
    assert asked.words == 1 + 2 + 8 + 5 and asked.places == {"size": 0, "vector": 1, "table": 3, "mask": 11}
    with pytest.raises(ValueError, match="no feature 'other'"):
        interface(Index("candidate", "other"))
