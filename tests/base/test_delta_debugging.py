"""The search for few items that pass: what it returns passes, is 1-minimal, and keeps to its bound."""

from collections.abc import Callable, Sequence

from hypothesis import assume, given
from hypothesis import strategies as st

from harness.base.delta_debugging import Found, beginning, fewest

Predicate = Callable[[frozenset[int]], bool]


class Counted:
    """A test that knows how often it was asked, and about how much at once."""

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.asked: list[frozenset[int]] = []
        self.widest = 0

    def __call__(self, sets: Sequence[frozenset[int]]) -> list[bool]:
        self.asked += sets
        self.widest = max(self.widest, len(sets))
        return [self.predicate(one) for one in sets]


def one_minimal(found: Found[int], predicate: Predicate) -> bool:
    whole = frozenset(found.items)
    return predicate(whole) and not any(predicate(whole - {item}) for item in whole)


@given(st.integers(0, 40), st.data(), st.integers(1, 4))
def test_monotone(size: int, data: st.DataObject, batch: int) -> None:
    """Where all of some items are needed, exactly those are found."""
    items = list(range(size))
    needed = data.draw(st.frozensets(st.sampled_from(items), max_size=6)) if items else frozenset()
    test = Counted(lambda one: needed <= one)
    found = fewest(items, test, most=10_000, batch=batch)
    assert (set(found.items), found.complete) == (needed, True)
    assert list(found.items) == sorted(found.items), "in the order given"
    assert found.tests == len(test.asked) == len(set(test.asked)), "nothing is asked twice"
    assert test.widest <= batch


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12), st.integers(1, 100), st.integers(1, 3))
def test_weights_that_cancel(weights: list[int], percent: int, batch: int) -> None:
    """Not monotone: an item may take away what others bring, and pairs may bring more than both alone."""
    items = list(range(len(weights)))

    def brings(one: frozenset[int]) -> int:
        return sum(weights[item] for item in one) + 5 * sum(item + 1 in one for item in one if item % 3 == 0)

    whole = brings(frozenset(items))
    assume(whole > 0)

    def predicate(one: frozenset[int]) -> bool:
        return brings(one) * 100 >= percent * whole

    found = fewest(items, Counted(predicate), most=10_000, batch=batch)
    assert found.complete and one_minimal(found, predicate)
    assert found.items == fewest(items, Counted(predicate), most=10_000, batch=1).items, "whatever the batch"


TABLES = st.lists(st.booleans(), min_size=32, max_size=32)


@given(TABLES, st.integers(0, 40), st.integers(1, 3))
def test_any_predicate_within_the_bound(table: list[bool], most: int, batch: int) -> None:
    """Without rhyme or reason: still what is returned passes, and is 1-minimal unless the bound ended the search."""
    items = list(range(5))

    def predicate(one: frozenset[int]) -> bool:
        return len(one) == 5 or table[sum(1 << item for item in one)]

    for search in (
        lambda test: fewest(items, test, most=most, batch=batch),
        lambda test: beginning(items, test, most=most),
    ):
        test = Counted(predicate)
        found = search(test)
        assert predicate(frozenset(found.items))
        assert found.tests == len(test.asked) <= most
    thinned = fewest(items, Counted(predicate), most=most, batch=batch)
    assert not thinned.complete or one_minimal(thinned, predicate)
    assert fewest(items, Counted(predicate), most=1000).complete


@given(st.integers(1, 200), st.integers(1, 200))
def test_beginning(size: int, needed: int) -> None:
    """Of items that pass from a length on, exactly that length, in few tests."""
    assume(needed <= size)
    found = beginning(range(size), lambda sets: [len(one) >= needed for one in sets], most=100)
    assert (found.items, found.complete) == (tuple(range(needed)), True)
    assert found.tests <= 2 * size.bit_length()


def test_one_culprit_of_many_is_found_in_few_tests() -> None:
    found = fewest(range(1000), lambda sets: [637 in one for one in sets], most=60)
    assert (found.items, found.complete) == ((637,), True)
    assert fewest((), lambda sets: [True for _ in sets], most=5).items == ()
    assert fewest((1, 2, 3), lambda sets: [True for _ in sets], most=0) == Found((1, 2, 3), False, 0)
