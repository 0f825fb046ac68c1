"""What the leaderboard's pages ask about programs; they show what ``harness.rank`` answers."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.base.formats import short
from harness.base.views import Choose
from harness.base.vocabulary import Target
from harness.measure import all_metrics, find_metric
from harness.policy.tracks import facts_of
from harness.problems.protocol import View
from harness.rank.facets import facets
from harness.rank.question import ALL, CLAIMED, EVERYONE, Question
from harness.rank.standings import standings
from harness.record import Header
from harness.record.fresh import fresh_words

if TYPE_CHECKING:
    import duckdb

__all__ = ["ProgramPages"]

_ORIGINS = {ALL: ALL, "debian": "upstream (debian)", "own": "own", "local": "local"}


class ProgramPages:
    """See ``harness.problems.protocol.Pages``."""

    parameters = ("reference", "metric", "split", "origin", "unseen")
    replay = "every object from its decisions"
    script = "bare clang, opt and ld commands that gives one cell's object"
    views: Mapping[str, View] = {}

    def ask(self, index: "duckdb.DuckDBPyConnection", every: Sequence[Question], choose: Choose) -> Question:
        """What ratios are of and against, and of which programs."""
        asked = every[0]
        references = facts_of(asked.track).references
        explain = "Ratios are of this policy's value to the others'."
        reference = choose("Reference", "reference", references, explain=explain)
        there = facets(index, asked)
        metric = choose(
            "Metric",
            "metric",
            [name for name in there.metrics if name.partition("@")[0] in all_metrics()] or [asked.metric],
            default=asked.metric,
            show=lambda name: f"{name} ({_unit(name, asked.target)})",
            explain=f"{asked.metric} ranks track {asked.track} here; the others are shown beside it.",
        )
        explain = "Policies should not have been made on the test split."
        usual = asked.split if asked.split in there.splits else ALL
        split = choose("Split", "split", [*there.splits, ALL], default=usual, explain=explain)
        origin = choose("Origin", "origin", [ALL, *there.origins], show=lambda o: _ORIGINS.get(o, o))
        unseen = choose(
            "Training",
            "unseen",
            [ALL, EVERYONE],
            show=lambda word: "all programs" if word == ALL else "unseen by every policy",
            explain="Programs that no policy says it was trained on show what a policy is worth on others.",
        )
        return Question(
            suite=asked.suite,
            target=asked.target,
            track=asked.track,
            metric=metric,
            reference=reference,
            llvm=asked.llvm,
            split=None if split == ALL else split,
            origin=None if origin == ALL else origin,
            unseen=() if unseen == ALL else (unseen,),
        )

    def require(self, index: "duckdb.DuckDBPyConnection", question: Question) -> None:
        """Raise UsageError where no program is of the split and the origin."""
        split, origin = question.split, question.origin
        if not any(split in (None, s) and origin in (None, o) for s, o in facets(index, question).together):
            raise UsageError(
                f"{question.suite} has no program of split {split or ALL} and origin "
                f"{_ORIGINS.get(origin or ALL, origin)}",
                hint="choose `all` for one of the two",
            )

    def view_of(self, question: Question) -> dict[str, str]:
        """The parameters that say more than that all is meant."""
        view = {
            "suite": question.suite,
            "track": question.track,
            "target": question.target,
            "reference": question.reference,
            "metric": question.metric,
            "split": question.split or ALL,
            "origin": question.origin,
            "unseen": ",".join(question.unseen),
            "llvm": short(question.llvm),
            "backing": "" if question.backing == CLAIMED else question.backing,
        }
        return {name: value for name, value in view.items() if value}

    def describe(self, question: Question) -> str:
        """Suite, target, track, restrictions and metric."""
        restricted = [f"split {question.split}"] if question.split else []
        restricted += [f"origin {_ORIGINS.get(question.origin, question.origin)}"] if question.origin else []
        restricted += ["unseen by every policy"] if question.unseen else []
        parts = [question.suite, question.target, f"track {question.track}", *restricted]
        return f"{' · '.join(parts)} · {question.metric} ({_unit(question.metric, question.target)})"

    def policies(self, index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
        """As they stand."""
        return [row.policy for row in standings(index, question)]

    def conditions(self, header: Header) -> dict[str, str]:
        """How objects were verified."""
        return {"fresh verification": fresh_words(header.fresh)}


def _unit(metric: str, target: str) -> str:
    return find_metric(metric).unit_on(Target(target))
