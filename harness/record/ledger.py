"""The ledger of official runs: ``official.jsonl`` in a results folder, a line for each, chained and signed.

Beside each official run stands ``RUN.lines``, the digest of each line; the entry has the digest of that file and
the last link of the chain that goes through the lines, each link the digest of the one before and of its line. An entry
also has the digest of the entry before it. So no row and no run can be edited, removed, added or moved without the
signer; only the newest entries can be cut off with their runs, which the digest of the last entry, published elsewhere,
would show.
"""

import difflib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock
from pydantic import Field, ValidationError

from harness.base.digest import canonical_json, digest_bytes, digest_file
from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.base.writing import written
from harness.record.decisions import load_decisions
from harness.record.names import RunName
from harness.record.rows import Count, Digest, Model
from harness.record.runfile import LEDGER, LINES, SIGNERS, read_run, results_errors, run_files
from harness.record.signature import Signers, sign

__all__ = ["Fault", "Verified", "add_to_ledger", "evidence", "take_run", "verify"]

_LARGEST = 128 * MIB
_FIRST = "0" * 64
"""What stands for the entry before the first."""
_MOST_ENTRIES = 2000
"""Each takes a hundredth of a second to check, whoever wrote it."""
_SIGNATURE = 16_384
"""Characters of one, at most."""
_NAME = r"^[a-z0-9][a-zA-Z0-9._-]*$"
_NAMED = 5
"""Lines that a fault names."""


class Entry(Model):
    """One official run."""

    number: Count
    run: Annotated[str, Field(pattern=_NAME, max_length=200)]
    sha256: Digest
    lines: Digest
    """Of ``RUN.lines``."""
    chain: Digest
    """The last link."""
    beside: dict[Annotated[str, Field(pattern=_NAME, max_length=250)], Digest]
    """Files that belong to the run: name → digest."""
    decisions: tuple[Digest, ...]
    """Of the files of decisions that its rows name."""
    previous: Digest

    @property
    def signed(self) -> bytes:
        """What the signature is of."""
        return canonical_json(self.model_dump(mode="json"))


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was signed."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What a results folder holds."""

    runs: tuple[str, ...]
    """Official, and whole."""
    signers: tuple[str, ...]
    last: str | None
    """Digest of the last entry: published elsewhere, it shows whether entries were cut off."""
    faults: tuple[Fault, ...]
    unsigned: tuple[str, ...]
    """Run files that no entry is about."""


def take_run(run: Path, results: Path) -> Path:
    """Copy a run, with what lies beside it and its decisions, into another folder of results. The run file comes last.

    What is there is left as it is. Returns the copy.
    """
    decisions = (f"decisions/{one}.zst" for one in _decisions_of(run))
    with results_errors(results):
        for inside in (*decisions, *(path.name for path in (*_beside(run), run))):
            if not (results / inside).exists():
                (results / inside).parent.mkdir(parents=True, exist_ok=True)
                _write(results / inside, (run.parent / inside).read_bytes())
    return results / run.name


def add_to_ledger(run: Path, key: Path) -> str:
    """Sign a recorded run, unless its entry is there. Returns the digest of its entry.

    Raises UsageError for a ledger that cannot be read, or is full.
    """
    with FileLock(run.parent / f".{LEDGER}.lock"):  # two runs may end at once
        return _added(run, key, list(_entries(run.parent)))


def _added(run: Path, key: Path, known: Sequence[tuple[Entry, str]]) -> str:
    results = run.parent
    for entry, signature in known:
        if entry.run == run.stem:
            return _digest_of(entry, signature)
    if len(known) >= _MOST_ENTRIES:
        most = f"a ledger has at most {_MOST_ENTRIES} entries"
        raise UsageError(most, where=str(results / LEDGER), hint="begin a new folder of results")
    lines = _line_digests(read_bytes(run, _LARGEST))
    listed = "".join(f"{line}\n" for line in lines).encode()
    entry = Entry(
        number=len(known),
        run=run.stem,
        sha256=digest_file(run),
        lines=digest_bytes(listed),
        chain=_chained(lines),
        beside={path.name: digest_file(path) for path in _beside(run)},
        decisions=tuple(_decisions_of(run)),
        previous=_digest_of(*known[-1]) if known else _FIRST,
    )
    signature = sign(entry.signed, key)
    _write(run.with_suffix(LINES), listed)
    line = canonical_json({"entry": entry.model_dump(mode="json"), "signature": signature}) + b"\n"
    _write(results / LEDGER, ((results / LEDGER).read_bytes() if known else b"") + line)
    return _digest_of(entry, signature)


def _decisions_of(run: Path) -> list[str]:
    return sorted({row.decisions_digest for row in read_run(run).rows if row.decisions_digest})


def verify(results: Path, signers: Path | None = None) -> Verified:
    """Hold everything in the folder against the ledger. ``signers``: who may sign; None: ``allowed_signers`` in it.

    Raises UsageError where there is no ledger.
    """
    allowed = Signers(signers or results / SIGNERS)
    if not (results / LEDGER).is_file():
        raise UsageError("no run here is official", where=str(results / LEDGER), hint="harness official makes one")
    faults: list[Fault] = []
    whole, found, previous = [], [], _FIRST
    number = -1
    try:
        for number, (entry, signature) in enumerate(_entries(results)):
            where = f"{LEDGER}, line {number + 1}"
            if entry.number != number or entry.previous != previous:
                faults.append(Fault(where, "entries were removed, added or moved before this one"))
            signer = allowed.signer(entry.signed, signature)
            if signer is None:
                faults.append(Fault(where, f"not signed by anybody in {allowed.file.name}, or altered since"))
            found.append(signer)
            mine = list(_faults_of(results, entry))
            faults += mine
            whole += [] if mine or signer is None else [entry.run]
            previous = _digest_of(entry, signature)
    except UsageError as error:
        faults.append(Fault(error.where or LEDGER, error.message))
    official = {entry.run for entry, _ in _readable(results)}
    signed = {results / f"{run}.jsonl" for run in official}
    unsigned = tuple(path.stem for path in run_files(results)[0] if path not in signed)
    last = previous if number >= 0 else None
    return Verified(tuple(whole), tuple(sorted({one for one in found if one})), last, tuple(faults), unsigned)


def evidence(results: Path) -> list[Path]:
    """What the ledger speaks of beside run files, whether it is there or not: none of it may change unseen."""
    found: list[Path] = []
    for entry, _ in _readable(results):
        run = results / f"{entry.run}.jsonl"
        found += [run.with_suffix(LINES), *_beside(run), *(results / name for name in entry.beside)]
        found += [results / "decisions" / f"{digest}.zst" for digest in entry.decisions]
    return sorted(set(found))


def _readable(results: Path) -> Iterator[tuple[Entry, str]]:
    """Entries up to the first that cannot be read."""
    try:
        yield from _entries(results)
    except UsageError:
        return


def _entries(results: Path) -> Iterator[tuple[Entry, str]]:
    """Entries and signatures. Raises UsageError, naming the line, for what is none."""
    file = results / LEDGER
    if not file.exists():
        return
    for number, line in enumerate(read_bytes(file, _LARGEST).splitlines(), 1):
        where = f"{LEDGER}, line {number}"
        if number > _MOST_ENTRIES:
            raise UsageError(f"more than {_MOST_ENTRIES} entries", where=where)
        document: Any = parse_json(line, where, containers=1000)
        try:
            entry = Entry.model_validate(document["entry"])
            signature = document["signature"]
        except (KeyError, TypeError, ValidationError):
            raise UsageError("not an entry of the ledger", where=where) from None
        whole = isinstance(signature, str) and signature.isascii() and len(signature) <= _SIGNATURE
        if not whole or set(document) != {"entry", "signature"}:
            raise UsageError("not an entry of the ledger", where=where)
        yield entry, signature


def _digest_of(entry: Entry, signature: str) -> str:
    return digest_bytes(entry.signed + signature.encode())


def _line_digests(content: bytes) -> list[str]:
    return [digest_bytes(line) for line in content.splitlines(keepends=True)]


def _chained(lines: Sequence[str]) -> str:
    link = bytes.fromhex(_FIRST)
    for line in lines:
        link = hashlib.sha256(link + bytes.fromhex(line)).digest()
    return link.hex()


def _beside(run: Path) -> list[Path]:
    """The Parquet files that belong to the run."""
    return sorted(run.parent.glob(f"{run.stem}.*.parquet"))


def _faults_of(results: Path, entry: Entry) -> Iterator[Fault]:
    run = results / f"{entry.run}.jsonl"
    if RunName.parse(run.name) is None or not run.is_file() or run.is_symlink():
        yield Fault(run.name, "this official run is missing")
        return
    content = read_bytes(run, _LARGEST)
    if digest_bytes(content) != entry.sha256:
        yield Fault(run.name, _differing(run, content, entry))
    elif _chained(_line_digests(content)) != entry.chain:
        yield Fault(run.name, "its chain is not the one of the entry")
    listed = run.with_suffix(LINES)
    if not listed.is_file() or listed.is_symlink() or digest_file(listed) != entry.lines:
        yield Fault(listed.name, "missing, or altered since it was signed")
    for name, digest in entry.beside.items():
        path = results / name
        if "/" in name or not path.is_file() or digest_file(path) != digest:
            yield Fault(name, "missing, or altered since it was signed")
    for path in _beside(run):
        if path.name not in entry.beside:
            yield Fault(path.name, "added since the run was signed")
    for digest in entry.decisions:
        try:
            load_decisions(results, digest)
        except UsageError as error:
            yield Fault(f"decisions/{digest[:12]}….zst", f"{error.message} (of {entry.run})")


def _differing(run: Path, content: bytes, entry: Entry) -> str:
    """Which lines were edited, removed, added or moved, as far as the list of their digests is whole."""
    listed = run.with_suffix(LINES)
    if not listed.is_file() or digest_file(listed) != entry.lines:
        return f"altered since it was signed; {listed.name} is missing or altered too, and cannot say where"
    old, new = listed.read_text().split(), _line_digests(content)
    said = [_said(*code, old, new) for code in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()]
    told = [one for one in said if one]
    more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"altered since it was signed: {', '.join(told[:_NAMED])}{more}"


def _said(kind: str, a: int, b: int, c: int, d: int, old: Sequence[str], new: Sequence[str]) -> str:
    def lines(first: int, last: int) -> str:
        return f"line {first + 1}" if last == first + 1 else f"lines {first + 1} to {last}"

    if kind == "replace":
        moved = set(old[a:b]) <= set(new) and set(new[c:d]) <= set(old)
        return f"{lines(a, b)} {'moved' if moved else 'edited'}"
    if kind == "delete":
        return f"{lines(a, b)} {'moved' if set(old[a:b]) <= set(new) else 'removed'}"
    if kind == "insert":
        return "" if set(new[c:d]) <= set(old) else f"{lines(c, d)} added"
    return ""


def _write(path: Path, content: bytes) -> None:
    with results_errors(path.parent), written(path) as file:
        file.write(content)
