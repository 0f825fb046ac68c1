"""The search itself: what it proposes is allowed, repeatable, and the same however often it was interrupted."""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.policy.forms.parameters import Hyperparameter, Value
from harness.policy.tuning.study import Study, Trial

PARAMETERS = (Hyperparameter("limit", True, -100, 500, 500, 1), Hyperparameter("share", False, 0.0, 2.0, 1.0, 2))
FIRST: dict[str, Value] = {"limit": 500, "share": 1.0}
TRIALS = 18
"""More than are drawn at random: the last ones follow from those before."""


def worth(values: Mapping[str, Value]) -> float:
    """Best in the middle, and flat in places, as sizes are."""
    return 1 - sum(abs(round(value, 1) - 1.5) for value in values.values()) / 1000


def search(
    path: Path, trials: int, parameters: Sequence[Hyperparameter] = PARAMETERS, seed: int = 0,
    first: Mapping[str, Value] = FIRST,
) -> list[Trial]:  # fmt: skip
    """Go on until there are so many, as a command does."""
    study = Study(path, parameters, seed)
    for number in range(len(study.trials), trials):
        trial, values = study.next(first if number == 0 else None)
        study.tell(trial, worth(values))
    return study.trials


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[Trial]:
    return search(tmp_path_factory.mktemp("study") / "study.log", TRIALS)


# -- proposals


@st.composite
def parameters(draw: st.DrawFn) -> list[Hyperparameter]:
    """Constants with any bounds, also with a single value."""
    found = []
    for number in range(draw(st.integers(1, 4))):
        is_int = draw(st.booleans())
        most = draw(st.sampled_from([1, 2**31 - 1]))
        bounds = st.integers(-most, most) if is_int else st.floats(-most, most)
        low, default, high = sorted(draw(st.lists(bounds, min_size=3, max_size=3)))
        found.append(Hyperparameter(f"x{number}", is_int, low, high, default, number))
    return found


@settings(max_examples=6)
@given(parameters(), st.integers(0, 2**40))
def test_proposals_are_within_bounds_and_repeatable(declared: list[Hyperparameter], seed: int) -> None:
    first = {one.name: one.default for one in declared}
    with TemporaryDirectory() as folder:
        found, again = (search(Path(folder) / name, 15, declared, seed, first) for name in ("one", "two"))
    assert found == again
    assert [trial.number for trial in found] == list(range(15))
    assert found[0].values == first
    for trial in found:
        assert list(trial.values) == [one.name for one in declared]
        assert all(one.accepts(trial.values[one.name]) for one in declared)
        assert trial.score == worth(trial.values)


def test_another_seed_is_another_search(uninterrupted: list[Trial], tmp_path: Path) -> None:
    other = search(tmp_path / "study.log", 5, seed=1)
    assert other[0] == uninterrupted[0]
    assert all(one.values != two.values for one, two in zip(other[1:], uninterrupted[1:5], strict=True))


def test_it_learns(uninterrupted: list[Trial]) -> None:
    """What is proposed after the random ones is better than these."""
    random, learnt = uninterrupted[1:12], uninterrupted[12:]
    assert max(t.score for t in learnt) > max(t.score for t in random) > uninterrupted[0].score


# -- interruptions


@pytest.mark.parametrize(("after", "stale"), [(5, 0), (15, 0), (0, 1), (0, 3), (1, 1), (12, 1), (17, 3)])
def test_interrupted_and_resumed_it_is_the_same(
    after: int, stale: int, uninterrupted: list[Trial], tmp_path: Path
) -> None:
    """``stale`` processes were killed in the middle of the next trial: it neither counts nor blocks."""
    path = tmp_path / "study.log"
    search(path, after)
    for _ in range(stale):
        study = Study(path, PARAMETERS, 0)
        _, values = study.next(FIRST if after == 0 else None)
        assert values == uninterrupted[after].values
        assert len(study.trials) == after
    assert search(path, TRIALS) == uninterrupted
    assert search(path, TRIALS) == uninterrupted, "and a search that is through stays as it is"


def test_killed_before_the_first_trial_began(
    uninterrupted: list[Trial], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The manifest's values were noted, and not yet tried: they are tried once."""

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "study.log"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(optuna.study.Study, "ask", killed)
        Study(path, PARAMETERS, 0).next(FIRST)
    assert search(path, 4) == uninterrupted[:4]


def test_a_torn_line_is_forgotten(uninterrupted: list[Trial], tmp_path: Path) -> None:
    path = tmp_path / "study.log"
    search(path, 4)
    whole = path.read_bytes()
    trial = uninterrupted[4]
    search(path, 5)
    more = path.read_bytes()[len(whole) :]
    for cut in (1, len(more) // 2, len(more) - 2):
        path.write_bytes(whole + more[:cut])
        assert search(path, 6) == uninterrupted[:6]
    assert trial in uninterrupted[:6]


def test_a_lock_that_a_killed_process_left_is_broken(uninterrupted: list[Trial], tmp_path: Path) -> None:
    path = tmp_path / "study.log"
    search(path, 2)
    os.symlink(path, f"{path}.lock")
    started = time.monotonic()
    assert search(path, 3) == uninterrupted[:3]
    assert time.monotonic() - started < 15


# -- files that are none


@pytest.mark.parametrize(
    "content",
    [b"nonsense", b"nonsense\n", b"\n", b"{}\n", b"[]\n", b"1\n", b"null\n", b"\x00\xff\n", b"nonsense\nmore\n",
     b'{"op_code": 99}\n{"op_code": 3}\n', b"\x80\x04\x95"],
)  # fmt: skip
def test_a_file_that_is_no_study_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "study.log"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a study") as raised:
        Study(path, PARAMETERS, 0)
    assert raised.value.where == str(path) and raised.value.hint
    assert path.read_bytes().startswith(content), "whose it is, is not known: it is not emptied"
