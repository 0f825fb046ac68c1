"""What blocks cost: llvm-mca's reciprocal throughput, kept by the blocks' content.

A block's reciprocal throughput is the number of cycles between two executions of it when many follow
one another and wait for nothing but the processor's resources: the largest of micro-ops over dispatch
width and, for each resource, the cycles it is taken over the number of its units. llvm-mca computes it
from one iteration; latencies, caches and branch prediction are not in it.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from harness.base.digest import digest_of
from harness.base.errors import CellError, PrerequisiteError
from harness.base.process import Limits, run
from harness.base.store import Store, cache_errors, no_space, require_space
from harness.base.vocabulary import Outcome, Target
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from harness.toolchain import TARGETS

if TYPE_CHECKING:
    from filelock import FileLock

__all__ = ["Cost", "Model", "block_costs", "known_models"]

Value = TypeVar("Value")
_COMMENT = {Target.X86_64: "#", Target.AARCH64: "//"}
_ERROR = re.compile(r":(\d+):\d+: error: (.*)")
_BATCH = 4000
_BLOCKS = "blocks.s"
_MEMORY = "block-costs.sqlite"
_UNUSABLE = (
    *(sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOLFS),
)
"""Results of SQLite that say something of the disk or of its file system."""
_SKIP = "-skip-unsupported-instructions=lack-sched"


@dataclass(frozen=True, slots=True)
class Model:
    """Whose costs: a CPU of llvm-mca for a target."""

    target: Target
    cpu: str


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one block."""

    cycles: float | None
    """Reciprocal throughput; None when llvm-mca cannot model the block."""
    problem: str = ""
    """The instruction that it cannot model."""


def block_costs(texts: Sequence[str], model: Model, bench: Bench) -> list[Cost]:
    """The cost of each text (one instruction a line), in order. An empty text costs nothing.

    Raises ValueError when llvm-mca has no scheduling model of the CPU, and CellError when it runs out of time.
    """
    prefix = digest_of(["mca", 1, model.target.value, model.cpu, bench.toolchain.fingerprint.llvm])
    keys = {text: digest_of([prefix, text]) for text in texts if text}
    known = _recall(bench.store, list(keys.values()))
    missing = [text for text, key in keys.items() if key not in known]
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        found = {keys[text]: cost for text, cost in zip(batch, _model(batch, model, bench), strict=True)}
        known |= found
        _remember(bench.store, found)
    return [known[keys[text]] if text else Cost(0.0) for text in texts]


@lru_cache(maxsize=8)
def known_models(target: Target, bench: Bench) -> tuple[str, ...]:
    """The CPUs that llvm-mca has a scheduling model of, or at least a name."""
    command = [bench.toolchain.tool("llvm-mca"), f"-mtriple={TARGETS[target].triple}", "-mcpu=help"]
    done = run(command, cwd=bench.store.root, limits=Limits(wall=20))
    found = tuple(re.findall(r"^  (\S+) +- Select the", done.stderr.decode(), re.MULTILINE))
    if not found:  # not kept: the next cell asks again
        raise CellError(Outcome.COMPILE_ERROR, f"llvm-mca lists no CPU: {done.reason()}", transient=True)
    return found


def _model(texts: Sequence[str], model: Model, bench: Bench) -> list[Cost]:
    """Run llvm-mca; blocks with a line that it cannot read are taken out, and the others tried again."""
    costs: dict[int, Cost] = {}
    while len(costs) < len(texts):
        pending = [number for number in range(len(texts)) if number not in costs]
        source, lines = _source([(number, texts[number]) for number in pending], model.target)
        with bench.store.scratch() as folder:
            (folder / _BLOCKS).write_text(source)
            words = (
                *(f"-mtriple={TARGETS[model.target].triple}", f"-mcpu={model.cpu}"),
                *("-json", "-iterations=1", _SKIP, "-instruction-info=false", "-resource-pressure=false", _BLOCKS),
            )
            done = run_tool(
                tool_job("llvm-mca", words, {_BLOCKS: folder / _BLOCKS}, (), bench.compile_timeout, bench), bench
            )
        said = done.stderr.decode("utf-8", "replace")
        unread = {lines[int(line)]: what for line, what in _ERROR.findall(said) if int(line) in lines}
        if unread:
            for number, what in unread.items():
                costs[number] = Cost(None, what)
            continue
        if not done.ok:
            if done.transient:
                raise CellError(Outcome.COMPILE_TIMEOUT, done.reason_line(), transient=True)
            raise ValueError(done.reason_line())
        costs |= _costs(json.loads(done.stdout)["CodeRegions"], texts, pending)
    return [costs[number] for number in range(len(texts))]


def _source(blocks: Sequence[tuple[int, str]], target: Target) -> tuple[str, dict[int, int]]:
    """The assembly file of these numbered blocks, and the block of each line that is an instruction."""
    comment = _COMMENT[target]
    text: list[str] = []
    owner: dict[int, int] = {}
    for number, body in blocks:
        text.append(f"{comment} LLVM-MCA-BEGIN {number}")
        for line in body.split("\n"):
            text.append(line)
            owner[len(text)] = number
        text.append(f"{comment} LLVM-MCA-END {number}")
    return "\n".join(text) + "\n", owner


def _costs(regions: list[dict[str, object]], texts: Sequence[str], asked: Sequence[int]) -> dict[int, Cost]:
    """Of the blocks asked for. llvm-mca leaves instructions out that its model lacks: such a block has no cost."""
    found: dict[int, Cost] = {}
    for region in regions:
        number = int(str(region["Name"]))
        summary, modelled = region["SummaryView"], region["Instructions"]
        assert isinstance(summary, Mapping) and isinstance(modelled, list)
        lines = texts[number].split("\n")
        if len(modelled) == len(lines):
            found[number] = Cost(float(summary["BlockRThroughput"]))
        else:
            found[number] = Cost(None, _lacking(_left_out(lines, modelled)))
    for number in asked:
        first = texts[number].partition("\n")[0]
        found.setdefault(number, Cost(None, _lacking(first)))
    return found


def _lacking(line: str) -> str:
    return f"no scheduling information for {' '.join(line.split())!r}"


def _left_out(lines: Sequence[str], modelled: Sequence[object]) -> str:
    names = [str(text).split()[0] for text in modelled]
    for line in lines:
        mnemonic = line.split()[0]
        if mnemonic not in names:
            return line
        names.remove(mnemonic)
    return lines[0]


def _recall(store: Store, keys: Sequence[str]) -> dict[str, Cost]:
    """What is known of these costs."""

    def read(memory: sqlite3.Connection) -> dict[str, Cost]:
        found: dict[str, Cost] = {}
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            for key, cycles, problem in memory.execute(f"SELECT * FROM cost WHERE key IN ({marks})", part):
                found[key] = Cost(cycles, problem)
        return found

    return _with_memory(store, read)


def _remember(store: Store, costs: Mapping[str, Cost]) -> None:
    def write(memory: sqlite3.Connection) -> None:
        rows = [(key, cost.cycles, cost.problem) for key, cost in costs.items()]
        with memory:
            memory.executemany("INSERT OR REPLACE INTO cost VALUES (?, ?, ?)", rows)

    _with_memory(store, write)


def _with_memory(store: Store, use: Callable[[sqlite3.Connection], Value]) -> Value:
    """What ``use`` gives of the costs known so far: one table, which threads and processes share.

    One that is damaged is made anew: what it held can be had again. Raises PrerequisiteError where it cannot be used.
    """
    path = store.root / _MEMORY
    with cache_errors(store.root), _database_errors(path):
        for last in (False, True):
            connection, inode = _open(path)
            try:
                return use(connection)
            except sqlite3.DatabaseError as error:
                if last or not _is_damage(error):
                    raise
                with _lock(path):
                    if path.exists() and path.stat().st_ino == inode:  # else another worker has made it anew already
                        _remove(path)
            finally:
                connection.close()
    raise AssertionError


def _open(path: Path) -> tuple[sqlite3.Connection, int]:
    """The database and its inode. Under a lock: SQLite lets nobody wait who opens a new one beside another."""
    with _lock(path):
        for last in (False, True):
            connection = sqlite3.connect(path, timeout=60)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("CREATE TABLE IF NOT EXISTS cost (key TEXT PRIMARY KEY, cycles REAL, problem TEXT)")
                return connection, path.stat().st_ino
            except sqlite3.DatabaseError as error:
                connection.close()
                if last or not _is_damage(error):
                    raise
                _remove(path)
    raise AssertionError


def _lock(path: Path) -> "FileLock":
    from filelock import FileLock

    return FileLock(f"{path}.lock", poll_interval=0.005)


def _remove(path: Path) -> None:
    """With what SQLite keeps beside it, which belongs to no other database."""
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _is_damage(error: sqlite3.Error) -> bool:
    return _code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _code_of(error: sqlite3.Error) -> int | None:
    """SQLite's result, without what extends it."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


@contextmanager
def _database_errors(path: Path) -> Iterator[None]:
    """What the disk, or who may write to it, is to blame for becomes PrerequisiteError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code_of(error) == sqlite3.SQLITE_FULL:
            raise no_space(path.parent) from None
        if _is_damage(error) or _code_of(error) in _UNUSABLE:
            require_space(path.parent)
            raise PrerequisiteError(
                f"cannot use the cache: {error}",
                where=str(path),
                hint="set HARNESS_CACHE to a folder on a local disk that you may write to, or mend this one",
            ) from None
        raise
