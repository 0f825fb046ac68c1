"""What can be asked of a results folder, and the defaults of a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.measure import Metric, find_metric, metrics_of
from harness.policy.tracks import all_tracks, facts_of

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "EVERYONE",
    "Question",
    "benchmarks_called",
    "fingerprints",
    "floor",
    "questions",
    "quote",
    "ranking_metric",
]

EVERYONE = "everyone"
"""Stands for every policy in ``Question.unseen``."""


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

    time_scale: float | None = None
    """Of solvers: the share of the instances' limits that they had."""
    cores: int | None = None
    """Of solvers: that each had."""

    @property
    def quantity(self) -> Metric:
        """The metric, with all that it says about itself."""
        return find_metric(self.metric)

    @property
    def restrictions(self) -> tuple[str, ...]:
        """For people: what it is restricted to."""
        unseen = (f"unseen by {', '.join(self.unseen)}",) if self.unseen else ()
        return (*filter(None, (self.split, self.origin)), *unseen)


def benchmarks_called(question: Question) -> str:
    """What its benchmarks are: ``programs``, ``instances``."""
    return facts_of(question.track).benchmarks


def quote(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def floor(question: Question) -> str:
    """What a failed benchmark counts as: the worse of the reference and this policy."""
    return facts_of(question.track).floor


def ranking_metric(index: "duckdb.DuckDBPyConnection", suite: str, track: str, target: str) -> str:
    """The metric that ranks: run time where the track has it and the suite was timed, or what is counted."""
    facts = facts_of(track)
    if facts.timed:
        timed = index.execute("SELECT count(*) FROM timings WHERE suite = ? AND target = ?", [suite, target]).fetchone()
        if timed and timed[0]:
            return facts.timed
    return facts.metric


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
    time_scale: float | None = None,
    cores: int | None = None,
) -> list[Question]:
    """One question for each recorded suite, track, target and reference that the arguments leave open.

    Of solvers: for each time scale and number of cores too, and for instances of each origin.

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
    by_origin = [name for name, facts in all_tracks().items() if "origin" in facts.conditions]
    found = index.execute(_RECORDED, [by_origin, chosen]).fetchall()
    kept = [
        (s, t, target, *how)
        for s, t, target, *how in found
        if (suite is None or s == suite) and (track is None or t == track) and (not targets or target in targets)
        if _fits(how, (time_scale, cores, origin))
        if metric is None or metric.partition("@")[0] in metrics_of(t)
        if reference is None or _can_be_against(t, reference)
    ]
    if not kept:
        have = ", ".join(sorted({_described(*row) for row in found}))
        words: tuple[str | None, ...] = (metric and f"metric {metric}", reference and f"reference {reference}")
        words += (suite and f"suite {suite}", track and f"track {track}", *targets)
        how = (time_scale and f"time scale {time_scale:g}", cores and f"{cores} cores", origin and f"origin {origin}")
        wanted = ", ".join(word for word in (*words, *how) if word)
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
            origin=of or origin,
            unseen=unseen,
            time_scale=scale,
            cores=on,
        )
        for s, t, target, scale, on, of in kept
        for against in ([reference] if reference else facts_of(t).references)
    ]


def _can_be_against(track: str, reference: str) -> bool:
    """Whether the track's ratios can be against it: a reference that is no policy is its own track's alone."""
    owners = [name for name, facts in all_tracks().items() if not facts.compiled and reference in facts.references]
    return track in owners if owners else facts_of(track).compiled


_RECORDED = """SELECT DISTINCT suite, track, target, time_scale, cores,
       CASE WHEN list_contains(?, track) THEN origin END AS origin
FROM cells WHERE llvm = ? ORDER BY suite, track, target DESC, time_scale DESC, cores, origin"""


def _fits(how: Sequence[object], wanted: Sequence[object]) -> bool:
    """Whether solvers ran so; the wish for an origin says nothing here of programs, which are not told apart by it."""
    scale, cores, origin = how
    asked_scale, asked_cores, asked_origin = wanted
    pairs = ((asked_scale, scale), (asked_cores, cores), (asked_origin if origin else None, origin))
    return all(asked in (None, there) for asked, there in pairs)


def _described(suite: str, track: str, target: str, scale: float | None, cores: int | None, origin: str | None) -> str:
    how = "" if scale is None else f", time scale {scale:g}, {cores} cores, origin {origin}"
    return f"{suite} (track {track}, {target}{how})"


def _require_recorded(index: "duckdb.DuckDBPyConnection", policies: tuple[str, ...]) -> None:
    have = [str(name) for (name,) in index.execute("SELECT DISTINCT policy FROM cells ORDER BY policy").fetchall()]
    if unknown := sorted({*policies} - {*have, EVERYONE}):
        raise UsageError(
            f"no results of the policy {unknown[0]!r}: what it was trained on is not known",
            hint=f"there are: {', '.join(have)}; or {EVERYONE}",
        )
