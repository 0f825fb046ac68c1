"""Why a question has no answer: of whom nothing is recorded, and what would change that."""

from typing import TYPE_CHECKING

from harness.base.errors import UsageError
from harness.base.own import own_policy
from harness.base.text import closest
from harness.base.vocabulary import SIZE
from harness.policy.load import find_policy
from harness.policy.tracks import facts_of
from harness.rank.facets import facets
from harness.rank.question import Question, benchmarks_called, quote

if TYPE_CHECKING:
    import duckdb

__all__ = ["no_reference", "no_rows"]


def no_rows(index: "duckdb.DuckDBPyConnection", question: Question, policy: str) -> UsageError:
    """The error of a policy that nothing is recorded of: who has rows is named, where a name may be misspelt."""
    where = ", ".join((question.suite, question.target, f"track {question.track}", *question.restrictions))
    return UsageError(f"no rows of policy {policy!r} for {where}", hint=_hint(index, question, policy))


def no_reference(index: "duckdb.DuckDBPyConnection", question: Question) -> UsageError:
    """The error of a question whose reference has no value."""
    about = (question.suite, question.target, f"track {question.track}", f"metric {question.metric}")
    return UsageError(
        f"no rows of the reference policy {question.reference!r} for {', '.join((*about, *question.restrictions))}",
        hint=_hint(index, question, question.reference),
    )


def _hint(index: "duckdb.DuckDBPyConnection", question: Question, policy: str) -> str:
    """What there is instead, and the command that measures the policy, where one would."""
    have = _recorded(index, question)
    if not have:
        return _other_benchmarks(index, question)
    close = closest(policy, have)
    meant = f"did you mean {close!r}? " if close and close != policy else ""
    if policy in have:  # not by this metric
        return f"run `{_command(question, policy)}` first"
    there = f"there are: {', '.join(have)}"
    if find_policy(policy) is None and own_policy(policy) is None:
        return f"{meant}there is no policy of that name; {there}"
    return f"{meant}{'Or ' if meant else ''}run `{_command(question, policy)}` first; {there}"


def _recorded(index: "duckdb.DuckDBPyConnection", question: Question) -> list[str]:
    """Who was measured on any of the question's benchmarks, by name."""
    conditions = [question.in_suites, f"track = {quote(question.track)}", f"llvm = {quote(question.llvm)}"]
    if facts_of(question.track).compiled:
        conditions.append(f"target = {quote(question.target)}")
    where = " AND ".join([*conditions, *question.among()])
    query = f"SELECT DISTINCT policy FROM cells WHERE {where} ORDER BY policy"
    return [str(name) for (name,) in index.execute(query).fetchall()]


def _other_benchmarks(index: "duckdb.DuckDBPyConnection", question: Question) -> str:
    """Which there are, where none is as it was asked for."""
    found = facets(index, question)
    if not found.together:
        return f"nobody was measured on these {benchmarks_called(question)}"
    there = f"--split {'|'.join((*found.splits, 'all'))} and --origin {'|'.join(found.origins)}"
    return f"nobody was measured on such {benchmarks_called(question)}: there are {there}"


def _command(question: Question, policy: str) -> str:
    facts, metric = facts_of(question.track), question.quantity
    track = f" --track {question.track}" if facts.compiled and question.track != SIZE else ""
    by_name = metric.by_name or metric.cpu is not None or question.track not in metric.tracks
    named = f" --metric {question.metric}" if by_name else ""
    return f"harness run --suite {question.suite}{track}{named} --policy {policy}"
