"""The embedding is the sum of what LLVM's own tool says of every function, and what its definition says."""

import random
from pathlib import Path

import numpy as np
import pytest

from harness.base.vocabulary import Target
from harness.freeze import FrozenModule, facts_of
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import Line, Session
from harness.sandbox.bench import Bench
from tests.problems.passes.session.conftest import Open
from tests.problems.passes.session.embedding import embedding, embedding_by_tool
from tests.problems.passes.session.walker import Module

WIDE = "default<O3>"


def compare(line: Line, folder: Path, bench: Bench) -> None:
    """By the tool and by the definition."""
    found, bitcode = line.ir2vec(), line.bitcode()
    assert found.shape == (75,) and found.dtype == np.float64
    np.testing.assert_allclose(found, embedding_by_tool(bitcode, folder, bench), rtol=0, atol=1e-5)
    np.testing.assert_allclose(found, embedding(Module(bench.toolchain.library, bitcode)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("target", Target)
def test_an_embedding_is_what_the_tool_says(target: Target, session: Open, bench: Bench, tmp_path: Path) -> None:
    line = session(target=target).line()
    chance = random.Random(1)
    before = line.ir2vec()
    compare(line, tmp_path, bench)
    for _ in range(3):
        line.apply(*(chance.randrange(42) for _ in range(10)))
        compare(line, tmp_path, bench)
    assert not np.array_equal(line.ir2vec(), before)
    line = session(WIDE, target=target).line()
    line.apply(0)
    compare(line, tmp_path, bench)


def test_passes_do_not_know_that_somebody_looked(session: Open) -> None:
    seen, unseen = session(WIDE, "default<Oz>").line(), session(WIDE, "default<Oz>").line()
    seen.ir2vec()
    for line in (seen, unseen):
        line.apply(1, 0)
    assert seen.bitcode() == unseen.bitcode()


def test_every_line_has_its_own(session: Open) -> None:
    opened = session()
    line, other = opened.line(), opened.line()
    line.apply(38, 36)
    first = line.ir2vec()
    assert np.array_equal(other.ir2vec(), opened.line().ir2vec())
    assert not np.array_equal(first, other.ir2vec())
    np.testing.assert_allclose(line.fork().ir2vec(), first, rtol=1e-12)


@pytest.mark.slow
def test_embeddings_of_whole_programs(frozen_cbench: list[FrozenModule], bench: Bench, tmp_path: Path) -> None:
    chance = random.Random(2)
    for frozen in frozen_cbench:
        with Session(frozen.bitcode, AUTOPHASE_42.pipelines(facts_of(frozen.bitcode, bench)), bench) as opened:
            line = opened.line()
            compare(line, tmp_path, bench)
            line.apply(*(chance.randrange(42) for _ in range(10)))
            compare(line, tmp_path, bench)
