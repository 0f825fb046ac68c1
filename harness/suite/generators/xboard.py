"""Commands for chess engines that speak the xboard protocol."""

from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import one_of
from harness.suite.generators.chess import chess

__all__ = ["xboard"]


@generator("xboard")
def xboard(random: Random, *, count: int = 6, phase: str = "mixed", depth: int = 5) -> bytes:
    """The positions of ``chess``, each to be searched to ``depth`` and answered with a move.

    Nobody may castle or capture en passant at once: not every engine takes that from a position.
    """
    one_of("depth", depth, range(2, 16))
    lines = ["force", f"depth {depth}"]
    for fen in chess(random, count=count, phase=phase, style="fen").decode("ascii").splitlines():
        board, side, _, _, quiet, number = fen.split()
        lines += [f"setboard {board} {side} - - {quiet} {number}", "go", "force"]
    return "".join(f"{line}\n" for line in (*lines, "quit")).encode("ascii")
