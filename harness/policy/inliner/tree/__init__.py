"""``tree.json``: a decision tree, or a sum of many, over LLVM's inliner features, as data that becomes C.

See ``docs/tree.md``.
"""

from harness.policy.inliner.tree.evaluate import decide
from harness.policy.inliner.tree.model import Leaf, Member, Split, Tree
from harness.policy.inliner.tree.parse import parse_tree, tree_json
from harness.policy.inliner.tree.source import tree_source

__all__ = ["Leaf", "Member", "Split", "Tree", "decide", "parse_tree", "tree_json", "tree_source"]
