"""A parsed instance on disk: one file an array, which is mapped rather than read, and one for all the rest."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["COMPACT", "read_compact", "write_compact"]

COMPACT = 2
"""Version of the form."""
_REST = "rest.json"


def write_compact(instance: Any, folder: Path) -> None:
    """Write an instance, which is a dataclass of numbers, texts and arrays, into an empty folder."""
    rest: dict[str, Any] = {}
    for entry in fields(instance):
        value = getattr(instance, entry.name)
        if isinstance(value, np.ndarray):
            np.save(folder / f"{entry.name}.npy", value, allow_pickle=False)
        else:
            rest[entry.name] = value
    (folder / _REST).write_text(json.dumps(rest), encoding="utf-8")


def read_compact(sort: type, folder: Path) -> Any:
    """What ``write_compact`` wrote of an instance of this sort."""
    rest = json.loads((folder / _REST).read_text(encoding="utf-8"))
    names = [entry.name for entry in fields(sort) if entry.name not in rest]
    return sort(**rest, **{name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names})
