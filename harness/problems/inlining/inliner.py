"""Forms ``onnx``, ``tree`` and ``python``: a model, a tree or a Python function decides from a call site's features."""

from functools import lru_cache
from pathlib import Path

from harness.apply.decisions import Decided
from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import UsageError
from harness.base.remembered import remembered
from harness.freeze import FrozenModule
from harness.policy.forms.onnx.source import model_source
from harness.policy.forms.program import build_program, program_host
from harness.policy.forms.python import ask_python, check_python
from harness.policy.forms.tree.parse import parse_tree
from harness.policy.forms.tree.source import tree_source
from harness.policy.policy import Policy
from harness.problems.inlining.ask import Asked, ask
from harness.problems.inlining.decide import decided
from harness.problems.inlining.price import allowance
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.sandbox.bench import Bench
from harness.toolchain.native import native_digest

__all__ = ["FORMS", "Inliner"]

FORMS = {"onnx": ("model", "model.onnx"), "tree": ("tree", "tree.json"), "python": ("policy", "policy.py")}
"""Form → role of the submission's one file, and how it is usually called."""


class Inliner:
    """What ``harness.problems.inlining.problem`` asks of these forms."""

    def check(self, policy: Policy, where: str) -> None:
        """One file. Of a model only the sandbox looks at the content."""
        form = policy.manifest.form
        role, usual = FORMS[form]
        if set(policy.manifest.files) != {role}:
            raise UsageError(f'files: a policy of form {form!r} has one file, {role} = "{usual}"', where=where)
        if policy.manifest.values:
            name = next(iter(policy.manifest.values))
            raise UsageError(f"values.{name}: a policy of form {form!r} has no values", where=where)
        name, content = policy.file(role)
        if role == "tree":
            parse_tree(content, name)
        if role == "policy":
            check_python(content, name)

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """What it decides of each call site. ``seed``: given to a ``policy.py`` that wants it."""
        most = allowance(policy.manifest.policy_class, frozen, bench)
        if "policy" in policy.contents:
            content = policy.contents["policy"]
            return decided(lambda: ask_python(content, seed, frozen, bench, most), frozen, bench)
        ((role, content),) = policy.contents.items()
        name = policy.manifest.files[role]
        how = Asked("channel", host=program_host(_program(role, content, name, bench), name))
        return decided(lambda: ask(how, frozen, bench, allowance=most), frozen, bench)

    def parts(self) -> list[str]:
        """The plugin, and what turns a file into code."""
        return [native_digest(PLUGIN), native_digest("host"), *RULES, _translators()]


@remembered(64)
def _program(role: str, content: bytes, name: str, bench: Bench) -> Path:
    source = tree_source(parse_tree(content, name)) if role == "tree" else model_source(content, name, bench)
    return build_program(source, name, bench)


@lru_cache(maxsize=1)
def _translators() -> str:
    here = Path(__file__).parent
    return digest_of([digest_bytes(path.read_bytes()) for path in sorted(here.rglob("*.py"))])
