"""A suite of two small instances and solvers of few lines, as a user writes them."""

import hashlib
from pathlib import Path
from typing import Any

from tests.problems.sharding.made import as_json
from tests.problems.sharding.test_evaluate import EXAMPLE

__all__ = ["HUGE", "SOLVED", "write_instances", "write_solver"]

SOLVED = 136
"""Cost of [0, 0, 0] on the small instance."""
_MORE = 5 * 10**18
HUGE = SOLVED + 3 * _MORE
"""The same on the huge one: beyond 64 bits."""


def write_instances(folder: Path, *, best: int = 130, bound: int = 120) -> Path:
    """The suite ``made`` with the instances ``small`` and ``huge``; returns its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    large: dict[str, Any] = {"problem": {**EXAMPLE["problem"], "name": "huge"}}
    nodes = large["problem"]["nodes"]
    large["problem"]["nodes"] = {**nodes, "costs": [[cost + _MORE for cost in costs] for costs in nodes["costs"]]}
    lines = ['name = "made"', 'version = "1"', 'description = "Made by a test."']
    for name, document, known in (
        ("small", EXAMPLE, f"best = {best}\nbound = {bound}"),
        ("huge", large, ""),
    ):
        content = as_json(document)
        (folder / f"{name}.json").write_bytes(content)
        lines += ["[[instances]]", f'name = "{name}"', f'file = "{name}.json"', 'split = "test"', "seconds = 20", known]
        lines += [f'sha256 = "{hashlib.sha256(content).hexdigest()}"']
    (folder / "sharding.toml").write_text("\n".join(lines) + "\n")
    return folder


def write_solver(folder: Path, body: str, *, name: str = "solver.py", **changes: str) -> Path:
    """A submission that is this solver; returns its folder."""
    fields = {
        "name": f'"{folder.name}"',
        "version": '"1"',
        "problem": '"sharding"',
        "form": '"cpp"' if name.endswith(".cpp") else '"python"',
        "class": '"zero-shot"',
        "track": '"sharding"',
        "targets": '["x86-64"]',
        "authors": '["A. Tester"]',
        "licence": '"MIT"',
        "description": '"Made by a test."',
        "files": f'{{ solver = "{name}" }}',
        **changes,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(body)
    (folder / "submission.toml").write_text("".join(f"{key} = {value}\n" for key, value in fields.items()))
    return folder
