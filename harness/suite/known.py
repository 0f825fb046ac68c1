"""Which suites there are by name: those of the repository, and those that other packages bring."""

from pathlib import Path
from typing import Final

from harness.base.discovery import suite_folders
from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import SUITES

__all__ = ["RESERVED", "known_suites", "require_own_name", "suites_defined_by"]

RESERVED: Final = ("all", "applications")
"""Names that stand for several suites: see ``harness.suite.together``."""


def known_suites() -> dict[str, Path]:
    """Name → folder. Raises PrerequisiteError where a package brings one by a name that is taken."""
    found = {path.parent.name: path.parent for path in SUITES.glob("*/*.toml")}
    for name, folder in suite_folders():
        if name in found:
            raise PrerequisiteError(f"there is a suite called {name!r} already", where=str(folder))
        found[name] = folder
    return found


def suites_defined_by(definition: str) -> list[str]:
    """Names of those that a file of this name defines, sorted."""
    return sorted(name for name, folder in known_suites().items() if (folder / definition).is_file())


def require_own_name(name: str, file: Path) -> None:
    """Raise UsageError where the suite that this file defines has another's name, or not its folder's."""
    known = known_suites()
    if name in RESERVED:
        raise UsageError(f"name: {name!r} stands for several suites", where=str(file), hint="give yours another name")
    if name in known and file.parent != known[name]:
        raise UsageError(
            f"name: a suite called {name!r} comes with the harness, and results are told apart by name",
            where=str(file),
            hint="give yours another name",
        )
    if meant := next((one for one, folder in known.items() if folder == file.parent and one != name), None):
        raise UsageError(f"name: {name!r} must be the folder's name, {meant!r}", where=str(file))
