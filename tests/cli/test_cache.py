"""``harness cache`` and its documentation know every kind of entry that the code keeps."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from harness.base.inventory import entries_of
from harness.cli.cache import _WHAT
from harness.problems.programs.rates import rates, remember_rate
from harness.sandbox.bench import Bench
from tests.drive import ROOT, User

_METHODS = ("folder", "folder_with_facts", "get", "has", "lock", "put")
_ELSEWHERE = {"block-costs", "index", "own-suites", "own-policies"}
"""Databases, which are not entries of a store; and kinds that a function is given (``harness.base.own``)."""


def _named(value: ast.expr, constants: dict[str, ast.expr]) -> Iterator[str]:
    """The words that an argument can be."""
    if isinstance(value, ast.IfExp):
        yield from _named(value.body, constants)
        yield from _named(value.orelse, constants)
    elif isinstance(value, ast.Name) and value.id in constants:
        yield from _named(constants[value.id], {})
    elif isinstance(value, ast.Constant):
        yield str(value.value)


def _constants(tree: ast.Module) -> dict[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for target, value in ((one.targets[0], one.value) for one in tree.body if isinstance(one, ast.Assign)):
        if isinstance(target, ast.Name):
            found[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found |= {ast.unparse(name): one for name, one in zip(target.elts, value.elts, strict=True)}
    return found


def areas() -> set[str]:
    """First arguments of ``bench.area`` and of the store's methods, all over the harness."""
    found: set[str] = set()
    for path in (ROOT / "harness").rglob("*.py"):
        tree = ast.parse(path.read_text())
        constants = _constants(tree)
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args:
                of = ast.unparse(call.func.value).split(".")[-1]
                if call.func.attr == "area" or (call.func.attr in _METHODS and of in ("store", "_store")):
                    found |= set(_named(call.args[0], constants))
    return found


def documented() -> set[str]:
    """Folders in the table of docs/schema.md."""
    text = (ROOT / "docs" / "schema.md").read_text().split("| folder | holds |")[1]
    firsts = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    return {Path(name).stem for first in firsts for name in re.findall(r"`([^`]+)`", first)}


def test_every_kind_of_entry_has_a_word() -> None:
    found = areas()
    assert {"cells", "provisional", "twins", "verdicts", "units", "rates"} <= found, "the search itself works"
    assert found | _ELSEWHERE == _WHAT.keys()


def test_every_kind_of_entry_stands_in_the_documentation() -> None:
    assert documented() - {"journal", "file-digests"} == _WHAT.keys()


def test_what_work_costs_here_is_listed_and_removed_like_all_else(bench: Bench, tmp_path: Path) -> None:
    user = User.at(tmp_path)
    own = Bench(bench.toolchain, user.cache)
    remember_rate("cells", 0.25, own)
    assert rates(own)["cells"] == 0.25
    assert [one.kind for one in entries_of(user.cache, lambda _: None)] == ["rates"]
    assert "what a unit of work cost here" in user.harness("cache", code=0).out
    user.harness("cache", "prune", "--to", "0", code=0)
    assert list(entries_of(user.cache, lambda _: None)) == []
