"""``tree.json``: a decision tree, or a sum of many, over numbers among the features, as data that becomes C.

See ``docs/tree.md``.
"""

from harness.policy.forms.tree.evaluate import decide
from harness.policy.forms.tree.model import Leaf, Member, Split, Tree
from harness.policy.forms.tree.parse import parse_tree, tree_json
from harness.policy.forms.tree.source import tree_source

__all__ = ["Leaf", "Member", "Split", "Tree", "decide", "parse_tree", "tree_json", "tree_source"]
