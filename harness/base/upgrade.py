"""Fields of older schemas, as today's schema names them: one function a schema, a mapping to a mapping, and no more.

Up to schema 1 of manifests and decisions, and schema 6 of run files, one word, the ``kind`` of a policy, stood for the
problem that it decides and for the form that it is written in. This is the one place that knows these words.
"""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

__all__ = ["decisions_of_1", "former_kind", "manifest_of_1", "row_of_6"]

_KINDS: dict[str, tuple[str, str | None]] = {
    "level": ("levels", "level"),
    "pass-sequence": ("passes", "list"),
    "inliner": ("inlining", None),
    "heuristic": ("inlining", "cpp"),
    "regalloc": ("regalloc", "allocator"),
    "sharding": ("sharding", None),
}
"""Kind → problem and form; no form where the policy's files tell it."""
_BY_ROLE = {"model": "onnx", "tree": "tree", "policy": "python"}
_BY_SUFFIX = {".cpp": "cpp", ".py": "python"}


def manifest_of_1(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest with a ``kind``. Raises ValueError for an unknown one, and where problem or form stand beside it."""
    if fields.keys() & {"problem", "form"}:
        raise ValueError("kind: manifests have problem and form instead: leave it out")
    problem, form = _meant(fields["kind"])
    return {**_without_kind(fields), "problem": problem, "form": form or _form_of(fields.get("files"))}


def decisions_of_1(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A decisions file with a ``kind``. Raises KeyError without one, and ValueError for an unknown one."""
    problem, _ = _meant(fields["kind"])
    return {**_without_kind(fields), "schema": 2, "problem": problem}


def row_of_6(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A row with a ``kind``; it has no form where its kind does not tell. Raises ValueError for an unknown kind."""
    problem, form = _meant(fields.get("kind"))
    return {**_without_kind(fields), "problem": problem, **({"form": form} if form else {})}


def former_kind(problem: str, form: str) -> str:
    """The word for both in what digests of policies cover: a policy of before keeps its digest, and its results."""
    words = {meant: kind for kind, meant in _KINDS.items()}
    return words.get((problem, form)) or words.get((problem, None)) or f"{problem}/{form}"


def _meant(kind: object) -> tuple[str, str | None]:
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"kind: unknown kind {kind!r}; there were: {', '.join(_KINDS)}")
    return _KINDS[kind]


def _without_kind(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "kind"}


def _form_of(files: object) -> str:
    """The form of a policy with these files; of files that fit none, one that will say so."""
    named = files.items() if isinstance(files, dict) else ()
    forms = (_BY_ROLE.get(role) or _BY_SUFFIX.get(PurePath(str(name)).suffix) for role, name in named)
    return next((form for form in forms if form), "python")
