"""A corpus on disk: shards of modules, two tables, and what it is. Written as a whole or not at all.

``corpus.json`` says what is in it; ``units.parquet`` and ``functions.parquet`` have the facts; ``modules/SOURCE.zst``
has the modules of one source: a zstd frame each, where the table says.
"""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.base.digest import digest_of
from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.paths import cache_root
from harness.base.reading import read_bytes
from harness.learn.corpus.duplicates import Judged
from harness.learn.corpus.kept import Made
from harness.learn.corpus.tables import FUNCTIONS, UNITS, Sourced, function_rows, unit_row
from harness.problems.passes.session.observations import AUTOPHASE
from harness.record.parquet import schema_of, write_frame
from harness.suite.fields import Model

__all__ = ["ABOUT", "About", "Import", "corpus_folder", "read_about", "write_corpus"]

ABOUT, UNITS_FILE, FUNCTIONS_FILE, SUITES_FILE = "corpus.json", "units.parquet", "functions.parquet", "suites.json"
_MODULES = "modules"
_LARGEST = 1 << 24


class Import(Model):
    """Modules of elsewhere."""

    name: str
    key: str
    """Of the cache's entry."""
    split: str
    licence: str


class About(Model):
    """What a corpus is made of."""

    format: int = 1
    digest: str
    """Of all modules, in order."""
    packages: tuple[str, ...]
    generated: bool
    imports: tuple[Import, ...] = ()
    llvm: str
    skipped: dict[str, dict[str, int]]
    """Source → why units of it are not in the corpus → how many."""


def corpus_folder(output: Path | None) -> Path:
    """``output``, or where the corpus is in the cache."""
    return output if output is not None else cache_root() / "corpus"


def read_about(folder: Path) -> About:
    """What the corpus in a folder is made of. Raises UsageError where none is there."""
    file = folder / ABOUT
    if not file.is_file():
        raise UsageError("there is no corpus", where=str(folder), hint="`harness corpus build` makes one")
    content = parse_json(read_bytes(file, _LARGEST), str(file), containers=100_000)
    try:
        return About.model_validate(content)
    except ValueError:
        raise UsageError("not a corpus", where=str(file), hint="`harness corpus build` makes one") from None


def write_corpus(
    folder: Path,
    units: Sequence[Judged[Sourced]],
    made: Mapping[str, Made],
    suites: Mapping[str, Sequence[int]],
    about: Mapping[str, Any],
) -> About:
    """Write the units that stay. ``suites``: program → its features of Autophase, to be shown beside them.

    A corpus that is there already is replaced in one rename.
    """
    stay = [one for one in units if not one.is_duplicate]
    with _beside(folder) as new:
        (new / _MODULES).mkdir()
        offsets = _write_shards(new / _MODULES, stay, made)
        rows = [
            unit_row(number, one, _shard(one), offset)
            for number, (one, offset) in enumerate(zip(stay, offsets, strict=True))
        ]
        columns = {**UNITS, **dict.fromkeys(AUTOPHASE, "Int64")}
        write_frame(new / UNITS_FILE, _frame(rows, columns))
        functions = [row for number, one in enumerate(stay) for row in function_rows(number, one)]
        write_frame(new / FUNCTIONS_FILE, _frame(functions, FUNCTIONS))
        (new / SUITES_FILE).write_text(json.dumps({name: list(values) for name, values in suites.items()}))
        done = About(digest=digest_of([one.unit.kept.digest for one in stay]), **about)
        (new / ABOUT).write_text(done.model_dump_json(indent=1) + "\n")
    return done


def _shard(one: Judged[Sourced]) -> str:
    return f"{_MODULES}/{one.unit.source}.zst"


def _write_shards(folder: Path, stay: Sequence[Judged[Sourced]], made: Mapping[str, Made]) -> list[int]:
    offsets: list[int] = []
    by_source: dict[str, list[Judged[Sourced]]] = {}
    for one in stay:
        by_source.setdefault(one.unit.source, []).append(one)
    for source, units in by_source.items():
        with (folder / f"{source}.zst").open("wb") as shard, made[source].modules.open("rb") as frames:
            for one in units:
                frames.seek(one.unit.kept.offset)
                offsets.append(shard.tell())
                shard.write(frames.read(one.unit.kept.length))
    return offsets


def _frame(rows: Sequence[Sequence[Any]], columns: Mapping[str, str]) -> Any:
    import polars

    return polars.DataFrame(rows, schema=schema_of(columns), orient="row")


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A new folder that takes the place of ``folder`` when all is written."""
    if folder.exists() and not (folder / ABOUT).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError("refused: something else is there, no corpus", where=str(folder), hint="name a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        yield new
        if folder.exists():
            folder.rename(Path(scratch) / "old")
        new.rename(folder)
