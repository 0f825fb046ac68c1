"""What can be asked of a results folder, and the defaults of a question."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.base.errors import UsageError
from harness.base.text import closest
from harness.base.vocabulary import Split
from harness.measure import Metric, find_metric, metrics_of
from harness.policy.tracks import all_conditions, all_tracks, facts_of
from harness.suite.known import RESERVED
from harness.suite.together import members

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "ALL",
    "CLAIMED",
    "EVERYONE",
    "Question",
    "benchmarks_called",
    "fingerprints",
    "floor",
    "literal",
    "questions",
    "quote",
    "ranking_metric",
]

ALL = "all"
"""Stands for every split."""
CLAIMED = "claimed"
"""The backing that every run has."""
_NAMED = 4
"""Benchmarks that a title names."""
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
    """Restrict to benchmarks of this split, of this origin; None: all."""
    unseen: tuple[str, ...] = ()
    """Restrict to benchmarks that these policies were not trained on; ``everyone`` stands for all."""
    benchmarks: tuple[str, ...] = ()
    """Restrict to the benchmarks of these names; none: all."""
    conditions: tuple[tuple[str, Any], ...] = ()
    """Name and value of each of the track's conditions, but for an origin, under which policies ran."""
    backing: str = CLAIMED
    """What stands behind the runs at least: which those are is the index's matter (``harness.record.backing``)."""

    @property
    def suites(self) -> tuple[str, ...]:
        """Those whose programs are meant: several, where ``suite`` is ``all``."""
        return members(self.suite)

    @property
    def in_suites(self) -> str:
        """SQL of whether a row's column ``suite`` is one of them."""
        return _in(self.suites)

    def among(self, table: str = "") -> list[str]:
        """SQL conditions on a ``table``'s split, origin and benchmark: what it is restricted to, but for ``unseen``."""
        prefix = f"{table}." if table else ""
        found = [f"{prefix}split = {quote(self.split)}"] if self.split else []
        found += [f"{prefix}origin = {quote(self.origin)}"] if self.origin else []
        found += [f"{prefix}benchmark IN ({', '.join(map(quote, self.benchmarks))})"] if self.benchmarks else []
        return found

    def under(self, condition: str) -> Any:
        """The value of a condition of the track."""
        return dict(self.conditions)[condition]

    @property
    def how(self) -> str:
        """For people: under which conditions policies ran; empty for a track without any."""
        return _in_words(dict(self.conditions))

    @property
    def quantity(self) -> Metric:
        """The metric, with all that it says about itself."""
        return find_metric(self.metric)

    @property
    def restrictions(self) -> tuple[str, ...]:
        """For people: what it is restricted to."""
        unseen = (f"unseen by {', '.join(self.unseen)}",) if self.unseen else ()
        split = f"{self.split} split" if self.split else None
        named = f"only {_some(self.benchmarks)}" if self.benchmarks else None
        return (*filter(None, (split, self.origin, named)), *unseen)


def _some(names: tuple[str, ...]) -> str:
    """The names, as far as they fit into a title."""
    return (
        ", ".join(names)
        if len(names) <= _NAMED
        else f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"
    )


def _in(suites: tuple[str, ...]) -> str:
    return f"suite IN ({', '.join(map(quote, suites))})" if len(suites) > 1 else f"suite = {quote(suites[0])}"


def benchmarks_called(question: Question) -> str:
    """What its benchmarks are: ``programs``, ``instances``."""
    return facts_of(question.track).benchmarks


def quote(text: str) -> str:
    """A SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def literal(value: Any) -> str:
    """A SQL literal of a condition."""
    return quote(value) if isinstance(value, str) else repr(value)


def floor(question: Question) -> str:
    """The track's slowest baseline, which a failed benchmark counts at most as."""
    return facts_of(question.track).floor


def ranking_metric(index: "duckdb.DuckDBPyConnection", suite: str, track: str, target: str) -> str:
    """The metric that ranks: run time where the track has it and the suite was timed, or what is counted."""
    facts = facts_of(track)
    if facts.timed:
        query = f"SELECT count(*) FROM timings WHERE {_in(members(suite))} AND target = ?"
        timed = index.execute(query, [target]).fetchone()
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
    benchmarks: tuple[str, ...] = (),
    **conditions: Any,
) -> list[Question]:
    """One question for each recorded suite, track, target, reference and condition that the arguments leave open.

    ``split``: ``train``, ``test`` or ``all``. By default programs are those of the test split, which no policy should
    have been made on, where the reference was measured on any, or, of a track without one, anybody; and the
    ``benchmarks`` that are named, of whichever split.

    Raises UsageError when nothing is recorded, or nothing of this suite, track or fingerprint, of a benchmark, or of a
    policy in ``unseen``: leaving out nothing would look like having left out what it was trained on.
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
    found = _with_those_together(_recorded(index, chosen))
    kept = [
        (s, t, target, how)
        for s, t, target, how in found
        if (suite is None or s == suite) and (track is None or t == track) and (not targets or target in targets)
        if _fits(how, conditions | {"origin": origin})
        if metric is None or metric.partition("@")[0] in metrics_of(t)
        if reference is None or _can_be_against(t, reference)
    ]
    if not kept:
        nearest = sorted({(row[0] != suite, row[1] != track, _described(*row)) for row in found})
        have = ", ".join(described for *_, described in nearest)
        words: tuple[str | None, ...] = (metric and f"metric {metric}", reference and f"reference {reference}")
        words += (suite and f"suite {suite}", track and f"track {track}", *targets)
        wanted = ", ".join(word for word in (*words, _in_words(conditions | {"origin": origin})) if word)
        raise UsageError(f"no results of {wanted}", hint=f"there are: {have}")
    _require_recorded(index, unseen)
    _require_benchmarks(index, benchmarks)
    split = ALL if benchmarks and split is None else split
    return [
        Question(
            suite=s,
            target=target,
            track=t,
            metric=metric or ranking_metric(index, s, t, target),
            reference=against,
            llvm=chosen,
            split=_split(index, split, s, t, target, against, chosen, how.get("origin")),
            origin=how.get("origin", origin),
            unseen=unseen,
            benchmarks=benchmarks,
            conditions=tuple((name, value) for name, value in how.items() if name != "origin"),
        )
        for s, t, target, how in kept
        for against in ([reference] if reference else facts_of(t).references)
    ]


def _split(
    index: "duckdb.DuckDBPyConnection",
    wanted: str | None,
    suite: str,
    track: str,
    target: str,
    reference: str,
    llvm: str,
    origin: str | None,
) -> str | None:
    if wanted is not None:
        return None if wanted == ALL else wanted
    if not facts_of(track).compiled:  # nobody is the reference
        query = f"SELECT count(*) FROM cells WHERE {_in(members(suite))} AND track = ? AND llvm = ? AND split = ?"
        query += "" if origin is None else f" AND origin = {quote(origin)}"
        found = index.execute(query, [track, llvm, Split.TEST.value]).fetchone()
        return Split.TEST.value if found and found[0] else None
    query = f"""SELECT count(*) FROM cells
WHERE {_in(members(suite))} AND track = ? AND target = ? AND policy = ? AND llvm = ? AND split = ?"""
    found = index.execute(query, [track, target, reference, llvm, Split.TEST.value]).fetchone()
    return Split.TEST.value if found and found[0] else None


def _can_be_against(track: str, reference: str) -> bool:
    """Whether the track's ratios can be against it: a reference that is no policy is its own track's alone."""
    owners = [name for name, facts in all_tracks().items() if not facts.compiled and reference in facts.references]
    return track in owners if owners else facts_of(track).compiled


def _recorded(index: "duckdb.DuckDBPyConnection", llvm: str) -> "list[Recorded]":
    """Suite, track, target and conditions of what was recorded with a compiler; conditions only of tracks with such."""
    every = all_conditions().values()
    having = [[t for t, facts in all_tracks().items() if one in facts.conditions] for one in every]
    columns = "".join(f", CASE WHEN list_contains(?, track) THEN {one.name} END AS {one.name}" for one in every)
    order = "".join(f", {one.name}{' DESC' if one.descending else ''}" for one in every)
    query = f"""SELECT DISTINCT suite, track, target{columns} FROM cells WHERE llvm = ?
ORDER BY suite, track, target DESC{order}"""
    found = index.execute(query, [*having, llvm]).fetchall()
    return [
        (
            s,
            t,
            target,
            {one.name: value for one, value in zip(every, how, strict=True) if one in facts_of(t).conditions},
        )
        for s, t, target, *how in found
    ]


Recorded = tuple[str, str, str, dict[str, Any]]


def _with_those_together(found: list[Recorded]) -> list[Recorded]:
    """The same, before it those of several suites at once: where more than one was recorded so, and not all of them
    are in the smaller group."""
    first: list[Recorded] = []
    groups = [members(name) for name in RESERVED]
    for name, mine in zip(RESERVED, groups, strict=True):
        for suite, track, target, how in found:
            recorded = {one[0] for one in found if one[1:] == (track, target, how) and one[0] in groups[0]}
            joint = suite in mine and len(recorded) > 1 and (name == ALL or not recorded <= {*mine})
            if joint and (name, track, target, how) not in first:
                first.append((name, track, target, how))
    return first + found


def _fits(how: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether policies ran so; the wish for an origin says nothing here of a track that is not told apart by it."""
    asked = {name: value for name, value in wanted.items() if value is not None and (name in how or name != "origin")}
    return all(how.get(name) == value for name, value in asked.items())


def _in_words(how: Mapping[str, Any]) -> str:
    found = ((one, how.get(name)) for name, one in all_conditions().items())
    return ", ".join(one.words.format(value) for one, value in found if value is not None)


def _described(suite: str, track: str, target: str, how: Mapping[str, Any]) -> str:
    return f"{suite} ({', '.join(filter(None, (f'track {track}', target, _in_words(how))))})"


def _require_recorded(index: "duckdb.DuckDBPyConnection", policies: tuple[str, ...]) -> None:
    have = [str(name) for (name,) in index.execute("SELECT DISTINCT policy FROM cells ORDER BY policy").fetchall()]
    if unknown := sorted({*policies} - {*have, EVERYONE}):
        raise UsageError(
            f"no results of the policy {unknown[0]!r}: what it was trained on is not known",
            hint=f"there are: {', '.join(have)}; or {EVERYONE}",
        )


def _require_benchmarks(index: "duckdb.DuckDBPyConnection", benchmarks: tuple[str, ...]) -> None:
    have = [str(name) for (name,) in index.execute("SELECT DISTINCT benchmark FROM cells ORDER BY 1").fetchall()]
    if unknown := sorted({*benchmarks} - {*have}):
        close = closest(unknown[0], have)
        hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(have)}"
        raise UsageError(f"no results of the benchmark {unknown[0]!r}", hint=hint)
