"""What a search is told of its budget."""

import struct

import pytest

from harness.problems.passes.search.client import BudgetSpent, Line, Session
from harness.problems.passes.session import wire


class Answering(Session):
    """A session of which every request but the last is answered."""

    left = 2

    def ask(self, request: bytes) -> bytes:
        if self.left == 0:
            raise BudgetSpent
        self.left -= 1
        kind = wire.Kind(request[4])
        return bytes([1]) + struct.pack("<Q", 5) if kind is wire.Kind.APPLY else struct.pack("<56q", *range(56))


@pytest.mark.parametrize("look", [Line.autophase, lambda line: line.apply(0)])
def test_a_search_has_time_as_long_as_it_may_look(look: object) -> None:
    """Looks at features are trials of the budget, too: who asks first is never told BudgetSpent."""
    session = Answering(0, 0, ("dce",), 0.0, 2)
    line = Line(session, 0, ())
    looks = 0
    while session.has_time():
        look(line)  # type: ignore[operator]
        looks += 1
    assert looks == 2
