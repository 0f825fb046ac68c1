"""What can be asked of a results folder, and the defaults of a question."""

from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.rank.standings import Question
from harness.vocabulary import Track

if TYPE_CHECKING:
    import duckdb

__all__ = ["RANKING_METRIC", "REFERENCES", "fingerprints", "questions"]

RANKING_METRIC = {Track.SIZE.value: "size.alloc", Track.SPEED.value: "instructions"}
"""The metric that ranks a track."""
REFERENCES = {Track.SIZE.value: ("Oz",), Track.SPEED.value: ("greedy", "basic", "pbqp")}
"""The policies that a track's ratios are against, the usual one first."""


def fingerprints(index: "duckdb.DuckDBPyConnection") -> list[tuple[str, str]]:
    """Fingerprint and version of every compiler that rows exist of, the most recently used first."""
    query = "SELECT llvm, any_value(llvm_version) FROM runs GROUP BY llvm ORDER BY max(started) DESC"
    return [(str(llvm), str(version)) for llvm, version in index.execute(query).fetchall()]


def questions(
    index: "duckdb.DuckDBPyConnection",
    *,
    suite: str | None = None,
    targets: tuple[str, ...] = (),
    track: str | None = None,
    metric: str | None = None,
    reference: str | None = None,
    llvm: str | None = None,
    split: str | None = None,
    origin: str | None = None,
) -> list[Question]:
    """One question for each recorded suite, track, target and reference that the arguments leave open.

    Raises UsageError when nothing is recorded, or nothing of this suite, track or fingerprint.
    """
    known = fingerprints(index)
    if not known:
        raise UsageError("there are no results yet", hint="run `harness run --suite cbench` first")
    chosen = known[0][0]
    if llvm is not None:
        matching = [digest for digest, _ in known if digest.startswith(llvm)]
        if len(matching) != 1:
            have = ", ".join(f"{digest[:12]} (LLVM {version})" for digest, version in known)
            raise UsageError(f"no results of the toolchain {llvm!r}", hint=f"there are: {have}")
        chosen = matching[0]
    found = index.execute(
        "SELECT DISTINCT suite, track, target FROM cells WHERE llvm = ? ORDER BY suite, track, target DESC", [chosen]
    ).fetchall()
    kept = [
        (s, t, target)
        for s, t, target in found
        if (suite is None or s == suite) and (track is None or t == track) and (not targets or target in targets)
    ]
    if not kept:
        have = ", ".join(sorted({f"{s} (track {t}, {target})" for s, t, target in found}))
        wanted = ", ".join(word for word in (suite and f"suite {suite}", track and f"track {track}", *targets) if word)
        raise UsageError(f"no results of {wanted}", hint=f"there are: {have}")
    return [
        Question(
            suite=s,
            target=target,
            track=t,
            metric=metric or RANKING_METRIC[t],
            reference=against,
            llvm=chosen,
            split=split,
            origin=origin,
        )
        for s, t, target in kept
        for against in ([reference] if reference else REFERENCES[t])
    ]
