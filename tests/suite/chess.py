"""Positions and moves of the generator ``chess`` in the notation that engines use."""

from harness.suite.generators import chess as rules

__all__ = ["legal_moves", "perft", "play", "position"]

_LETTERS = "?pnbrqk"


def _field(name: str) -> int:
    return 10 * (int(name[1]) + 1) + "abcdefgh".index(name[0]) + 1


def _name(field: int) -> str:
    return f"{'abcdefgh'[field % 10 - 1]}{field // 10 - 1}"


def position(fen: str) -> rules._Position:
    """The position that a FEN describes."""
    rows, side, rights, passed, quiet, number = fen.split()
    board = [rules._OFF] * 120
    for row, text in zip(range(9, 1, -1), rows.split("/"), strict=True):
        at = 10 * row + 1
        for letter in text:
            if letter.isdigit():
                board[at : at + int(letter)] = [rules._EMPTY] * int(letter)
                at += int(letter)
            else:
                board[at] = _LETTERS.index(letter.lower()) * (1 if letter.isupper() else -1)
                at += 1
        assert at == 10 * row + 9
    return rules._Position(
        board,
        1 if side == "w" else -1,
        rights.replace("-", ""),
        0 if passed == "-" else _field(passed),
        int(quiet),
        int(number),
    )


def _word(move: rules._Move) -> str:
    return _name(move.start) + _name(move.end) + (_LETTERS[move.promotion] if move.promotion else "")


def legal_moves(here: rules._Position) -> set[str]:
    """The legal moves."""
    return {_word(move) for move, _ in rules._legal(here)}


def play(here: rules._Position, move: str) -> rules._Position:
    """The position after a legal move."""
    (after,) = (after for legal, after in rules._legal(here) if _word(legal) == move)
    return after


def perft(here: rules._Position, depth: int) -> int:
    """How many sequences of ``depth`` legal moves there are."""
    after = [position for _, position in rules._legal(here)]
    return len(after) if depth == 1 else sum(perft(position, depth - 1) for position in after)
