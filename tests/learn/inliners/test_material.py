"""What is learnt from, and what is judged on, are apart; and neither is of a test split."""

import pytest

from harness.base.vocabulary import Split
from harness.learn.inliners.material import material_of
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite


def names(modules: object) -> list[str]:
    return [one.name for one in modules]  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def train() -> list[str]:
    return [one.id for one in load_suite("polybench").programs if one.benchmark.split is Split.TRAIN]


def test_a_suite_that_is_both_is_divided(train: list[str], bench: Bench) -> None:
    found = material_of(["polybench"], ["polybench"], None, bench)
    assert sorted([*names(found.train), *names(found.validation)]) == sorted(train)
    assert len(found.validation) == -(-len(train) // 5)


def test_smaller_subsets_are_parts_of_larger_ones(train: list[str], bench: Bench) -> None:
    few, more = (material_of(["polybench"], [], count, bench) for count in (3, 6))
    assert len(few.train) == 3 and len(more.train) == 6 and not few.validation
    assert set(names(few.train)) < set(names(more.train)) < set(train)
    assert few.words() != more.words() == material_of(["polybench"], [], 6, bench).words()
