"""Modules of two programs, and sessions with them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import FrozenModule, freeze
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import Session
from harness.sandbox.bench import Bench
from harness.suite.load import load_suite

Open = Callable[..., Session]


@pytest.fixture(scope="session")
def modules(bench: Bench) -> dict[Target, Path]:
    """Target → a program of a few hundred instructions, frozen at -Oz."""
    (program,) = (one for one in load_suite("polybench").programs if one.id.endswith("/nussinov"))
    return {target: freeze(program, target, Level.OZ, bench).bitcode for target in Target}


@pytest.fixture(scope="session")
def frozen_cbench(bench: Bench) -> list[FrozenModule]:
    """All programs of cbench, for x86-64."""
    return list(modules_of("cbench", Target.X86_64, Level.OZ, bench).values())


@pytest.fixture
def session(modules: dict[Target, Path], bench: Bench) -> Iterator[Open]:
    """Opens sessions that end with the test."""
    with ExitStack() as stack:

        def opened(*pipelines: str, target: Target = Target.X86_64, **options: object) -> Session:
            words = pipelines or AUTOPHASE_42.pipelines(())
            made = Session(modules[target], words, bench, **options)  # type: ignore[arg-type]
            return stack.enter_context(made)

        yield opened
