"""``model.onnx`` becomes C that decides as onnxruntime does, or is refused with a reason."""

import ctypes
import math
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from harness.base.errors import CellError
from harness.base.store import Store
from harness.base.vocabulary import Isolation, Outcome
from harness.policy.forms.onnx import model_source, source, translate_model
from harness.policy.forms.onnx.constants import MOST_PARAMETERS
from harness.policy.forms.onnx.dialect import HEADER, unexpected
from harness.policy.forms.onnx.graph import MOST_ACTIVATIONS
from harness.policy.forms.onnx.operators import FIRST_OPSET, LAST_OPSET, OPERATORS
from harness.policy.forms.onnx.read import MOST_NODES
from harness.policy.forms.onnx.refused import Refused
from harness.policy.forms.onnx.translate import translated
from harness.problems.inlining import features as inlining
from harness.sandbox import MIB, Sandbox
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain
from tests.drive import ROOT

FEATURES = inlining.LLVM_FEATURES
ALL = len(FEATURES)
INTERFACE = replace(inlining.INTERFACE, features=inlining.INTERFACE.features[:ALL], together=None)
"""LLVM's own features alone."""
FLOAT, DOUBLE, BOOL = TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.BOOL
INT32, INT64 = TensorProto.INT32, TensorProto.INT64
NUMPY = {FLOAT: np.float32, DOUBLE: np.float64, INT32: np.int32, INT64: np.int64}
VECTORS = 10_000

onnxruntime.set_default_logger_severity(4)


def words(text: str) -> list[str]:
    return text.split()


def vectors(count: int = VECTORS) -> np.ndarray:
    """Like real features: most are zero, some are small, few are huge; both signs."""
    random = np.random.default_rng(38)
    sizes = np.floor(np.exp(random.uniform(0, 16, (count, ALL))))
    values = np.sign(random.normal(size=sizes.shape)) * sizes
    values[random.random(values.shape) < 0.4] = 0
    return values.astype(np.int64)


def floats(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng((seed, *shape)).normal(size=shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def node(kind: str, inputs: str, output: str, **attributes: Any) -> onnx.NodeProto:
    """``inputs``: names with blanks between; a dash for one that is left out."""
    return helper.make_node(kind, ["" if name == "-" else name for name in inputs.split()], [output], **attributes)


@dataclass(frozen=True)
class Sketch:
    """A model on its way: by default one that is taken, with all features as one float input."""

    nodes: Sequence[onnx.NodeProto]
    constants: Mapping[str, Any] = field(default_factory=dict)
    inputs: Sequence[tuple[str, int, Sequence[int | str]]] = (("features", FLOAT, [1, ALL]),)
    outputs: Sequence[tuple[str, int]] = (("out", FLOAT),)
    opset: int = 17

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            list(self.nodes),
            "graph",
            [helper.make_tensor_value_info(*entry) for entry in self.inputs],
            [helper.make_tensor_value_info(name, kind, None) for name, kind in self.outputs],
            [numpy_helper.from_array(np.asarray(array), name) for name, array in self.constants.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)

    def content(self) -> bytes:
        content: bytes = self.model().SerializeToString()
        return content


def layers(sizes: Sequence[int], first: str, seed: int = 7) -> tuple[list[onnx.NodeProto], dict[str, np.ndarray]]:
    """Gemm and Relu in turns, from the tensor ``first`` to ``out``."""
    nodes, constants, current = [], {}, first
    for number, (wide, next_wide) in enumerate(pairwise(sizes)):
        last = number == len(sizes) - 2
        constants[f"w{number}"] = floats(next_wide, wide, seed=seed) / math.sqrt(wide)
        constants[f"b{number}"] = floats(next_wide, seed=seed + 1)
        output = "out" if last else f"g{number}"
        nodes.append(node("Gemm", f"{current} w{number} b{number}", output, transB=1))
        if not last:
            nodes.append(node("Relu", output, f"r{number}"))
        current = f"r{number}"
    return nodes, constants


LOGARITHM = (  # sign(x) · log(1 + |x|)
    node("Abs", "x", "abs"),
    node("Add", "abs one", "above"),
    node("Log", "above", "log"),
    node("Sign", "x", "sign"),
    node("Mul", "log sign", "small"),
)


def scalars(sizes: Sequence[int] = (ALL, 64, 64, 1), tail: Sequence[onnx.NodeProto] = (), **more: Any) -> Sketch:
    """A network over 38 inputs of one int64 each, as models for LLVM have them."""
    nodes, constants = layers(sizes, "row")
    return Sketch(
        [
            node("Concat", " ".join(FEATURES), "joined", axis=0),
            node("Cast", "joined", "x", to=FLOAT),
            *LOGARITHM,
            node("Reshape", "small shape", "row"),
            *nodes,
            *tail,
        ],
        {**constants, "one": np.float32(1), "shape": ints(1, ALL)},
        inputs=[(name, INT64, [1]) for name in FEATURES],
        **more,
    )


class Compiled:
    """The C of a model, built as a plugin would have it, and loaded."""

    def __init__(self, text: str, folder: Path, toolchain: Toolchain, optimise: str = "-O2") -> None:
        number = len(list(folder.iterdir()))
        file, library = folder / f"{number}.c", folder / f"{number}.so"
        file.write_text(text + self._value(text))
        flags = ["-std=c11", optimise, "-march=x86-64", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
        flags += ["-Wno-unused-const-variable", "-Wno-unused-parameter", "-shared", "-fPIC"]
        subprocess.run([toolchain.tool("clang"), *flags, file, "-o", library, "-lm"], check=True)
        loaded = ctypes.CDLL(str(library))
        self.uses = list((ctypes.c_ubyte * ALL).in_dll(loaded, "policy_uses"))
        self._decide = loaded.policy_decide
        self._decide.restype, self._decide.argtypes = ctypes.c_int64, [ctypes.c_void_p]
        self._logit = loaded.policy_value
        self._logit.restype, self._logit.argtypes = ctypes.c_double, [ctypes.c_void_p]

    @staticmethod
    def _value(text: str) -> str:
        """A third entry point, which gives the number that the decision is made of."""
        entry = text[text.rindex("int64_t policy_decide(") :].replace("int64_t policy_decide", "double policy_value")
        value = re.search(r"return (\S+) ", entry)
        assert value
        return "\ndouble policy_value(const int64_t *features);\n" + re.sub(r"return .*;", f"return {value[1]};", entry)

    def decisions(self, rows: np.ndarray) -> np.ndarray:
        return np.array([self._decide(row.ctypes.data) for row in rows])

    def values(self, rows: np.ndarray) -> np.ndarray:
        return np.array([self._logit(row.ctypes.data) for row in rows])

    def seconds(self, rows: np.ndarray) -> float:
        """For one decision, with the call from Python in it."""
        addresses = [row.ctypes.data for row in rows]
        started = time.process_time()
        for address in addresses:
            self._decide(address)
        return (time.process_time() - started) / len(rows)


Build = Callable[..., Compiled]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Build:
    folder = tmp_path_factory.mktemp("models")
    return lambda text, **options: Compiled(text, folder, toolchain, **options)


def here(sketch: Sketch) -> str:
    """The translation without a sandbox, which is faster: our own models do no harm."""
    text, _ = translated(sketch.content(), INTERFACE)
    assert unexpected(text) is None
    return text


def outputs(content: bytes, rows: np.ndarray) -> np.ndarray:
    """What onnxruntime gives for each row: the numbers of the model's first output."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    kinds = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int32)": np.int32}
    feeds: dict[str, np.ndarray] = {}
    for entry in session.get_inputs():
        shape = [size if isinstance(size, int) else 1 for size in entry.shape]
        taken = rows if entry.name == "features" else rows[:, [FEATURES.index(entry.name)]]
        feeds[entry.name] = taken.astype(kinds.get(entry.type, np.int64)).reshape(len(rows), *shape)
    return np.array(
        [
            np.ravel(session.run(None, {name: np.asarray(values[row]) for name, values in feeds.items()})[0])
            for row in range(len(rows))
        ]
    )


def verdicts(found: np.ndarray) -> np.ndarray:
    """The decisions that these outputs mean, as the documentation defines them."""
    if found.shape[1] == 2:
        return found[:, 1] > found[:, 0]
    return found[:, 0] > 0 if found.dtype.kind == "f" else found[:, 0] != 0


def require_equal(compiled: Compiled, sketch: Sketch, *, balanced: bool = True) -> None:
    rows = vectors()
    expected = verdicts(outputs(sketch.content(), rows))
    if balanced:
        assert 0.05 < expected.mean() < 0.95, "the model decides always the same: it tests nothing"
    assert (compiled.decisions(rows) == expected).all()


# Whole models, through the sandbox.


def narrow(*names: str) -> Sketch:
    """Few features, of every shape and type that there is."""
    shapes: list[list[int | str]] = [[], [1], [1, 1], ["batch", 1]]
    kinds = [INT64, INT32, FLOAT, DOUBLE]
    nodes = []
    for number, name in enumerate(names):
        nodes += [node("Cast", name, f"f{number}", to=FLOAT), node("Reshape", f"f{number} two", f"s{number}")]
    rest, constants = layers((len(names), 8, 1), "small2")
    logarithm = [
        node("Concat", " ".join(f"s{number}" for number in range(len(names))), "x", axis=1),
        *LOGARITHM,
        node("Sub", "small mean", "small2"),
    ]
    inputs = [(name, kinds[number], shapes[number]) for number, name in enumerate(names)]
    more = {"two": ints(1, 1), "one": np.float32(1), "mean": floats(len(names))}
    return Sketch([*nodes, *logarithm, *rest], {**constants, **more}, inputs)


def single(kind: int, shape: Sequence[int | str]) -> Sketch:
    """One input with all features."""
    nodes, constants = layers((ALL, 16, 2), "row")
    start = [node("Cast", "features", "x", to=FLOAT), *LOGARITHM, node("Reshape", "small shape", "row")]
    more = {"one": np.float32(1), "shape": ints(1, ALL)}
    return Sketch([*start, *nodes], {**constants, **more}, [("features", kind, shape)])


WHOLE = {
    "scalars, one logit": scalars(),
    "scalars, ArgMax": scalars((ALL, 16, 2), [node("ArgMax", "out", "best", axis=1)], outputs=[("best", INT64)]),
    "features as int64, two logits": single(INT64, [1, ALL]),
    "four features": narrow("callsite_cost", "threshold", "caller_users", "is_multiple_blocks"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_decides_as_onnxruntime(name: str, build: Build, bench: Bench) -> None:
    sketch = WHOLE[name]
    translation = translate_model(sketch.content(), "model.onnx", INTERFACE, bench)
    compiled = build(translation.source)
    require_equal(compiled, sketch)
    named = {entry[0] for entry in sketch.inputs}
    taken = [feature in named or "features" in named for feature in FEATURES]
    assert compiled.uses == taken
    assert list(translation.features) == [feature for feature, used in zip(FEATURES, taken, strict=True) if used]
    assert translation.parameters >= sum(array.size for key, array in sketch.constants.items() if key[0] in "wb")


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE, INT32])
@pytest.mark.parametrize("shape", [[ALL], ["batch", ALL]])
def test_all_features_as_one_input(kind: int, shape: list[int | str], build: Build) -> None:
    require_equal(build(here(single(kind, shape))), single(kind, shape))


def test_one_input_is_of_the_features_that_were_there_first(bench: Bench) -> None:
    """What was added since is taken by name; models that were made before mean what they meant."""
    sketch = single(FLOAT, [1, ALL])
    _, facts = translated(sketch.content(), inlining.INTERFACE)
    assert facts["features"] == list(FEATURES)
    wide = Sketch([node("MatMul", "features w", "out")], {"w": floats(ALL + 1, 1)}, [("features", FLOAT, [1, ALL + 1])])
    with pytest.raises(Refused, match=rf"\[1, {ALL}\] are allowed"):
        translated(wide.content(), inlining.INTERFACE)


def test_second_of_two_logits_must_be_larger(build: Build) -> None:
    """Equal logits: no. And in a column as in a row."""
    sketch = Sketch([node("Gather", "features which", "out", axis=1)], {"which": ints(0, 1)})
    require_equal(build(here(sketch)), sketch)
    column = replace(sketch, nodes=[*sketch.nodes[:-1], node("Gather", "features which", "o", axis=1)])
    column = replace(column, nodes=[*column.nodes, node("Transpose", "o", "out")])
    assert (build(here(column)).decisions(vectors(1000)) == build(here(sketch)).decisions(vectors(1000))).all()
    assert build(here(sketch)).decisions(np.zeros((1, ALL), np.int64)).tolist() == [0]


@pytest.mark.parametrize(("kind", "element"), [("Greater", BOOL), ("Sub", INT32), ("Sub", INT64)])
def test_a_flag_is_a_decision_unless_zero(kind: str, element: int, build: Build) -> None:
    """-1 is a yes; only 0 is a no."""
    number = INT64 if element == BOOL else element
    inputs = [("caller_users", number, [1]), ("callee_users", number, [1])]
    sketch = Sketch([node(kind, "caller_users callee_users", "out")], {}, inputs, [("out", element)])
    compiled = build(here(sketch))
    rows = vectors(2000)
    rows[::2, FEATURES.index("caller_users")] = rows[::2, FEATURES.index("callee_users")]
    assert (compiled.decisions(rows) == verdicts(outputs(sketch.content(), rows))).all()


def test_nan_is_a_no(build: Build) -> None:
    one = Sketch([node("Log", "threshold", "out")], {}, [("threshold", FLOAT, [1])])
    two = replace(one, nodes=[node("Log", "threshold", "log"), node("Concat", "zero log", "out", axis=0)])
    two = replace(two, constants={"zero": np.float32([-5.0])})
    for sketch in (one, two, replace(two, nodes=[two.nodes[0], node("Concat", "log zero", "out", axis=0)])):
        compiled, rows = build(here(sketch)), vectors(2000)
        negative = rows[:, FEATURES.index("threshold")] < 0
        assert negative.any()
        assert not compiled.decisions(rows)[negative].any()
        assert (compiled.decisions(rows) == verdicts(outputs(sketch.content(), rows))).all()


def test_features_beyond_int32_are_the_nearest_int32(build: Build) -> None:
    sketch = Sketch([node("Sub", "threshold most", "out")], {"most": np.int32([2**31 - 1])}, [("threshold", INT32, [])])
    compiled = build(here(replace(sketch, outputs=[("out", INT32)])))
    rows = np.zeros((3, ALL), np.int64)
    rows[:, FEATURES.index("threshold")] = [2**31 - 1, 2**40, 2**31 - 2]
    assert compiled.decisions(rows).tolist() == [0, 0, 1]


def test_an_output_named_for_llvm_is_chosen(build: Build) -> None:
    sketch = scalars((ALL, 8, 1), [node("Neg", "out", "inlining_decision")])
    chosen = replace(sketch, outputs=[("out", FLOAT), ("inlining_decision", FLOAT)])
    only = replace(sketch, outputs=[("inlining_decision", FLOAT)])
    require_equal(build(here(chosen)), only)


def test_weights_are_exact() -> None:
    """Every bit, denormal numbers and the sign of zero too."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 2**32, 3000, dtype=np.uint32).view(np.float32)
    weights = bits[np.isfinite(bits)][: ALL * 64].reshape(ALL, 64)
    weights[0, :6] = [0.0, -0.0, 1e-45, -1e-45, np.finfo(np.float32).max, np.finfo(np.float32).tiny]
    sketch = Sketch([node("MatMul", "features w", "y"), node("ReduceSum", "y", "out")], {"w": weights})
    found = re.findall(r"(?<!\w)-?0x[\d.a-f]+p[-+]\d+", here(sketch).removeprefix(HEADER))
    assert np.array([float.fromhex(text) for text in found], np.float32).tobytes() == weights.tobytes()


def test_contents_of_layers_run_along_rows() -> None:
    """PyTorch stores a layer's matrix turned over, which is slow to read: it is turned back, once."""
    text = here(scalars())
    assert "[k][j]" in text and "[j][k]" not in text


def test_what_constants_give_is_computed_once() -> None:
    """A framework's export may turn a matrix over at each call; and old ones list constants among the inputs."""
    turned = Sketch(
        [node("Constant", "", "half", value_float=0.5)]
        + [node("Transpose", "v", "t"), node("Mul", "t half", "w"), node("MatMul", "features w", "out")],
        {"v": 2 * TAKEN.constants["w"].T},
        [*TAKEN.inputs, ("v", FLOAT, [1, ALL])],
    )
    text = here(turned)
    assert re.sub(r"t\d+", "t", text) == re.sub(r"t\d+", "t", here(TAKEN))


@pytest.mark.slow
def test_a_decision_takes_microseconds(build: Build) -> None:
    """Measured 0.8 µs, and 3.7 µs as the generator writes it; calling from Python takes 0.5 µs."""
    compiled, rows = build(here(scalars())), vectors(5000)
    assert min(compiled.seconds(rows) for _ in range(10)) < 3e-6


# Every operator that is allowed, against onnxruntime, by value.


def operator_sketch(kind: str, constants: Mapping[str, Any], inputs: str, element: int, **attributes: Any) -> Sketch:
    """One operator over ``x``, all features made small; what it gives, weighted, is the logit."""
    wide = attributes.pop("wide", ALL)
    make_small = [
        node("Cast", "features", "given", to=DOUBLE),
        node("Mul", "given scale", "m"),
        node("Cast", "m", "x", to=element),
    ]
    ending = [node("Cast", "y", "z", to=FLOAT), node("Reshape", "z flat", "row"), node("MatMul", "row weights", "out")]
    opset = attributes.pop("opset", 18)
    before = attributes.pop("before", ())
    more = {"scale": np.float64(attributes.pop("scale", 0.01)), "flat": ints(1, wide), "weights": floats(wide, 1)}
    nodes = [*make_small, *before, node(kind, inputs, "y", **attributes), *ending]
    return Sketch(nodes, {**constants, **more}, [("features", INT64, [1, ALL])], opset=opset)


def case(kind: str, inputs: str = "x", element: int = FLOAT, /, constants: Any = None, **attributes: Any) -> Any:
    name = f"{kind}-{TensorProto.DataType.Name(element).lower()}-{'-'.join(map(str, attributes.values())):.40}"
    return pytest.param(operator_sketch(kind, constants or {}, inputs, element, **attributes), id=name)


SIMPLE = "Relu LeakyRelu Elu Selu Tanh Sigmoid Softplus Softsign Softmax LogSoftmax Floor Ceil Erf Neg Abs Sign"
POSITIVE = [node("Abs", "x", "a"), node("Add", "a half", "p")]
HALVES = {"half": np.float32(0.5)}
TO_BOOL = [node("Greater", "x zero", "p"), node("Less", "x few", "q")]
BOOLS = {"zero": np.float32(0), "few": floats(ALL)}
IN_TWO_ROWS = [node("Reshape", "x rows", "r")]
ROWS = {"rows": ints(2, 19)}

EVERY = [
    *(case(kind) for kind in words(SIMPLE)),
    *(case(kind, "p", constants=HALVES, before=POSITIVE) for kind in words("Sqrt Exp Log Reciprocal")),
    *(case(kind, "x b", constants={"b": floats(ALL)}) for kind in words("Add Sub Mul Div Min Max")),
    case("Pow", "p b", constants={**HALVES, "b": floats(ALL)}, before=POSITIVE),
    *(
        case(kind, "x b", constants={"b": np.round(floats(ALL))}, scale=1)
        for kind in words("Equal Greater Less GreaterOrEqual LessOrEqual")
    ),
    *(case(kind, "p q", constants=BOOLS, before=TO_BOOL) for kind in words("And Or Xor")),
    case("Not", "p", constants=BOOLS, before=TO_BOOL),
    case("Where", "p x few", constants=BOOLS, before=TO_BOOL),
    case("Clip", "x low high", constants={"low": np.float32(-2), "high": np.float32(30)}),
    case("Cast", to=INT32),
    case("Identity"),
    case("Gemm", "x b c", constants={"b": floats(5, ALL), "c": floats(5)}, transB=1, alpha=0.3, beta=2.0, wide=5),
    case("MatMul", "x b", constants={"b": floats(ALL, 7)}, wide=7),
    case("Concat", "x b x", constants={"b": floats(1, 3)}, axis=1, wide=2 * ALL + 3),
    case("Reshape", "x rows", constants=ROWS),
    case("Transpose", "r", constants=ROWS, before=IN_TWO_ROWS),
    case("Flatten", "r", constants=ROWS, before=IN_TWO_ROWS, axis=0),
    case("Squeeze", "x axes", constants={"axes": ints(0)}),
    case("Unsqueeze", "x axes", constants={"axes": ints(0, 3)}),
    case("Gather", "x which", constants={"which": ints(5, -1, 0, 5)}, axis=1, wide=4),
    case(
        "Slice",
        "x from to axes step",
        constants={"from": ints(3), "to": ints(99), "axes": ints(-1), "step": ints(4)},
        wide=9,
    ),
    *(
        case(kind, "r axes", constants={**ROWS, "axes": ints(1)}, before=IN_TWO_ROWS, wide=2)
        for kind in ("ReduceSum", "ReduceMean")
    ),
    *(case(kind, "r", constants=ROWS, before=IN_TWO_ROWS, axis=1, wide=2) for kind in ("ArgMax", "ArgMin")),
    case("Constant", "", value_floats=[1.5, -2.5], wide=2),
]


def require_values(build: Build, sketch: Sketch, count: int = 300) -> None:
    rows = vectors(count)
    expected = outputs(sketch.content(), rows)[:, 0].astype(float)
    compiled = build(here(sketch), optimise="-O1")
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(compiled.values(rows), expected, rtol=2e-5, atol=1e-6 * scale)


def together(sketches: Sequence[Sketch]) -> Sketch:
    """One model that computes what several do, each under names of its own; its logit is a weighted sum."""
    nodes: list[onnx.NodeProto] = []
    constants: dict[str, Any] = {}
    for number, sketch in enumerate(sketches):
        for one in sketch.nodes:
            copy = onnx.NodeProto()
            copy.CopyFrom(one)
            copy.input[:] = [name if name in ("", "features") else f"{name}_{number}" for name in one.input]
            copy.output[:] = [f"{name}_{number}" for name in one.output]
            nodes.append(copy)
        constants |= {f"{name}_{number}": array for name, array in sketch.constants.items()}
    outs = " ".join(f"out_{number}" for number in range(len(sketches)))
    nodes += [node("Concat", outs, "outs", axis=1), node("MatMul", "outs mixing", "out")]
    constants["mixing"] = floats(len(sketches), 1)
    return Sketch(nodes, constants, sketches[0].inputs, opset=18)


def test_every_operator_together(build: Build) -> None:
    sketches = [param.values[0] for param in EVERY]
    whole = together(sketches)
    assert {one.op_type for one in whole.nodes} == set(OPERATORS)
    half = len(sketches) // 2
    require_values(build, together(sketches[:half]), 2000)
    require_values(build, together(sketches[half:]), 2000)


@pytest.mark.slow
@pytest.mark.parametrize("sketch", EVERY)
def test_every_operator(sketch: Sketch, build: Build) -> None:
    require_values(build, sketch)


OTHER_ELEMENTS = [
    *(case(kind, "x", DOUBLE) for kind in words("Relu LeakyRelu Tanh Sigmoid Softmax LogSoftmax Floor Ceil")),
    *(case(kind, "x", element) for kind in words("Neg Abs Sign") for element in (DOUBLE, INT32, INT64)),
    *(
        case(kind, "x b", element, constants={"b": np.round(4 * floats(ALL)).astype(NUMPY[element])}, scale=1)
        for kind in words("Add Sub Mul Min Max Equal Greater Less GreaterOrEqual LessOrEqual")
        for element in (DOUBLE, INT32, INT64)
    ),
    *(
        case("Clip", "x low high", element, constants={"low": NUMPY[element](-2), "high": NUMPY[element](30)})
        for element in (DOUBLE, INT32, INT64)
    ),
    *(case("Clip", "x - high", element, constants={"high": NUMPY[element](3)}) for element in (FLOAT, DOUBLE, INT64)),
    *(case("Clip", "x low", element, constants={"low": NUMPY[element](3)}) for element in (FLOAT, DOUBLE, INT32)),
    *(
        case(kind, "x", element, axis=1, select_last_index=last, wide=1)
        for kind in ("ArgMax", "ArgMin")
        for element in (DOUBLE, INT32, INT64)
        for last in (0, 1)
    ),
    *(case("Gather", "x which", element, constants={"which": ints(-2, 1)}, axis=1, wide=2) for element in NUMPY),
    *(case("Transpose", "r", element, constants=ROWS, before=IN_TWO_ROWS) for element in NUMPY),
    *(case("Cast", "x", element, to=other) for element in NUMPY for other in (*NUMPY, BOOL)),
    case("MatMul", "x b", DOUBLE, constants={"b": np.float64(floats(ALL, 7))}, wide=7),
    case("Gemm", "x b", DOUBLE, constants={"b": np.float64(floats(ALL, 7))}, wide=7),
    *(
        case("Gemm", "r b c", constants={**ROWS, "b": floats(19, 5), "c": floats(*shape)}, before=IN_TWO_ROWS, wide=10)
        for shape in ((2, 5), (2, 1), (1, 5), (5,), (1,))
    ),
    case("Gemm", "r b", constants={"rows": ints(19, 2), "b": floats(19, 5)}, before=IN_TWO_ROWS, transA=1, wide=10),
    case("Gemm", "b r", constants={**ROWS, "b": floats(3, 19)}, before=IN_TWO_ROWS, transB=1, wide=6),
    case("MatMul", "b f", constants={"b": floats(7, ALL)}, before=[node("Squeeze", "x", "f")], wide=7),
    case("MatMul", "f b", constants={"b": floats(ALL)}, before=[node("Squeeze", "x", "f")], wide=1),
    case("MatMul", "x b", constants={"b": floats(3, ALL, 4)}, wide=12),
    *(case("Softmax", "r", constants=ROWS, before=IN_TWO_ROWS, axis=axis) for axis in (0, 1)),
    case("Max", "x b n", constants={"b": floats(3, 1)}, before=[node("Neg", "x", "n")], wide=3 * ALL),
    *(case("Identity", "x", element) for element in (DOUBLE, INT32, INT64)),
]


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({param.id.partition("-")[0] for param in OTHER_ELEMENTS}))
def test_other_elements_and_shapes(kind: str, build: Build) -> None:
    sketches = [param.values[0] for param in OTHER_ELEMENTS if param.id.startswith(f"{kind}-")]
    require_values(build, together(sketches), 1000)


ALONE = [  # integers that wrap around, and operator sets
    case("Mul", "x b", INT64, constants={"b": ints(2**61 + 7)}, scale=1),
    case("Mul", "x b", INT32, constants={"b": np.int32([2**30 + 7])}, scale=1),
    case("Sub", "b x", INT64, constants={"b": ints(-(2**63))}, scale=1),
    case("ReduceMean", axes=[1], wide=1, opset=17),
    *(
        case("Softmax", "r", constants=ROWS, before=IN_TWO_ROWS, opset=opset)
        for opset in range(FIRST_OPSET, LAST_OPSET + 1)
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("sketch", ALONE)
def test_wrapping_and_operator_sets(sketch: Sketch, build: Build) -> None:
    require_values(build, sketch)


def of_logarithm(kind: str, inputs: str = "log", **attributes: Any) -> Sketch:
    """One operator over the logarithm of one feature: NaN, infinite or finite."""
    constants = {"two": np.float32(2), "low": np.float32(-1)}
    nodes = [
        node("Log", "threshold", "log"),
        node(kind, inputs, "raw", **attributes),
        node("Cast", "raw", "out", to=FLOAT),
    ]
    used = set(inputs.split())
    kept = {name: value for name, value in constants.items() if name in used}
    return Sketch(nodes, kept, [("threshold", FLOAT, [1])], opset=18)


NOT_A_NUMBER = [
    *(of_logarithm(kind) for kind in words(f"{SIMPLE} Sqrt Exp Reciprocal ReduceSum ReduceMean")),
    *(of_logarithm(kind, "log two") for kind in words("Add Sub Mul Div Pow Min Max Greater Less Equal LessOrEqual")),
    *(of_logarithm(kind, "two log") for kind in words("Sub Div Pow Min Max GreaterOrEqual")),
    *(of_logarithm("Clip", inputs) for inputs in ("log low two", "log low", "log - two")),
    *(of_logarithm("Cast", to=element) for element in (DOUBLE, INT32, INT64, BOOL)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "sketch", NOT_A_NUMBER, ids=lambda sketch: f"{sketch.nodes[1].op_type}({', '.join(sketch.nodes[1].input)})"
)
def test_nan_and_infinity_go_through(sketch: Sketch, build: Build) -> None:
    require_values(build, sketch, 1000)


def test_nothing_is_undefined(toolchain: Toolchain, tmp_path: Path) -> None:
    """Overflow, huge and NaN to integer: the sanitizer ends the program where C says nothing."""
    huge = "case_cluster_penalty"
    nodes = [
        node("Mul", f"{huge} big", "product"),
        node("Sub", "product big", "difference"),
        node("Neg", "difference", "negative"),
        node("Abs", "negative", "absolute"),
        node("Cast", "absolute", "low", to=INT32),
        node("Mul", "low low", "square"),
        node("Cast", huge, "real", to=FLOAT),
        node("Mul", "real large", "larger"),
        node("Log", "real", "log"),
        node("Concat", "larger log", "reals", axis=0),
        node("Cast", "reals", "wide", to=INT64),
        node("Cast", "reals", "narrow", to=INT32),
        node("Add", "narrow square", "total"),
        node("ArgMax", "total", "first", axis=0),
        node("ArgMin", "wide", "second", axis=0),
        node("Equal", "first second", "out"),
    ]
    constants = {"big": ints(2**62 + 12345), "large": np.float32([1e30])}
    sketch = Sketch(nodes, constants, [(huge, INT64, [1])], [("out", BOOL)])
    main = """
    #include <stdio.h>
    int main(void) {
        int64_t row[38] = {0};
        const int64_t values[] = {0, 1, -1, 7, INT64_MAX, INT64_MIN, 1L << 40, -(1L << 31)};
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 38; ++j) row[j] = values[i];
            printf("%d\\n", (int)policy_decide(row));
        }
    }
    """
    (tmp_path / "main.c").write_text(here(sketch) + main)
    flags = ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"]
    subprocess.run([toolchain.tool("clang"), *flags, tmp_path / "main.c", "-o", tmp_path / "main", "-lm"], check=True)
    ran = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    rows = np.tile(np.array([[0, 1, -1, 7, 2**63 - 1, -(2**63), 2**40, -(2**31)]], np.int64).T, (1, ALL))
    assert [int(word) for word in ran.stdout.split()] == verdicts(outputs(sketch.content(), rows)).tolist()


# What is refused.

TAKEN = Sketch([node("MatMul", "features w", "out")], {"w": floats(ALL, 1)})


def with_(model: onnx.ModelProto, change: Callable[[onnx.ModelProto], object]) -> bytes:
    change(model)
    content: bytes = model.SerializeToString()
    return content


def custom(model: onnx.ModelProto) -> None:
    model.graph.node[0].domain = "com.evil"
    model.opset_import.append(helper.make_opsetid("com.evil", 1))


def branches(model: onnx.ModelProto) -> None:
    branch = helper.make_graph([node("Constant", "", "b", value_float=1.0)], "b", [], [onnx.ValueInfoProto(name="b")])
    model.graph.node.append(helper.make_node("If", ["c"], ["y"], "choice", then_branch=branch, else_branch=branch))


def external(model: onnx.ModelProto) -> None:
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/passwd")


def sparse(model: onnx.ModelProto) -> None:
    model.graph.sparse_initializer.append(
        helper.make_sparse_tensor(numpy_helper.from_array(floats(1), "s"), numpy_helper.from_array(ints(0)), [ALL])
    )


def a_function(model: onnx.ModelProto) -> None:
    body = [node("Neg", "a", "b")]
    model.functions.append(helper.make_function("evil", "twice", ["a"], ["b"], body, [helper.make_opsetid("", 17)]))


def one_of(kind: str, inputs: str = "features", constants: Any = None, **attributes: Any) -> bytes:
    return replace(TAKEN, nodes=[node(kind, inputs, "out", **attributes)], constants=constants or {}).content()


def twice() -> TensorProto:
    """Some readers show a one, others a nine."""
    tensor = numpy_helper.from_array(np.ones((1, 1), np.float32))
    tensor.float_data.append(9.0)
    return tensor


def of_input(*inputs: Any) -> bytes:
    return replace(TAKEN, inputs=inputs).content()


def integer_division() -> bytes:
    inputs = [("threshold", INT64, [1]), ("edge_count", INT64, [1])]
    return Sketch([node("Div", "threshold edge_count", "out")], {}, inputs, [("out", INT64)]).content()


NO_SHAPE = helper.make_tensor_value_info("features", FLOAT, None)
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "no model": (lambda: b"\x89PNG\r\n", "this is no ONNX model: it cannot be parsed; write it with onnx.save"),
    "empty": (lambda: b"", "this is no ONNX model, or its graph has no nodes"),
    "external data": (
        lambda: with_(TAKEN.model(), external),
        "initializer 'w': its numbers are in another file; save the model with its data inside",
    ),
    "function": (lambda: with_(TAKEN.model(), a_function), "it has a function ('twice'); export it inlined"),
    "sparse": (lambda: with_(TAKEN.model(), sparse), "it has sparse constants; store them as ordinary initializers"),
    "subgraph": (
        lambda: with_(TAKEN.model(), branches),
        "node 'choice' ('If'): it has a subgraph; write it without If",
    ),
    "custom operator": (
        lambda: with_(TAKEN.model(), custom),
        "node 0 ('MatMul'): its domain is 'com.evil'; only ONNX's own operators are allowed",
    ),
    "operator": (lambda: one_of("Hardmax"), "node 0 ('Hardmax'): this operator is not allowed; allowed are Abs Add"),
    "operator misspelt": (
        lambda: one_of("Sigmoids"),
        "node 0 ('Sigmoids'): this operator is not allowed; did you mean Sigmoid?",
    ),
    "random": (lambda: one_of("RandomNormalLike"), "this operator is not allowed"),
    "old": (
        lambda: replace(TAKEN, opset=9).content(),
        "its operator set is 9; 13 to 24 are allowed: export it with one",
    ),
    "unknown input": (
        lambda: of_input(("calsite_cost", INT64, [1])),
        "input 'calsite_cost': there is no such feature; did you mean 'callsite_cost'?",
    ),
    "input with no likeness": (
        lambda: of_input(("obs", FLOAT, [1, ALL])),
        "input 'obs': there is no such feature; the features",
    ),
    "no input": (of_input, "it has no inputs; name each after a feature, or one of all 38 numbers 'features'"),
    "features and one": (
        lambda: of_input(("features", FLOAT, [1, ALL]), ("threshold", INT64, [1])),
        "input 'features' takes all features; there can be no other input beside it",
    ),
    "too few features": (
        lambda: of_input(("features", FLOAT, [1, 37])),
        "input 'features': its shape is [1, 37]; [38] or [1, 38] are allowed (a free batch dimension counts as 1)",
    ),
    "batch": (lambda: of_input(("features", FLOAT, [2, ALL])), "input 'features': its shape is [2, 38]"),
    "wide scalar": (lambda: of_input(("threshold", INT64, [3])), "its shape is [3]; [], [1] or [1, 1] are allowed"),
    "empty scalar": (lambda: of_input(("threshold", INT64, [0])), "its shape is [0]; [], [1] or [1, 1] are allowed"),
    "no shape": (
        lambda: with_(TAKEN.model(), lambda model: model.graph.input[0].CopyFrom(NO_SHAPE)),
        "it has no shape",
    ),
    "float16": (
        lambda: of_input(("features", TensorProto.FLOAT16, [1, ALL])),
        "input 'features': its elements are float16; bool, double, float, int32, int64 are allowed: convert the model",
    ),
    "string": (lambda: of_input(("threshold", TensorProto.STRING, [1])), "input 'threshold': its elements are string"),
    "bool input": (lambda: of_input(("threshold", BOOL, [1])), "its elements are bool; int64, int32, float and double"),
    "initializer of an input": (
        lambda: replace(TAKEN, constants={**TAKEN.constants, "features": floats(1, ALL)}).content(),
        "input 'features': an initializer has this name too; remove it, the harness gives the feature",
    ),
    "two outputs": (
        lambda: replace(TAKEN, outputs=[("out", FLOAT), ("features", FLOAT)]).content(),
        "it has 2 outputs ('out', 'features'); leave one, or name the one that decides 'inlining_decision'",
    ),
    "no output": (lambda: replace(TAKEN, outputs=[]).content(), "it has 0 outputs (none)"),
    "wide output": (
        lambda: replace(TAKEN, constants={"w": floats(ALL, 3)}).content(),
        "output 'out': float of shape [1, 3]; allowed are one number",
    ),
    "two integers": (
        lambda: Sketch(
            [node("Gather", "features which", "few", axis=1), node("Cast", "few", "out", to=INT64)],
            {"which": ints(0, 1)},
            outputs=[("out", INT64)],
        ).content(),
        "output 'out': int64 of shape [1, 2]; allowed are one number",
    ),
    "NaN": (
        lambda: replace(TAKEN, constants={"w": np.full((ALL, 1), np.nan, np.float32)}).content(),
        "initializer 'w': NaN is among its numbers; only finite ones are allowed",
    ),
    "infinity": (
        lambda: one_of("Clip", "features low", {"low": np.float32(-np.inf)}),
        "initializer 'low': infinity is among its numbers",
    ),
    "infinite attribute": (
        lambda: one_of("Elu", alpha=math.inf),
        "node 0 ('Elu'): its attribute 'alpha' is not finite",
    ),
    "too many parameters": (
        lambda: replace(TAKEN, constants={"w": np.zeros((ALL, 30_000), np.float32)}).content(),
        "initializer 'w': with it the constants have 1,140,000 numbers, 1,048,576 are allowed; use smaller layers",
    ),
    "a shape that lies": (
        lambda: with_(TAKEN.model(), lambda model: model.graph.initializer[0].dims.__setitem__(0, 10**6)),
        "initializer 'w': its numbers do not fit its shape [1000000, 1]",
    ),
    "numbers twice": (
        lambda: with_(TAKEN.model(), lambda model: model.graph.initializer[0].float_data.extend([9.0] * ALL)),
        "initializer 'w': its numbers are there twice, or not where its type has them; save it anew",
    ),
    "numbers of a node's constant twice": (
        lambda: one_of("Constant", "", value=twice()),
        "node 0 ('Constant'): its numbers are there twice, or not where its type has them; save it anew",
    ),
    "too many elements": (
        lambda: Sketch(
            [
                node("MatMul", "tall threshold", "much"),
                node("MatMul", "much wide", "big"),
                node("ReduceMean", "big", "out"),
            ],
            {"tall": floats(300, 1), "wide": floats(1, 300)},
            [("threshold", FLOAT, [1, 1])],
        ).content(),
        "node 1 ('MatMul'): with it the tensors that are computed have 90,300 elements, 65,536 are allowed",
    ),
    "unknown tensor": (lambda: one_of("Neg", "nothing"), "node 0 ('Neg'): nothing before it gives its input 'nothing'"),
    "shapes that do not fit": (
        lambda: replace(TAKEN, constants={"w": floats(37, 1)}).content(),
        "types and shapes do not fit",
    ),
    "types that do not fit": (
        lambda: replace(TAKEN, constants={"w": np.zeros((ALL, 1))}).content(),
        "types and shapes do not fit",
    ),
    "two sources": (
        lambda: replace(TAKEN, nodes=[*TAKEN.nodes, *TAKEN.nodes]).content(),
        "node 1 ('MatMul'): its output 'out' has two sources",
    ),
    "unknown attribute": (lambda: one_of("Relu", evil=1), "types and shapes do not fit: Unrecognized attribute: evil"),
    "attribute without a name": (
        lambda: one_of("Relu", abcd=1).replace(b"abcd", b"\xfe'\xff;"),
        "node 0 ('Relu'): its attribute \"\\\\xfe'\\\\xff;\" has a name that is no text",
    ),
    "text attribute": (lambda: one_of("Relu", text="*/"), "its attribute 'text' is of type STRING; only numbers are"),
    "text constant": (lambda: one_of("Constant", "", value_string="*/"), "'value_string' is not allowed; give numbers"),
    "integer division": (
        integer_division,
        "node 0 ('Div'): its input 'threshold' is int64; double, float; Cast to float",
    ),
    "double Erf": (
        lambda: replace(
            TAKEN, nodes=[node("Erf", "features", "out")], inputs=[("features", DOUBLE, [1, ALL])]
        ).content(),
        "node 0 ('Erf'): its input 'features' is double; float; Cast to float before: onnxruntime has it for no other",
    ),
    "computed index": (
        lambda: Sketch([node("Gather", "w threshold", "out")], {"w": floats(9)}, [("threshold", INT64, [1])]).content(),
        "node 0 ('Gather'): its input 'threshold' must be a constant",
    ),
    "index out of range": (
        lambda: one_of("Gather", "features which", {"which": ints(ALL)}, axis=1),
        "node 0 ('Gather'): an index is out of range; the axis has 38 elements",
    ),
    "backward slice": (
        lambda: one_of("Slice", "features a b c d", {"a": ints(9), "b": ints(0), "c": ints(1), "d": ints(-1)}),
        "node 0 ('Slice'): its steps must be positive; Gather takes elements in any order",
    ),
    "many nodes": (
        lambda: replace(TAKEN, nodes=[node("Neg", "features", f"n{number}") for number in range(2001)]).content(),
        "it has 2001 nodes, 2000 are allowed",
    ),
}


def test_what_is_varied_is_taken() -> None:
    assert here(TAKEN)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(Refused) as refused:
        translated(make(), INTERFACE)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 1500


# The sandbox, and what comes out of it.

HOSTILE = (
    'x*/ int evil(void) { return system("touch /tmp/pwned"); } /*',
    '"; #include </etc/passwd>\n#error',
    "a\\\n??/",
    "",
)


def with_names(model: onnx.ModelProto) -> bytes:
    """The same model, with every name and text in it meant to become code."""
    graph = model.graph
    kept = {entry.name for entry in graph.input}
    tensors = {name for one in graph.node for name in (*one.input, *one.output)} - kept
    renamed = {name: f"{HOSTILE[number % 3]}{number}" for number, name in enumerate(sorted(tensors))}
    for one in graph.node:
        one.input[:] = [renamed.get(name, name) for name in one.input]
        one.output[:] = [renamed.get(name, name) for name in one.output]
        one.name, one.doc_string = HOSTILE[0], HOSTILE[1]
        one.metadata_props.add(key=HOSTILE[0], value=HOSTILE[1])
    for value in (*graph.initializer, *graph.output):
        value.name = renamed[value.name]
        value.doc_string = HOSTILE[0]
    graph.input[0].type.tensor_type.shape.dim[0].dim_param = HOSTILE[0]
    graph.input[0].type.denotation = HOSTILE[0]
    graph.value_info.append(helper.make_tensor_value_info(next(iter(renamed.values())), INT64, [7]))
    graph.name, graph.doc_string = HOSTILE[0], HOSTILE[1]
    model.producer_name = model.producer_version = model.domain = model.doc_string = HOSTILE[0]
    model.metadata_props.add(key=HOSTILE[0], value=HOSTILE[1])
    model.opset_import.append(helper.make_opsetid(HOSTILE[0], 1))
    content: bytes = model.SerializeToString()
    return content


def test_names_do_not_reach_the_code(build: Build, bench: Bench) -> None:
    sketch = scalars((ALL, 8, 1))
    text = model_source(with_names(sketch.model()), "model.onnx", INTERFACE, bench)
    for word in ("evil", "pwned", "passwd", "include </", "??"):
        assert word not in text
    assert text == here(sketch), "names make no difference"
    require_equal(build(text), sketch)


def test_messages_show_names_harmlessly() -> None:
    sketch = Sketch([node("Neg", "features", "out", name="\x1b[2J\n\u202eevil" + "x" * 500)], {})
    sketch.nodes[0].domain = "a\nb"
    with pytest.raises(Refused) as refused:
        translated(sketch.content(), INTERFACE)
    assert str(refused.value).isascii() and str(refused.value).isprintable() and len(str(refused.value)) < 300
    with pytest.raises(Refused) as refused:
        translated(one_of("evil\n" * 1000), INTERFACE)
    assert str(refused.value).isprintable() and len(str(refused.value)) < 1000


def refusal(content: bytes, bench: Bench) -> str:
    with pytest.raises(CellError) as refused:
        model_source(content, "policies/model.onnx", INTERFACE, bench)
    assert refused.value.outcome is Outcome.POLICY_ERROR and not refused.value.transient
    return refused.value.message


@pytest.mark.parametrize("name", ["no model", "external data", "custom operator"])
def test_refused_in_the_sandbox(name: str, bench: Bench) -> None:
    make, message = REFUSED[name]
    assert refusal(make(), bench).startswith(f"policies/model.onnx: {message}")


def test_a_large_file_is_refused_unread(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sandbox, "run", None)
    message = refusal(bytes(200 * MIB), bench)
    assert message == "policies/model.onnx: it has 200.0 MiB, 16 are allowed; train a smaller network"


def test_answers_are_remembered(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first, no = translate_model(TAKEN.content(), "a", INTERFACE, bench), refusal(b"no model", bench)
    monkeypatch.setattr(Sandbox, "run", None)
    assert translate_model(TAKEN.content(), "b", INTERFACE, bench) == first
    assert refusal(b"no model", bench) == no


def test_a_new_translator_translates_anew(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first = translate_model(TAKEN.content(), "a", INTERFACE, bench)
    monkeypatch.setattr(source, "START", 'import sys; print("asked again", file=sys.stderr); sys.exit(2)')
    assert first and refusal(TAKEN.content(), bench) == "policies/model.onnx: asked again"


def test_out_of_time_is_no_verdict(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    sketch = replace(TAKEN, constants={"w": floats(ALL, 1, seed=5)})
    monkeypatch.setattr(source, "SECONDS", 0.1)
    with pytest.raises(CellError) as late:
        model_source(sketch.content(), "model.onnx", INTERFACE, bench)
    assert late.value.outcome is Outcome.POLICY_TIMEOUT and late.value.transient
    assert late.value.message == "model.onnx: its translation to C is not through after 0 s; use a smaller network"
    monkeypatch.undo()
    assert model_source(sketch.content(), "model.onnx", INTERFACE, bench)


TAKEN_OVER = {
    "a call": ("system(0)", "the identifier 'system'"),
    "a file": ('#include "/etc/passwd"', "the character '#'"),
    "assembly": ('__asm__("int3")', "the character '\"'"),
    "a backslash": ("\\\n", "the character '"),
    "not ASCII": ("é", "nothing usable"),
}


@pytest.mark.parametrize("what", TAKEN_OVER)
def test_what_the_sandbox_gives_is_looked_at(what: str, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that took over its reader could write any C: it is not taken."""
    written, message = TAKEN_OVER[what]
    text = f"{HEADER}int64_t policy_decide(const int64_t *features) {{ return 0; }}\n{written}\n"
    start = f"""
import json
open("model.c", "w", encoding="utf-8").write({text!r})
json.dump({{"features": [], "parameters": 0, "operators": 0}}, open("facts.json", "w"))
"""
    monkeypatch.setattr(source, "START", start)
    assert message in refusal(b"takes over", bench)


def test_another_beginning_is_looked_at() -> None:
    assert unexpected("int x;") == "another beginning"
    assert unexpected(HEADER + "static const float weight1_t0[1] = {0x1.8p-3f, -1e-30f, 1.5f};") is None


def test_nothing_of_the_host_is_seen(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Libraries only: neither the harness nor what lies beside them, and no network."""
    harness = str(Path(source.__file__).parents[2])
    start = f"""
import os, socket, sys
seen = [path for path in ({harness!r}, "/etc/passwd", "/root/.ssh") if os.path.exists(path)]
try:
    socket.create_connection(("127.0.0.1", 22), 1)
    seen.append("network")
except OSError:
    pass
print(f"seen: {{seen}}", file=sys.stderr)
sys.exit(2)
"""
    monkeypatch.setattr(source, "START", start)
    assert refusal(b"looks around", bench) == "policies/model.onnx: seen: []"


def test_without_a_sandbox(store: Store, toolchain: Toolchain) -> None:
    trusting = Bench(toolchain, store.root, isolation=Isolation.TRUSTED)
    assert model_source(TAKEN.content(), "model.onnx", INTERFACE, trusting) == here(TAKEN)


def test_the_harness_itself_reads_no_model() -> None:
    code = "import sys, harness.policy.forms.onnx; print(sorted({'onnx', 'emx_onnx_cgen'} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_what_the_documentation_says(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "inliner-models.md").read_text()
    listed = re.search(r"^\| operators \| (.*) \|$", text, re.MULTILINE)
    assert listed and re.findall(r"`(\w+)`", listed[1]) == sorted(OPERATORS)
    for number in (
        f"{FIRST_OPSET} to {LAST_OPSET}",
        f"{MOST_PARAMETERS:,}",
        f"{MOST_ACTIVATIONS:,}",
        f"{MOST_NODES:,}",
    ):
        assert number in text
    example = text.partition("```python\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "example", "exec"), {})
    translation = translate_model((tmp_path / "model.onnx").read_bytes(), "model.onnx", INTERFACE, bench)
    assert len(translation.features) == 4


@pytest.mark.slow
def test_the_largest_model(bench: Bench, build: Build) -> None:
    nodes, constants = layers((ALL, 1000, 980, 1), "features")
    sketch = Sketch(nodes, constants)
    translation = translate_model(sketch.content(), "model.onnx", INTERFACE, bench)
    assert translation.parameters > 1_000_000
    rows = vectors(200)
    assert (build(translation.source).decisions(rows) == verdicts(outputs(sketch.content(), rows))).all()
