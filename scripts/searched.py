"""Print what long computations on cBench's modules came to: tables of docs/agents.md.

usage: .venv/bin/python scripts/searched.py episodes|minsize FILE [RESULTS]

FILE is what `python -m benchmarks.episodes` or `python -m benchmarks.minsize` writes, a line for each episode or
search; docs/episodes.jsonl and docs/minsize.jsonl are those that the tables are of. RESULTS is ignored: nothing of
this is among recorded results.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import episodes, minsize  # noqa: E402

TABLES = {
    "episodes": lambda path: episodes.markdown(episodes.summary(episodes.read(path))),
    "minsize": lambda path: minsize.table(minsize.read(path)),
}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in TABLES:
        sys.exit(__doc__)
    print("\n".join(TABLES[sys.argv[1]](ROOT / sys.argv[2])))
