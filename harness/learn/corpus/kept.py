"""Modules of one source as the cache keeps them: a file of zstd frames, and a line of facts for each."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import zstandard

from harness.base.digest import digest_bytes
from harness.learn.corpus.facts import ModuleFacts, flaw
from harness.learn.corpus.job import Found

__all__ = ["Kept", "Made", "keep", "kept"]

_MODULES, _FACTS, _SKIPPED = "modules.zst", "facts.jsonl", "skipped.json"
_LEVEL = 6
"""Of zstd."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A module as it lies in a file of modules."""

    unit: str
    """Path of the source in its tree, or of the module in what was imported."""
    language: str
    digest: str
    """SHA-256 of the bitcode."""
    offset: int
    """Where its frame begins."""
    length: int
    """Of the frame, in bytes."""
    size: int
    """Of the bitcode, in bytes."""
    facts: ModuleFacts


@dataclass(frozen=True)
class Made:
    """What became of one source."""

    modules: Path
    """File of zstd frames."""
    units: tuple[Kept, ...]
    """In the order of their names."""
    skipped: Mapping[str, int]
    """Why → how many."""


def keep(entry: Path, found: Iterable[Found], skipped: Counter[str]) -> None:
    """Write modules into a folder of the cache. ``skipped``: grows while ``found`` is walked."""
    compressor, offset = zstandard.ZstdCompressor(_LEVEL), 0
    with (entry / _MODULES).open("wb") as modules, (entry / _FACTS).open("w") as lines:
        for one in found:
            if why := flaw(one.facts, sized=one.language != "llvm"):
                skipped[why] += 1
                continue
            frame = compressor.compress(one.bitcode)
            place = [one.unit, one.language, digest_bytes(one.bitcode), offset, len(frame), len(one.bitcode)]
            lines.write(json.dumps([*place, one.facts.model_dump(mode="json")], separators=(",", ":")) + "\n")
            modules.write(frame)
            offset += len(frame)
    (entry / _SKIPPED).write_text(json.dumps(dict(sorted(skipped.items()))))


def kept(entry: Path) -> Made:
    """What was written there."""
    units = []
    with (entry / _FACTS).open("rb") as lines:
        for line in lines:
            unit, language, digest, offset, length, size, facts = json.loads(line)
            units.append(Kept(unit, language, digest, offset, length, size, ModuleFacts.model_validate(facts)))
    skipped: dict[str, int] = json.loads((entry / _SKIPPED).read_bytes())
    return Made(entry / _MODULES, tuple(sorted(units, key=lambda one: one.unit)), skipped)
