"""Suites together: no program twice, and no suite of one's own by their name."""

from collections import Counter
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.suite.load import load_suite
from harness.suite.together import ALL_SUITES, APPLICATIONS, distinct, headline, members


def test_every_program_of_the_suites_is_counted_once() -> None:
    """Standings of all suites tell programs apart by their own name alone."""
    every = [program for suite in members(ALL_SUITES) for program in load_suite(suite).own_programs]
    assert max(Counter(program.benchmark.name for program in every).values()) == 1
    ran = [f"{suite}/{name}" for suite, names in distinct(ALL_SUITES, []).items() for name in names]
    assert sorted(ran) == sorted(program.home_id for program in every)


def test_kernels_are_shown_apart() -> None:
    assert set(members(ALL_SUITES)) - set(members(APPLICATIONS)) == {"polybench"}
    assert headline() == (ALL_SUITES, APPLICATIONS, "polybench")
    assert members("cbench") == ("cbench",)


def test_some_benchmarks_are_those_of_their_home() -> None:
    """gsm is also MiBench's, which shares it with cBench."""
    assert distinct(ALL_SUITES, ["atax", "gsm"]) == {"cbench": ("gsm",), "polybench": ("atax",)}
    with pytest.raises(UsageError, match="nothing"):
        distinct(ALL_SUITES, ["gsm", "nothing"])
    with pytest.raises(UsageError, match="atax"):
        distinct(APPLICATIONS, ["atax"])


@pytest.mark.parametrize("name", [ALL_SUITES, APPLICATIONS])
def test_no_suite_of_ones_own_has_the_name(name: str, tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text(
        f'name = "{name}"\nversion = "1"\ndescription = "None."\n[[shared]]\nsuite = "cbench"\nbenchmarks = ["gsm"]\n'
    )
    with pytest.raises(UsageError, match="stands for several suites"):
        load_suite(str(tmp_path / "suite.toml"))
