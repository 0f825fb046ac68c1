"""Print what taking programs that share code for one cluster does to figures: the table of docs/methodology.md.

usage: .venv/bin/python scripts/clusters.py SUITE [RESULTS]
"""

import math
import sys
from dataclasses import replace

from recorded import compiler, recorded_in

from harness.policy.tracks import facts_of
from harness.rank import Question, standings
from harness.rank.entries import entries
from harness.rank.question import floor
from harness.rank.sides import Side, sides_of
from harness.rank.standings import tree_effect
from harness.rank.verdicts import agreed, judge

TRACK, METRIC = "size", "size.alloc"


def main() -> None:
    """A row for each target and ranked policy of more than one cluster size, but for those that never differ."""
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    suite = sys.argv[1]
    with recorded_in(sys.argv[2:], TRACK) as index:
        if not index.execute("SELECT 1 FROM cells WHERE suite = ? AND track = ? LIMIT 1", [suite, TRACK]).fetchall():
            sys.exit(f"error: there are no results of suite {suite!r}")
        print(
            "| target | policy | strict | 95 % interval, clusters | verdict | 95 % interval, programs alone | verdict |"
        )
        print("|---|---|---:|---|---|---|---|")
        for target in ("x86-64", "aarch64"):
            reference = facts_of(TRACK).references[0]
            question = Question(suite, target, TRACK, METRIC, reference, compiler(index))
            ranked = {row.policy: row for row in standings(index, question) if row.rank is not None}
            counted = [entry for entry in entries(index, question) if entry.reference is not None]
            sides = [side for side in sides_of(counted, floor(question)) if side.policy in ranked]
            together = told(sides)
            alone = told([replace(side, clusters=tuple(side.results)) for side in sides])
            for policy, row in ranked.items():
                if policy != reference and together[policy] != alone[policy]:
                    figures = " | ".join((*together[policy], *alone[policy]))
                    print(f"| {target} | {policy} | {row.strict:.4f} | {figures} |")


def told(sides: list[Side]) -> dict[str, tuple[str, str]]:
    """Policy → interval and verdict."""
    found = {}
    for name in {side.policy_class for side in sides}:
        mine = [side for side in sides if side.policy_class == name]
        for policy, judgement in judge(mine).items():
            side = next(side for side in mine if side.policy == policy)
            effect = tree_effect(list(side.results.values()), list(side.counted.values()), side.clusters)
            low, high = effect.like_these or (-math.inf, math.inf)
            word = agreed(judgement, effect.estimate, (low, high)).word.value
            found[policy] = (f"{math.exp(low):.4f} – {math.exp(high):.4f}", word)
    return found


if __name__ == "__main__":
    main()
