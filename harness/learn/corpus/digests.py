"""What a package's units came to when the corpus was last recorded: in git, so that a rebuild can be checked."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness.base.digest import digest_of
from harness.base.errors import UsageError
from harness.base.reading import read_bytes
from harness.learn.corpus.kept import Made
from harness.suite.fields import Model, Sha256

__all__ = ["DIGESTS", "Pinned", "difference", "of_made", "read_digests", "write_digests"]

DIGESTS = Path(__file__).with_name("digests.json")
_LARGEST = 1 << 20


class Pinned(Model):
    """Of a package, before near-duplicates are taken out: it depends on no other."""

    units: int
    functions: int
    digest: Sha256
    """Over the sorted digests of its modules."""


_PINNED = TypeAdapter(dict[str, Pinned])


def of_made(made: Made) -> Pinned:
    """What is to be recorded."""
    functions = sum(len(one.facts.functions) for one in made.units)
    return Pinned(
        units=len(made.units), functions=functions, digest=digest_of(sorted(one.digest for one in made.units))
    )


def difference(now: Mapping[str, Pinned], recorded: Mapping[str, Pinned]) -> dict[str, str]:
    """Package → what is not as it was recorded."""
    told = {}
    for name, one in now.items():
        was = recorded.get(name)
        if was is None:
            told[name] = "nothing is recorded of it"
        elif was.units != one.units:
            told[name] = f"{one.units} units, {was.units} are recorded"
        elif was != one:
            told[name] = (
                f"{one.units} units as recorded, but other modules: another LLVM, or other headers of the system?"
            )
    return told


def read_digests(path: Path = DIGESTS) -> dict[str, Pinned]:
    """What is recorded; nothing where there is no file. Raises UsageError for a file that is none."""
    if not path.is_file():
        return {}
    try:
        return _PINNED.validate_json(read_bytes(path, _LARGEST))
    except ValidationError:
        raise UsageError("not a file of digests", where=str(path), hint="restore it from git") from None


def write_digests(pinned: Mapping[str, Pinned], path: Path = DIGESTS) -> None:
    """Record them beside what is there."""
    both = {**read_digests(path), **pinned}
    lines = [f'  "{name}": {both[name].model_dump_json()}' for name in sorted(both)]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
