"""``tree.json`` from bytes, with errors that name the place, and back to text."""

from typing import Any

from pydantic import ValidationError

from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.policy.forms.interface import Interface
from harness.policy.forms.tree.model import MAX_NODES, MAX_TREES, STRUCTURE, Split, Tree
from harness.policy.limits import TREE_BYTES
from harness.suite.load import fault_message

__all__ = ["explain_tree", "parse_tree", "tree_json"]

_MOST_COMMAS = 4 * MAX_NODES + 2 * MAX_TREES + 100
"""Between the fields of nodes, nodes, trees and features: each value takes far more memory than its text."""
_LONGEST_MESSAGE = 200


def parse_tree(content: bytes, where: str, interface: Interface) -> Tree:
    """The tree in a file's bytes, over features of ``interface``; ``where`` is the file's name, for errors.

    Raises UsageError naming the file and the place in it, such as ``trees[0].nodes[3].below``.
    """
    if len(content) > TREE_BYTES:
        raise UsageError(f"larger than {TREE_BYTES >> 20} MiB", where=where)
    # Every tree and node is one object: a file of too many is refused before they take a gigabyte.
    if content.count(b"{") > 1 + MAX_TREES + MAX_NODES:
        raise UsageError(f"trees: more than {MAX_NODES:,} nodes in all", where=where)
    if content.count(b",") > _MOST_COMMAS:
        raise UsageError(f"more than {_MOST_COMMAS:,} values", where=where)
    try:
        tree = Tree.model_validate_json(content, context=interface)
    except ValidationError as error:
        raise explain_tree(error, where) from None
    parse_json(content, where, containers=len(content))  # for names that are there twice, which pydantic takes
    return tree


def tree_json(tree: Tree) -> str:
    """The text of ``tree.json``: one node a line. ``parse_tree`` gives the same tree back."""
    import json

    lines = ["{", f' "schema": {tree.version},', f' "features": {json.dumps(tree.features)},']
    lines += [f' "precision": {json.dumps(tree.precision)},', f' "base": {tree.base!r},', ' "trees": [']
    for member in tree.trees:
        lines.append('  {"nodes": [')
        lines += [f"   {_node(node)}," for node in member.nodes]
        lines[-1] = lines[-1].removesuffix(",")
        lines.append("  ]},")
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, " ]", "}", ""])


def _node(node: Any) -> str:
    if isinstance(node, Split):
        return (
            f'{{"feature": {node.feature}, "threshold": {node.threshold!r}, '
            f'"below": {node.below}, "above": {node.above}}}'
        )
    return f'{{"value": {node.value!r}}}'


def explain_tree(error: ValidationError, where: str) -> UsageError:
    """One error for people: the first fault, its place in the file, and how many more there are."""
    every = error.errors(include_url=False)
    # Where an item is faulty, pydantic says besides that the list lacks it.
    faults = [fault for fault in every if fault["type"] != "too_short"] or every[:1]
    first = faults[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    if first["type"] == "json_invalid":
        return UsageError(f"not JSON: {first['ctx']['error']}", where=where)
    if first["type"] == STRUCTURE:
        return UsageError(f"{first['ctx']['path']}: {first['ctx']['fault']}", where=where)
    path = ""
    for part in first["loc"]:
        if isinstance(part, int):
            path += f"[{part}]"
        elif part not in ("split", "leaf"):  # which of the two sorts of node was tried
            path += f".{part}" if path else part
    message = "at least one is needed" if first["type"] == "too_short" else fault_message(first)
    if len(message) > _LONGEST_MESSAGE:  # it shows what stands there
        message = message[:_LONGEST_MESSAGE] + "…"
    return UsageError(f"{path or 'the file'}: {message}{more}", where=where)
