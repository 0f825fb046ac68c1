"""Form ``list``: a list of passes that is the same for every program, or one for each seed."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from harness.apply.decisions import Decided, Decisions
from harness.base.errors import CellError, UsageError
from harness.base.remembered import remembered
from harness.base.vocabulary import Outcome
from harness.freeze import FrozenModule, facts_of
from harness.policy.form import Form
from harness.policy.policy import Policy
from harness.problems.passes.check import Condition, PassRefusedError, UnknownPassError, refused_on, vet
from harness.problems.passes.listed import LONGEST, PASSES
from harness.problems.passes.names import GONE, LEGACY_ACTIONS, OptPasses, opt_passes
from harness.problems.passes.parse import SequenceError, parse_passes
from harness.sandbox.bench import Bench
from harness.sandbox.tools import tool_job

__all__ = ["FixedList", "Resolved", "resolve"]

_ROLE = "passes"
_EMPTY_MODULE_SECONDS = 10.0


class FixedList:
    """See ``harness.problems.passes.way.Way``."""

    form = Form(_ROLE, "passes.txt", fields=frozenset({"seeds", "values"}))

    def check(self, policy: Policy, where: str) -> None:
        """``files.passes`` must name a text file, or ``files.passes-SEED`` one for each seed."""
        roles = set(policy.manifest.files)
        each = {f"{_ROLE}-{seed}" for seed in policy.manifest.seeds}
        if roles not in ({_ROLE}, each):
            raise UsageError(
                "files: a policy of form 'list' has one file, passes = \"passes.txt\", or one for each seed, "
                + ", ".join(f'{role} = "{role}.txt"' for role in sorted(each)),
                where=where,
            )
        for role in roles:
            name, content = policy.file(role)
            try:
                content.decode()
            except UnicodeDecodeError:
                raise UsageError("not UTF-8 text", where=name) from None

    def notes(self, policy: Policy) -> list[str]:
        """Legacy passes that LLVM no longer has: they are left out."""
        gone: dict[str, None] = {}
        for content in policy.contents.values():
            try:
                tokens = parse_passes(content.decode())
            except SequenceError:
                continue
            gone |= dict.fromkeys(token.text for token in tokens if token.text in GONE)
        return [f"pass {name!r} no longer exists and is left out ({GONE[name]})" for name in gone]

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The seed's list, in LLVM 22 spelling: the same for every program, but refused on a module that it harms."""
        name, content = policy.file(_ROLE if _ROLE in policy.contents else f"{_ROLE}-{seed}")
        resolved = resolve(content, Path(name).name, bench)
        if resolved.conditions:
            refused = refused_on(resolved.conditions, facts_of(frozen.bitcode, bench))
            if refused is not None:
                raise CellError(Outcome.POLICY_ERROR, refused)
        return Decided(Decisions(PASSES, frozen.level, resolved.body))

    def parts(self, policy: Policy) -> list[str]:
        """Nothing more."""
        return []

    def spaces(self, policy: Policy) -> Mapping[str, str]:
        """None: it does not decide in steps."""
        return {}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A list in LLVM 22 spelling."""

    body: dict[str, list[str]]
    """The decisions' body: ``passes`` as module pipelines, ``dropped`` legacy names that are gone."""
    conditions: tuple[Condition, ...]
    """What its passes ask of the module, each with file and line in its message."""


@remembered(256)
def resolve(content: bytes, name: str, bench: Bench) -> Resolved:
    """The list of a file called ``name``.

    Raises CellError, naming line and pass: ``policy-error`` when a pass is refused or opt would not run the list,
    ``policy-timeout`` when it does not even get through an empty module with it.
    """
    known = opt_passes(Path(bench.toolchain.tool("opt")))
    passes: list[str] = []
    dropped: list[str] = []
    conditions: list[Condition] = []
    try:
        tokens = parse_passes(content.decode())
    except SequenceError as error:
        raise CellError(Outcome.POLICY_ERROR, f"{name} {error}") from None
    for token in tokens:
        if token.text in GONE:
            dropped.append(token.text)
            continue
        where = f"{name} line {token.line}"
        pipeline = LEGACY_ACTIONS.get(token.text) or known.at_module_level(token.text)
        if pipeline is None:
            raise _unknown(token.text, where, known)
        passes.append(pipeline)
        conditions += _conditions(pipeline, where, known)
    if not passes:
        raise CellError(Outcome.POLICY_ERROR, f"{name} names no pass")
    text = ",".join(passes)
    if len(text) > LONGEST:
        raise CellError(Outcome.POLICY_ERROR, f"{name}: the pipeline has {len(text)} characters, {LONGEST} are allowed")
    _judge(text, name, bench)
    return Resolved({"passes": passes, "dropped": dropped}, tuple(conditions))


def _conditions(pipeline: str, where: str, known: OptPasses) -> list[Condition]:
    """What one line's pipeline asks of the module, the line named in every message."""
    try:
        return [replace(condition, message=f"{where}: {condition.message}") for condition in vet(pipeline)]
    except PassRefusedError as error:
        if isinstance(error, UnknownPassError) and error.name not in known.level:
            raise _unknown(error.name, where, known) from None
        raise CellError(Outcome.POLICY_ERROR, f"{where}: {error}") from None


def _unknown(pass_: str, where: str, known: OptPasses) -> CellError:
    close = difflib.get_close_matches(pass_, [*LEGACY_ACTIONS, *known.level], n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return CellError(Outcome.POLICY_ERROR, f"{where}: LLVM has no pass {pass_!r}{hint}")


def _judge(pipeline: str, name: str, bench: Bench) -> None:
    """What stands inside brackets only opt can judge: it runs the pipeline over an empty module.

    In the sandbox, since some passes read and write files; with a triple, since some need a target.
    """
    with bench.store.scratch() as folder:
        empty = folder / "empty.ll"
        empty.write_text('target triple = "x86_64-unknown-linux-gnu"\n')
        arguments = (f"-passes={pipeline}", "-disable-output", empty.name)
        checked = bench.sandbox.run(tool_job("opt", arguments, {empty.name: empty}, (), _EMPTY_MODULE_SECONDS, bench))
    if checked.out_of_time:
        detail = f"{name}: opt is not through an empty module after {_EMPTY_MODULE_SECONDS:.0f} s"
        raise CellError(Outcome.POLICY_TIMEOUT, detail, transient=True)
    if not checked.ok:
        raise CellError(Outcome.POLICY_ERROR, f"{name}: {checked.reason_line()}", checked.transient)
