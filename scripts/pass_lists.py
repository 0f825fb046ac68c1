"""Put lists of passes that were learnt into the submissions that hold them.

usage: .venv/bin/python scripts/pass_lists.py FILE...

What ``python -m harness.learn.pass_lists choose`` or ``select`` wrote: ``portfolio``, ``portfolio-search`` and
``portfolio-search-60s`` have the lists of the one, ``selector`` lists and weights of the other.
"""

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.base.paths import ROOT
from harness.problems.passes.actions import action_table

SUBMISSIONS = ROOT / "submissions"
PORTFOLIOS = ("portfolio", "portfolio-search", "portfolio-search-60s")


def main() -> None:
    """Write files and manifests."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    names: list[str] = []
    for learnt in (json.loads(Path(name).read_text()) for name in sys.argv[1:]):
        if "weights" in learnt:
            write_selector(SUBMISSIONS / "selector", learnt)
            names.append("selector")
        else:
            for name in PORTFOLIOS:
                write_portfolio(SUBMISSIONS / name, learnt)
            names += PORTFOLIOS
    folders = [str(SUBMISSIONS / name) for name in names]
    subprocess.run([sys.executable, "-m", "ruff", "format", "-q", *folders], check=True)


def write_portfolio(folder: Path, choice: dict[str, Any]) -> None:
    """The lists, how many they are, and what they were found on."""
    lists = len(choice["lists"])
    found = f"on {len(choice['trained on'])} programs of the train splits, x86-64, {choice['trials']} trials"
    for file in (folder / "search.py", folder / "submission.toml"):
        text = replaced(file.read_text(), "LISTS", literal(choice["lists"]))
        text = re.sub(r"on \d+ programs of the train splits, x86-64, \d+ trials", found, text)
        text = re.sub(r"\b\d+ lists", f"{lists} lists", text)
        if folder.name == "portfolio":
            text = re.sub(r"(?m)^trials = \d+$", f"trials = {lists}", text)
            text = re.sub(r": \d+ trials\.", f": {lists} trials.", text)
        file.write_text(text)


def write_selector(folder: Path, rules: dict[str, Any]) -> None:
    """Lists and weights, and how many modules they were learnt from."""
    actions = action_table(rules["actions"]).actions
    numbers = [[actions.index(name) for name in one] for one in rules["lists"]]
    agent, manifest = folder / "agent.py", folder / "submission.toml"
    text = replaced(agent.read_text(), "LISTS", table(numbers))
    for name in ("middle", "scale", "center", "means", "caution"):
        text = replaced(text, name.upper(), row(rules[name]))
    text = replaced(text, "WEIGHTS", table(rules["weights"]))
    text = replaced(text, "STOP", str(len(actions)))
    agent.write_text(re.sub(r"\b\d+ lists", f"{len(rules['lists'])} lists", text))
    text = re.sub(r"\b\d+ lists", f"{len(rules['lists'])} lists", manifest.read_text())
    text = re.sub(r"on \d+ modules", f"on {rules['modules']} modules", text)
    manifest.write_text(re.sub(r"and \d+ units", f"and {rules['units']} units", text))


def literal(values: list[Any]) -> str:
    """A tuple, of tuples where it holds lists."""
    return "(" + "".join(f"{literal(one) if isinstance(one, list) else repr(one)}," for one in values) + ")"


def row(values: Sequence[float]) -> str:
    """A tuple of numbers, in lines that are full."""
    text = textwrap.fill(", ".join(map(repr, values)) + ",", 112)
    return f"(\n{textwrap.indent(text, ' ' * 4)}\n)"


def table(rows: Sequence[Sequence[float]]) -> str:
    """A tuple of such tuples."""
    return "(\n" + "".join(f"{textwrap.indent(row(one), ' ' * 4)},\n" for one in rows) + ")"


def replaced(text: str, name: str, value: str) -> str:
    """With another value of this constant, where the text has one."""
    return re.sub(rf"(?ms)^{name} = (?:[^\n]*[^\n({{]|[({{].*?^[)}}])$", lambda _: f"{name} = {value}", text)


if __name__ == "__main__":
    main()
