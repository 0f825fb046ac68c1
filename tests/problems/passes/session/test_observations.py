"""What is observed is what each definition says, computed slowly from the module's bytes."""

import random
from collections import Counter

import pytest

from harness.base.vocabulary import Target
from harness.freeze import FrozenModule, facts_of
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import AUTOPHASE, Graph, Line, Session
from harness.sandbox.bench import Bench
from tests.problems.passes.session import walker
from tests.problems.passes.session.conftest import Open


def compare(line: Line, bench: Bench) -> set[bytes]:
    """Every number of the line's module, and its graph; the functions that it has."""
    module = walker.Module(bench.toolchain.library, line.bitcode())
    slow = walker.autophase(module)
    assert dict(zip(AUTOPHASE, line.autophase().tolist(), strict=True)) == {
        name: int(slow.get(name, 0)) for name in AUTOPHASE
    }
    assert line.count() == walker.count(module)
    total, blocks, functions, *each = line.opcodes().tolist()
    assert total == line.count()
    assert (blocks, functions) == (slow["TotalBlocks"], slow["TotalFuncs"])
    assert each == walker.opcodes(module)
    assert sum(each) == slow["TotalInsts"]
    compare_graphs(line.graph(), walker.graph(module), module)
    return {module.name(function) for function in module.functions()}


def compare_graphs(graph: Graph, slow: walker.Graph, module: walker.Module) -> None:
    """Node by node and edge by edge: values have other names on either side, but each has one."""
    kinds = graph.nodes["kind"]
    count = len(slow.nodes)
    assert not kinds[:count].any() and kinds[count:].all()
    assert graph.nodes["opcode"].tolist() == [opcode for opcode, _ in slow.nodes] + [0] * (len(kinds) - count)
    edges: dict[int, list[tuple[int, int, int]]] = {0: [], 1: [], 2: []}
    for source, target, flow, position in graph.edges.tolist():
        edges[flow].append((source, target, position))
    assert Counter(edges[0]) == slow.control
    assert Counter((source, target) for source, target, _ in edges[2]) == slow.calls
    assert {position for *_, position in edges[2]} <= {0}
    used = {(target, position): source for source, target, position in edges[1] if kinds[source]}
    given = {source: target for source, target, _ in edges[1] if not kinds[source]}
    assert len(used) + len(given) == len(edges[1])
    assert (used.keys(), given.keys()) == (slow.used.keys(), slow.given.keys())
    pairs = {(used[at], value) for at, value in slow.used.items()}
    pairs |= {(given[at], value) for at, value in slow.given.items()}
    assert one_to_one(pairs)
    assert {node for node, _ in pairs} == set(range(count, len(kinds)))
    assert all((kinds[node] == 2) == module.is_constant(value) for node, value in pairs)
    types = {(int(graph.nodes["type"][node]), module.type_kind(value)) for node, value in pairs}
    types |= {(int(graph.nodes["type"][at]), kind) for at, (_, kind) in enumerate(slow.nodes)}
    assert one_to_one(types)


def one_to_one(pairs: set[tuple[int, int]]) -> bool:
    return len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})


@pytest.mark.parametrize("target", Target)
def test_numbers_are_their_definitions(target: Target, session: Open, bench: Bench) -> None:
    line = session(target=target).line()
    chance = random.Random(1)
    compare(line, bench)
    for _ in range(12):
        line.apply(*(chance.randrange(42) for _ in range(5)))
        compare(line, bench)


def test_text_is_the_module(session: Open) -> None:
    line = session().line()
    assert "define dso_local i32 @main(" in line.text() or "@main(" in line.text()


@pytest.mark.slow
def test_numbers_are_their_definitions_on_a_thousand_functions(frozen_cbench: list[FrozenModule], bench: Bench) -> None:
    chance = random.Random(2)
    functions = set()
    for frozen in frozen_cbench:
        with Session(frozen.bitcode, AUTOPHASE_42.pipelines(facts_of(frozen.bitcode, bench)), bench) as opened:
            for _ in range(2):
                line = opened.line()
                functions |= {(frozen.digest, name) for name in compare(line, bench)}
                line.apply(*(chance.randrange(42) for _ in range(10)))
                compare(line, bench)
    assert len(functions) >= 1000
