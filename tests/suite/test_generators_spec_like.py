"""The generators of chess positions, formulas, samples and video."""

from itertools import pairwise
from random import Random

import pytest

from harness.base.errors import UsageError
from harness.suite.generators import chess as rules
from harness.suite.generators import generate
from tests.suite.chess import legal_moves, perft, position

# Counts that the chess programming community publishes for testing move generators.
PERFT = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3, 8902),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 2, 264),
    ("r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", 2, 264),
    ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 2, 1486),
    ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 2, 2079),
]


@pytest.mark.parametrize(("fen", "depth", "count"), PERFT)
def test_the_rules_of_chess(fen: str, depth: int, count: int) -> None:
    assert perft(position(fen), depth) == count
    assert position(fen).fen() == fen


@pytest.mark.parametrize("phase", ["opening", "middlegame", "endgame", "mixed"])
def test_chess_positions(phase: str) -> None:
    fens = generate("chess", 1, {"count": 7, "phase": phase}).decode().splitlines()
    assert len(set(fens)) == 7
    for fen in fens:
        here = position(fen)
        assert here.fen() == fen
        assert len(legal_moves(here)) >= 5
        assert here.board.count(rules._KING) == here.board.count(-rules._KING) == 1
        # Who has just moved is not in check.
        assert not rules._attacked(here.board, here.board.index(-here.side * rules._KING), here.side)
        if phase == "endgame":
            assert sum(letter.isalpha() for letter in fen.split()[0]) <= 12


def test_chess_commands() -> None:
    fens = generate("chess", 2, {"count": 3}).decode().splitlines()
    commands = generate("chess", 2, {"count": 3, "style": "uci", "depth": 4}).decode().splitlines()
    assert [line for line in commands if line.startswith("position")] == [f"position fen {fen}" for fen in fens]
    assert commands.count("go depth 4") == 3
    assert commands[-1] == "quit"


def test_hidden_solutions_leave_no_trace() -> None:
    """Literals that are true of the hidden solution are as frequent as the others."""
    formula = generate("formula", 3, {"variables": 2000, "ratio": 400, "style": "hidden"}).decode()
    hidden = Random(3).getrandbits(2000)
    true = total = 0
    for line in formula.splitlines()[1:]:
        literals = [int(word) for word in line.split()[:-1]]
        good = sum((literal > 0) == bool(hidden >> (abs(literal) - 1) & 1) for literal in literals)
        assert good >= 1
        true, total = true + good, total + 3
    assert abs(true / total - 0.5) < 0.01


def test_samples() -> None:
    words = generate("sample", 4, {"of": "a b c d", "count": 10}).decode().split()
    assert sorted(words[:4]) == sorted(words[4:8]) == ["a", "b", "c", "d"]
    assert len(words) == 10


@pytest.mark.parametrize("style", ["objects", "pan", "cuts"])
def test_videos_move(style: str) -> None:
    params: dict[str, int | str | bool] = {"width": 64, "height": 48, "frames": 9, "style": style, "noise": 0}
    data = generate("y4m", 5, params)
    size = 64 * 48 * 3 // 2
    head, rest = data.split(b"\n", 1)
    assert head == b"YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420jpeg"
    assert len(rest) == 9 * (size + 6)
    frames = [rest[at + 6 : at + 6 + size] for at in range(0, len(rest), size + 6)]
    assert all(rest[at : at + 6] == b"FRAME\n" for at in range(0, len(rest), size + 6))
    changed = [sum(a != b for a, b in zip(one, next_one, strict=True)) for one, next_one in pairwise(frames)]
    assert all(changed)
    if style == "objects":
        assert max(changed) < size * 3 // 4


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("chess", {"phase": "blitz"}),
        ("chess", {"count": 0}),
        ("formula", {"variables": 2}),
        ("formula", {"style": "easy"}),
        ("sample", {"of": ""}),
        ("xz", {"content": "video"}),
        ("y4m", {"width": 34}),
        ("y4m", {"noise": 13}),
    ],
)
def test_refusals(name: str, params: dict[str, int | str | bool]) -> None:
    with pytest.raises(UsageError):
        generate(name, 1, params)
