"""Chess positions from games that a careless player plays against itself.

All positions are legal: the rules are complete (castling, en passant, promotion, check). The player takes what
it can, avoids leaving pieces attacked, and is fickle in everything else, so the games look like games: pieces
come out, material is exchanged, endgames arise.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, between, one_of

__all__ = ["chess"]

# A board is 12 rows of 10 fields, a1 at 21, h8 at 98; around it two rows, one column of fields that are off it.
_OFF = 99
_EMPTY, _PAWN, _KNIGHT, _BISHOP, _ROOK, _QUEEN, _KING = range(7)
"""White pieces; black ones are negative."""
_STRAIGHT, _DIAGONAL = (10, -10, 1, -1), (11, 9, -9, -11)
_LEAPS = {_KNIGHT: (21, 19, 12, 8, -8, -12, -19, -21), _KING: _STRAIGHT + _DIAGONAL}
_RAYS = {_BISHOP: _DIAGONAL, _ROOK: _STRAIGHT, _QUEEN: _STRAIGHT + _DIAGONAL}
_VALUES = (0, 100, 320, 330, 500, 900, 0)
_FIELDS = tuple(row * 10 + column for row in range(2, 10) for column in range(1, 9))
_RIGHTS = {21: "Q", 28: "K", 25: "KQ", 91: "q", 98: "k", 95: "kq"}
"""Castling rights that end when something moves from or to a field."""
_CASTLING = {  # king's field → right, rook's field, fields that must be empty, fields that must not be attacked
    27: ("K", 28, (26, 27), (25, 26, 27)),
    23: ("Q", 21, (22, 23, 24), (25, 24, 23)),
    97: ("k", 98, (96, 97), (95, 96, 97)),
    93: ("q", 91, (92, 93, 94), (95, 94, 93)),
}


class _Move(NamedTuple):
    start: int
    end: int
    promotion: int = 0


class _Position(NamedTuple):
    board: list[int]
    side: int
    """1: white is to move; -1: black."""
    rights: str
    passed: int
    """The field that a pawn has just passed over; 0: none."""
    quiet: int
    """Half-moves since a pawn moved or something was taken."""
    number: int

    def fen(self) -> str:
        """Forsyth-Edwards notation."""
        rows = []
        for row in range(9, 1, -1):
            text, gap = "", 0
            for piece in self.board[10 * row + 1 : 10 * row + 9]:
                if piece:
                    letter = ".PNBRQK"[abs(piece)]
                    text += (str(gap) if gap else "") + (letter if piece > 0 else letter.lower())
                    gap = 0
                else:
                    gap += 1
            rows.append(text + (str(gap) if gap else ""))
        passed = f"{'abcdefgh'[self.passed % 10 - 1]}{self.passed // 10 - 1}" if self.passed else "-"
        side = "w" if self.side > 0 else "b"
        return f"{'/'.join(rows)} {side} {self.rights or '-'} {passed} {self.quiet} {self.number}"


def _start() -> _Position:
    board = [_OFF] * 120
    for field in _FIELDS:
        board[field] = _EMPTY
    pieces = (_ROOK, _KNIGHT, _BISHOP, _QUEEN, _KING, _BISHOP, _KNIGHT, _ROOK)
    for column, piece in enumerate(pieces, start=1):
        board[20 + column], board[30 + column] = piece, _PAWN
        board[90 + column], board[80 + column] = -piece, -_PAWN
    return _Position(board, 1, "KQkq", 0, 0, 1)


def _attacked(board: list[int], field: int, side: int) -> bool:
    """Whether a piece of ``side`` attacks the field."""
    if board[field - 9 * side] == side * _PAWN or board[field - 11 * side] == side * _PAWN:
        return True
    for piece, leaps in _LEAPS.items():
        for leap in leaps:
            if board[field + leap] == side * piece:
                return True
    for rider, rays in ((_ROOK, _STRAIGHT), (_BISHOP, _DIAGONAL)):
        for ray in rays:
            at = field + ray
            while board[at] == _EMPTY:
                at += ray
            if board[at] in (side * rider, side * _QUEEN):
                return True
    return False


def _pawn_moves(position: _Position, start: int) -> Iterator[_Move]:
    board, side = position.board, position.side
    ends = []
    ahead = start + 10 * side
    if board[ahead] == _EMPTY:
        ends.append(ahead)
        if start // 10 == (3 if side > 0 else 8) and board[ahead + 10 * side] == _EMPTY:
            ends.append(ahead + 10 * side)
    for end in (ahead - 1, ahead + 1):
        if (board[end] != _OFF and board[end] * side < 0) or end == position.passed != 0:
            ends.append(end)
    for end in ends:
        if end // 10 in (2, 9):
            for promotion in (_QUEEN, _ROOK, _BISHOP, _KNIGHT):
                yield _Move(start, end, promotion)
        else:
            yield _Move(start, end)


def _candidates(position: _Position) -> Iterator[_Move]:
    """All moves, those too that leave the king attacked."""
    board, side = position.board, position.side
    for start in _FIELDS:
        piece = board[start] * side
        if piece <= 0:
            continue
        if piece == _PAWN:
            yield from _pawn_moves(position, start)
        elif piece in _LEAPS:
            for leap in _LEAPS[piece]:
                if board[start + leap] != _OFF and board[start + leap] * side <= 0:
                    yield _Move(start, start + leap)
        else:
            for ray in _RAYS[piece]:
                end = start + ray
                while board[end] == _EMPTY:
                    yield _Move(start, end)
                    end += ray
                if board[end] != _OFF and board[end] * side < 0:
                    yield _Move(start, end)
    for goal in (27, 23) if side > 0 else (97, 93):
        right, _, empty, safe = _CASTLING[goal]
        if right not in position.rights or any(board[field] for field in empty):
            continue
        if not any(_attacked(board, field, -side) for field in safe):
            yield _Move(safe[0], goal)


def _played(position: _Position, move: _Move) -> _Position:
    """The position after a move."""
    board, side = list(position.board), position.side
    piece = board[move.start]
    taken = board[move.end]
    board[move.start], board[move.end] = _EMPTY, side * move.promotion if move.promotion else piece
    passed = 0
    if abs(piece) == _PAWN:
        if move.end == position.passed:
            board[move.end - 10 * side] = _EMPTY
        if abs(move.end - move.start) == 20:
            passed = (move.start + move.end) // 2
    elif abs(piece) == _KING and abs(move.end - move.start) == 2:
        rook = _CASTLING[move.end][1]
        board[rook], board[(move.start + move.end) // 2] = _EMPTY, side * _ROOK
    lost = _RIGHTS.get(move.start, "") + _RIGHTS.get(move.end, "")
    rights = "".join(right for right in position.rights if right not in lost)
    quiet = 0 if taken or abs(piece) == _PAWN else position.quiet + 1
    return _Position(board, -side, rights, passed, quiet, position.number + (side < 0))


def _legal(position: _Position) -> list[tuple[_Move, _Position]]:
    """The legal moves, each with the position after it."""
    moves = []
    for move in _candidates(position):
        after = _played(position, move)
        if not _attacked(after.board, after.board.index(position.side * _KING), -position.side):
            moves.append((move, after))
    return moves


def _centre(field: int) -> int:
    """0 at the rim, 3 in the middle."""
    row, column = field // 10 - 2, field % 10 - 1
    return min(row, 7 - row, column, 7 - column)


def _liking(random: Random, position: _Position, move: _Move, after: _Position) -> float:
    """How much the careless player likes a move."""
    piece = abs(position.board[move.start])
    score = 120.0 * random.random() + _VALUES[abs(position.board[move.end])] + 0.8 * _VALUES[move.promotion]
    if piece in (_PAWN, _KNIGHT, _BISHOP):
        score += 12 * (_centre(move.end) - _centre(move.start))
    if piece == _KING:
        score += 80 if abs(move.end - move.start) == 2 else -30
    if piece != _KING and _attacked(after.board, move.end, -position.side):
        guarded = _attacked(after.board, move.end, position.side)
        score -= _VALUES[piece] * (0.4 if guarded else 0.9)
    if _attacked(position.board, move.start, -position.side):
        score += 0.3 * _VALUES[piece]
    return score


def _game(random: Random) -> Iterator[tuple[int, _Position, int]]:
    """A game: half-moves played, position, its number of legal moves; until mate, stalemate or a draw is near."""
    position = _start()
    for played in range(240):
        legal = _legal(position)
        yield played, position, len(legal)
        if not legal or position.quiet >= 60:
            return
        scored = [(_liking(random, position, move, after), after) for move, after in legal]
        position = max(scored, key=lambda pair: pair[0])[1]


_PHASES = {  # half-moves played at least and at most, pieces on the board at most
    "opening": (6, 20, 32),
    "middlegame": (22, 50, 32),
    "endgame": (40, 240, 12),
}


def _positions(random: Random, count: int, phase: str) -> list[_Position]:
    """Positions with some choice of moves, at most four of one game, several half-moves apart."""
    first, last, most = _PHASES[phase]
    chosen: list[_Position] = []
    while len(chosen) < count:
        left, next_one = 4, first
        for played, position, choice in _game(random):
            if played > last or not left or len(chosen) == count:
                break
            pieces = sum(piece not in (_EMPTY, _OFF) for piece in position.board)
            if played >= next_one and choice >= 5 and 5 <= pieces <= most:
                chosen.append(position)
                left, next_one = left - 1, played + between(random, 5, 9)
    return chosen


@generator("chess")
def chess(random: Random, *, count: int = 6, phase: str = "mixed", style: str = "fen", depth: int = 6) -> bytes:
    """``count`` legal chess positions, none of them decided.

    ``phase`` is "opening", "middlegame", "endgame" or "mixed" (a third of each). ``style`` is "fen" (one position
    a line) or "uci" (commands that make an engine search each of them to ``depth``, without a book).
    """
    at_least("count", count, 1)
    at_least("depth", depth, 1)
    one_of("phase", phase, ("mixed", *_PHASES))
    one_of("style", style, ("fen", "uci"))
    if phase == "mixed":
        shares = [(count + 2 - place) // 3 for place in range(3)]
        found = [_positions(random, share, name) for share, name in zip(shares, _PHASES, strict=True) if share]
        fens = [position.fen() for positions in found for position in positions]
    else:
        fens = [position.fen() for position in _positions(random, count, phase)]
    if style == "fen":
        lines = fens
    else:
        lines = ["setoption name OwnBook value false", "setoption name Hash value 4", "isready"]
        for fen in fens:
            lines += [f"position fen {fen}", f"go depth {depth}"]
        lines.append("quit")
    return ("\n".join(lines) + "\n").encode("ascii")
