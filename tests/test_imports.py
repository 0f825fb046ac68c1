"""What stands outside the package still finds what it imports of it: scripts, benchmarks, examples in the documents."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drive import ROOT

FILES = sorted([*ROOT.glob("scripts/*.py"), *ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("docs/*.md"), ROOT / "app.py"])
IMPORT = re.compile(r"^from harness[\w.]* import [\w, ]+", re.MULTILINE)


def imports(file: Path) -> Iterator[ast.ImportFrom]:
    """Those of the package."""
    text = file.read_text()
    source = "\n".join(IMPORT.findall(text)) if file.suffix == ".md" else text
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "harness":
            yield node


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_everything_imported_is_there(file: Path) -> None:
    for node in imports(file):
        module = importlib.import_module(str(node.module))
        for name in node.names:
            assert hasattr(module, name.name) or importlib.import_module(f"{node.module}.{name.name}")
