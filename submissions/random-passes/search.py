"""45 passes by chance, and no look at what they do."""

import random
import zlib
from typing import Any

STEPS = 45


def search(session: Any, seed: int, seconds: float) -> list[int]:
    """A list that the seed and the program's text determine."""
    assert seconds > 0
    chance = random.Random(seed << 32 | zlib.crc32(session.line().text().encode()))
    return [chance.randrange(len(session.actions)) for _ in range(STEPS)]
