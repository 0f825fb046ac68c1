"""Problem ``passes``: a list of passes to one ``opt -passes=`` command, written down or chosen by an agent."""

import difflib
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from harness.apply.decisions import Decided, Decisions
from harness.apply.plan import CompilePlan
from harness.base.errors import CellError, UsageError
from harness.base.remembered import remembered
from harness.base.vocabulary import Outcome, Target
from harness.freeze import FrozenModule, facts_of
from harness.policy.form import Form
from harness.policy.forms.decider import Host
from harness.policy.forms.registry import all_forms, asked_form, checked_form
from harness.policy.policy import Policy
from harness.problems.passes.agent import agent_of, run_agent
from harness.problems.passes.best import ROLE as BEST_ROLE
from harness.problems.passes.best import check_best, decided_by_best
from harness.problems.passes.check import Condition, PassRefusedError, UnknownPassError, refused_on, vet
from harness.problems.passes.listed import LONGEST, decisions_of, plan_of_list
from harness.problems.passes.names import GONE, LEGACY_ACTIONS, OptPasses, opt_passes
from harness.problems.passes.parse import SequenceError, parse_passes
from harness.problems.passes.search.decide import ROLE as SEARCH_ROLE
from harness.problems.passes.search.decide import check_search, decided_by_search, searched_table
from harness.problems.passes.search.job import host_digest
from harness.problems.passes.session.session import PROGRAM as SESSION
from harness.problems.passes.vetted import table_digest
from harness.problems.programs.problems import PureProblem
from harness.sandbox.bench import Bench
from harness.sandbox.tools import tool_job
from harness.toolchain.native import native_digest

__all__ = ["POLICIES", "Resolved", "resolve"]

ROLE = "passes"
LIST = "list"
SEARCH = "search"
BEST = "best"
AGENTS = ("onnx", "python")
"""Forms that an agent can be written in."""
_EMPTY_MODULE_SECONDS = 10.0


class Passes(PureProblem):
    """See ``harness.problems.programs.problems.ProgramProblem``."""

    forms: ClassVar = {
        LIST: Form(ROLE, "passes.txt", fields=frozenset({"seeds", "values"})),
        **{
            name: replace(all_forms()[name], in_steps=True, fields=all_forms()[name].fields | {"values"})
            for name in AGENTS
        },
        BEST: Form(BEST_ROLE, "lists.json", in_steps=True),
        SEARCH: Form(
            SEARCH_ROLE, "search.py", pure=False, by_chance=True, in_steps=True, fields=frozenset({"seeds", "values"})
        ),
    }

    def check(self, policy: Policy, where: str) -> None:
        """Of a list, ``files.passes`` must name a text file, or ``files.passes-SEED`` one for each seed.

        Of an agent, as its form has it.
        """
        if policy.manifest.form == SEARCH:
            check_search(policy, where)
            return
        if policy.manifest.form == BEST:
            check_best(policy, where)
            return
        if policy.manifest.form != LIST:
            checked_form(policy, agent_of(policy, where).interface, where)
            return
        roles = set(policy.manifest.files)
        each = {f"{ROLE}-{seed}" for seed in policy.manifest.seeds}
        if roles not in ({ROLE}, each):
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
        if policy.manifest.form != LIST:
            return []
        gone: dict[str, None] = {}
        for content in policy.contents.values():
            try:
                tokens = parse_passes(content.decode())
            except SequenceError:
                continue
            gone |= dict.fromkeys(token.text for token in tokens if token.text in GONE)
        return [f"pass {name!r} no longer exists and is left out ({GONE[name]})" for name in gone]

    def decide(self, policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
        """The seed's list, in LLVM 22 spelling: the same for every program, but refused on a module that it harms; or
        what an agent chooses, step by step.
        """
        if policy.manifest.form == SEARCH:
            return decided_by_search(policy, frozen, seed, bench)
        if policy.manifest.form == BEST:
            return decided_by_best(policy, frozen, bench)
        if policy.manifest.form != LIST:
            return _decided_by_agent(policy, frozen, seed, bench)
        name, content = policy.file(ROLE if ROLE in policy.contents else f"{ROLE}-{seed}")
        resolved = resolve(content, Path(name).name, bench)
        if resolved.conditions:
            refused = refused_on(resolved.conditions, facts_of(frozen.bitcode, bench))
            if refused is not None:
                raise CellError(Outcome.POLICY_ERROR, refused)
        return Decided(Decisions("passes", frozen.level, resolved.body))

    def parts(self, policy: Policy) -> list[str]:
        """The table of passes: a list that it refuses is another cell than one that it allowed. Of an agent, its table
        of actions, the session, and what turns the file into what is asked.
        """
        if policy.manifest.form in (LIST, BEST):
            return [table_digest()]
        if policy.manifest.form == SEARCH:
            return [table_digest(), searched_table(policy).digest, native_digest(SESSION), host_digest()]
        agent = agent_of(policy, policy.name)
        key = asked_form(policy).key_material(agent.interface)
        return [table_digest(), agent.table.digest, native_digest(SESSION), *key]

    def differing(self, first: Decisions, second: Decisions) -> str:
        """The first step at which an agent chose otherwise."""
        one, other = (list(decisions.body["passes"]) for decisions in (first, second))
        step = next(
            (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
        )
        return f"pass {step + 1}: {_at(one, step)}, then {_at(other, step)}"

    def plan(self, decisions: Decisions, target: Target) -> CompilePlan:
        """As for every list, whoever chose it."""
        return plan_of_list(decisions, target)


POLICIES = Passes()


def _at(passes: list[str], step: int) -> str:
    return passes[step] if step < len(passes) else "none"


def _decided_by_agent(policy: Policy, frozen: FrozenModule, seed: int, bench: Bench) -> Decided:
    """Raises CellError as ``run_agent`` does."""
    agent = agent_of(policy, policy.name)
    host = asked_form(policy).open(policy, agent.interface, seed, bench)
    assert isinstance(host, Host), "a form of AGENTS is a process"
    started = time.monotonic()
    trial = run_agent(agent, host, frozen, bench)
    wall = time.monotonic() - started
    pipelines = agent.table.pipelines(facts_of(frozen.bitcode, bench))
    return Decided(decisions_of(trial.actions, pipelines, frozen), trial.cpu, wall, 1, len(trial.actions))


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
