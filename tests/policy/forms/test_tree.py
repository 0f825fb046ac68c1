"""tree.json: its C decides as its definition says, converted models decide as their libraries do, faults are named."""

import ctypes
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import lightgbm
import numpy
import pytest
import xgboost
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import ensemble, linear_model, tree
from threadpoolctl import threadpool_limits

from harness.base.errors import UsageError
from harness.policy.forms import tree as form
from harness.policy.forms.tree import Split, Tree, convert, evaluate, tree_json
from harness.policy.forms.tree.model import MAX_DEPTH, MAX_NODES, MAX_TREES
from harness.policy.forms.tree.thresholds import DOUBLE, SINGLE, last_below
from harness.policy.limits import TREE_BYTES
from harness.problems.inlining.features import FEATURES, INTERFACE
from harness.toolchain import Toolchain
from tests.drive import ROOT, User

LEAST, MOST = -(1 << 63), (1 << 63) - 1
EDGES = [LEAST, LEAST + 1, -1, 0, 1, 1 << 24, (1 << 24) + 1, 1 << 53, (1 << 53) + 1, MOST - 1, MOST]
Decide = Callable[[list[int]], int]

from_sklearn = partial(convert.from_sklearn, interface=INTERFACE)
from_lightgbm = partial(convert.from_lightgbm, interface=INTERFACE)
from_xgboost = partial(convert.from_xgboost, interface=INTERFACE)
parse_tree = partial(form.parse_tree, interface=INTERFACE)
tree_source = partial(form.tree_source, interface=INTERFACE)


def decide(one: Tree, row: Sequence[int]) -> bool:
    return form.decide(one, dict(zip(FEATURES, row, strict=True)))


def score(one: Tree, row: Sequence[int]) -> float:
    return evaluate.score(one, dict(zip(FEATURES, row, strict=True)))


class Library:
    """Compiles trees to one shared library, each under names of its own."""

    def __init__(self, clang: str, folder: Path) -> None:
        self.clang, self.folder, self.count = clang, folder, 0

    def functions(self, trees: list[Tree]) -> list[tuple[Decide, list[int]]]:
        """``policy_decide`` and ``policy_uses`` of each."""
        files = []
        for index, one in enumerate(trees):
            file = self.folder / f"{self.count}-{index}.c"
            renamed = f"#define policy_decide decide_{index}\n#define policy_uses uses_{index}\n"
            file.write_text(renamed + tree_source(one))
            files.append(str(file))
        product = self.folder / f"{self.count}.so"
        self.count += 1
        flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wmissing-prototypes", "-Werror", "-fPIC"]
        subprocess.run([self.clang, *flags, "-shared", *files, "-o", str(product)], check=True)
        library = ctypes.CDLL(str(product))
        return [self._bound(library, index) for index in range(len(trees))]

    def _bound(self, library: ctypes.CDLL, index: int) -> tuple[Decide, list[int]]:
        vector = ctypes.c_int64 * len(FEATURES)
        function = getattr(library, f"decide_{index}")
        function.restype, function.argtypes = ctypes.c_int64, [vector]
        uses = (ctypes.c_ubyte * len(FEATURES)).in_dll(library, f"uses_{index}")
        return (lambda values: function(vector(*values))), list(uses)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """More make small models slower, by far where other tests run."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="module")
def library(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(toolchain.tool("clang"), tmp_path_factory.mktemp("trees"))


# The definition and the C.

VALUES = st.floats(-1e30, 1e30) | st.sampled_from(
    [0.0, -0.0, 0.1, -0.1, 0.3, -0.3, 5e-324, -5e-324, 1e-45, 1e30, -1e30]
)
THRESHOLDS = (
    st.integers(-40, 40)
    | st.integers(-40, 40).map(lambda number: number + 0.5)
    | st.sampled_from([*EDGES, LEAST - 1, MOST + 1, 9.3e18, -9.3e18, 1e30, -1e30, 2.0**53, 0.1, -0.1, 5e-324])
)


@st.composite
def node_lists(draw: st.DrawFn, features: int) -> list[dict[str, Any]]:
    """A tree grown split by split, its nodes in an order of their own."""
    nodes: list[dict[str, Any]] = []
    waiting = [(-1, "")]
    splits = draw(st.integers(0, 12)) if features else 0
    while waiting:
        parent, side = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
        if parent >= 0:
            nodes[parent][side] = len(nodes)
        if splits:
            splits -= 1
            waiting += [(len(nodes), "below"), (len(nodes), "above")]
            nodes.append({"feature": draw(st.integers(0, features - 1)), "threshold": draw(THRESHOLDS)})
        else:
            nodes.append({"value": draw(VALUES)})
    return nodes


@st.composite
def trees(draw: st.DrawFn) -> dict[str, Any]:
    """What a tree.json may be."""
    features = draw(st.lists(st.sampled_from(FEATURES), max_size=5, unique=True))
    members = draw(st.lists(node_lists(len(features)), min_size=1, max_size=4))
    precision = draw(st.sampled_from(["double", "single"]))
    members = [{"nodes": nodes} for nodes in members]
    return {"schema": 1, "features": features, "precision": precision, "base": draw(VALUES), "trees": members}


def vectors(one: Tree, random: Random, count: int) -> Iterator[list[int]]:
    """Features at, just below and just above thresholds, and anywhere."""
    near: dict[str, set[int]] = {name: set(EDGES) for name in FEATURES}
    for member in one.trees:
        for node in member.nodes:
            if isinstance(node, Split):
                floor = math.floor(node.threshold)
                near[one.features[node.feature]] |= {
                    min(max(value, LEAST), MOST) for value in (floor - 1, floor, floor + 1)
                }
    choices = {name: sorted(values) for name, values in near.items()}
    for _ in range(count):
        wide = random.choice([1 << 6, 1 << 25, 1 << 54, MOST])
        yield [
            random.choice(choices[name]) if random.random() < 0.7 else random.randint(-wide, wide) for name in FEATURES
        ]


@settings(max_examples=25)
@given(st.lists(trees(), min_size=1, max_size=5), st.integers(0, 1 << 32).map(Random))
def test_c_and_definition_agree(library: Library, values: list[dict[str, Any]], random: Random) -> None:
    parsed = [parse_tree(json.dumps(value).encode(), "tree.json") for value in values]
    for one, (function, uses) in zip(parsed, library.functions(parsed), strict=True):
        for vector in vectors(one, random, 60):
            answer = function(vector)
            assert answer == decide(one, vector), vector
            unused = [
                number if used else random.randint(LEAST, MOST) for number, used in zip(vector, uses, strict=True)
            ]
            assert function(unused) == answer, "policy_uses hides a feature"
        assert {FEATURES[i] for i, used in enumerate(uses) if used} <= set(one.features)


@given(trees())
def test_text_and_back(value: dict[str, Any]) -> None:
    one = parse_tree(json.dumps(value).encode(), "tree.json")
    again = parse_tree(tree_json(one).encode(), "tree.json")
    assert again == one and tree_source(again) == tree_source(one)
    thresholds = [node["threshold"] for tree in value["trees"] for node in tree["nodes"] if "threshold" in node]
    kept = [node.threshold for tree in again.trees for node in tree.nodes if isinstance(node, Split)]
    assert [repr(number) for number in kept] == [repr(number) for number in thresholds]  # no integer became a float


def stump(threshold: float, **fields: Any) -> Tree:
    """Inlines where cost_estimate is at most the threshold."""
    nodes = [{"feature": 0, "threshold": threshold, "below": 1, "above": 2}, {"value": 1}, {"value": -1}]
    value = {"schema": 1, "features": ["cost_estimate"], "trees": [{"nodes": nodes}], **fields}
    return parse_tree(json.dumps(value).encode(), "tree.json")


def features(**values: int) -> list[int]:
    return [values.get(name, 0) for name in FEATURES]


@pytest.mark.parametrize(
    "threshold", [3, 3.5, 3.0, -3.5, *EDGES, LEAST - 1, MOST + 1, 2.0**63, -(2.0**63), 1e30, -1e30]
)
def test_at_most_the_threshold_goes_below(library: Library, threshold: float) -> None:
    one = stump(threshold)
    ((function, uses),) = library.functions([one])
    for cost in {max(LEAST, min(MOST, math.floor(threshold) + step)) for step in (-1, 0, 1)}:
        assert (
            function(features(cost_estimate=cost)) == (cost <= threshold) == decide(one, features(cost_estimate=cost))
        )
    always = not LEAST <= threshold < MOST
    assert uses == [int(name == "cost_estimate" and not always) for name in FEATURES]


def leaves(*values: float, **fields: Any) -> Tree:
    members = [{"nodes": [{"value": value}]} for value in values]
    return parse_tree(json.dumps({"schema": 1, "features": [], "trees": members, **fields}).encode(), "tree.json")


def test_the_sum_is_taken_in_its_order_and_precision(library: Library) -> None:
    cases = [
        (leaves(0.0), False),
        (leaves(5e-324), True),
        (leaves(-1.0, 1.0, base=1e-17), False),  # the base is lost at once
        (leaves(1e-17, base=0.0), True),
        (leaves(1.0, 1e-17, -1.0), False),
        (leaves(1.0, -1.0, 1e-17), True),
        (leaves(1.0, 1e-8, -1.0), True),
        (leaves(1.0, 1e-8, -1.0, precision="single"), False),
        (leaves(0.1, -0.1, precision="single"), False),
        (leaves(-0.1, base=0.10000000000000002), True),
        (leaves(-0.1, base=0.10000000000000002, precision="single"), False),  # both round to the same
        (leaves(1e-46, precision="single"), False),  # rounds to zero
    ]
    built = library.functions([one for one, _ in cases])
    for (one, expected), (function, _) in zip(cases, built, strict=True):
        assert (function(features()), decide(one, features())) == (expected, expected), one


def test_the_example_in_the_documentation(library: Library) -> None:
    text = (ROOT / "docs" / "tree.md").read_text()
    example = text.split("```json\n")[1].split("```")[0]
    one = parse_tree(example.encode(), "tree.json")
    ((function, uses),) = library.functions([one])
    assert uses == [int(name in ("cost_estimate", "callee_users")) for name in FEATURES]
    for cost, users, expected in [(10, 9, 1), (11, 1, 1), (11, 2, 0), (60, 1, 1), (61, 1, 0), (-40, 50, 1)]:
        vector = features(cost_estimate=cost, callee_users=users)
        assert (function(vector), decide(one, vector)) == (expected, expected), (cost, users)


@pytest.mark.slow
def test_the_largest_ensemble_builds(toolchain: Toolchain, tmp_path: Path) -> None:
    random = Random(1)
    nodes = [
        {"feature": random.randrange(38), "threshold": n, "below": 2 * n + 1, "above": 2 * n + 2} for n in range(63)
    ]
    member = {"nodes": [*nodes, *({"value": random.gauss(0, 1)} for _ in range(64))]}
    value = {"schema": 1, "features": FEATURES, "trees": [member] * (MAX_NODES // 127)}
    (tmp_path / "tree.c").write_text(tree_source(parse_tree(json.dumps(value).encode(), "tree.json")))
    started = time.monotonic()
    subprocess.run([toolchain.tool("clang"), "-O2", "-c", "tree.c"], cwd=tmp_path, check=True)
    assert time.monotonic() - started < 30  # 3 s on an idle core


# Faults.

SPLIT = {"feature": 0, "threshold": 3, "below": 1, "above": 2}
NODES: list[dict[str, Any]] = [SPLIT, {"value": 1}, {"value": -1}]


def written(**changes: Any) -> str:
    value = {"schema": 1, "features": ["cost_estimate"], "trees": [{"nodes": NODES}], **changes}
    return json.dumps({key: kept for key, kept in value.items() if kept is not None})


def of_nodes(*nodes: Any) -> str:
    return written(trees=[{"nodes": [{"value": 0}]}, {"nodes": list(nodes)}])


def chain(splits: int) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    for index in range(splits):
        nodes += [{**SPLIT, "below": 2 * index + 1, "above": 2 * index + 2}, {"value": 1}]
    return [*nodes, {"value": -1}]


FIRST, NO_INTEGER = "trees[1].nodes[0]", "must be a valid integer"
UNKNOWN = "LLVM's inliner has no feature"
TANGLED = [{**SPLIT, "above": 4}, {**SPLIT, "below": 2, "above": 3}, {**SPLIT, "below": 1, "above": 3}, *NODES[1:]]
HALVES = [{"nodes": chain(50_000)}, {"nodes": chain(50_000)}]
FAULTS: list[tuple[str | bytes, str]] = [
    (written(schema=2), "schema: must be 1, not 2"),
    (written().replace('"schema"', '"trees": [], "schema"'), "the name 'trees' is there twice"),
    (written(schema=None), "schema: this field is missing"),
    (written(trees=None), "trees: this field is missing"),
    (written(tree=1), "tree: there is no such field"),
    (written(features=["cost_estimte"]), f"features[0]: {UNKNOWN} 'cost_estimte'; did you mean 'cost_estimate'?"),
    (written(features=["cost_estimate", "zzz"]), f"features[1]: {UNKNOWN} 'zzz'; docs/tree.md lists them"),
    (written(features=["cost_estimate", "threshold", "threshold"]), "features[2]: 'threshold' is there already"),
    (written(features=["x"] * 2_000_000), "more than 810,100 values"),
    (written(features=["x" * 20_000_000]), f"features[0]: {UNKNOWN} 'xxx"),
    (written(features=FEATURES * 2), f"features[{len(FEATURES)}]: 'sroa_savings' is there already"),
    (written(features=[3]), "features[0]: must be text in quotes, not 3"),
    (written(precision="half"), "precision: must be 'double' or 'single', not 'half'"),
    (written(base="0"), "base: must be a number"),
    (written(base=math.inf), "base: must be a number between -1e+30 and 1e+30"),
    (written(trees=[]), "trees: at least one is needed"),
    (written(trees=[{"nodes": []}]), "trees[0].nodes: at least one is needed"),
    (written(trees=[{"nodes": [{"value": 1}]}] * (MAX_TREES + 1)), "trees: Tuple should have at most 5000 items"),
    (written(trees=HALVES), "trees: 200,002 nodes in all, 200,000 are allowed"),
    (written(trees=[{"nodes": [{"value": 1}] * 205_001}]), "trees: more than 200,000 nodes in all"),
    (of_nodes(*chain(MAX_DEPTH + 1)), "trees[1].nodes[128]: deeper than 64 splits"),
    (of_nodes(SPLIT, {"value": 1}), "trees[1].nodes[0].above: 2 is no node behind this one, the tree has 2"),
    (of_nodes({**SPLIT, "below": 0}, *NODES[1:]), "trees[1].nodes[0].below: 0 is no node behind this one"),
    (of_nodes({**SPLIT, "above": 1}, {"value": 1}), "trees[1].nodes[0].above: another split leads to node 1 already"),
    (of_nodes(*TANGLED), "trees[1].nodes[2].below: 1 is no node behind this one"),
    (of_nodes(*NODES, {"value": 2}), "trees[1].nodes[3]: no split leads to this node"),
    (of_nodes({**SPLIT, "feature": 1}, *NODES[1:]), "trees[1].nodes[0].feature: there is no feature 1: features has 1"),
    (of_nodes({**SPLIT, "feature": "threshold"}, *NODES[1:]), f"{FIRST}.feature: {NO_INTEGER}, not 'threshold'"),
    (of_nodes({**SPLIT, "below": -1}, *NODES[1:]), f"{FIRST}.below: must be greater than or equal to 0"),
    (of_nodes({**SPLIT, "above": 2.5}, *NODES[1:]), "trees[1].nodes[0].above: must be a valid integer"),
    (of_nodes({**SPLIT, "threshold": True}, *NODES[1:]), "trees[1].nodes[0].threshold: must be a number"),
    (of_nodes({**SPLIT, "threshold": math.nan}, *NODES[1:]), "trees[1].nodes[0].threshold: must be a number between"),
    (of_nodes({**SPLIT, "threshold": 10**400}, *NODES[1:]), "trees[1].nodes[0].threshold: must be a number between"),
    (of_nodes({"value": 1.1e30}), "trees[1].nodes[0].value: must be a number between -1e+30 and 1e+30"),
    (of_nodes({"value": "1"}), "trees[1].nodes[0].value: must be a number"),
    (of_nodes({"value": None}), "trees[1].nodes[0].value: must be a number"),
    (of_nodes({"value": 1, "below": 1}), "trees[1].nodes[0].below: there is no such field"),
    (of_nodes({"feature": 0, "threshold": 3, "above": 1}, {"value": 1}), f"{FIRST}.below: this field is missing"),
    (of_nodes(7), "trees[1].nodes[0]: must be an object, not 7"),
    (of_nodes({**SPLIT, "feature": "x" * 10_000}), f"{FIRST}.feature: {NO_INTEGER}, not 'xxx"),
    (b"", "not JSON: EOF"),
    (b"\xff\xfe{}", "not JSON: expected value"),
    (b"{} {}", "not JSON: trailing characters"),
    (b"[" * 1_000_000, "not JSON: recursion limit exceeded"),
    (b'{"a":' * 100_000, "not JSON: recursion limit exceeded"),
    (b"[]", "the file: must be an object, not []"),
    (b" " * (TREE_BYTES + 1), "larger than 32 MiB"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), FAULTS, ids=[message[:50] for _, message in FAULTS])
def test_faults_are_named_with_their_place(content: str | bytes, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_tree(content if isinstance(content, bytes) else content.encode(), "folder/tree.json")
    assert raised.value.where == "folder/tree.json" and raised.value.message.startswith(message)
    assert len(str(raised.value)) < 400 and "\n" not in str(raised.value)


def test_the_limits_themselves_are_within() -> None:
    for text in (
        of_nodes(*chain(MAX_DEPTH)),
        written(trees=[{"nodes": [{"value": 1}]}] * MAX_TREES),
        written(base=1e30),
        of_nodes({**SPLIT, "threshold": -1e30}, *NODES[1:]),
    ):
        parse_tree(text.encode(), "tree.json")


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "cost_estimate", "single", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["schema", "trees", "nodes", "feature", "value", "below"]), inner)
    ),
    max_leaves=6,
)


@given(trees(), st.data())
def test_whatever_stands_there_is_a_tree_or_one_message(value: dict[str, Any], data: st.DataObject) -> None:
    place: Any = value
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not (isinstance(place[key], list | dict) and place[key]) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(JSON_LIKE)
    try:
        one = parse_tree(json.dumps(value).encode(), "tree.json")
    except UsageError as error:
        assert str(error).startswith("tree.json: ")
    else:
        decide(one, features())
        tree_source(one)


# The libraries. One column of small numbers each, some where single, some where double precision is coarser than one.

COLUMNS = ("cost_estimate", "callee_users", "threshold", "node_count", "edge_count")


def samples(count: int, seed: int = 1) -> tuple[Any, Any]:
    """Integers and what to learn of them."""
    random = numpy.random.default_rng(seed)
    x = random.integers(-12, 12, (count, len(COLUMNS)))
    x[:, 3] = (1 << 25) + random.integers(-64, 64, count)
    x[:, 4] = (1 << 55) + 8 * random.integers(-64, 64, count)
    y = (x[:, 0] * x[:, 1] > 3 * x[:, 2]) ^ (x[:, 3] % 16 < 4) ^ (x[:, 4] > 1 << 55)
    return x, y.astype(numpy.int64)


X, Y = samples(1500)


def questions(one: Tree) -> Any:
    """The training data, other samples, and numbers at and next to each threshold."""
    near = [set(map(int, X[:20, column])) | {0, 1, -1} for column in range(len(COLUMNS))]
    for member in one.trees:
        for node in member.nodes:
            if isinstance(node, Split):
                assert isinstance(node.threshold, int)
                column = COLUMNS.index(one.features[node.feature])
                near[column] |= {max(LEAST, min(MOST, node.threshold + step)) for step in (-1, 0, 1)}
    random = Random(2)
    edges = [[random.choice(sorted(values)) for values in near] for _ in range(1500)]
    wide = [[random.randint(-(1 << bits), 1 << bits) for bits in (26, 40, 54, 62, 62)] for _ in range(300)]
    return numpy.concatenate([X, samples(1000, 2)[0], numpy.array(edges + wide, dtype=numpy.int64)])


def full(row: Any) -> list[int]:
    return features(**dict(zip(COLUMNS, map(int, row), strict=True)))


def decided(library: Library, one: Tree, x: Any) -> Any:
    ((function, _),) = library.functions([parse_tree(tree_json(one).encode(), "tree.json")])
    return numpy.array([function(full(row)) for row in x], dtype=bool)


def same_decisions(library: Library, one: Tree, x: Any, expected: Any) -> None:
    """And neither all of them nor none, so that something was compared."""
    decisions = decided(library, one, x)
    assert 0.02 < expected.mean() < 0.98
    wrong = numpy.flatnonzero(decisions != expected)
    assert not len(wrong), (len(wrong), x[wrong[0]].tolist())


SKLEARN: dict[str, Any] = {
    "tree": tree.DecisionTreeClassifier(random_state=0),
    "shallow tree": tree.DecisionTreeClassifier(max_depth=3, class_weight="balanced"),
    "one random tree": tree.ExtraTreeClassifier(random_state=0),
    "regression tree": tree.DecisionTreeRegressor(max_depth=6),
    "pure forest": ensemble.RandomForestClassifier(9, random_state=0),
    "regression forest": ensemble.RandomForestRegressor(8, max_depth=6, random_state=0),
    "boosting": ensemble.GradientBoostingClassifier(n_estimators=30, random_state=0),
    "exponential boosting": ensemble.GradientBoostingClassifier(n_estimators=15, loss="exponential"),
    "boosting from zero": ensemble.GradientBoostingClassifier(n_estimators=15, init="zero", subsample=0.5),
    "regression boosting": ensemble.GradientBoostingRegressor(n_estimators=15, loss="huber"),
    "histograms": ensemble.HistGradientBoostingClassifier(max_iter=20),
    "regression histograms": ensemble.HistGradientBoostingRegressor(max_iter=20, loss="absolute_error"),
}  # fmt: skip


@pytest.mark.parametrize("name", SKLEARN)
def test_scikit_learn(library: Library, name: str) -> None:
    model = SKLEARN[name]
    regression = not hasattr(model, "predict_proba")
    model.fit(X, Y * 2 - 1.01 if regression else Y)
    one = from_sklearn(model, COLUMNS)
    x = questions(one)
    same_decisions(library, one, x, model.predict(x) > 0)
    raw = getattr(model, "decision_function", None if "forest" in name or not regression else model.predict)
    if raw is not None:
        extra = 5e-324 if "boosting" in name and not regression else 0.0
        assert [score(one, full(row)) for row in x[::20]] == (raw(x[::20]) + extra).tolist()


@pytest.mark.parametrize("model", [ensemble.RandomForestClassifier, ensemble.ExtraTreesClassifier])
def test_forests_decide_alike_but_for_ties(library: Library, model: Any) -> None:
    model = model(20, max_depth=5, random_state=0).fit(X, Y)
    one = from_sklearn(model, COLUMNS)
    x = questions(one)
    shares = model.predict_proba(x)
    clear = abs(shares[:, 1] - shares[:, 0]) > 1e-12
    assert clear.mean() > 0.99
    same_decisions(library, one, x[clear], model.predict(x[clear]) > 0)


def test_boolean_classes_are_classes(library: Library) -> None:
    model = tree.DecisionTreeClassifier(max_depth=4).fit(X, Y == 1)
    one = from_sklearn(model, COLUMNS)
    same_decisions(library, one, X, model.predict(X))


def test_a_sum_of_zero_means_what_the_library_says() -> None:
    x, y = numpy.zeros((40, 5), dtype=numpy.int64), numpy.arange(40) % 2
    for model, expected in [
        (ensemble.GradientBoostingClassifier(n_estimators=3, init="zero"), True),
        (ensemble.GradientBoostingRegressor(n_estimators=3), False),
        (ensemble.HistGradientBoostingClassifier(max_iter=3), False),
        (tree.DecisionTreeClassifier(), False),
        (ensemble.RandomForestClassifier(4, bootstrap=False), False),
    ]:
        model.fit(x, y * 2 - 1 if isinstance(model, ensemble.GradientBoostingRegressor) else y)
        assert (model.predict(x[:1])[0] > 0) == expected
        assert decide(from_sklearn(model, COLUMNS), features()) == expected, model


LIGHTGBM: dict[str, tuple[dict[str, Any], int]] = {
    "binary": ({"objective": "binary"}, 30),
    "cross entropy": ({"objective": "cross_entropy", "learning_rate": 0.3}, 8),
    "regression": ({"objective": "regression"}, 12),
    "one tree": ({"objective": "binary", "num_leaves": 4}, 1),
    "dart": ({"objective": "binary", "boosting": "dart", "drop_rate": 0.5}, 12),
    "forest": ({"objective": "binary", "boosting": "rf", "bagging_fraction": 0.5, "bagging_freq": 1}, 7),
}


def trained_lightgbm(options: dict[str, Any], rounds: int, y: Any = Y, **data: Any) -> lightgbm.Booster:
    options = {"verbose": -1, "num_threads": 1, "seed": 1, **options}
    data = {"feature_name": list(COLUMNS), **data}
    return lightgbm.train(options, lightgbm.Dataset(X.astype(float), y, **data), rounds)


@pytest.mark.parametrize("name", LIGHTGBM)
def test_lightgbm(library: Library, name: str) -> None:
    options, rounds = LIGHTGBM[name]
    regression = options["objective"] == "regression"
    model = trained_lightgbm(options, rounds, Y - 0.5 if regression else Y)
    one = from_lightgbm(json.loads(json.dumps(model.dump_model())))
    assert len(one.trees) == rounds
    x = questions(one)
    raw = model.predict(x.astype(float), raw_score=True)
    same_decisions(library, one, x, raw > 0)
    if name != "forest":  # which divides by their number
        assert [score(one, full(row)) for row in x[::20]] == raw[::20].tolist()


XGBOOST: dict[str, tuple[dict[str, Any], int]] = {
    "logistic": ({"objective": "binary:logistic"}, 40),
    "exact": ({"objective": "binary:logistic", "tree_method": "exact", "max_depth": 5}, 10),
    "base score": ({"objective": "binary:logistic", "base_score": 0.2}, 5),
    "hinge": ({"objective": "binary:hinge"}, 10),
    "regression": ({"objective": "reg:squarederror"}, 10),
    "absolute": ({"objective": "reg:absoluteerror"}, 10),
    "forest": ({"objective": "binary:logistic", "num_parallel_tree": 5, "subsample": 0.6, "learning_rate": 1}, 2),
    "leaf by leaf": ({"objective": "reg:logistic", "grow_policy": "lossguide", "max_leaves": 9, "max_depth": 0}, 10),
}


def trained_xgboost(options: dict[str, Any], rounds: int, y: Any = Y, **data: Any) -> xgboost.Booster:
    data = {"feature_names": list(COLUMNS), **data}
    return xgboost.train({"nthread": 1, "seed": 1, **options}, xgboost.DMatrix(X, y, **data), rounds)


def saved(model: xgboost.Booster) -> Any:
    return json.loads(model.save_raw("json"))


@pytest.mark.parametrize("name", XGBOOST)
def test_xgboost(library: Library, name: str) -> None:
    options, rounds = XGBOOST[name]
    regression = name in ("regression", "absolute")
    model = trained_xgboost(options, rounds, Y - 0.5 if regression else Y)
    one = from_xgboost(saved(model))
    x = questions(one)
    margin = model.predict(xgboost.DMatrix(x, feature_names=list(COLUMNS)), output_margin=True)
    same_decisions(library, one, x, margin > 0)
    assert [score(one, full(row)) for row in x[::20]] == margin[::20].tolist()  # to the last bit


def test_the_log_odds_of_a_base_score_have_xgboosts_bits() -> None:
    random = Random(3)
    for base in [0.5, 0.25, 0.999, 1e-5, *(random.uniform(0.001, 0.999) for _ in range(40))]:
        model = trained_xgboost({"objective": "binary:logistic", "base_score": base, "max_depth": 1}, 1)
        content = saved(model)
        margin = model.predict(xgboost.DMatrix(X[:1], feature_names=list(COLUMNS)), output_margin=True)
        assert score(from_xgboost(content), full(X[0])) == margin[0], base


@pytest.mark.parametrize("bits", [SINGLE, DOUBLE])
@given(
    st.floats(-2e19, 2e19) | st.integers(-(1 << 63), 1 << 63).map(float) | st.integers(-99, 99).map(float),
    st.booleans(),
)
def test_the_last_integer_that_a_rounded_comparison_sends_below(bits: int, threshold: float, strict: bool) -> None:
    kind = numpy.float32 if bits == SINGLE else numpy.float64
    last = last_below(threshold, bits, strict=strict)
    for value, expected in ((last, True), (last + 1, False)):
        if LEAST <= value <= MOST:
            rounded = float(numpy.array([value], dtype=numpy.int64).astype(kind)[0])
            assert (rounded < threshold or (rounded == threshold and not strict)) == expected
    assert LEAST - 1 <= last <= MOST


def test_infinite_thresholds() -> None:
    assert (last_below(math.inf, SINGLE), last_below(-math.inf, SINGLE, strict=True)) == (MOST, LEAST - 1)
    with pytest.raises(ValueError, match="not a number"):
        last_below(math.nan, DOUBLE)


# What converters refuse.

W = Y + (X[:, 0] > 5)
"""Three classes."""
PAIR = numpy.stack([Y, 1 - Y], 1)
OTHERS: list[tuple[Callable[[], Any], str]] = [
    (lambda: linear_model.LinearRegression().fit(X, Y), "cannot convert a LinearRegression"),
    (lambda: object(), "cannot convert a object"),
    (lambda: tree.DecisionTreeClassifier(), "the model is not fitted"),
    (lambda: tree.DecisionTreeClassifier(max_depth=2).fit(X, W), "the model's classes are 0, 1, 2"),
    (lambda: tree.DecisionTreeClassifier(max_depth=2).fit(X, Y * 2 - 1), "the model's classes are -1, 1"),
    (lambda: tree.DecisionTreeClassifier(max_depth=2).fit(X, Y * 0), "the model's classes are 0"),
    (lambda: tree.DecisionTreeClassifier(max_depth=2).fit(X, PAIR), "the model has 2 outputs"),
    (lambda: tree.DecisionTreeRegressor(max_depth=2).fit(X, PAIR), "the model has 2 outputs"),
    (lambda: ensemble.RandomForestRegressor(2, max_depth=2).fit(X, PAIR), "the model has 2 outputs"),
    (lambda: ensemble.GradientBoostingClassifier(n_estimators=2).fit(X, W), "the model's classes are 0, 1, 2"),
    (
        lambda: ensemble.GradientBoostingRegressor(n_estimators=2, init=linear_model.LinearRegression()).fit(X, Y),
        "init is a LinearRegression",
    ),
    (lambda: ensemble.HistGradientBoostingRegressor(max_iter=2, loss="poisson").fit(X, Y), "loss 'poisson'"),
    (
        lambda: ensemble.HistGradientBoostingClassifier(max_iter=5, categorical_features=[0]).fit(X[:, :5] % 12, Y),
        "a split is categorical",
    ),
]


@pytest.mark.parametrize(("make", "message"), OTHERS, ids=[message for _, message in OTHERS])
def test_scikit_learn_models_that_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        from_sklearn(make(), COLUMNS)
    assert raised.value.message.startswith(message)


def test_columns_are_named_rightly() -> None:
    model = tree.DecisionTreeClassifier(max_depth=2).fit(X, Y)
    for names, message in [
        (COLUMNS[:4], "the model has 5 columns, and 4 features are named"),
        (("cost_estimte", *COLUMNS[1:]), "column 0 is 'cost_estimte', which is no feature of LLVM's inliner"),
        ((*COLUMNS[:4], "threshold"), "two columns are 'threshold'"),
    ]:
        with pytest.raises(UsageError) as raised:
            from_sklearn(model, names)
        assert raised.value.message == message
    with pytest.raises(UsageError, match="did you mean 'cost_estimate'"):
        from_sklearn(model, ["cost_estimte", *COLUMNS[1:]])


def refused(convert: Callable[[Any], Tree], dump: Any, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        convert(dump)
    assert message in raised.value.message, raised.value


def test_lightgbm_models_that_are_refused() -> None:
    def dumped(options: dict[str, Any], y: Any = Y, **data: Any) -> Any:
        return trained_lightgbm({"objective": "binary", **options}, 2, y, **data).dump_model()

    zeros = {"zero_as_missing": True}
    refused(from_lightgbm, dumped(zeros, params=zeros), "zero counts as missing")
    refused(from_lightgbm, dumped({"linear_tree": True}, params={"linear_tree": True}), "leaves are linear functions")
    refused(from_lightgbm, dumped({"objective": "multiclass", "num_class": 3}, W), "3 classes")
    refused(from_lightgbm, dumped({"objective": "poisson"}), "objective 'poisson'")
    categorical = {"min_data_per_group": 1, "cat_smooth": 1}
    refused(from_lightgbm, dumped(categorical, categorical_feature=[0, 1]), "a split is categorical")
    good = dumped({})
    for key in ("tree_info", "feature_names", "num_class"):
        refused(from_lightgbm, {name: value for name, value in good.items() if name != key}, f"'{key}' is missing")
    for broken in (None, [], {}, {**good, "tree_info": 3}, {**good, "tree_info": [{"tree_structure": {}}]}):
        refused(from_lightgbm, broken, "not a LightGBM dump")


def test_xgboost_models_that_are_refused() -> None:
    def dumped(options: dict[str, Any], y: Any = Y, **data: Any) -> Any:
        return saved(trained_xgboost({"objective": "binary:logistic", **options}, 3, y, **data))

    refused(from_xgboost, dumped({"booster": "dart"}), "booster 'dart'")
    refused(from_xgboost, dumped({"booster": "gblinear"}), "booster 'gblinear'")
    refused(from_xgboost, dumped({"objective": "multi:softprob", "num_class": 3}, W), "more than one output")
    pair = {"objective": "reg:squarederror", "multi_strategy": "multi_output_tree"}
    refused(from_xgboost, dumped(pair, PAIR), "more than one output")
    refused(from_xgboost, dumped({"objective": "count:poisson"}), "objective 'count:poisson'")
    refused(from_xgboost, dumped({"base_score": 1e-8}), "as good as certain")
    x = X.copy() % 12
    data = xgboost.DMatrix(x, Y, feature_names=list(COLUMNS), feature_types=["c"] * 5, enable_categorical=True)
    options = {"objective": "binary:logistic", "tree_method": "hist", "nthread": 1}
    refused(from_xgboost, saved(xgboost.train(options, data, 2)), "a split is categorical")
    model = trained_xgboost({"objective": "binary:logistic"}, 3)
    refused(from_xgboost, [json.loads(one) for one in model.get_dump(dump_format="json")], "lacks the base score")
    model.set_attr(best_iteration="1")
    refused(from_xgboost, saved(model), "trained for 3 rounds, of which the first 2 were best")
    assert len(from_xgboost(saved(model[:2])).trees) == 2
    model.set_attr(best_iteration=None)
    good = saved(model)
    assert len(from_xgboost(good).trees) == 3
    refused(from_xgboost, {**good, "version": [2, 1, 4]}, "before 3")
    for broken in (None, {}, {**good, "learner": 3}, {"version": [3, 0, 0], "learner": {}}):
        refused(from_xgboost, broken, "not an XGBoost model")


def test_a_model_that_is_too_deep_is_refused() -> None:
    x = numpy.zeros((140, 5), dtype=numpy.int64)
    x[:, 0] = range(140)
    bare = tree.DecisionTreeClassifier(splitter="best", random_state=0).fit(x, numpy.arange(140) % 2)
    try:
        from_sklearn(bare, COLUMNS)
    except UsageError as error:
        assert "deeper than 64 splits" in error.message
    else:
        assert bare.get_depth() <= 64


# The command line.


def test_harness_convert(library: Library, tmp_path: Path) -> None:
    user = User.at(tmp_path)
    booster = trained_lightgbm({"objective": "binary", "num_leaves": 5}, 3)
    (tmp_path / "light.json").write_text(json.dumps(booster.dump_model()))
    nameless = trained_xgboost({"objective": "binary:logistic", "max_depth": 2}, 4, feature_names=None)
    nameless.save_model(tmp_path / "x.json")
    names = ",".join(COLUMNS)
    for words, expected in [
        (("light.json",), from_lightgbm(booster.dump_model())),
        (("x.json", "--features", names), from_xgboost(saved(nameless), features=COLUMNS)),
    ]:
        answer = user.harness("convert", *words, "--output", "tree.json", cwd=tmp_path, code=0)
        assert f"{len(expected.trees)} trees" in answer.err and answer.out == ""
        assert parse_tree((tmp_path / "tree.json").read_bytes(), "tree.json") == expected


def test_all_names_the_38_columns(tmp_path: Path) -> None:
    from harness.problems.inlining.convert import convert

    x = numpy.random.default_rng(1).integers(0, 9, (300, 38))
    options = {"objective": "binary", "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(options, lightgbm.Dataset(x.astype(float), x[:, 29] > x[:, 35]), 2)
    (tmp_path / "light.json").write_text(json.dumps(booster.dump_model()))
    with pytest.raises(UsageError, match="column 0 is 'Column_0'"):
        convert(tmp_path / "light.json", tmp_path / "tree.json", None)
    assert not (tmp_path / "tree.json").exists()
    convert(tmp_path / "light.json", tmp_path / "tree.json", "all")
    assert {"cost_estimate", "callee_users"} <= set(parse_tree((tmp_path / "tree.json").read_bytes(), "t").features)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file"),
        (
            b"tree\nversion=v4\n",
            "not JSON: Expecting value: line 1 column 1 (char 0)\n"
            "  LightGBM: write Booster.dump_model() as JSON; XGBoost: Booster.save_model",
        ),
        (b"\x89\xff", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"3", "neither a LightGBM dump nor an XGBoost model"),
        (b'{"learner": {}}', "not an XGBoost model"),
        (b'{"tree_info": []}', "not a LightGBM dump"),
        (b"[]", "lacks the base score"),
        (written().encode(), "a tree.json already"),
    ],
)
def test_files_that_cannot_be_converted(tmp_path: Path, content: bytes | None, message: str) -> None:
    from harness.problems.inlining.convert import convert

    model = tmp_path / "model.json"
    if content is not None:
        model.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        convert(model, tmp_path / "tree.json", None)
    assert str(raised.value).startswith(f"{model}: ") and message in str(raised.value)
    assert not (tmp_path / "tree.json").exists()


def test_convert_fails_as_other_verbs_do(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    (tmp_path / "light.json").write_text(json.dumps(trained_lightgbm({"objective": "binary"}, 1).dump_model()))
    where = ("convert", tmp_path / "light.json", "--output", tmp_path / "no" / "tree.json")
    user.harness(*where).refused(2, "no/tree.json", "cannot be written")


def test_the_schema_says_what_the_parser_takes() -> None:
    schema = json.loads(json.dumps(Tree.model_json_schema()))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    assert validator.is_valid(json.loads(written())) and validator.is_valid(json.loads(tree_json(stump(3.5))))
    for wrong in (
        written(schema=2),
        written(base="0"),
        of_nodes({"value": 1, "below": 1}),
        of_nodes({**SPLIT, "above": "2"}),
    ):
        assert not validator.is_valid(json.loads(wrong))


def test_the_harness_imports_no_library_of_models() -> None:
    modules = "harness.policy.forms.tree.convert harness.problems.inlining.convert harness.policy.forms.tree"
    heavy = "{'numpy', 'sklearn', 'lightgbm', 'xgboost', 'pandas', 'scipy'}"
    code = f"import sys, {', '.join(modules.split())}\nassert not {heavy} & set(sys.modules), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
