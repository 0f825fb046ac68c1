"""The question that a page answers: selectors in the sidebar, bound to the address bar."""

import shlex
from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from harness.base.errors import UsageError
from harness.base.vocabulary import Target
from harness.measure import all_metrics, find_metric
from harness.page import address
from harness.page.formats import short
from harness.policy.tracks import facts_of
from harness.rank.facets import facets
from harness.rank.question import EVERYONE, Question, fingerprints, questions

if TYPE_CHECKING:
    import duckdb

__all__ = ["ask", "command_options", "describe", "unit", "view_of"]

_ALL = "all"
_INSTANCES = {"contest": "contest instances", "own": "made instances", "local": "local instances"}
_ORIGINS = {_ALL: _ALL, "debian": "upstream (debian)", "own": "own", "local": "local"}


def ask(index: "duckdb.DuckDBPyConnection") -> Question:
    """The selectors, each with what rows exist of; returns the question they make.

    Raises UsageError when nothing is recorded.
    """
    compilers = {short(llvm): version for llvm, version in fingerprints(index)}
    if not compilers:
        questions(index)  # raises, and says what to do
    st.sidebar.divider()
    place, below = st.sidebar.container(), st.sidebar.container()
    llvm = address.choose(
        below,
        "Compiler",
        "llvm",
        list(compilers),
        show=lambda digest: f"LLVM {compilers[digest]} ({digest})",
        explain="Version and fingerprint. Rows of different compilers are never ranked together.",
    )
    every = questions(index, llvm=llvm)
    suite = address.choose(place, "Suite", "suite", _distinct(q.suite for q in every))
    of_suite = [q for q in every if q.suite == suite]
    track = address.choose(place, "Track", "track", _distinct(q.track for q in of_suite))
    of_track = [q for q in of_suite if q.track == track]
    target = address.choose(place, "Target", "target", _distinct(q.target for q in of_track))
    if not facts_of(track).compiled:
        return _ask_of_solvers(place, index, [q for q in of_track if q.target == target])
    asked = next(q for q in of_track if q.target == target)
    references = facts_of(track).references
    explain = "Ratios are of this policy's value to the others'."
    reference = address.choose(place, "Reference", "reference", references, explain=explain)
    there = facets(index, asked)
    metric = address.choose(
        place,
        "Metric",
        "metric",
        [name for name in there.metrics if name.partition("@")[0] in all_metrics()] or [asked.metric],
        default=asked.metric,
        show=lambda name: f"{name} ({unit(name, target)})",
        explain=f"{asked.metric} ranks track {track} here; the others are shown beside it.",
    )
    split = address.choose(place, "Split", "split", [_ALL, *there.splits])
    origin = address.choose(place, "Origin", "origin", [_ALL, *there.origins], show=lambda o: _ORIGINS.get(o, o))
    unseen = address.choose(
        place,
        "Training",
        "unseen",
        [_ALL, EVERYONE],
        show=lambda word: "all programs" if word == _ALL else "unseen by every policy",
        explain="Programs that no policy says it was trained on show what a policy is worth on others.",
    )
    question = Question(
        suite=suite,
        target=target,
        track=track,
        metric=metric,
        reference=reference,
        llvm=asked.llvm,
        split=None if split == _ALL else split,
        origin=None if origin == _ALL else origin,
        unseen=() if unseen == _ALL else (unseen,),
    )
    address.remember(view_of(question))
    if not any(split in (_ALL, s) and origin in (_ALL, o) for s, o in there.together):
        raise UsageError(
            f"{suite} has no program of split {split} and origin {_ORIGINS.get(origin, origin)}",
            hint="choose `all` for one of the two",
        )
    return question


def _ask_of_solvers(place: DeltaGenerator, index: "duckdb.DuckDBPyConnection", every: list[Question]) -> Question:
    """The rest of the selectors where solvers are compared: under which conditions, on which instances."""
    scales = _distinct(f"{q.time_scale:g}" for q in every)
    explain = "Share of the instances' time limits that solvers had."
    scale = address.choose(place, "Time scale", "time_scale", scales, explain=explain)
    every = [q for q in every if f"{q.time_scale:g}" == scale]
    cores = address.choose(place, "Cores", "cores", _distinct(str(q.cores) for q in every))
    every = [q for q in every if str(q.cores) == cores]
    origins = _distinct(str(q.origin) for q in every)
    origin = address.choose(place, "Instances", "origin", origins, show=lambda o: _INSTANCES.get(o, o))
    asked = next(q for q in every if q.origin == origin)
    splits = sorted({split for split, of in facets(index, asked).together if of == origin})
    split = address.choose(place, "Split", "split", [_ALL, *splits])
    question = replace(asked, split=None if split == _ALL else split)
    address.remember(view_of(question))
    return question


def view_of(question: Question) -> dict[str, str]:
    """The address that asks this question."""
    if not facts_of(question.track).compiled:
        view = {
            "suite": question.suite,
            "track": question.track,
            "target": question.target,
            "time_scale": f"{question.time_scale:g}",
            "cores": str(question.cores),
            "split": question.split or _ALL,
            "origin": question.origin or _ALL,
            "llvm": short(question.llvm),
        }
        return {name: value for name, value in view.items() if value != _ALL}
    view = {
        "suite": question.suite,
        "track": question.track,
        "target": question.target,
        "reference": question.reference,
        "metric": question.metric,
        "split": question.split or _ALL,
        "origin": question.origin or _ALL,
        "unseen": ",".join(question.unseen) or _ALL,
        "llvm": short(question.llvm),
    }
    return {name: value for name, value in view.items() if value != _ALL}


def command_options(question: Question, *, without: Container[str] = ()) -> str:
    """The options that ask the same question on the command line; ``without`` those that a verb lacks."""
    view = view_of(question).items()
    return " ".join(f"--{name.replace('_', '-')} {shlex.quote(value)}" for name, value in view if name not in without)


def describe(question: Question) -> str:
    """One line that says what is looked at."""
    restricted = [f"split {question.split}"] if question.split else []
    if not facts_of(question.track).compiled:
        kind = _INSTANCES.get(str(question.origin), "all instances")
        how = f"time scale {question.time_scale:g} · {question.cores} core{'s' if question.cores != 1 else ''}"
        return " · ".join([question.suite, kind, *restricted, how])
    restricted += [f"origin {_ORIGINS.get(question.origin, question.origin)}"] if question.origin else []
    restricted += ["unseen by every policy"] if question.unseen else []
    parts = [question.suite, question.target, f"track {question.track}", *restricted]
    return f"{' · '.join(parts)} · {question.metric} ({unit(question.metric, question.target)})"


def unit(metric: str, target: str) -> str:
    """The metric's unit on a target."""
    return find_metric(metric).unit_on(Target(target))


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
