"""What several pages say in the same words: helps of columns, and how figures come from a query's rows."""

from typing import TYPE_CHECKING

from harness.base.formats import plain
from harness.rank.isolation import hurried_policies, packages_of, trusted_policies
from harness.rank.question import Question
from harness.sandbox.bench import ASKED_AGAIN_AFTER

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "DECIDED",
    "JUDGED",
    "OF_CEILING",
    "SEEN",
    "SHARED",
    "UNCHECKED",
    "how_compared",
    "how_computed",
    "rules_broken",
]

SHARED = "Policies that cannot be told apart share ranks."
DECIDED = "Programs better than the reference, equal or equivalent, not resolved, worse, failed or not run."
JUDGED = "Of strict against the reference, with an error of 5 % over the class."
OF_CEILING = "Log strict over that of the best that is known of its own problem, on the programs that have one."
SEEN = "The difference that the verdict would find in four of five cases."

_PAIRED = (
    "Rows come with their pairs: a ratio is exp of the Hodges–Lehmann estimate of `log_ratio`, "
    "the mean of each layout first; of the same object it is 1."
)
_STRICT = "Strict is the geometric mean over programs of that over seeds"

_BY = (
    "Of the same rows verdicts are by `harness.rank.verdicts.judge`, ranks by `harness.rank.pairs.ranks`, intervals by "
    "`harness.statistics.suite_effect`."
)
UNCHECKED = (
    "Class, budget and what a policy was made on (`trained_on`) are its submitter's word, which nothing can check. "
    "Sizes are of the object that the policy decided, not of libc."
)


def how_computed(question: Question) -> str:
    """From the rows of the queries behind standings and programs, one a program and seed, to their figures."""
    if question.quantity.paired:
        return f"{_PAIRED} {_STRICT}; what a failure counts as: `harness.rank.sides.counted`. {_BY}"
    return f"{_STRICT} of `counted`, matched of `ratio`. {_BY}"


def how_compared(question: Question) -> str | None:
    """The same of a comparison's query; None where it gives the ratios itself."""
    return _PAIRED if question.quantity.paired else None


def rules_broken(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """Under which weaker rules something in the standings was measured, in Markdown."""
    found = []
    if trusted := trusted_policies(index, question):
        found.append(f"Measured without the sandbox (`--trust`): {', '.join(map(plain, trusted))}")
    if packages := packages_of(index, question):
        who = ", ".join(map(plain, packages))
        found.append(f"With code of other packages in the harness, which no sandbox holds: {who}")
    if hurried := hurried_policies(index, question):
        who = ", ".join(map(plain, hurried))
        found.append(f"In runs that asked policies again sooner than after {ASKED_AGAIN_AFTER:g} s: {who}")
    return found
