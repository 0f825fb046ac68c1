"""A problem is one folder: nothing outside it imports it, and no text of code names it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import harness

HOUSE = Path(harness.__file__).parent
PROBLEMS = {
    "inlining": r"\binlin(?:ing|ers?)\b",
    "levels": r"^levels$",
    "passes": r"\bpass-sequence\b|\bpasses/",
    "regalloc": r"\bregalloc\b",
    "sharding": r"\bsharding\b",
}
"""Folder → what a text says that names the problem. Levels and passes are words of compilers, too."""
DOORS = ("environments/", "learn/")
"""Folders whose parts are about one problem each."""
EXCEPTIONS = {
    "base/upgrade.py": "reads the words that older files used",
    "policy/forms/onnx/read.py": "`onnx.inliner` is a module of ONNX's",
    "problems/passes/actions.py": "`partial-inliner` is the name of a pass of LLVM's",
    "problems/passes/llvm22.py": "names of passes, too",
    "problems/passes/names.py": "names of passes, too",
    "problems/passes/new/python/agent.py": "names of passes, too",
    "problems/passes/vetted/allowed.py": "names of passes, too",
    "problems/passes/vetted/refused.py": "names of passes, too",
}
"""File → why a text in it names a problem of another folder."""


def texts_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every literal that is no docstring."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
        if isinstance(node.body[0], ast.Expr)
    } | {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def imports_of(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and module of every import, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module
            yield from ((node.lineno, f"{node.module}.{one.name}") for one in node.names)


def strangers(name: str, pattern: str) -> list[str]:
    """Where other files than the problem's own name it."""
    found = []
    for path in sorted(HOUSE.rglob("*.py")):
        inside = path.relative_to(HOUSE).as_posix()
        if inside.startswith((f"problems/{name}/", *DOORS)) or inside in EXCEPTIONS:
            continue
        tree = ast.parse(path.read_text())
        said = [
            f"{inside}:{line}: {text!r}" for line, text in texts_of(tree) if re.search(pattern, text, re.IGNORECASE)
        ]
        module = f"harness.problems.{name}"
        got = [
            f"{inside}:{line}: imports {one}"
            for line, one in imports_of(tree)
            if one == module or one.startswith(f"{module}.")
        ]
        found += said + got
    return found


def test_every_problem_is_here() -> None:
    shared = {"instances", "programs"}
    folders = {path.parent.name for path in (HOUSE / "problems").glob("*/__init__.py")}
    assert folders - shared == set(PROBLEMS)


@pytest.mark.parametrize(("name", "pattern"), PROBLEMS.items())
def test_nothing_outside_its_folder_names_a_problem(name: str, pattern: str) -> None:
    assert strangers(name, pattern) == []


def test_exceptions_are_needed() -> None:
    for inside in EXCEPTIONS:
        tree = ast.parse((HOUSE / inside).read_text())
        assert any(
            re.search(pattern, text, re.IGNORECASE) for pattern in PROBLEMS.values() for _, text in texts_of(tree)
        )


def test_no_module_is_long() -> None:
    long = {path.relative_to(HOUSE).as_posix(): len(path.read_text().splitlines()) for path in HOUSE.rglob("*.py")}
    assert {name: lines for name, lines in long.items() if lines > 400} == {}
