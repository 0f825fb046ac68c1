"""Models of scikit-learn, LightGBM and XGBoost as ``tree.json``, deciding as the library decides.

What is the same: the leaf that each tree reaches for any 64-bit integers, the leaves' values, the order and the
precision that they are added in, and what a sum of zero means. A model for which this cannot be had is refused.
Nothing here imports one of the libraries, and no pickle is loaded: scikit-learn's models come as objects of the
user's own process, the others as the JSON that they write.
"""

import ctypes
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from harness.base.errors import UsageError
from harness.policy.forms.interface import Choice, Interface
from harness.policy.forms.tree.evaluate import to_single
from harness.policy.forms.tree.model import MAX_NODES, Leaf, Member, Split, Tree
from harness.policy.forms.tree.parse import explain_tree
from harness.policy.forms.tree.places import places_of
from harness.policy.forms.tree.thresholds import DOUBLE, SINGLE, last_below

__all__ = ["from_lightgbm", "from_sklearn", "from_xgboost"]

_ABOVE_ZERO = 5e-324
"""The smallest number there is. Added last it changes the sign of no sum but zero: ``sum > 0`` becomes ``>= 0``."""


@dataclass(frozen=True)
class _Columns:
    """The model's columns by name, and the features that they are among."""

    names: tuple[str, ...]
    interface: Interface


@dataclass(frozen=True)
class _Question:
    """A split as it comes: its column, the last integer that goes below, and the library's names of both children."""

    column: int
    last: int
    below: Any
    above: Any


_SHOWN = 200
_ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError)
"""What content of another form raises here."""

Expand = Callable[[Any], _Question | float]
"""From the library's name of a node to what it asks, or to the leaf's value."""


def from_sklearn(model: Any, features: Sequence[str], interface: Interface) -> Tree:
    """The decisions of a fitted scikit-learn model; ``features`` names its columns in order.

    A classifier of the classes 0 and 1 says yes where it predicts 1, a regressor where it predicts more than zero.
    Takes decision trees, forests (RandomForest, ExtraTrees), GradientBoosting and HistGradientBoosting of both sorts.
    A forest averages the two classes apart: where they differ by no more than rounding, it may decide otherwise.

    Raises UsageError for another model: more than one output or other classes, categorical splits, an ``init`` that
    looks at the features, a loss whose predictions are always above zero.
    """
    bases = [base.__name__ for base in type(model).__mro__ if base.__module__.split(".")[0] == "sklearn"]
    for name, convert in _SKLEARN.items():
        if name in bases:
            if not hasattr(model, "n_features_in_"):
                raise UsageError("the model is not fitted")
            columns = _columns(features, int(model.n_features_in_), interface)
            if getattr(model, "n_outputs_", 1) != 1:
                raise UsageError(f"the model has {model.n_outputs_} outputs, a policy has one")
            if "ClassifierMixin" in bases:
                _two_classes(model, interface)
            return convert(model, columns)
    raise UsageError(
        f"cannot convert a {type(model).__name__}",
        hint="of scikit-learn: decision trees, random forests, extra trees, (histogram) gradient boosting",
    )


def from_lightgbm(dump: Any, interface: Interface, features: Sequence[str] | None = None) -> Tree:
    """The decisions of a LightGBM model: yes where the raw score is above zero.

    ``dump`` is what ``Booster.dump_model()`` gives. ``features`` names the columns where the model does not.
    Features are compared as LightGBM compares columns of float64.

    Raises UsageError for more than one output, an objective whose score zero means nothing, categorical splits,
    linear leaves and ``zero_as_missing``.
    """
    try:
        return _from_lightgbm(dump, interface, features)
    except _ODD as error:
        raise UsageError(f"not a LightGBM dump: {_lack(error)}", hint="write Booster.dump_model() as JSON") from None


def from_xgboost(dump: Any, interface: Interface, features: Sequence[str] | None = None) -> Tree:
    """The decisions of an XGBoost model: yes where the margin is above zero.

    ``dump`` is the content of the file that ``Booster.save_model("model.json")`` writes, of XGBoost 3 or later.
    ``features`` names the columns where the model does not. The sum is taken in single precision, as XGBoost does.

    Raises UsageError for more than one output, an objective whose margin zero means nothing, categorical splits, the
    boosters dart and gblinear, early stopping that kept trees that predictions leave out, and for the list that
    ``get_dump`` gives, which lacks the base score.
    """
    if isinstance(dump, list):
        raise UsageError(
            "a list of trees, as get_dump gives it, lacks the base score",
            hint='use what Booster.save_model("model.json") writes',
        )
    try:
        return _from_xgboost(dump, interface, features)
    except _ODD as error:
        raise UsageError(
            f"not an XGBoost model: {_lack(error)}", hint='use what Booster.save_model("model.json") writes'
        ) from None


# What all libraries share.


def _lack(error: Exception) -> str:
    return f"{str(error)[:_SHOWN]} is missing" if isinstance(error, KeyError) else str(error)[:_SHOWN]


def _columns(features: Sequence[str], count: int, interface: Interface) -> _Columns:
    """The columns' names, checked. Raises UsageError."""
    if not isinstance(interface.decision, Choice) or len(interface.decision.alternatives) != 2:
        raise UsageError(
            f"a trained model is converted for a yes or no alone, and {interface.subject} asks otherwise",
            hint="write tree.json yourself",
        )
    if len(features) != count:
        raise UsageError(f"the model has {count} columns, and {len(features)} features are named")
    known = places_of(interface)
    for index, name in enumerate(features):
        if name not in known:
            hint = interface.hint(str(name))
            raise UsageError(f"column {index} is {str(name)!r}, which is no feature of {interface.subject}", hint=hint)
        if not known[name].element.is_integer:
            raise UsageError(
                f"column {index} is {name!r}, which is {known[name].element}: integers are converted alone"
            )
        if name in features[:index]:
            raise UsageError(f"two columns are {name!r}")
    return _Columns(tuple(features), interface)


def _tree(
    columns: _Columns,
    trees: Iterable[tuple[Any, Expand]],
    base: float = 0.0,
    precision: Literal["double", "single"] = "double",
    *,
    zero_is_yes: bool = False,
) -> Tree:
    """One Tree of roots and their expansions. Raises UsageError where a limit is passed."""
    raw: list[list[_Question | float]] = []
    left = MAX_NODES
    for root, expand in trees:
        raw.append(_nodes(root, expand, left))
        left -= len(raw[-1])
    asked = {columns.names[node.column] for nodes in raw for node in nodes if isinstance(node, _Question)}
    features = tuple(name for name in places_of(columns.interface) if name in asked)
    places = {column: features.index(name) for column, name in enumerate(columns.names) if name in asked}
    try:
        members = [Member(nodes=tuple(_node(node, places) for node in nodes)) for nodes in raw]
        if zero_is_yes:
            members.append(Member(nodes=(Leaf(value=_ABOVE_ZERO),)))
        return Tree(schema=1, features=features, precision=precision, base=base, trees=tuple(members))
    except ValidationError as error:
        raise explain_tree(error, "as tree.json") from None


def _nodes(root: Any, expand: Expand, most: int) -> list[_Question | float]:
    """The tree's nodes, each before its children, which the questions name by position; at most ``most``."""
    nodes: list[_Question | float] = []
    waiting: list[tuple[Any, int, bool]] = [(root, -1, False)]
    while waiting:
        if len(nodes) == most:  # a node may be a child of its own
            raise UsageError(f"trees: more than {MAX_NODES:,} nodes in all")
        name, parent, is_above = waiting.pop()
        if parent >= 0:
            asked = nodes[parent]
            assert isinstance(asked, _Question)
            children = (asked.below, len(nodes)) if is_above else (len(nodes), asked.above)
            nodes[parent] = _Question(asked.column, asked.last, *children)
        node = expand(name)
        if isinstance(node, _Question):
            waiting += ((node.above, len(nodes), True), (node.below, len(nodes), False))
        nodes.append(node)
    return nodes


def _node(node: _Question | float, places: dict[int, int]) -> Split | Leaf:
    if isinstance(node, _Question):
        return Split(feature=places[node.column], threshold=node.last, below=node.below, above=node.above)
    return Leaf(value=node)


# scikit-learn. Its trees compare float32 features with float64 thresholds, histogram boosting float64 features.


def _two_classes(model: Any, interface: Interface) -> None:
    classes = getattr(model, "classes_", ())
    if len(classes) != 2 or list(classes) != [0, 1]:
        assert isinstance(interface.decision, Choice)
        no, yes = interface.decision.alternatives
        shown = ", ".join(str(name) for name in classes)
        raise UsageError(f"the model's classes are {shown}", hint=f"train it on 0 ({no}) and 1 ({yes})")


def _sklearn_tree(tree: Any, value: Callable[[Any], float]) -> tuple[int, Expand]:
    """A ``tree_`` with the value that its leaf's row of ``value`` stands for."""
    left, right, column = tree.children_left.tolist(), tree.children_right.tolist(), tree.feature.tolist()
    threshold, values = tree.threshold.tolist(), tree.value.tolist()

    def expand(node: int) -> _Question | float:
        if left[node] < 0:
            return value(values[node][0])
        return _Question(column[node], last_below(threshold[node], SINGLE), left[node], right[node])

    return 0, expand


def _class_one(row: list[float]) -> float:
    """How much more likely class 1 is: a difference of doubles has the right sign."""
    if abs(sum(row) - 1) > 1e-6:
        raise UsageError("leaves hold counts, not shares", hint="fit the model with scikit-learn 1.3 or later")
    return row[1] - row[0]


def _first(row: list[float]) -> float:
    return row[0]


def _decision_tree_classifier(model: Any, columns: _Columns) -> Tree:
    return _tree(columns, [_sklearn_tree(model.tree_, _class_one)])


def _decision_tree_regressor(model: Any, columns: _Columns) -> Tree:
    return _tree(columns, [_sklearn_tree(model.tree_, _first)])


def _forest_classifier(model: Any, columns: _Columns) -> Tree:
    return _tree(columns, [_sklearn_tree(one.tree_, _class_one) for one in model.estimators_])


def _forest_regressor(model: Any, columns: _Columns) -> Tree:
    """The mean's sign is the sum's."""
    return _tree(columns, [_sklearn_tree(one.tree_, _first) for one in model.estimators_])


def _gradient_boosting(model: Any, columns: _Columns) -> Tree:
    initial = model.init_ if isinstance(model.init_, str) else type(model.init_).__name__
    if initial not in ("zero", "DummyClassifier", "DummyRegressor"):
        raise UsageError(f"init is a {initial}, whose predictions are no constant", hint="leave init out")
    rate = float(model.learning_rate)
    base = float(model._raw_predict_init([[0.0] * len(columns.names)])[0][0])
    trees = [_sklearn_tree(stage[0].tree_, lambda row: rate * row[0]) for stage in model.estimators_]
    # Of the two sums that are zero, only a classifier's counts as class 1.
    return _tree(columns, trees, base, zero_is_yes=hasattr(model, "classes_"))


def _histogram_boosting(model: Any, columns: _Columns) -> Tree:
    if not hasattr(model, "classes_") and model.loss not in ("squared_error", "absolute_error", "quantile"):
        raise UsageError(f"loss {model.loss!r} predicts nothing below zero")
    trees = [_histogram_tree(stage[0].nodes) for stage in model._predictors]
    return _tree(columns, trees, float(model._baseline_prediction[0][0]))


def _histogram_tree(nodes: Any) -> tuple[int, Expand]:
    def expand(index: int) -> _Question | float:
        node = nodes[index]
        if node["is_leaf"]:
            return float(node["value"])
        if node["is_categorical"]:
            raise UsageError("a split is categorical; features are numbers")
        last = last_below(float(node["num_threshold"]), DOUBLE)
        return _Question(int(node["feature_idx"]), last, int(node["left"]), int(node["right"]))

    return 0, expand


_SKLEARN: dict[str, Callable[[Any, _Columns], Tree]] = {
    "DecisionTreeClassifier": _decision_tree_classifier,
    "DecisionTreeRegressor": _decision_tree_regressor,
    "ForestClassifier": _forest_classifier,
    "ForestRegressor": _forest_regressor,
    "BaseGradientBoosting": _gradient_boosting,
    "BaseHistGradientBoosting": _histogram_boosting,
}
"""By the class that a model is or inherits from."""


# LightGBM. It compares float64 features with float64 thresholds and adds in double precision, from zero.

_LIGHTGBM_OBJECTIVES = {
    *("binary", "cross_entropy", "regression", "regression_l1", "huber", "fair", "quantile", "mape"),
    "",  # the user's own: predictions are the raw score
}


def _from_lightgbm(dump: Any, interface: Interface, features: Sequence[str] | None) -> Tree:
    trees = dump["tree_info"]
    if dump["num_class"] != 1 or dump["num_tree_per_iteration"] != 1:
        raise UsageError(f"the model has {dump['num_class']} classes, each with a score of its own; a policy has one")
    objective = (str(dump.get("objective") or "").split() or [""])[0]
    if objective not in _LIGHTGBM_OBJECTIVES:
        known = ", ".join(sorted(_LIGHTGBM_OBJECTIVES - {""}))
        raise UsageError(f"objective {objective!r}: a score of zero says nothing", hint=f"these can be: {known}")
    columns = _columns(features or dump["feature_names"], int(dump["max_feature_idx"]) + 1, interface)
    return _tree(columns, [(tree["tree_structure"], _lightgbm_node) for tree in trees])


def _lightgbm_node(node: Any) -> _Question | float:
    if "split_feature" not in node:
        if "leaf_const" in node or "leaf_coeff" in node:
            raise UsageError("leaves are linear functions", hint="train with linear_tree=false")
        return float(node["leaf_value"])
    if node["decision_type"] != "<=":
        raise UsageError("a split is categorical; features are numbers")
    if node["missing_type"] == "Zero":
        raise UsageError("zero counts as missing", hint="train with zero_as_missing=false: a feature's zeros are zeros")
    last = last_below(float(node["threshold"]), DOUBLE)
    return _Question(int(node["split_feature"]), last, node["left_child"], node["right_child"])


# XGBoost. It compares float32 features with float32 thresholds, strictly, and adds in single precision to the base.

_XGBOOST_OBJECTIVES = {
    **dict.fromkeys(("binary:logistic", "reg:logistic"), "probability"),
    **dict.fromkeys(("binary:hinge", "reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror"), "margin"),
}
"""What the base score is."""
_ODDS_LIMIT = 1e-6
"""Nearer to 0 or 1, versions of XGBoost differ in what they make of a base score."""


def _from_xgboost(dump: Any, interface: Interface, features: Sequence[str] | None) -> Tree:
    learner = dump["learner"]
    if int(dump["version"][0]) < 3:
        raise UsageError("written by an XGBoost before 3", hint="load it with XGBoost 3 and save it again")
    parameters, booster = learner["learner_model_param"], learner["gradient_booster"]
    if int(parameters["num_class"]) > 1 or int(parameters["num_target"]) > 1:
        raise UsageError("the model has more than one output, a policy has one")
    if booster["name"] != "gbtree":
        raise UsageError(f"booster {booster['name']!r} is no sum of trees", hint='train with booster="gbtree"')
    objective = learner["objective"]["name"]
    if objective not in _XGBOOST_OBJECTIVES:
        known = ", ".join(sorted(_XGBOOST_OBJECTIVES))
        raise UsageError(f"objective {objective!r}: a margin of zero says nothing", hint=f"these can be: {known}")
    _not_stopped_early(learner, booster["model"])
    scores = json.loads(parameters["base_score"])
    (base,) = scores if isinstance(scores, list) else [scores]
    base = to_single(base)
    if _XGBOOST_OBJECTIVES[objective] == "probability":
        base = _log_odds(base)
    columns = _columns(features or learner["feature_names"], int(parameters["num_feature"]), interface)
    return _tree(columns, [_xgboost_tree(tree) for tree in booster["model"]["trees"]], base, "single")


def _not_stopped_early(learner: Any, model: Any) -> None:
    best = learner.get("attributes", {}).get("best_iteration")
    rounds = len(model["iteration_indptr"]) - 1
    if best is not None and int(best) + 1 != rounds:
        raise UsageError(
            f"trained for {rounds} rounds, of which the first {int(best) + 1} were best: which of them decide?",
            hint="save booster[: booster.best_iteration + 1], or set_attr(best_iteration=None) for all",
        )


def _log_odds(probability: float) -> float:
    """In single precision, step by step, with the C library's logarithm: XGBoost's own way to the same bits."""
    if not _ODDS_LIMIT <= probability <= 1 - _ODDS_LIMIT:
        raise UsageError(f"base_score {probability} is as good as certain", hint="train with one nearer to 0.5")
    log = ctypes.CDLL("libm.so.6").logf
    log.restype, log.argtypes = ctypes.c_float, [ctypes.c_float]
    return -float(log(to_single(to_single(1 / probability) - 1)))


def _xgboost_tree(tree: Any) -> tuple[int, Expand]:
    left, right, column = tree["left_children"], tree["right_children"], tree["split_indices"]
    number = tree["split_conditions"]
    if int(tree["tree_param"]["size_leaf_vector"]) > 1:
        raise UsageError("leaves are vectors, a policy has one output")

    def expand(node: int) -> _Question | float:
        if left[node] < 0:
            return to_single(float(number[node]))
        if tree["split_type"][node] != 0:
            raise UsageError("a split is categorical; features are numbers")
        last = last_below(to_single(float(number[node])), SINGLE, strict=True)
        return _Question(column[node], last, left[node], right[node])

    return 0, expand
