"""``harness convert``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.base.answers import Answer
from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.policy.forms.tree import Tree, tree_json
from harness.policy.forms.tree.convert import from_lightgbm, from_xgboost
from harness.problems.inlining.features import INTERFACE

__all__ = ["convert"]

_MOST_BYTES = 128 * MIB
"""A tree of the most nodes that a policy may have takes about 80 MB in LightGBM's form."""
_MOST_CONTAINERS = 1_000_000
_HOW = 'LightGBM: write Booster.dump_model() as JSON; XGBoost: Booster.save_model("model.json")'


def convert(model: Path, output: Path, features: str | None) -> Answer:
    """Write the model in ``model`` as a tree.json to ``output``; ``features``: names with commas, or ``all``."""
    listed = tuple(name.strip() for name in features.split(",")) if features else None
    names = INTERFACE.names[: INTERFACE.joined] if features == "all" else listed
    dump = parse_json(read_bytes(model, _MOST_BYTES), str(model), containers=_MOST_CONTAINERS, hint=_HOW)
    try:
        tree = _converted(dump, names)
    except UsageError as error:
        raise UsageError(error.message, where=str(model), hint=error.hint) from None
    try:
        output.write_text(tree_json(tree))
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(output)) from None
    nodes = sum(len(member.nodes) for member in tree.trees)
    return Answer(notes=(f"{len(tree.trees)} trees, {nodes} nodes, {len(tree.features)} features in {output}",))


def _converted(dump: Any, features: Sequence[str] | None) -> Tree:
    """By content: what only one library writes."""
    if isinstance(dump, dict) and "tree_info" in dump:
        return from_lightgbm(dump, INTERFACE, features)
    if isinstance(dump, list) or (isinstance(dump, dict) and "learner" in dump):
        return from_xgboost(dump, INTERFACE, features)
    if isinstance(dump, dict) and "trees" in dump:
        raise UsageError("a tree.json already", hint="name it in submission.toml as it is")
    raise UsageError("neither a LightGBM dump nor an XGBoost model", hint=_HOW)
