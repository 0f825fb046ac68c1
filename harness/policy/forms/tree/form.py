"""The form ``tree.json``: a decision tree, or a sum of many, as C that only computes."""

from functools import cached_property
from pathlib import Path

from harness.base.digest import digest_tree
from harness.policy.forms.interface import Choice, Interface
from harness.policy.forms.program import TranslatedForm
from harness.policy.forms.tree.parse import parse_tree
from harness.policy.forms.tree.source import tree_source
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["FORM", "TreeForm"]


class TreeForm(TranslatedForm):
    """Its one sum says yes or no, is a number, or ranks candidates."""

    def supports(self, interface: Interface) -> str | None:
        """Everything but one of several alternatives."""
        one = interface.decision
        if isinstance(one, Choice) and len(one.alternatives) > 2:
            return (
                f"the sum of a {self.file} says yes or no, and {interface.subject} asks for one of "
                f"{len(one.alternatives)} alternatives; write a network or code"
            )
        return None

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """The whole file."""
        name, content = policy.file(self.role)
        parse_tree(content, name, interface)

    def source(self, content: bytes, name: str, interface: Interface, bench: Bench) -> str:
        """The tree's C."""
        return tree_source(parse_tree(content, name, interface), interface)

    @cached_property
    def translator(self) -> str:
        """The modules here."""
        here = Path(__file__).parent
        return digest_tree(here, sorted(here.glob("*.py")))


FORM = TreeForm("tree", "tree.json")
