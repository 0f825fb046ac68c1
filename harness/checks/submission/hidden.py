"""What a submission's text says to the harness and not to its readers: characters that nobody sees, and encodings in
which what looks like a comment is code."""

import codecs
import re
from collections.abc import Iterator

from harness.base.errors import UsageError
from harness.base.reading import read_bytes
from harness.base.text import is_printable, printable_line
from harness.checks.submission.findings import Code, Finding
from harness.checks.submission.folder import ALWAYS
from harness.policy import Policy
from harness.policy.limits import MANIFEST_BYTES, most_bytes
from harness.policy.load import MANIFEST

__all__ = ["faults_of_text"]

_BINARY = "model"
"""Role of the files that are no text."""
_PYTHON = ("python", "search")
"""Forms whose files are Python."""
_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_SHOWN = 60
_IN_PROSE = (b"\f", "\ufe0f".encode(), "\u200d".encode())
"""What hides nothing in prose: form feeds between a licence's pages, and what emoji are joined by and drawn as."""
_DO = "let every reader see what is run: UTF-8, no marks and controls, and line feeds at the ends of lines"


def faults_of_text(policy: Policy) -> list[Finding]:
    """One for each file that hides something: the manifest, those that it names, and what people read beside them.

    One of these that cannot be read, or is too long to be looked at, is a finding, too.
    """
    texts = {policy.manifest.files[role]: content for role, content in policy.contents.items() if role != _BINARY}
    texts[MANIFEST] = read_bytes(policy.folder / MANIFEST, MANIFEST_BYTES, inside=policy.folder)
    is_python = policy.manifest.form in _PYTHON
    faults = {name: next(_faults(text, is_python=is_python), None) for name, text in texts.items()}
    findings = [Finding(Code.HIDDEN_TEXT, name, what, _DO) for name, what in faults.items() if what is not None]
    for name in _beside(policy):
        python = name.lower().endswith(".py")
        try:
            text = read_bytes(policy.folder / name, most_bytes(""), inside=policy.folder)
        except UsageError as error:
            findings.append(Finding(Code.UNREADABLE, name, error.message, error.hint or ""))
            continue
        for harmless in () if python else _IN_PROSE:
            text = text.replace(harmless, b"")
        what = next(_faults(text, is_python=python), None)
        findings += [] if what is None else [Finding(Code.HIDDEN_TEXT, name, what, _DO)]
    return findings


def _beside(policy: Policy) -> list[str]:
    """What people read and the manifest does not name, by name."""
    named = set(policy.manifest.files.values())
    files = (one.name for one in policy.folder.iterdir() if one.name.lower() in ALWAYS and one.is_file())
    return sorted(name for name in files if name not in named)


def _faults(content: bytes, *, is_python: bool) -> Iterator[str]:
    try:
        lines = content.decode().replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        yield "not UTF-8 text"
        return
    for number, line in enumerate(lines[:2], start=1):
        coding = _CODING.match(line) if is_python else None
        if coding is not None and not _is_utf8(coding[1]):
            yield f"line {number} says that it is encoded as {printable_line(coding[1], _SHOWN)}"
    for number, line in enumerate(lines, start=1):
        for character in "" if is_printable(line.replace("\t", " ")) else line:
            if character != "\t" and not is_printable(character):
                yield f"line {number} has the character {printable_line(f'|{character}|')[1:-1]}, which is not shown"


def _is_utf8(coding: str) -> bool:
    """Whether the name is UTF-8's, or that of what is a part of it; or nobody's, so that Python does not read it."""
    try:
        return codecs.lookup(coding).name in ("utf-8", "utf-8-sig", "ascii")
    except LookupError:
        return True
