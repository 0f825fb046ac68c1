"""``harness explain`` of a policy that allocates registers."""

import json
from pathlib import Path

import pytest

from harness.basic_blocks.profile import OUTSIDE
from tests.drive import Answer, Sketch, User, write_suite

CROWDED = (Path(__file__).parent / "pressure.c").read_text()


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path]:
    place = tmp_path_factory.mktemp("explain")
    noinline = 'noinline = ["mix", "crowded", "floating", "assembled", "nothing"]'
    return User.at(place / "user"), write_suite(place / "crowded", Sketch("pressure", CROWDED, more=noinline)).parent


def explained(user: tuple[User, Path], policy: str, *words: str) -> Answer:
    someone, suite = user
    return someone.harness("explain", policy, f"{suite}/pressure", *words, code=0, timeout=600)


def test_it_says_what_each_function_executes(user: tuple[User, Path]) -> None:
    """The policy's own track is the default, and so is its reference."""
    found = json.loads(explained(user, "constant-priority", "--json").out)
    assert (found["track"], found["against"]) == ("speed", "greedy")
    functions = {one["name"]: one for one in found["functions"]}
    crowded = functions["crowded"]
    assert crowded["spills_before"] > 0 and crowded["reloads.executed_before"] >= crowded["reloads_before"] > 0
    assert crowded["accesses_after"] - crowded["accesses_before"] == crowded["accesses_delta"] != 0
    assert crowded["copies_before"] > 0 and functions["nothing"]["instructions_delta"] == 0
    assert crowded["splits_before"] > 0 and crowded["splits_before"] != crowded["splits_after"]
    assert functions["nothing"]["splits_before"] == 0
    for metric in ("accesses", "instructions", "spills", "splits", "copies"):
        assert found["total"][f"{metric}_after"] == sum(one[f"{metric}_after"] for one in found["functions"])


def test_the_table_begins_with_the_whole_program_and_what_moved_most(user: tuple[User, Path]) -> None:
    lines = explained(user, "constant-priority", "--rows", "1").out.splitlines()
    assert "constant-priority against greedy" in lines[0] and "the whole program" in lines[3]
    assert len([line for line in lines[4:] if line.startswith(("crowded", "floating", "main"))]) == 1


def test_allocators_that_say_nothing_of_copies(user: tuple[User, Path]) -> None:
    """Nothing is known then, of the difference neither, nor of the whole; where Greedy says nothing there is none."""
    found = json.loads(explained(user, "basic", "--json").out)
    functions = [one for one in found["functions"] if one["name"] != OUTSIDE]
    for one in (found["total"], *functions):
        assert one["copies_after"] is one["copies_delta"] is None and one["splits_after"] == 0
    assert {one["copies_before"] > 0 for one in functions} == {True, False}
    assert found["total"]["copies_before"] == sum(one["copies_before"] for one in functions)
    backwards = json.loads(explained(user, "greedy", "--against", "basic", "--json").out)["total"]
    assert backwards["copies_before"] is backwards["copies_delta"] is None
    assert backwards["copies_after"] == found["total"]["copies_before"]
    lines = explained(user, "basic", "--rows", "0").out.splitlines()[3:]
    assert len(lines) == 3 and all(line.endswith("–") for line in lines)


@pytest.mark.parametrize(("policy", "named"), [("basic", "basic"), ("constant-priority", "constant")])
def test_what_decides_is_named_for_every_function(policy: str, named: str, user: tuple[User, Path]) -> None:
    """And for the whole program, but not for what it is linked with."""
    found = json.loads(explained(user, policy, "--json").out)
    for one in (found["total"], *found["functions"]):
        assert one["decided"] == ("" if one["name"] == OUTSIDE else named)


def test_against_a_policy_of_another_problem(user: tuple[User, Path]) -> None:
    """clang -O3 allocates by Greedy, so all is as it is against that; clang -O0 has no Greedy, and splits nothing."""
    greedy, level, plain = (
        {
            one["name"]: one
            for one in json.loads(explained(user, "constant-priority", *words, "--json").out)["functions"]
        }
        for words in ((), ("--against", "O3"), ("--against", "O0"))
    )
    assert level == greedy and level["crowded"]["splits_before"] > 0
    assert plain["crowded"]["splits_before"] == 0 < plain["crowded"]["splits_after"]
    assert plain["crowded"]["copies_before"] is None and level["crowded"]["copies_before"] > 0


def test_what_means_nothing(user: tuple[User, Path]) -> None:
    someone, suite = user
    for words, said in ((("--prune",), "--prune is for lists"), (("--against", "basic"), "compared with itself")):
        someone.harness("explain", "basic", f"{suite}/pressure", *words).refused(2, said)
