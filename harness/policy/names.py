"""Names of policies: which ones a submission may have. A name stands for its policy in tables, files and commands."""

import re
from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import BASELINES, SUBMISSIONS
from harness.base.text import lookalike
from harness.policy.manifest import policy_name
from harness.policy.tracks import all_tracks

__all__ = ["MEANT_OTHERWISE", "require_free_name"]

MEANT_OTHERWISE = {
    r"(published|reference|baseline)s?": "a sort of row in the standings",
    r"control": "the copy of the reference's object in a timed block",
    r"default": "LLVM's own decisions, in harness explain",
    r"[a-z]": "too short to be told from a benchmark or a level",
    r"(all|none|null|nan|any)": "a word of the commands",
}
"""Names (as patterns of what is in small letters) that mean something else wherever policies are named.

Tracks reserve others (``TrackFacts.reserved``).
"""


def require_free_name(name: str, where: str, *, outside: bool = False) -> None:
    """Raise UsageError, naming ``where``, unless a submission may be called so; ``outside``: it is none of those that
    come with the harness.

    It may not be a baseline's name, a word that means something else in the standings, or one that is easily taken
    for a baseline's or another submission's: ``0z`` for ``Oz``, ``size_rules`` for ``size-rules``.
    """
    try:
        policy_name(name)
    except ValueError as error:
        raise UsageError(f"name: {error}", where=where) from None
    hint = "give it another name"
    of_tracks = {name: meaning for facts in all_tracks().values() for name, meaning in facts.reserved.items()}
    for pattern, meaning in (MEANT_OTHERWISE | of_tracks).items():
        if re.fullmatch(pattern, name.casefold().replace("_", "-").replace(".", "-")):
            raise UsageError(f"name: {name!r} is reserved: {meaning}", where=where, hint=hint)
    for folder in _folders(BASELINES):
        if lookalike(folder) == lookalike(name):
            what = "is a baseline's" if folder == name else f"is easily taken for the baseline {folder!r}"
            raise UsageError(f"name: {name!r} {what}", where=where, hint=hint)
    for folder in _folders(SUBMISSIONS):
        if folder == name and outside:
            raise UsageError(f"name: {name!r} is a submission that comes with the harness", where=where, hint=hint)
        if folder != name and lookalike(folder) == lookalike(name):
            raise UsageError(f"name: {name!r} is easily taken for the submission {folder!r}", where=where, hint=hint)


def _folders(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir()) if root.is_dir() else []
