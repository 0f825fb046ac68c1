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
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice, takewhile
from pathlib import Path
from typing import Annotated, Any

from filelock import FileLock
from pydantic import Field, ValidationError

from harness.base.digest import canonical_json, digest_bytes, digest_file
from harness.base.documents import parse_json
from harness.base.errors import UsageError
from harness.base.reading import MIB, read_bytes
from harness.base.writing import written
from harness.record.decisions import load_decisions, store_decisions
from harness.record.names import RunName
from harness.record.rows import Count, Digest, Model
from harness.record.runfile import LEDGER, LINES, MOST_LINES, SIGNERS, read_run, results_errors, run_files
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
"""Lines, and files of decisions, that are named of a run."""
_MOST_COMPARED = 2000
"""Lines that are held against each other to say what became of each: that takes the square of so many steps."""


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

    What is there is left as it is, but for files of decisions that are not what they are called. Returns the copy.
    """
    for digest in _decisions_of(run):
        store_decisions(results, load_decisions(run.parent, digest).content)
    with results_errors(results):
        for name in (path.name for path in (*_beside(run), run)):
            if not (results / name).exists():
                _write(results / name, (run.parent / name).read_bytes())
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
    before = read_bytes(results / LEDGER, _LARGEST) if known else b""
    _write(results / LEDGER, before + (b"" if before.endswith(b"\n") or not before else b"\n") + line)
    return _digest_of(entry, signature)


def _decisions_of(run: Path) -> list[str]:
    return sorted({row.decisions_digest for row in read_run(run).rows if row.decisions_digest})


def verify(results: Path, signers: Path | None = None) -> Verified:
    """Hold everything in the folder against the ledger. ``signers``: who may sign; None: ``allowed_signers`` in it.

    Raises UsageError where there is no ledger, and for ``signers`` that are no file.
    """
    allowed = Signers(signers or results / SIGNERS)
    if not (results / LEDGER).is_file():
        raise UsageError("no run here is official", where=str(results / LEDGER), hint="harness official makes one")
    faults: list[Fault] = []
    if not allowed.file.is_file() or allowed.file.is_symlink():
        what = "no list of signers: a regular file with a line for each, NAME ssh-ed25519 AAAA…"
        if signers is not None:
            raise UsageError(what, where=str(signers), hint="docs/official.md says what stands in it")
        faults.append(Fault(SIGNERS, what))
    whole, found, previous = [], [], _FIRST
    number, seen = -1, _Seen()
    try:
        for number, (entry, signature) in enumerate(_entries(results)):
            where = f"{LEDGER}, line {number + 1}"
            if entry.number != number or entry.previous != previous:
                faults.append(Fault(where, "entries were removed, added or moved before this one"))
            signer = allowed.signer(entry.signed, signature)
            if signer is None:
                faults.append(Fault(where, f"not signed by anybody in {allowed.file.name}, or altered since"))
            else:  # what nobody signed says nothing of any file
                found.append(signer)
                mine = list(_faults_of(results, entry, seen))
                faults += mine
                whole += [] if mine else [entry.run]
            previous = _digest_of(entry, signature)
    except UsageError as error:
        faults.append(Fault(error.where or LEDGER, error.message))
    official = {entry.run for entry, _ in _readable(results)}
    signed = {results / f"{run}.jsonl" for run in official}
    unsigned = tuple(path.stem for path in run_files(results)[0] if path not in signed)
    last = previous if number >= 0 else None
    return Verified(tuple(whole), tuple(sorted(set(found))), last, tuple(faults), unsigned)


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
    for number, line in enumerate(BytesIO(read_bytes(file, _LARGEST)), 1):
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


@dataclass(frozen=True)
class _Seen:
    """What was read for earlier entries: however often a ledger names a file, it is read once."""

    runs: set[str] = field(default_factory=set)
    decisions: dict[str, str | None] = field(default_factory=dict)
    """Digest → what is wrong with the file."""

    def wrong_with(self, results: Path, digest: str) -> str | None:
        """Of a file of decisions."""
        if digest not in self.decisions:
            try:
                load_decisions(results, digest)
                self.decisions[digest] = None
            except UsageError as error:
                self.decisions[digest] = error.message
        return self.decisions[digest]


def _faults_of(results: Path, entry: Entry, seen: _Seen) -> Iterator[Fault]:
    run = results / f"{entry.run}.jsonl"
    if entry.run in seen.runs:
        yield Fault(run.name, "an entry before this one is about it, too")
        return
    seen.runs.add(entry.run)
    if RunName.parse(run.name) is None or not run.is_file() or run.is_symlink():
        yield Fault(run.name, "this official run is missing")
        return
    content = read_bytes(run, _LARGEST)
    if (count := content.count(b"\n") + content.count(b"\r")) > MOST_LINES:
        yield Fault(run.name, f"altered since it was signed: it has {count:,} lines, and no run has so many")
    elif digest_bytes(content) != entry.sha256:
        yield Fault(run.name, _differing(run, content, entry))
    elif _chained(_line_digests(content)) != entry.chain:
        yield Fault(run.name, "its chain is not the one of the entry")
    listed = run.with_suffix(LINES)
    if _listed(listed, entry) is None:
        yield Fault(listed.name, "missing, or altered since it was signed")
    for name, digest in entry.beside.items():
        path = results / name
        own = name.startswith(f"{entry.run}.") and path.is_file() and not path.is_symlink()
        if not own or digest_file(path) != digest:
            yield Fault(name, "missing, or altered since it was signed")
    for path in _beside(run):
        if path.name not in entry.beside:
            yield Fault(path.name, "added since the run was signed")
    wrong = {digest: why for digest in entry.decisions if (why := seen.wrong_with(results, digest)) is not None}
    for digest, why in islice(wrong.items(), _NAMED):
        yield Fault(f"decisions/{digest[:12]}….zst", f"{why} (of {entry.run})")
    if len(wrong) > _NAMED:
        yield Fault("decisions", f"and {len(wrong) - _NAMED} more of {entry.run}")


def _listed(listed: Path, entry: Entry) -> list[str] | None:
    """The digests of the run's lines as they were signed; None where the file does not say them any more."""
    if not listed.is_file() or listed.is_symlink():
        return None
    try:
        content = read_bytes(listed, _LARGEST)
    except UsageError:
        return None
    return content.decode().split() if digest_bytes(content) == entry.lines else None


def _differing(run: Path, content: bytes, entry: Entry) -> str:
    """Which lines were edited, removed, added or moved, as far as the list of their digests is whole."""
    listed = run.with_suffix(LINES)
    old = _listed(listed, entry)
    if old is None:
        return f"altered since it was signed; {listed.name} is missing or altered too, and cannot say where"
    new = _line_digests(content)
    first = _alike(old, new)
    same = _alike(old[first:][::-1], new[first:][::-1])
    last_old, last_new = len(old) - same, len(new) - same
    if max(last_old, last_new) - first > _MOST_COMPARED:
        return f"altered since it was signed: much within {_lines(first, last_old)}"
    matcher = difflib.SequenceMatcher(None, old[first:last_old], new[first:last_new], autojunk=False)
    codes = [(kind, a + first, b + first, c + first, d + first) for kind, a, b, c, d in matcher.get_opcodes()]
    said = [_said(*code, old, new) for code in codes]
    told = [one for one in said if one] or ["a line stands there twice"]
    more = f", and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return f"altered since it was signed: {', '.join(told[:_NAMED])}{more}"


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many are the same from the first on."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _lines(first: int, last: int) -> str:
    return f"line {first + 1}" if last == first + 1 else f"lines {first + 1} to {last}"


def _said(kind: str, a: int, b: int, c: int, d: int, old: Sequence[str], new: Sequence[str]) -> str:
    if kind == "replace":
        moved = set(old[a:b]) <= set(new) and set(new[c:d]) <= set(old)
        return f"{_lines(a, b)} {'moved' if moved else 'edited'}"
    if kind == "delete":
        return f"{_lines(a, b)} {'moved' if set(old[a:b]) <= set(new) else 'removed'}"
    if kind == "insert":
        return "" if set(new[c:d]) <= set(old) else f"{_lines(c, d)} added"
    return ""


def _write(path: Path, content: bytes) -> None:
    with results_errors(path.parent), written(path) as file:
        file.write(content)
