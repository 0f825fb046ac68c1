"""Instances of suites from elsewhere: made and parsed in a process with limits.

A file of a few megabytes may unpack to a gibibyte of JSON, which takes thirty gibibytes as Python's values. Run as a
script, this parses standard input into a folder, or makes what standard input asks for, as a domain does.
"""

import json
import sys
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from harness.base.confined import confined, failure_of
from harness.base.errors import UsageError
from harness.base.process import MIB, Ended, Limits
from harness.problems.instances.compact import write_compact
from harness.problems.instances.domain import Domain, domain_at
from harness.suite.fields import Model

__all__ = ["make_apart", "parse_apart"]

_LIMITS = Limits(wall=300, memory=8192 * MIB, file_size=2048 * MIB)


def parse_apart(domain: Domain[Any], content: bytes, where: str, folder: Path) -> None:
    """Write the instance's compact form into the folder. Raises UsageError, with ``where`` in it, as ``Domain.parse``
    does, and for an instance that takes more than 8 GiB or five minutes to parse."""
    _require(confined(Path(__file__), content, _LIMITS, "parse", domain.at, str(folder), packages=True), where)


def make_apart(domain: Domain[Any], name: str, made: Model) -> bytes:
    """What ``Domain.make`` gives. Raises UsageError where that takes more than the same limits."""
    request = json.dumps([name, made.model_dump(mode="json")]).encode()
    ended = confined(Path(__file__), request, _LIMITS, "make", domain.at, packages=True)
    _require(ended, name)
    return ended.stdout


def _require(ended: Ended, where: str) -> None:
    if ended.ok:
        return
    if ended.exit == _FAULTY:
        raise UsageError(ended.stderr.decode("utf-8", "replace").strip(), where=where)
    raise UsageError(f"the instance cannot be read or made: {failure_of(ended, _LIMITS)}", where=where)


_FAULTY = 3


def _main(task: str, place: str, *words: str) -> None:
    domain, content = domain_at(place), sys.stdin.buffer.read()
    try:
        if task == "parse":
            write_compact(domain.parse(content, "instance"), Path(words[0]))
        else:
            name, made = json.loads(content)
            assert domain.made is not None
            sys.stdout.buffer.write(domain.make(name, domain.made.model_validate(made)))
            sys.stdout.buffer.flush()
    except UsageError as error:
        print(error.message, file=sys.stderr)
        sys.exit(_FAULTY)


if __name__ == "__main__":
    _main(*sys.argv[1:])
