"""What the leaderboard's pages ask about instances, and show of solvers in the place of ratios."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from harness.base.formats import ABSENT, short
from harness.base.views import Choose
from harness.problems.instances import views
from harness.problems.instances.domain import Domain
from harness.problems.instances.standings import solver_standings
from harness.problems.protocol import View
from harness.rank.facets import facets
from harness.rank.question import CLAIMED, Question
from harness.record import Header

if TYPE_CHECKING:
    import duckdb

__all__ = ["InstancePages"]

_ALL = "all"
_ORIGINS = {"contest": "contest instances", "own": "made instances", "local": "local instances"}


@dataclass(frozen=True)
class InstancePages:
    """See ``harness.problems.protocol.Pages``."""

    domain: Domain[Any]
    parameters: tuple[str, ...] = ("time_scale", "cores", "origin", "split", "published")
    replay: str = "judge every assignment again"
    script: str = "plain Python that judges one cell's assignment"

    def ask(self, index: "duckdb.DuckDBPyConnection", every: Sequence[Question], choose: Choose) -> Question:
        """Under which conditions, on which instances."""
        explain = "Share of the instances' time limits that solvers had."
        scales = _distinct([f"{q.under('time_scale'):g}" for q in every])
        scale = choose("Time scale", "time_scale", scales, explain=explain)
        every = [q for q in every if f"{q.under('time_scale'):g}" == scale]
        cores = choose("Cores", "cores", _distinct([str(q.under("cores")) for q in every]))
        every = [q for q in every if str(q.under("cores")) == cores]
        origins = _distinct([str(q.origin) for q in every])
        origin = choose("Instances", "origin", origins, show=lambda o: _ORIGINS.get(o, o))
        asked = next(q for q in every if q.origin == origin)
        splits = sorted({split for split, of in facets(index, asked).together if of == origin})
        split = choose("Split", "split", [_ALL, *splits], default=asked.split)
        return replace(asked, split=None if split == _ALL else split)

    def require(self, index: "duckdb.DuckDBPyConnection", question: Question) -> None:
        """Nothing: only splits of the origin can be chosen."""

    def view_of(self, question: Question) -> dict[str, str]:
        """The parameters that say more than that all is meant."""
        view = {
            "suite": question.suite,
            "track": question.track,
            "target": question.target,
            "time_scale": f"{question.under('time_scale'):g}",
            "cores": str(question.under("cores")),
            "split": question.split or _ALL,
            "origin": question.origin,
            "llvm": short(question.llvm),
            "backing": "" if question.backing == CLAIMED else question.backing,
        }
        return {name: value for name, value in view.items() if value}

    def describe(self, question: Question) -> str:
        """Suite, instances and conditions."""
        kind = _ORIGINS.get(str(question.origin), "all instances")
        restricted = [f"split {question.split}"] if question.split else []
        scale, cores = question.under("time_scale"), question.under("cores")
        how = f"time scale {scale:g} · {cores} core{'s' if cores != 1 else ''}"
        return " · ".join([question.suite, kind, *restricted, how])

    def policies(self, index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
        """As they stand."""
        return [row.policy for row in solver_standings(self.domain, index, question, published=False).standings]

    def conditions(self, header: Header) -> dict[str, str]:
        """Under which conditions solvers ran."""
        found = {"fresh verification": ABSENT}
        if header.solving is None:
            return found
        how = header.solving
        found |= {"solvers": f"time scale {how.time_scale:g}, one at a time on {how.cores} cores"}
        return found | ({"missing": ", ".join(sorted(how.missing))} if how.missing else {})

    @property
    def views(self) -> Mapping[str, View]:
        """Scores, and one solver's instances."""
        return {
            "standings": View("Standings", partial(views.standings, self.domain, self)),
            "program": View("Instances", partial(views.instances, self.domain, self)),
        }


def _distinct(values: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(values))
