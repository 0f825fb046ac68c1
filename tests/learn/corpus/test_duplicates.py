"""Near-duplicates, by rule: no compiler is needed."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from harness.learn.corpus.duplicates import MOST_KNOWN, judged, known_of
from harness.learn.corpus.facts import FunctionFacts, ModuleFacts


@dataclass(frozen=True)
class Unit:
    name: str
    facts: ModuleFacts


def function(shape: int, instructions: int = 10) -> FunctionFacts:
    return FunctionFacts(
        name=f"f{shape}", digest=f"{shape:032x}", instructions=instructions, blocks=1, calls=0,
        local=False, noinline=False, optnone=False, sized=True, fast=False, ranges=None,
    )  # fmt: skip


def facts(*functions: FunctionFacts) -> ModuleFacts:
    total = sum(one.instructions for one in functions)
    return ModuleFacts(triple="x86_64", instructions=total, autophase=(0,) * 56, functions=functions)


def unit(name: str, *functions: FunctionFacts) -> Unit:
    return Unit(name, facts(*functions))


def test_a_unit_is_left_out_when_four_fifths_of_its_instructions_are_known() -> None:
    first = unit("a", function(1, 79), function(2, 80))
    below = unit("b", function(1, 79), function(3, 21))
    at = unit("c", function(2, 80), function(4, 20))
    found = list(judged([first, below, at], {}))
    assert [one.is_duplicate for one in found] == [False, False, True]
    assert [one.like for one in found] == [None, "a", "a"]
    assert found[2].known == MOST_KNOWN


def test_a_function_is_listed_once_and_not_at_all_if_a_suite_has_it() -> None:
    known = known_of({"suite/program": facts(function(7))})
    found = list(
        judged(
            [unit("a", function(1), function(1), function(7), function(2)), unit("b", function(3), function(1))], known
        )
    )
    assert [one.listed for one in found] == [(0, 3), (0,)]


def test_a_program_of_a_suite_is_a_duplicate_of_itself() -> None:
    program = facts(function(1), function(2, 30))
    [found] = judged([Unit("copy", program)], known_of({"suite/program": program}))
    assert found.is_duplicate and found.like == "suite/program" and found.listed == ()


def test_what_is_left_out_makes_nothing_known() -> None:
    units = [unit("a", function(1, 90)), unit("b", function(1, 90), function(2, 10)), unit("c", function(2, 10))]
    assert [one.is_duplicate for one in judged(units, {})] == [False, True, False]


SHAPES = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 50)), min_size=1, max_size=5)


@given(st.lists(SHAPES, max_size=8), st.sets(st.integers(0, 8), max_size=3))
def test_every_shape_is_listed_at_most_once(units: list[list[tuple[int, int]]], suite: set[int]) -> None:
    known = {f"{shape:032x}": "suite" for shape in suite}
    found = list(judged([unit(str(n), *(function(*one) for one in each)) for n, each in enumerate(units)], known))
    listed = [one.unit.facts.functions[place].digest for one in found for place in one.listed]
    assert len(listed) == len(set(listed))
    assert not known.keys() & set(listed)
    stay = {one.digest for judgement in found if not judgement.is_duplicate for one in judgement.unit.facts.functions}
    assert stay <= known.keys() | set(listed)
