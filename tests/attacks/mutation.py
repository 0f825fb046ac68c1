"""Hostile variants of good documents: bytes that changed, and documents of which one part is something else."""

import json
import math
from collections.abc import Sequence
from copy import deepcopy
from random import Random
from typing import Any

__all__ = ["changed_bytes", "changed_document", "changed_json"]

_BYTES = (
    b"\0",
    b"\xff",
    b"\n",
    b'"',
    b"{",
    b"[",
    b"]",
    b"=",
    b"\\",
    b"\x1b[31m",
    "\u202e".encode(),
    b"-",
    b"9" * 30,
    b"e",
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1 << 31, 1 << 63, -(1 << 70), 10**400, 0.5, -0.0, 1e308, math.nan, math.inf, -math.inf),
    *("", "a", "\0", "\x1b[31m", "\u202e", "x" * 5000, "../../etc/passwd", "9" * 400, [], [[]], {}, [None], {"": 0}),
)


def changed_bytes(seed: bytes, chance: Random) -> bytes:
    """A few places cut out, doubled, overwritten, or with something put in."""
    content = bytearray(seed)
    for _ in range(chance.randint(1, 4)):
        place = chance.randint(0, len(content))
        end = min(len(content), place + chance.choice((1, 2, 8, 64)))
        how = chance.randrange(5)
        if how == 0:
            del content[place:end]
        elif how == 1:
            content[place:place] = content[place:end] * chance.choice((1, 2, 50))
        elif how == 2:
            content[place:place] = chance.choice(_BYTES)
        elif how == 3:
            content[place:end] = chance.randbytes(end - place)
        elif content:
            content = content[:place]
    return bytes(content)


def changed_document(document: Any, chance: Random) -> Any:
    """A copy of which one to three parts are replaced, left out, doubled, or have another beside them."""
    made = json.loads(json.dumps(document))
    for _ in range(chance.randint(1, 3)):
        parts = list(_parts(made))
        if not parts:
            return chance.choice(_VALUES)
        holder, key = chance.choice(parts)
        how = chance.randrange(6)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif how == 1:
            holder[f"{key}x"] = holder[key]
        elif how == 2:
            other, place = chance.choice(parts)
            holder[key] = deepcopy(other[place])
        else:
            holder[key] = deepcopy(chance.choice(_VALUES))
    return made


def changed_json(seed: bytes, chance: Random) -> bytes:
    """Either of them, written as JSON."""
    if chance.random() < 0.3:
        return changed_bytes(seed, chance)
    return json.dumps(changed_document(json.loads(seed), chance)).encode()


def _parts(value: Any) -> Sequence[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < 2000:
        one = waiting.pop()
        for key in _keys(one):
            found.append((one, key))
            waiting.append(one[key])
    return found


def _keys(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value)
    return list(range(len(value))) if isinstance(value, list) else []
