"""A tree as C: a table of nodes that one loop walks.

Nested ifs decide no faster and take clang minutes at the largest size; the table takes it seconds.
"""

import math
import struct
from collections import deque
from dataclasses import dataclass

from harness.policy.forms.interface import WORD, Choice, Element, Index, Interface, Number
from harness.policy.forms.tree.evaluate import to_single
from harness.policy.forms.tree.model import Leaf, Member, Split, Tree
from harness.policy.forms.tree.places import Place, places_of

__all__ = ["tree_source"]

_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_DOUBLE, _BITS = struct.Struct("d"), struct.Struct("q")

_SOURCE = """\
/* {summary}: {trees} trees, {count} nodes. Generated from tree.json. */
#include <stdint.h>
{more}
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

{entry} {{
    {real} sum = {base};
    for (uint32_t tree = 0; tree < {trees}; ++tree) {{
        const Node *node = nodes + roots[tree];
        while (node->child)
            node = nodes + node->child + (features[node->feature] > node->u.threshold);
        sum += node->u.value;
    }}
    return sum{above};
}}
"""

_ENTRY = "int64_t policy_decide(const int64_t *features);\nint64_t policy_decide(const int64_t *features)"

_READ = """
/* Doubles as integers in the same order: -0 is 0, and NaN is above all. */
static int64_t ordered(double value) {
    int64_t bits;
    if (value != value)
        return INT64_MAX;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}
"""

_OF = """
static int64_t read_{name}(const int64_t *question, int64_t at) {{
    {type} value;
    memcpy(&value, (const char *)question + at, sizeof value);
    return {value};
}}
"""

_ONE = """
int64_t policy_decide(const int64_t *question);
int64_t policy_decide(const int64_t *question) {{
    int64_t values[{count}];
{values}
{answer}
}}
"""

_EACH = """
int64_t policy_decide(const int64_t *question);
int64_t policy_decide(const int64_t *question) {{
    int64_t values[{count}];
    int64_t best = -1;
    {real} most = 0;
    for (int64_t candidate = 0; candidate < {many}; ++candidate) {{
        if (read_{mask}(question, {place} + candidate * {size}) == 0)
            continue;
{values}
        const {real} sum = score(values);
        if (best < 0 || sum > most) {{
            best = candidate;
            most = sum;
        }}
    }}
    return best;
}}
"""
_TYPES = {Element.INT32: "int32_t", Element.INT64: "int64_t", Element.FLOAT: "float", Element.DOUBLE: "double"}


def tree_source(tree: Tree, interface: Interface) -> str:
    """C11 that defines ``int64_t policy_decide(const int64_t *features)`` and ``const unsigned char policy_uses[]``.

    ``policy_decide`` takes a question and gives its answer, as ``harness.policy.forms.interface`` says: from the sum
    of ``evaluate.score``. ``policy_uses`` is 1 for each feature that it reads. Nothing else is visible. It is meant to
    be compiled without ``-ffast-math``.
    """
    known = places_of(interface)
    asked = [known[name] for name in tree.features]
    direct = interface.is_plain and isinstance(interface.decision, Choice)
    slots = [_Slot(place.feature if direct else at, place) for at, place in enumerate(asked)]
    rows: list[str] = []
    roots: list[int] = []
    uses = [0] * len(interface.features)
    single = tree.precision == "single"
    for member in tree.trees:
        roots.append(len(rows))
        rows += _rows(member, len(rows), slots, uses, single)
    if isinstance(interface.decision, Index):
        uses[interface.names.index(interface.decision.mask)] = 1
    real = "float" if single else "double"
    source = _SOURCE.format(
        summary=interface.summary,
        more="" if direct else "#include <string.h>\n",
        entry=_ENTRY if direct else f"static {real} score(const int64_t *features)",
        above=" > 0" if direct else "",
        trees=len(roots),
        count=len(rows),
        real=real,
        nodes="\n".join(rows),
        roots=_list(roots),
        features=len(uses),
        uses=_list(uses),
        base=_real(tree.base, single),
    )
    return source if direct else source + _entry(interface, asked, real)


def _entry(interface: Interface, asked: list[Place], real: str) -> str:
    """``policy_decide``, where the features are not yet the numbers that the nodes compare."""
    one, elements = interface.decision, {place.element for place in asked}
    values = [
        f"values[{slot}] = read_{place.element}(question, {place.at}"
        + (f" + candidate * {place.stride}" if place.stride else "")
        + ");"
        for slot, place in enumerate(asked)
    ]
    count = max(len(asked), 1)
    if isinstance(one, Index):
        mask = interface.feature(one.mask)
        elements.add(mask.element)
        entry = _EACH.format(
            count=count,
            real=real,
            many=mask.size,
            mask=mask.element,
            place=interface.places[mask.name] * WORD,
            size=mask.element.size,
            values="\n".join(f"        {line}" for line in values),
        )
    else:
        number = ("double sum = score(values);", "int64_t bits;", "memcpy(&bits, &sum, sizeof bits);", "return bits;")
        answer = number if isinstance(one, Number) else ("return score(values) > 0;",)
        entry = _ONE.format(
            count=count,
            values="\n".join(f"    {line}" for line in values),
            answer="\n".join(f"    {line}" for line in answer),
        )
    readers = [
        _OF.format(name=element, type=_TYPES[element], value="value" if element.is_integer else "ordered(value)")
        for element in sorted(elements)
    ]
    return _READ * (not all(element.is_integer for element in elements)) + "".join(readers) + entry


@dataclass(frozen=True, slots=True)
class _Slot:
    """Where a node finds a feature's value."""

    at: int
    place: Place


def _rows(member: Member, start: int, slots: list[_Slot], uses: list[int], single: bool) -> list[str]:
    """The tree's nodes, breadth first, so that two children stand side by side."""
    rows: list[str] = []
    waiting = deque([0])
    placed = 1
    while waiting:
        node = _settled(member, waiting.popleft(), slots)
        if isinstance(node, Leaf):
            rows.append(f"L({_real(node.value, single)}),")
            continue
        slot = slots[node.feature]
        uses[slot.place.feature] = 1
        rows.append(f"S({slot.at}, {_integer(_last(node.threshold, slot.place.element))}, {start + placed}),")
        waiting += (node.below, node.above)
        placed += 2
    return rows


def _last(threshold: float, element: Element) -> int:
    """The largest integer that leads below: of a number itself, or of what stands for it in the order of doubles."""
    if element.is_integer:
        return math.floor(threshold)
    double = float(threshold)
    if double > threshold:  # an integer of more digits than a double has
        double = math.nextafter(double, -math.inf)
    bits: int = _BITS.unpack(_DOUBLE.pack(double + 0.0))[0]
    return bits ^ _MOST if bits < 0 else bits


def _settled(member: Member, index: int, slots: list[_Slot]) -> Split | Leaf:
    """The node itself, or where it always leads: its threshold may lie outside of what 64 bits hold."""
    node = member.nodes[index]
    while (
        isinstance(node, Split)
        and slots[node.feature].place.element.is_integer
        and not _LEAST <= node.threshold < _MOST
    ):
        node = member.nodes[node.below if node.threshold > 0 else node.above]
    return node


def _integer(value: int) -> str:
    return "INT64_MIN" if value == _LEAST else f"INT64_C({value})"


def _real(value: float, single: bool) -> str:
    """Hexadecimal: every compiler reads it as the same number."""
    return f"{to_single(value).hex()}f" if single else value.hex()


def _list(numbers: list[int]) -> str:
    return "\n".join(" ".join(f"{number}," for number in numbers[i : i + 16]) for i in range(0, len(numbers), 16))
