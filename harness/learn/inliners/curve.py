"""What a training leaves: a checkpoint that it goes on from, and its learning curve, a line for each step."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Point", "Training"]

_CHECKPOINT, _CURVE = "checkpoint.npz", "curve.jsonl"


@dataclass(frozen=True, slots=True)
class Point:
    """Where a training stands."""

    step: int
    compilations: int
    cpu: float
    """CPU seconds of all compilations so far."""
    train: float
    """What the trainer saw of its modules at this step: geometric mean of LLVM's bytes / the policy's."""
    validation: float | None
    """The same of modules that it does not learn from, without chance; nothing where that was not measured."""


class Training:
    """A folder. What is in it is complete at any moment: a training that is killed goes on from its last step."""

    def __init__(self, folder: Path, words: Mapping[str, Any]) -> None:
        """``words``: all that the training depends on. Raises ValueError where the folder is of another training."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        said = json.dumps(words, sort_keys=True)
        told = folder / "words.json"
        if told.exists() and told.read_text() != said:
            raise ValueError(f"{folder} is of a training with other words: {told.read_text()}")
        told.write_text(said)

    def last(self) -> tuple[Point, dict[str, NDArray[Any]]] | None:
        """The step that it goes on after, and what it kept then."""
        path = self._folder / _CHECKPOINT
        if not path.exists():
            return None
        with np.load(path) as file:
            kept = {name: file[name] for name in file.files}
        point = Point(**json.loads(str(kept.pop("point"))))
        return point, kept

    def keep(self, point: Point, kept: Mapping[str, NDArray[Any]]) -> None:
        """Make this step the last."""
        path = self._folder / _CHECKPOINT
        made = path.with_suffix(".new")
        with made.open("wb") as file:
            everything: dict[str, Any] = {"point": np.array(json.dumps(asdict(point))), **kept}
            np.savez(file, **everything)
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
        lines = [json.dumps(asdict(one)) for one in self.curve() if one.step < point.step]
        curve = self._folder / _CURVE
        written = curve.with_suffix(".new")
        written.write_text("".join(f"{line}\n" for line in (*lines, json.dumps(asdict(point)))))
        written.replace(curve)

    def curve(self) -> Iterator[Point]:
        """All steps."""
        path = self._folder / _CURVE
        for line in path.read_text().splitlines() if path.exists() else ():
            yield Point(**json.loads(line))
