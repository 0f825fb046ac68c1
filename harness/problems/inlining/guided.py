"""A compilation under a table of decisions by identity: the plugin looks each call site up as it meets it
(``-inline-policy=table``), and those that the table does not have are decided by LLVM's own heuristic.
"""

from collections.abc import Sequence
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
from harness.problems.inlining.replay import PLUGIN, RULES
from harness.problems.inlining.sites import LogError, Site, body_of, log_of, parse_log
from harness.sandbox.bench import Bench

__all__ = ["Guided", "guided"]

_TABLE, _LOG = "table.txt", "decisions.txt"


@dataclass(frozen=True, slots=True)
class Guided:
    """What came of a table."""

    object: Path
    digest: str
    decisions: Decisions
    """What was decided of each call site in the end: an ordinary decisions file, which can be replayed."""


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
