"""What is soon over is not worth a word; of what takes longer, what is left is shown."""

import time

import pytest

from harness.base.display import patience
from harness.base.progress import PatientObserver


class Told:
    def __init__(self) -> None:
        self.words: list[tuple[object, ...]] = []

    def stage(self, name: str, total: float) -> None:
        self.words.append((name, total))

    def advance(self, weight: float, what: str) -> None:
        self.words.append((weight, what))


def test_a_stage_that_takes_longer_is_told_from_there_on() -> None:
    told = Told()
    watched = PatientObserver(lambda: told, seconds=0.5)
    watched.stage("index", 10)
    watched.advance(2, "a")
    assert told.words == []
    time.sleep(0.6)
    watched.advance(3, "b")
    watched.advance(5, "c")
    assert told.words == [("index", 5), (5, "c")]
    watched.stage("next", 1)
    watched.advance(1, "d")
    assert told.words == [("index", 5), (5, "c")]


def test_nothing_is_shown_of_what_is_over_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with patience() as watched:
        watched.stage("index", 2)
        watched.advance(1, "a")
        watched.advance(1, "b")
    assert capsys.readouterr() == ("", "")


def test_a_display_is_closed_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    class Display(Told):
        def close(self) -> None:
            self.words.append(("closed",))

    shown: list[Display] = []

    def make() -> Display:
        shown.append(Display())
        return shown[-1]

    moment = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: moment)
    with pytest.raises(ValueError, match="torn"), patience(make) as watched:
        watched.stage("index", 10)
        moment = 3.0
        watched.advance(4, "a")
        raise ValueError("torn")
    assert [one.words for one in shown] == [[("index", 6), ("closed",)]]
