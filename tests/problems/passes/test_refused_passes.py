"""What refused passes do to a program: the reason of their record, seen. Those that only add or write are refused by
their records alone (``test_vetted.py``)."""

import pytest

from harness.freeze import Fact
from harness.problems.passes.check import PassRefusedError, refused_on, vet
from harness.toolchain import Toolchain
from tests.problems.passes.compiled import Subject

IN_C = [
    ("function(structurizecfg)", "run", "wrong output by itself"),
    ("default<Oz>,function(normalize)", "run", "wrong output after LLVM's own pipeline"),
    ("metarenamer", "link", "functions of the C library are renamed"),
    ("internalize", "link", "main is hidden"),
    ("function(codegenprepare)", "opt", "opt crashes"),
    ("function(unify-loop-exits)", "opt", "opt crashes"),
    ("function(free-machine-function)", "opt", "opt crashes"),
    ("trigger-crash-module", "opt", "opt crashes"),
    (
        "default<Oz>,function(hardware-loops<force-hardware-loops>)",
        "generate",
        "an instruction that no target here has",
    ),
    ("asan", "link", "calls of a runtime library"),
    ("function(tsan)", "link", "calls of a runtime library"),
]
IN_CXX = [
    ("function(lower-invoke)", "run", "nothing is caught any more"),
    ("function(lower-invoke,simplifycfg),default<Oz>", "run", "nothing is caught, and the code that would is gone"),
    ("cgscc(attributor-cgscc)", "run", "miscompiled by itself"),
    ("function(sjlj-eh-prepare)", "link", "another way of unwinding"),
]


@pytest.fixture(scope="module")
def c(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Subject:
    """The program in C."""
    return Subject("subject.c", {Fact.ATOMICS}, tmp_path_factory.mktemp("c"), toolchain)


@pytest.fixture(scope="module")
def cxx(tmp_path_factory: pytest.TempPathFactory, toolchain: Toolchain) -> Subject:
    """The program in C++."""
    return Subject("subject.cc", {Fact.INVOKES}, tmp_path_factory.mktemp("cxx"), toolchain)


def refused(pipeline: str, subject: Subject) -> bool:
    """Whether a list with the pipeline is refused on the program."""
    try:
        return refused_on(vet(pipeline), subject.facts) is not None
    except PassRefusedError:
        return True


def check(pipeline: str, step: str, subject: Subject) -> None:
    """The pipeline harms the program, at this step, and is refused on it."""
    ended = subject.under(pipeline)
    assert ended.step == step
    assert ended != subject.expected
    assert refused(pipeline, subject)


@pytest.mark.parametrize(("pipeline", "step", "harm"), IN_C)
def test_in_c(pipeline: str, step: str, harm: str, c: Subject) -> None:
    check(pipeline, step, c)


@pytest.mark.parametrize(("pipeline", "step", "harm"), IN_CXX)
def test_in_cxx(pipeline: str, step: str, harm: str, cxx: Subject) -> None:
    check(pipeline, step, cxx)


def test_lower_atomic_leaves_no_atomic_instruction(c: Subject, cxx: Subject) -> None:
    assert "atomicrmw" in c.optimised("no-op-module")
    lowered = c.optimised("function(lower-atomic)")
    assert not any(word in lowered for word in ("atomicrmw", "cmpxchg", "load atomic", "store atomic"))
    assert refused("function(lower-atomic)", c) and not refused("function(lower-atomic)", cxx)
    assert refused("function(lower-invoke)", cxx) and not refused("function(lower-invoke)", c)
    assert c.under("function(lower-invoke)") == c.expected
