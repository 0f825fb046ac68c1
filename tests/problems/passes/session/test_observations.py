"""What is observed is what each definition says, computed slowly from the module's bytes."""

import random

import numpy as np
import pytest

from harness.base.vocabulary import Target
from harness.freeze import FrozenModule, facts_of
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import AUTOPHASE, Line, Session
from harness.sandbox.bench import Bench
from tests.problems.passes.session import walker
from tests.problems.passes.session.conftest import Open


def compare(line: Line, bench: Bench) -> int:
    """Every number of the line's module; the functions that it has."""
    module = walker.Module(bench.toolchain.library, line.bitcode())
    slow = walker.autophase(module)
    assert dict(zip(AUTOPHASE, line.autophase().tolist(), strict=True)) == {
        name: int(slow.get(name, 0)) for name in AUTOPHASE
    }
    assert line.count() == walker.count(module)
    total, blocks, functions, *each = line.opcodes().tolist()
    found = walker.opcodes(module)
    assert total == line.count()
    assert (blocks, functions) == (slow["TotalBlocks"], slow["TotalFuncs"])
    assert sum(each) == sum(found.values()) == slow["TotalInsts"]
    return functions


@pytest.mark.parametrize("target", Target)
def test_numbers_are_their_definitions(target: Target, session: Open, bench: Bench) -> None:
    line = session(target=target).line()
    chance = random.Random(1)
    compare(line, bench)
    for _ in range(12):
        line.apply(*(chance.randrange(42) for _ in range(5)))
        compare(line, bench)


def test_a_graph_has_every_instruction_and_every_edge(session: Open, bench: Bench) -> None:
    line = session().line()
    line.apply(38, 36, 13)
    module, graph = walker.Module(bench.toolchain.library, line.bitcode()), line.graph()
    blocks = [(function, block) for function in module.functions() for block in module.blocks(function)]
    instructions = [one for _, block in blocks for one in module.instructions(block)]
    assert np.count_nonzero(graph.nodes["kind"] == 0) == len(instructions)
    control = sum(len(module.instructions(block)) - 1 + len(module.successors(block)) for _, block in blocks)
    assert np.count_nonzero(graph.edges["flow"] == 0) == control
    assert graph.edges["source"].max() < len(graph.nodes)
    assert graph.edges["target"].max() < len(graph.nodes)
    used = graph.edges[graph.edges["flow"] == 1]
    assert set(used["target"]) | set(used["source"]) >= set(np.flatnonzero(graph.nodes["kind"] > 0))


def test_text_is_the_module(session: Open) -> None:
    line = session().line()
    assert "define dso_local i32 @main(" in line.text() or "@main(" in line.text()


@pytest.mark.slow
def test_numbers_are_their_definitions_on_a_thousand_functions(frozen_cbench: list[FrozenModule], bench: Bench) -> None:
    chance = random.Random(2)
    functions = 0
    for frozen in frozen_cbench:
        with Session(frozen.bitcode, AUTOPHASE_42.pipelines(facts_of(frozen.bitcode, bench)), bench) as opened:
            for _ in range(2):
                line = opened.line()
                line.apply(*(chance.randrange(42) for _ in range(10)))
                functions += compare(line, bench)
    assert functions >= 1000
