"""A manifest with other values: the next version of the same policy, everything else as its authors wrote it."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.reading import read_text
from harness.policy.forms.parameters import Value
from harness.policy.limits import MANIFEST_BYTES

__all__ = ["next_version", "tuned_manifest"]


def next_version(version: str) -> str:
    """``1`` → ``2``, ``0.9`` → ``0.10``, ``first`` → ``first.1``."""
    found = re.search(r"(\d+)(\D*)$", version)
    if found is None:
        return f"{version}.1"
    return f"{version[: found.start()]}{int(found[1]) + 1}{found[2]}"


def tuned_manifest(file: Path, values: Mapping[str, Value], trained_on: Iterable[str], name: str) -> str:
    """The text of the next version, comments kept. ``trained_on``: what has been seen besides.

    Raises UsageError when the file has become something else meanwhile.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(read_text(file, MANIFEST_BYTES))
        document["version"] = next_version(str(document["version"]))
        document["name"] = name
        seen = document.setdefault("trained_on", tomlkit.array())
        for one in trained_on:
            if one not in seen:
                seen.append(one)
        table = document.setdefault("values", tomlkit.table())
        for key, value in values.items():
            table[key] = value
    except (OSError, UnicodeDecodeError, KeyError, TypeError, AttributeError, TOMLKitError) as error:
        raise UsageError(f"cannot be given new values: {error}", where=str(file)) from None
    return tomlkit.dumps(document)
