"""Lists of passes learn from units of the corpus: of each, the function that reaches most."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness.freeze.freeze import count_instructions
from harness.learn.corpus.corpus import Corpus, load, parts
from harness.learn.pass_lists.gains import examples_of
from harness.learn.pass_lists.trials import Actions
from harness.learn.pass_lists.units import parts_of_units
from harness.problems.passes.actions import action_table
from harness.sandbox.bench import Bench
from tests.drive import ROOT
from tests.learn.corpus.tiny import built

ACTIONS = action_table("llvm22").actions


@pytest.fixture(scope="module")
def corpus(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("small")
    built(folder, bench)
    return load(folder / "corpus")


def test_a_part_is_the_largest_of_its_unit(corpus: Corpus, bench: Bench, tmp_path: Path) -> None:
    found = parts_of_units(corpus, "train", 10, tmp_path / "units", bench, smallest=1)
    assert set(found) == {"alpha/src/count.c", "alpha/walk.c"}
    for unit in corpus.modules("train"):
        part = found[unit.name]
        assert part.bitcode.read_bytes() == max(parts(unit, bench), key=len)
        assert part.instructions == count_instructions(part.bitcode, bench) > 0


def test_no_more_than_wanted_of_the_right_split_and_size(corpus: Corpus, bench: Bench, tmp_path: Path) -> None:
    assert len(parts_of_units(corpus, "train", 1, tmp_path, bench, smallest=1)) == 1
    assert set(parts_of_units(corpus, "validation", 10, tmp_path, bench, smallest=1)) == {"beta/lib/twice.cc"}
    assert parts_of_units(corpus, "train", 10, tmp_path, bench, smallest=100_000) == {}


def test_units_are_measured_once_and_are_no_programs(corpus: Corpus, bench: Bench, tmp_path: Path) -> None:
    units = parts_of_units(corpus, "train", 10, tmp_path / "units", bench, smallest=1)
    lists: dict[Actions, frozenset[str]] = {
        (ACTIONS.index("clang-Oz"),): frozenset(),
        (ACTIONS.index("mergefunc"),): frozenset(),
    }
    first = examples_of({}, lists, 0, tmp_path, bench, units)
    assert first.programs == tuple(units) and first.unit.all() and not first.whole.any()
    assert np.abs(first.gains[:, 0]).max() < 1e-12, "the list is what clang runs"
    assert (first.gains[:, 1] < 0).all() and math.isfinite(first.gains.min())
    before = (tmp_path / "parts.jsonl").read_text()
    assert (examples_of({}, lists, 0, tmp_path, bench, units).gains == first.gains).all()
    assert (tmp_path / "parts.jsonl").read_text() == before


def test_without_a_corpus_it_says_what_to_do(tmp_path: Path) -> None:
    said = refused(tmp_path, "--units", "2", "--corpus", tmp_path / "none")
    assert "harness corpus build" in said and str(tmp_path / "none") in said


STRANGE = ["", "[]", "{", '{"lists": [["no-such-pass"]]}', '{"lists": 5}']


@pytest.mark.parametrize(
    ("option", "content"),
    [*((option, one) for option in ("--begin", "--beside") for one in STRANGE), ("--beside", '{"actions": [9999]}')],
)
def test_a_file_that_is_none_is_named(tmp_path: Path, option: str, content: str) -> None:
    file = tmp_path / "strange.json"
    file.write_text(content)
    assert str(file) in refused(tmp_path, option, file)


def refused(folder: Path, *words: str | Path) -> str:
    """What it says, in one line."""
    command = [sys.executable, "-m", "harness.learn.pass_lists", "common", "--state", folder / "state"]
    done = subprocess.run([*map(str, [*command, *words])], capture_output=True, text=True, timeout=200, cwd=ROOT)
    assert done.returncode == 2 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr, done.stderr
    return done.stderr
