"""Write what commands print into the documents that show it.

usage: .venv/bin/python scripts/figures.py [--check] [DOCUMENT]...

A document names the command in a comment before a fenced block, `<!-- harness leaderboard --suite cbench -->`, and the
block then holds what the command prints on standard output for the committed results. What a script prints is
Markdown: it stands between `<!-- scripts/clusters.py cbench -->` and `<!-- end -->`. With --check nothing is written:
the exit code is 1 where a block says something else. Without a document it is about all of them.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(
    r"(?P<head><!-- harness (?P<words>[^\n]*?) -->\n+```[a-z]*\n)(?P<body>.*?)(?P<tail>^```$)", re.MULTILINE | re.DOTALL
)


MADE = re.compile(
    r"(?P<head><!-- (?P<script>scripts/\w+\.py)(?P<words>[^\n]*?) -->\n)(?P<body>.*?)(?P<tail>^<!-- end -->$)",
    re.MULTILINE | re.DOTALL,
)


def main() -> None:
    """Write or check the documents."""
    check = sys.argv[1:2] == ["--check"]
    named = sys.argv[2:] if check else sys.argv[1:]
    if unknown := [name for name in named if name not in documents()]:
        sys.exit(f"{unknown[0]} is no document\n{__doc__}")
    stale = 0
    for path in (ROOT / name for name in named or documents()):
        text = path.read_text()
        made = BLOCK.sub(lambda found: found["head"] + printed(found["words"]) + found["tail"], text)
        made = MADE.sub(lambda found: f"{found['head']}\n{written(found)}\n{found['tail']}", made)
        if made == text:
            continue
        stale += 1
        print(f"{path.relative_to(ROOT)}: {'says something else than the commands' if check else 'written'}")
        if not check:
            path.write_text(made)
    sys.exit(1 if check and stale else 0)


def documents() -> list[str]:
    """All that may show what commands print, by their paths in the project."""
    return ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]


def printed(words: str) -> str:
    """What the command prints for the committed results, without blank lines at its ends."""
    harness = str(Path(sys.executable).with_name("harness"))
    return said([harness, *shlex.split(words), "--results", str(ROOT / "results")])


def written(found: re.Match[str]) -> str:
    """What the script prints for them."""
    return said([sys.executable, found["script"], *shlex.split(found["words"]), str(ROOT / "results")])


def said(command: list[str]) -> str:
    """What a command prints, without blank lines at its ends."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command[1:])}: {done.stderr.strip()}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines()) + "\n"


if __name__ == "__main__":
    main()
