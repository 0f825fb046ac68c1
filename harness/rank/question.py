"""What can be asked of a results folder, and the defaults of a question."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.errors import UsageError
from harness.measure import all_metrics
from harness.policy.tracks import REFERENCES as REFERENCES_OF
from harness.vocabulary import Track

if TYPE_CHECKING:
    import duckdb

    from harness.measure import Metric

__all__ = [
    "EVERYONE",
    "PAIRED",
    "REFERENCES",
    "Question",
    "can_be_zero",
    "fingerprints",
    "floor",
    "is_of_object",
    "is_paired",
    "is_timed",
    "questions",
    "quote",
    "ranking_metric",
]

PAIRED = "runtime.cpu"
"""The time that campaigns give pairs of."""
REFERENCES = {track.value: policies for track, policies in REFERENCES_OF.items()}
"""The policies that a track's ratios are against, the usual one first."""
EVERYONE = "everyone"
"""Stands for every policy in ``Question.unseen``."""
_COUNTED = {Track.SIZE.value: "size.alloc", Track.SPEED.value: "instructions"}
"""The metric that ranks a track where nothing was timed."""
_FLOOR = {Track.SIZE.value: "O0", Track.SPEED.value: "fast-o0"}
"""The policy that a failed benchmark counts as, where that is worse than the reference."""
_NOT_OF_OBJECT = ("compile.", "decide.", "ir.")
"""Metrics of how an object came to be: equal objects may differ in them."""


@dataclass(frozen=True)
class Question:
    """Which standings."""

    suite: str
    target: str
    track: str
    metric: str
    reference: str
    llvm: str
    """Fingerprint of the compiler."""
    split: str | None = None
    origin: str | None = None
    """Restrict to benchmarks of this split, of this origin."""
    unseen: tuple[str, ...] = ()
    """Restrict to benchmarks that these policies were not trained on; ``everyone`` stands for all."""

    @property
    def restrictions(self) -> tuple[str, ...]:
        """For people: what it is restricted to."""
        unseen = (f"unseen by {', '.join(self.unseen)}",) if self.unseen else ()
        return (*filter(None, (self.split, self.origin)), *unseen)


def quote(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def floor(question: Question) -> str:
    """What a failed benchmark counts as: the worse of the reference and this policy."""
    return _FLOOR.get(question.track, "O0")


def is_timed(metric: str) -> bool:
    """Whether a campaign takes the metric: its values are medians that no ratio may be made of."""
    known = _known(metric)
    return known is not None and known.timed


def is_paired(metric: str) -> bool:
    """Whether ratios of the metric come from pairs in blocks, not from values."""
    return metric == PAIRED


def is_of_object(metric: str) -> bool:
    """Whether equal objects are equal in the metric."""
    return not metric.startswith(_NOT_OF_OBJECT)


def can_be_zero(metric: str) -> bool:
    """Whether zero is a good value of the metric: ratios are of the values plus one then."""
    known = _known(metric)
    return known is not None and known.can_be_zero


def _known(metric: str) -> "Metric | None":
    return all_metrics().get(metric.partition("@")[0])


def ranking_metric(index: "duckdb.DuckDBPyConnection", suite: str, track: str, target: str) -> str:
    """The metric that ranks: run time in track speed where programs of the suite were timed, else what is counted."""
    if track == Track.SPEED.value:
        timed = index.execute("SELECT count(*) FROM timings WHERE suite = ? AND target = ?", [suite, target]).fetchone()
        if timed and timed[0]:
            return PAIRED
    return _COUNTED[track]


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
    unseen: tuple[str, ...] = (),
) -> list[Question]:
    """One question for each recorded suite, track, target and reference that the arguments leave open.

    Raises UsageError when nothing is recorded, or nothing of this suite, track or fingerprint, or of a policy in
    ``unseen``: leaving out nothing would look like having left out what it was trained on.
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
    _require_recorded(index, unseen)
    return [
        Question(
            suite=s,
            target=target,
            track=t,
            metric=metric or ranking_metric(index, s, t, target),
            reference=against,
            llvm=chosen,
            split=split,
            origin=origin,
            unseen=unseen,
        )
        for s, t, target in kept
        for against in ([reference] if reference else REFERENCES[t])
    ]


def _require_recorded(index: "duckdb.DuckDBPyConnection", policies: tuple[str, ...]) -> None:
    have = [str(name) for (name,) in index.execute("SELECT DISTINCT policy FROM cells ORDER BY policy").fetchall()]
    if unknown := sorted({*policies} - {*have, EVERYONE}):
        raise UsageError(
            f"no results of the policy {unknown[0]!r}: what it was trained on is not known",
            hint=f"there are: {', '.join(have)}; or {EVERYONE}",
        )
