"""Finding and loading policies: a name or a folder becomes a checked, frozen value."""

from collections.abc import Iterable
from pathlib import Path

from harness.base.documents import read_toml
from harness.base.errors import UsageError
from harness.base.own import own_policy, remember_policy
from harness.base.paths import BASELINES, SUBMISSIONS, at_home
from harness.base.reading import read_bytes, shown_size
from harness.base.text import closest
from harness.base.upgrade import manifest_of_1
from harness.policy.curve import read_curve
from harness.policy.limits import ALL_BYTES, MANIFEST_BYTES, most_bytes
from harness.policy.manifest import Manifest
from harness.policy.names import require_free_name
from harness.policy.policy import Policy
from harness.policy.problems import form_of, problem_of, require_meant
from harness.policy.seen import require_known
from harness.policy.tracks import all_tracks, fits
from harness.suite.load import validated

__all__ = [
    "MANIFEST",
    "all_policies",
    "baseline_names",
    "choose_policies",
    "find_policy",
    "load_policy",
    "policy_called",
    "read_policy",
]

MANIFEST = "submission.toml"
_POINTER = b"version https://git-lfs.github.com/spec/"
"""How Git LFS begins what it commits in place of a file."""


def all_policies() -> list[Policy]:
    """Every baseline, then every submission, by name. Raises UsageError for the first broken one."""
    return [_load(folder) for root in (BASELINES, SUBMISSIONS) for folder in _folders(root)]


def baseline_names() -> frozenset[str]:
    """Of the policies that come with the harness."""
    return frozenset(folder.name for folder in _folders(BASELINES))


def load_policy(name: str) -> Policy:
    """The policy called ``name``, or the one in the folder that ``name`` is the path of.

    A name may be that of a policy of one's own that was named by its path before.

    Raises UsageError for an unknown name and for a manifest that breaks the schema.
    """
    if _is_path(name):
        policy = _load(_folder(name))
        if policy.folder.parent not in (BASELINES, SUBMISSIONS):
            remember_policy(policy.name, policy.folder)
        return policy
    if (found := find_policy(name)) is not None:
        return found
    if (own := own_policy(name)) is not None:
        if not own.is_dir():
            raise UsageError(
                f"the policy {name!r} was in this folder, which is gone", where=str(own), hint="name its new path, once"
            )
        return _load(own)
    known = [folder.name for root in (BASELINES, SUBMISSIONS) for folder in _folders(root)]
    close = closest(name, known)
    hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(known)}."
    raise UsageError(
        f"unknown policy {name!r}", hint=f"{hint} A policy of your own is named by its folder's path, the first time."
    )


def read_policy(folder: Path, *, newer: bool = False) -> Policy:
    """The policy in this folder, which is not remembered.

    ``newer``: it may be another version of a submission that comes with the harness. Raises UsageError for a manifest
    that breaks the schema.
    """
    return _load(folder, newer=newer)


def policy_called(word: str) -> str:
    """The name that results have of a policy, which is given by name or by its folder's path."""
    return _folder(word).name if _is_path(word) else word


def _is_path(word: str) -> bool:
    """Whether a policy is named by its path."""
    return "/" in word or word in (".", "..")


def _folder(path: str) -> Path:
    """The folder that is meant: of the manifest, where its path is given."""
    place = at_home(path).resolve()
    return place.parent if place.name == MANIFEST else place


def find_policy(name: str) -> Policy | None:
    """The baseline or submission called ``name``; None where there is none. A path names nothing here.

    Raises UsageError for a manifest that breaks the schema.
    """
    for root in (BASELINES, SUBMISSIONS):
        for folder in _folders(root):
            if folder.name == name:
                return _load(folder)
    return None


def choose_policies(names: Iterable[str]) -> list[Policy]:
    """The policies of these names or paths, each once."""
    chosen: dict[str, Policy] = {}
    for name in names:
        policy = load_policy(name)
        if policy.name in chosen and chosen[policy.name].folder != policy.folder:
            raise UsageError(f"two policies are called {policy.name!r}", where=str(policy.folder))
        chosen[policy.name] = policy
    return list(chosen.values())


def _folders(root: Path) -> list[Path]:
    return sorted(path.parent for path in root.glob(f"*/{MANIFEST}"))


def _load(folder: Path, *, newer: bool = False) -> Policy:
    file = folder / MANIFEST
    if not file.is_file():
        what = "there is no such folder" if not folder.exists() else f"there is no {MANIFEST}"
        raise UsageError(what, where=str(folder))
    manifest = _manifest(folder, file)
    if folder.name != manifest.name:
        raise UsageError(f"name: {manifest.name!r} must be the folder's name, {folder.name!r}", where=str(file))
    baseline = folder.parent == BASELINES
    if not baseline:
        require_free_name(manifest.name, str(file), outside=folder.parent != SUBMISSIONS and not newer)
    contents = _contents(folder, manifest)
    policy = Policy(manifest=manifest, folder=folder, contents=contents, baseline=baseline)
    _check(policy, str(file))
    return policy


def _manifest(folder: Path, file: Path) -> Manifest:
    fields = read_toml(file, MANIFEST_BYTES, inside=folder)
    try:
        return validated(Manifest, manifest_of_1(fields) if "kind" in fields else fields, file)
    except ValueError as error:
        raise UsageError(str(error), where=str(file)) from None


def _check(policy: Policy, where: str) -> None:
    """Raise UsageError, naming the field, where problem, form and track do not go together or lack something."""
    problem, track = policy.manifest.problem, policy.manifest.track
    form_of(policy, where)
    require_known(policy.manifest.trained_on, where)
    if policy.manifest.training is not None and policy.manifest.training.curve is not None:
        read_curve(policy.folder, policy.manifest.training.curve)
    if track not in all_tracks():
        raise UsageError(f"track: unknown track {track!r}; there are: {', '.join(sorted(all_tracks()))}", where=where)
    if not fits(problem, track):
        raise UsageError(f"track: a policy of problem {problem!r} cannot have the track {track!r}", where=where)
    require_meant(policy, where)
    problem_of(problem).check(policy, where)


def _contents(folder: Path, manifest: Manifest) -> dict[str, bytes]:
    """The policy's files by role. Raises UsageError, naming the role or the file."""
    contents: dict[str, bytes] = {}
    left = ALL_BYTES
    for role, relative in manifest.files.items():
        path, where = folder / relative, f"{folder / MANIFEST}: files.{role}"
        if not path.resolve().is_relative_to(folder.resolve()):
            raise UsageError("leads out of the policy's folder", where=where)
        if not path.exists():
            raise UsageError(f"there is no such file: {path}", where=where)
        contents[role] = read_bytes(path, most_bytes(role), inside=folder)
        if contents[role].startswith(_POINTER):  # git's own commands show the file where they have Git LFS
            hint = f"commit the file itself: git lfs untrack {relative}; git add --renormalize {relative}"
            raise UsageError("a pointer of Git LFS stands in the place of the file", where=str(path), hint=hint)
        left -= len(contents[role])
        if left < 0:
            raise UsageError(f"all files together are larger than {shown_size(ALL_BYTES)}", where=where)
    return contents
