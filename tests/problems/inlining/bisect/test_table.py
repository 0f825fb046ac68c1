"""Between two lists of decisions: whose decision a table has."""

from hypothesis import given
from hypothesis import strategies as st

from harness.problems.inlining.bisect.table import table_of
from harness.problems.inlining.explain.sites import identity, match
from harness.problems.inlining.sites import Site, Who

CHOICES = (Who.POLICY, Who.REPLACED)
SITES = st.lists(
    st.builds(Site, st.just("f"), st.sampled_from("gh"), st.integers(0, 5), st.booleans(), st.sampled_from(list(Who))),
    unique_by=identity,
)


@given(SITES, SITES, st.data())
def test_table(a: list[Site], b: list[Site], data: st.DataObject) -> None:
    """A's choice, B's where it is switched or A did not choose; never what a rule, the cap or nothing decided."""
    pairs = match(a, b)
    differing = [identity(pair.site) for pair in pairs if pair.chosen]
    switched = data.draw(st.frozensets(st.sampled_from(differing))) if differing else frozenset()
    table = {identity(site): site for site in table_of(pairs, switched)}
    mine, other = ({identity(site): site for site in sites if site.who in CHOICES} for sites in (a, b))
    assert table == {**other, **mine, **{one: other[one] for one in switched}}
