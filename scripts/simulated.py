"""Print what verdicts and intervals are worth, as it was simulated: the tables of docs/methodology.md.

usage: .venv/bin/python scripts/simulated.py FILE [RESULTS]

FILE is what `make verdict-simulation` writes; docs/verdict-simulation.jsonl is the one
that the tables are of. RESULTS is ignored: what was simulated does not change with what is recorded.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.simulation import read, report  # noqa: E402

if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("\n".join(report(read(ROOT / sys.argv[1]))))
