"""The formats of files that inlining policies are made of."""

from harness.policy.forms.tree.model import Tree

__all__ = ["SCHEMAS"]

SCHEMAS = {"tree": (Tree, "tree.json of an inlining policy")}
