"""Matching of call sites by identity, and what is told first."""

from hypothesis import given
from hypothesis import strategies as st

from harness.problems.inlining.explain.sites import Met, Pair, identity, match, symbol, telling
from harness.problems.inlining.sites import Site, Who

CHOICES = (Who.POLICY, Who.REPLACED)


def made(name: str, ordinal: int, inline: bool, who: Who) -> Site:
    return Site(f"f{name}", f"g{name}", ordinal, inline, who)


SITES = st.lists(
    st.builds(made, st.sampled_from("abc"), st.integers(0, 4), st.booleans(), st.sampled_from(list(Who))),
    unique_by=identity,
)


@given(SITES, SITES)
def test_every_site_once(a: list[Site], b: list[Site]) -> None:
    pairs = match(a, b)
    assert [pair.a for pair in pairs if pair.a] == a, "in the first's order"
    assert {pair.b for pair in pairs if pair.b} == set(b)
    matched = {pair.b for pair in pairs if pair.a}
    assert [pair.b for pair in pairs if pair.a is None] == [site for site in b if site not in matched]
    assert len({identity(pair.site) for pair in pairs}) == len(pairs)
    for pair in pairs:
        if pair.a and pair.b:
            assert identity(pair.a) == identity(pair.b)
            assert (pair.met is Met.DIFFERS) == (pair.a.inline != pair.b.inline)
            assert pair.chosen == (pair.met is Met.DIFFERS and pair.a.who in CHOICES and pair.b.who in CHOICES)
        else:
            assert pair.met is (Met.ONLY_A if pair.a else Met.ONLY_B) and not pair.chosen


@given(SITES, SITES)
def test_nothing_differs_from_itself(a: list[Site], b: list[Site]) -> None:
    assert telling(match(a, a), {}) == []
    told = telling(match(a, b), {})
    assert all(pair.met is not Met.EQUAL for pair in told)
    causes = [pair.met is Met.DIFFERS for pair in told]
    assert causes == sorted(causes, reverse=True), "causes before consequences"


def test_the_most_bytes_first() -> None:
    first = [Site("main", name, 0, False, Who.POLICY) for name in ("small", "large", "same")]
    then = [Site("main", name, 0, name != "same", Who.POLICY) for name in ("small", "large", "same")]
    gone = Site("other", "large", 0, True, Who.POLICY)
    quiet = Site("other", "large", 1, False, Who.POLICY)
    moved = {"small": -10, "large": -500, "main": 200}
    told = telling(match([*first, quiet, gone], then), moved)
    assert [(pair.site.callee, pair.met) for pair in told] == [
        ("large", Met.DIFFERS), ("small", Met.DIFFERS), ("large", Met.ONLY_A), ("large", Met.ONLY_A)
    ]  # fmt: skip
    assert told[2] == Pair(gone, None), "what was inlined before what was not"


def test_symbols_of_names() -> None:
    assert [symbol(name) for name in ("main", "%01_strange%20name", "a%25b")] == ["main", "_strange name", "a%b"]
