"""The form ``tree.json``: a decision tree, or a sum of many, as C that only computes."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from harness.base.digest import digest_tree
from harness.base.remembered import remembered
from harness.policy.forms.decider import Decider
from harness.policy.forms.interface import Choice, Interface
from harness.policy.forms.parameters import Value, WithoutValues
from harness.policy.forms.program import build_program, program_digest, program_host
from harness.policy.forms.tree.parse import parse_tree
from harness.policy.forms.tree.source import tree_source
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["FORM", "TreeForm"]


class TreeForm(WithoutValues):
    """See ``harness.policy.forms.registry.Form``."""

    role = "tree"
    usual = "tree.json"
    is_pure = True
    fields: frozenset[str] = frozenset()

    def supports(self, interface: Interface) -> str | None:
        """Its one sum says yes or no, is a number, or ranks candidates."""
        one = interface.decision
        if isinstance(one, Choice) and len(one.alternatives) > 2:
            return (
                f"the sum of a {self.usual} says yes or no, and {interface.subject} asks for one of "
                f"{len(one.alternatives)} alternatives; write a network or code"
            )
        return None

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """The whole file."""
        name, content = policy.file(self.role)
        parse_tree(content, name, interface)

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """The program of the tree's C."""
        return _host(policy.contents[self.role], policy.manifest.files[self.role], interface, bench)

    def key_material(self, interface: Interface) -> list[str]:
        """The translation, and the program around it."""
        return [_translator(), program_digest(interface)]


@remembered(64)
def _host(content: bytes, name: str, interface: Interface, bench: Bench) -> Decider:
    source = tree_source(parse_tree(content, name, interface), interface)
    return program_host(build_program(source, interface, name, bench), name)


@cache
def _translator() -> str:
    here = Path(__file__).parent
    return digest_tree(here, sorted(here.glob("*.py")))


FORM = TreeForm()
