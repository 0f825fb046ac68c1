"""Between two policies: a compilation that takes some decisions from the one and all others from the other.

Decisions are a table by identity, and the plugin looks each call site up as it meets it
(``-inline-policy=table``). Changing one decision changes which call sites there are later; those that only the
other policy knows are decided as it did, and those that neither knows by LLVM's own heuristic. So the table
without a change gives the first policy's object, and the one with all changes the other's.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from harness.apply.compile import run_step
from harness.apply.decisions import Decisions
from harness.apply.plan import OBJECT, OPTIMISED, clang_generate, clang_optimise
from harness.base.digest import digest_file, digest_of
from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule
from harness.problems.inlining import INLINING
from harness.problems.inlining.explain.sites import Identity, Pair, identity
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.problems.inlining.sites import LogError, Site, body_of, log_of, parse_log
from harness.sandbox.bench import Bench

__all__ = ["Guided", "guided", "table_of"]

_TABLE, _LOG = "table.txt", "decisions.txt"


@dataclass(frozen=True, slots=True)
class Guided:
    """What came of a table."""

    object: Path
    digest: str
    decisions: Decisions
    """What was decided of each call site in the end: an ordinary decisions file, which can be replayed."""


def table_of(pairs: Sequence[Pair], switched: Collection[Identity]) -> list[Site]:
    """The first policy's choices, the other's where ``switched`` says so or only the other chose.

    Rules, caps and impossibilities are not in it: they come about by themselves.
    """
    table = []
    for pair in pairs:
        chosen = [site for site in (pair.a, pair.b) if site is not None and site.chosen]
        if chosen:
            table.append(chosen[-1] if identity(pair.site) in switched else chosen[0])
    return table


def guided(frozen: FrozenModule, table: Sequence[Site], bench: Bench) -> Guided:
    """The object of a table, from the cache or compiled now.

    Raises CellError: ``compile-error`` or ``compile-timeout``, with the tool's message.
    """
    options = ("-inline-policy=table", f"-inline-policy-file={_TABLE}", f"-inline-policy-log={_LOG}", *RULES)
    files = ((_TABLE, log_of(body_of(table))),)
    optimise = clang_optimise(frozen.level, frozen.target, PLUGIN, options, files)
    generate = clang_generate(frozen.level, frozen.target)
    optimise = replace(optimise, leaves=(_LOG,))
    steps = [optimise.identity, generate.identity]
    key = digest_of(["guided", 1, frozen.digest, steps, bench.toolchain.fingerprint.llvm])

    def make(entry: Path) -> dict[str, str]:
        run_step(optimise, frozen.bitcode, entry, bench)
        run_step(generate, entry / OPTIMISED, entry, bench)
        (entry / OPTIMISED).unlink()
        return {"digest": digest_file(entry / OBJECT)}

    entry, facts = bench.store.folder_with_facts(bench.area("guided"), key, make)
    try:
        body = parse_log((entry / _LOG).read_text("ascii"))
    except (LogError, UnicodeDecodeError) as error:
        raise CellError(Outcome.COMPILE_ERROR, f"the log of decisions cannot be read: {error}") from None
    return Guided(entry / OBJECT, facts["digest"], Decisions(INLINING, frozen.level, body))
