"""What a training leaves: a checkpoint that it goes on from, its curve, a line for each step, and its network."""

import json
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from harness.base.errors import UsageError
from harness.base.writing import written
from harness.policy.curve import Point, points_of

__all__ = ["NETWORK", "Training", "checkpoint_of", "words_of"]

NETWORK = "network.bin"
"""What was learnt by the last step, as ``judge`` and ``export`` take it: also while a training goes on."""
_CHECKPOINT, _CURVE, _WORDS, _POINT = "checkpoint.npz", "curve.jsonl", "words.json", "point"


class Training:
    """A folder. What is in it is complete at any moment: a training that is killed goes on from its last step."""

    def __init__(self, folder: Path, words: Mapping[str, Any], cpu: float) -> None:
        """``words``: all that the training depends on. ``cpu``: seconds that its workers have used before it begins.

        Raises UsageError where the folder is of another training.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        said = json.dumps(words, sort_keys=True)
        told = folder / _WORDS
        if told.exists() and (there := words_of(folder)) != json.loads(said):
            raise UsageError(
                f"of a training with other words: {_apart(there, json.loads(said))}",
                where=str(folder),
                hint="name another --folder, or give the words with which this one began",
            )
        _replace(told, said.encode())
        self._last = Point(step=0, compilations=0, cpu=0.0, train=1.0, validation=None)
        self.kept: dict[str, NDArray[Any]] | None = None
        """What the last step left; nothing before the first."""
        if (folder / _CHECKPOINT).exists():
            self.kept = checkpoint_of(folder)
            self._last = Point.model_validate_json(str(self.kept.pop(_POINT)))
        self._before = self._last.cpu - cpu

    @property
    def steps(self) -> int:
        """How many there were."""
        return self._last.step

    def advance(
        self,
        compilations: int,
        cpu: float,
        train: float,
        validation: float | None,
        kept: Mapping[str, NDArray[Any]],
        network: bytes | None = None,
    ) -> None:
        """One step more. ``compilations``: that it took. ``cpu``: seconds that the workers have used by now. ``train``,
        ``validation``: as of a ``Point``. ``kept``: what the next step needs. ``network``: what was learnt so far.
        """
        last = self._last
        point = Point(
            step=last.step + 1,
            compilations=last.compilations + compilations,
            cpu=self._before + cpu,
            train=train,
            validation=validation,
        )
        # The curve first: of a step that is made again, since its checkpoint was not written, the line is too.
        lines = [one.model_dump_json() for one in (*self.curve(), point) if one is point or one.step < point.step]
        _replace(self._folder / _CURVE, "".join(f"{line}\n" for line in lines).encode())
        if network is not None:
            _replace(self._folder / NETWORK, network)
        everything: dict[str, Any] = {_POINT: np.array(point.model_dump_json()), **kept}
        checkpoint = BytesIO()
        np.savez_compressed(checkpoint, **everything)
        _replace(self._folder / _CHECKPOINT, checkpoint.getvalue())
        self._last = point

    def curve(self) -> tuple[Point, ...]:
        """All steps."""
        path = self._folder / _CURVE
        return points_of(path.read_text()) if path.exists() else ()


def checkpoint_of(folder: Path) -> dict[str, NDArray[Any]]:
    """What the last step of the training in this folder left. Raises OSError and ValueError where there is none."""
    path = folder / _CHECKPOINT
    try:
        with np.load(path) as file:
            return {name: file[name] for name in file.files}
    except (BadZipFile, EOFError, TypeError, ValueError):
        raise ValueError(f"{path} is no checkpoint of a training") from None


def words_of(folder: Path) -> dict[str, Any]:
    """All that the training in this folder depends on. Raises OSError and ValueError where nothing says so."""
    path = folder / _WORDS
    try:
        words = json.loads(path.read_text())
    except ValueError:
        words = None
    if not isinstance(words, dict):
        raise ValueError(f"{path} does not say what a training depends on")
    return words


def _apart(there: object, here: object, name: str = "") -> str:
    """In what two trainings' words differ."""
    if isinstance(there, dict) and isinstance(here, dict):
        names = sorted({*there, *here})
        parts = [_apart(there.get(one), here.get(one), f"{name}.{one}".strip(".")) for one in names]
        return "; ".join(part for part in parts if part)
    return "" if there == here else f"{name} is {there} there and {here} here"


def _replace(path: Path, content: bytes) -> None:
    """The whole content, or what was there."""
    with written(path) as file:
        file.write(content)
