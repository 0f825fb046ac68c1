"""Optional parts of the package: which extra brings a module that is missing, and the line that installs it."""

import importlib.util
import re

from harness.base.errors import PrerequisiteError

__all__ = ["lacking", "missing", "require"]

_DISTRIBUTION = "llvm-policy-harness"
_REQUIREMENT = re.compile(r"""(?P<name>[A-Za-z0-9._-]+)(?:.*;\s*extra\s*==\s*["'](?P<extra>[\w-]+)["'])?""")


def require(*modules: str) -> None:
    """Raise PrerequisiteError for the first of the modules that is not installed. Nothing is imported."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise missing(module)


def lacking(*modules: str) -> str | None:
    """The first of the modules that is not installed; None where all are."""
    return next((module for module in modules if importlib.util.find_spec(module) is None), None)


def missing(module: str) -> PrerequisiteError:
    """The error of a module that is not installed, with the command that installs it."""
    extra = _extra_of(module.partition(".")[0])
    wanted = f"{_DISTRIBUTION}[{extra}]" if extra else _DISTRIBUTION
    return PrerequisiteError(f"the Python package {module} is not installed", hint=f"pip install '{wanted}'")


def _extra_of(module: str) -> str:
    """As the metadata of the installed package say, which come from ``pyproject.toml``."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        return ""
    found = (one for line in lines if (one := _REQUIREMENT.match(line)))
    return next((one["extra"] or "" for one in found if one["name"].replace("-", "_").lower() == module), "")
