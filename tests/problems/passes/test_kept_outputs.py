"""Every pass that a list may hold keeps what a C and a C++ program print, alone and among other passes."""

from pathlib import Path

import pytest

from harness.freeze import Fact
from harness.problems.passes.check import ADAPTORS, refused_on, vet
from harness.problems.passes.names import LEGACY_ACTIONS, opt_passes
from harness.problems.passes.vetted import VETTED
from harness.toolchain import Toolchain
from tests.problems.passes.compiled import Subject

AMONG = {
    "alone": "{}",
    "before -Oz": "{},default<Oz>",
    "after -Oz": "default<Oz>,{}",
    "before a clean-up": (
        "{},function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,gvn,dse,adce),globalopt,globaldce"
    ),
}
FACTS = {"subject.c": {Fact.ATOMICS}, "subject.cc": {Fact.INVOKES}}
DAILY = ("gvn", "iroutliner", "reg2mem")
"""Some that move much, for every day."""


def texts() -> list[str]:
    """Every allowed pass with each of its parameters."""
    found: list[str] = []
    for record in sorted(VETTED.values(), key=lambda record: record.name):
        if record.allowed and record.name not in {*ADAPTORS, "require", "invalidate"}:
            needed = {"default", "function-simplification", "lto", "lto-pre-link", "thinlto", "thinlto-pre-link"}
            found += [] if record.name in needed else [record.name]
            found += [f"{record.name}<{word.replace('=N', '=2')}>" for word in sorted(record.parameters)]
    return found


@pytest.fixture(scope="module", params=sorted(FACTS))
def subject(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Subject:
    """A program, with what it has that passes must not meet."""
    return Subject(request.param, FACTS[request.param], tmp_path_factory.mktemp("kept"), toolchain)


def check(subject: Subject, text: str, among: str, toolchain: Toolchain) -> None:
    """The program prints the same, or the table refuses the pass on it."""
    pipeline = LEGACY_ACTIONS.get(text) or opt_passes(Path(toolchain.tool("opt"))).at_module_level(text)
    assert pipeline is not None
    if refused_on(vet(pipeline), subject.facts) is None:
        assert subject.under(AMONG[among].format(pipeline)) == subject.expected


@pytest.mark.parametrize("text", DAILY)
def test_passes_that_move_much_keep_outputs(text: str, subject: Subject, toolchain: Toolchain) -> None:
    check(subject, text, "before a clean-up", toolchain)


@pytest.mark.slow
@pytest.mark.parametrize("among", AMONG)
@pytest.mark.parametrize(
    "text", [text for text in texts() if "max-iterations" not in text and "verify-fix" not in text]
)
def test_every_allowed_pass_keeps_outputs(text: str, among: str, subject: Subject, toolchain: Toolchain) -> None:
    check(subject, text, among, toolchain)
