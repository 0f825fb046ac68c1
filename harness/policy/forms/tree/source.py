"""A tree as C: a table of nodes that one loop walks.

Nested ifs decide no faster and take clang minutes at the largest size; the table takes it seconds.
"""

import math
from collections import deque

from harness.policy.forms.tree.evaluate import to_single
from harness.policy.forms.tree.model import Leaf, Member, Split, Tree
from harness.problems.inlining.features import FEATURES

__all__ = ["tree_source"]

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1

_SOURCE = """\
/* Whether to inline, from LLVM's inliner features: {trees} trees, {count} nodes. Generated from tree.json. */
#include <stdint.h>

/* Child 0 marks a leaf: no node has the first root for a child. The child above stands behind the child below. */
typedef struct {{
    union {{
        int64_t threshold;
        {real} value;
    }} u;
    uint32_t child;
    uint32_t feature;
}} Node;

#define S(f, t, c) {{{{.threshold = t}}, c, f}}
#define L(v) {{{{.value = v}}, 0, 0}}

static const Node nodes[{count}] = {{
{nodes}
}};

static const uint32_t roots[{trees}] = {{
{roots}
}};

extern const unsigned char policy_uses[{features}];
const unsigned char policy_uses[{features}] = {{
{uses}
}};

int64_t policy_decide(const int64_t *features);
int64_t policy_decide(const int64_t *features) {{
    {real} sum = {base};
    for (uint32_t tree = 0; tree < {trees}; ++tree) {{
        const Node *node = nodes + roots[tree];
        while (node->child)
            node = nodes + node->child + (features[node->feature] > node->u.threshold);
        sum += node->u.value;
    }}
    return sum > 0;
}}
"""


def tree_source(tree: Tree) -> str:
    """C11 that defines ``int64_t policy_decide(const int64_t *features)`` and ``const unsigned char policy_uses[38]``.

    ``policy_decide`` takes LLVM's 38 features in LLVM's order and returns 1 to inline, else 0, as
    ``evaluate.decide`` does. ``policy_uses`` is 1 for each feature that it reads. Nothing else is visible.
    It is meant to be compiled without ``-ffast-math``.
    """
    places = [FEATURES.index(name) for name in tree.features]
    rows: list[str] = []
    roots: list[int] = []
    uses = [0] * len(FEATURES)
    single = tree.precision == "single"
    for member in tree.trees:
        roots.append(len(rows))
        rows += _rows(member, len(rows), places, uses, single)
    return _SOURCE.format(
        trees=len(roots),
        count=len(rows),
        real="float" if single else "double",
        nodes="\n".join(rows),
        roots=_list(roots),
        features=len(FEATURES),
        uses=_list(uses),
        base=_real(tree.base, single),
    )


def _rows(member: Member, start: int, places: list[int], uses: list[int], single: bool) -> list[str]:
    """The tree's nodes, breadth first, so that two children stand side by side."""
    rows: list[str] = []
    waiting = deque([0])
    placed = 1
    while waiting:
        node = _settled(member, waiting.popleft())
        if isinstance(node, Leaf):
            rows.append(f"L({_real(node.value, single)}),")
            continue
        place = places[node.feature]
        uses[place] = 1
        rows.append(f"S({place}, {_integer(math.floor(node.threshold))}, {start + placed}),")
        waiting += (node.below, node.above)
        placed += 2
    return rows


def _settled(member: Member, index: int) -> Split | Leaf:
    """The node itself, or where it always leads: its threshold may lie outside of what 64 bits hold."""
    node = member.nodes[index]
    while isinstance(node, Split) and not _LEAST <= node.threshold < _MOST:
        node = member.nodes[node.below if node.threshold > 0 else node.above]
    return node


def _integer(value: int) -> str:
    return "INT64_MIN" if value == _LEAST else f"INT64_C({value})"


def _real(value: float, single: bool) -> str:
    """Hexadecimal: every compiler reads it as the same number."""
    return f"{to_single(value).hex()}f" if single else value.hex()


def _list(numbers: list[int]) -> str:
    return "\n".join(" ".join(f"{number}," for number in numbers[i : i + 16]) for i in range(0, len(numbers), 16))
