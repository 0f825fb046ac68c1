"""Put lists that were chosen into the submissions that begin with them.

usage: .venv/bin/python scripts/portfolio.py portfolio.json

``portfolio.json`` is what ``python -m harness.learn.pass_lists choose`` writes.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from harness.base.paths import ROOT

NAMES = ("portfolio", "portfolio-search", "portfolio-search-60s")
LISTS = re.compile(r"(?ms)^LISTS = \($.*?^\)$")
FOUND = re.compile(r"on \d+ programs of the train splits, x86-64, \d+ trials")
COUNT = re.compile(r"\b\d+ lists")
TRIALS = re.compile(r"\b\d+ trials\.")


def main() -> None:
    """Write files and manifests."""
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    choice = json.loads(Path(sys.argv[1]).read_text())
    lists = "".join(f"({''.join(f'{name!r},' for name in one)})," for one in choice["lists"])
    found = f"on {len(choice['trained on'])} programs of the train splits, x86-64, {choice['trials']} trials"
    for name in NAMES:
        folder = ROOT / "submissions" / name
        for file in (folder / "search.py", folder / "submission.toml"):
            text = LISTS.sub(lambda _: f"LISTS = ({lists})", file.read_text())
            text = COUNT.sub(f"{len(choice['lists'])} lists", FOUND.sub(found, text))
            if name == "portfolio":
                text = re.sub(r"(?m)^trials = \d+$", f"trials = {len(choice['lists'])}", text)
                text = TRIALS.sub(f"{len(choice['lists'])} trials.", text, count=1)
            file.write_text(text)
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(folder)], check=True)


if __name__ == "__main__":
    main()
