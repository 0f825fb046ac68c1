"""Trees that learn what an imitation has found out."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.learn.inliners import __main__ as command
from harness.learn.inliners.boosting import Boosting, boosted
from harness.learn.inliners.gains import Found, Gains
from harness.policy.forms.tree import Tree, decide, parse_tree
from harness.problems.inlining.features import INTERFACE, STATIC_FEATURES

LLVM, BYTES = STATIC_FEATURES.index("llvm_inlines"), STATIC_FEATURES.index("callee_bytes")


def found(*, is_a_rule: bool) -> Found:
    """What inlining saves: by the callee's bytes, or mostly as LLVM decides and by chance. Twice as much in text."""
    chance = np.random.default_rng(0)
    features = chance.integers(0, 100, (4000, len(STATIC_FEATURES)))
    features[:, LLVM] = chance.integers(0, 2, 4000)
    by_chance = (chance.random(4000) < 0.2) ^ (features[:, LLVM] > 0)
    saved = np.where(features[:, BYTES] < 50 if is_a_rule else by_chance, 0.01, -0.01)
    return Found(features, np.stack([saved, 2 * saved], axis=1), np.arange(4000) % 200)


def made(*, is_a_rule: bool) -> Gains:
    return found(is_a_rule=is_a_rule).by("size.alloc")


def decided(tree: Tree, gains: Gains) -> list[bool]:
    return [decide(tree, dict(zip(STATIC_FEATURES, row, strict=True))) for row in gains.features[:500].tolist()]


def test_trees_find_a_rule() -> None:
    gains = made(is_a_rule=True)
    tree, trust = boosted(gains, Boosting(trees=50, rate=0.1))
    assert np.mean(np.array(decided(tree, gains)) == (gains.saved[:500] > 0)) > 0.99
    assert (tree, trust) == boosted(gains, Boosting(trees=50, rate=0.1))
    llvm = gains.features[:, LLVM] > 0
    assert trust.possible == pytest.approx(0.01 * ((gains.saved > 0) != llvm).sum())
    assert 0.95 * trust.possible < trust.saved <= trust.possible


def test_trees_leave_to_llvm_what_they_cannot_tell() -> None:
    gains = made(is_a_rule=False)
    bold, harm = boosted(gains, Boosting(trees=50, rate=0.1, margins=(0.0,)))
    assert decided(bold, gains) != (gains.features[:500, LLVM] > 0).tolist() and harm.saved < 0
    careful, trust = boosted(gains, Boosting(trees=50, rate=0.1))
    assert decided(careful, gains) == (gains.features[:500, LLVM] > 0).tolist() and trust.saved == 0


def test_the_command_writes_a_tree_that_a_submission_may_bring(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "checkpoint.npz", **found(is_a_rule=True).arrays())
    assert command.main(["boost", str(tmp_path), str(tmp_path / "tree.json")]) == 0
    said = capsys.readouterr().out
    assert "4,000 questions about 200 modules" in said and "100% of what deciding each function rightly saves" in said
    assert parse_tree((tmp_path / "tree.json").read_bytes(), "tree.json", INTERFACE).features


@pytest.mark.parametrize(
    "kept", [None, b"no archive", "of another training", "other features", "no number", "nothing made a difference"]
)
def test_a_folder_without_findings_is_named(
    kept: str | bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "checkpoint.npz"
    if isinstance(kept, bytes):
        file.write_bytes(kept)
    elif kept == "of another training":
        np.savez(file, network=np.zeros(3))
    elif kept == "other features":
        np.savez(file, features=np.zeros((2, 38), int), saved=np.ones((2, 2)), modules=np.zeros(2, int))
    elif kept == "no number":
        np.savez(
            file,
            features=np.zeros((2, len(STATIC_FEATURES)), int),
            saved=np.full((2, 2), np.nan),
            modules=np.zeros(2, int),
        )
    elif kept:
        tried = found(is_a_rule=True)
        np.savez(file, **replace(tried, saved=0 * tried.saved).arrays())
    assert command.main(["boost", str(tmp_path), str(tmp_path / "tree.json")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and (kept == "nothing made a difference" or str(tmp_path) in line)
    assert not (tmp_path / "tree.json").exists()
