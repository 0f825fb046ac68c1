"""The self-test of this machine: real campaigns, few and short; what is said of them follows from what was found."""

import json

import pytest

from harness.checks.noise import IDENTICAL, Found, NoiseReport, Resolution, TriedCampaign
from harness.cli.selftest import in_words
from tests.drive import User


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    return User.at(tmp_path_factory.mktemp("noise"))


@pytest.mark.slow
def test_campaigns_are_taken_and_judged(user: User) -> None:
    words = ("selftest", "noise", "--campaigns", "2", "--seconds", "0.03", "--budget", "12", "--precision", "0.02")
    report = json.loads(user.harness(*words, "--json", code=0, timeout=200).out)
    assert len(report["campaigns"]) == 2
    for campaign in report["campaigns"]:
        assert campaign["pairs"] >= 1
        assert set(campaign["verdicts"]) == {IDENTICAL, "slower by 1 %", "slower by 3 %"}
    by_name = {found["binary"]: found for found in report["found"]}
    for found in by_name.values():
        assert found["worse"] + found["better"] + found["neither"] + found["unusable"] == 2
    assert by_name["slower by 3 %"]["better"] == 0
    ratios = [campaign["effects"]["slower by 3 %"][0] for campaign in report["campaigns"]]
    assert all(0.85 < ratio < 1.05 for ratio in ratios)
    assert 0.005 < report["program_seconds"] < 0.3


def test_an_unknown_test_is_refused(user: User) -> None:
    user.harness("selftest", "speed").refused(2, "no such command 'speed'", "harness selftest --help")


def report(*, worse: int = 0, better: int = 0, unusable: int = 0, difference: float = 0.008) -> NoiseReport:
    """Of ten campaigns; so many of the identical binaries' were called different."""
    marks = ("a busy neighbour: programs waited for their core in 40% of the time",)
    one = TriedCampaign(12, 6.0, (), {}, {})
    campaigns = [TriedCampaign(12, 6.0, marks, {}, {})] * unusable + [one] * (10 - unusable)
    found = (
        Found(IDENTICAL, worse, better, 10 - worse - better - unusable, unusable),
        Found("slower by 1 %", 9, 0, 1 - min(unusable, 1), unusable),
        Found("slower by 3 %", 10, 0, 0, 0),
    )
    resolutions = (Resolution(10, 3.0, 0.02), Resolution(20, 6.0, difference))
    return NoiseReport(tuple(campaigns), found, resolutions, (0.5, 0.5), 0.15, 0.009)


def test_in_words() -> None:
    text = "\n".join(in_words(report(worse=1, better=1)))
    assert "Identical binaries were called different in 2 of 10 campaigns." in text
    assert "slower by 1 % was called slower in 9 of 10." in text
    assert "takes 20 pairs here: 6 s for two programs of 0.15 s" in text
    assert "could not be used" not in text


def test_words_of_a_machine_that_tells_nothing() -> None:
    text = "\n".join(in_words(report(unusable=3, difference=0.03)))
    assert "3 of 10 campaigns could not be used: a busy neighbour." in text
    assert "Not even 20 pairs tell 1 % apart here, only 3.0%" in text
