"""Decisions on call sites as text and as values: there and back again, and every text that is no log is refused."""

import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.problems.inlining import sites as module
from harness.problems.inlining.sites import (
    LogError,
    Site,
    Who,
    body_fault,
    body_of,
    counts,
    log_of,
    parse_log,
    sites_of,
)

WORDS = st.binary(max_size=6).map(
    lambda name: "".join(chr(one) if 0x20 < one < 0x7F and one != 0x25 else f"%{one:02x}" for one in name)
)
LOG = "f main\nf twice\n0 1 0 1 p\n0 1 1 0 m\n1 0 0 0 i\n"


@st.composite
def series(draw: st.DrawFn) -> list[Site]:
    """Call sites as an inliner meets them: each question about a pair of functions is the pair's next."""
    names = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    asked: Counter[tuple[str, str]] = Counter()
    found = []
    for _ in range(draw(st.integers(0, 20))):
        pair = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        who = draw(st.sampled_from(Who))
        inline = who is not Who.ILLEGAL and draw(st.booleans())
        found.append(Site(*pair, asked[pair], inline, who))
        asked[pair] += 1
    return found


@given(series())
def test_there_and_back_again(given_sites: list[Site]) -> None:
    body = body_of(given_sites)
    assert sites_of(body) == given_sites
    text = log_of(body)
    assert parse_log(text) == body
    assert log_of(parse_log(text)) == text
    assert counts(body) == {who: sum(site.who is who for site in given_sites) for who in Who}


@given(series())
def test_functions_may_be_made_known_as_they_are_met_or_all_before(given_sites: list[Site]) -> None:
    """The plugin does the one, ``log_of`` the other."""
    lines: list[str] = []
    known: list[str] = []
    for site in given_sites:
        for name in (site.caller, site.callee):
            if name not in known:
                known.append(name)
                lines.append(f"f {name}")
        lines.append(f"{known.index(site.caller)} {known.index(site.callee)} {site.ordinal} {site.inline:d} {site.who}")
    assert parse_log("\n".join(lines)) == body_of(given_sites)


def test_of_an_empty_module() -> None:
    assert parse_log("") == {"functions": [], "sites": []} == body_of([])
    assert log_of(body_of([])) == ""


def test_a_log_as_the_plugin_writes_it() -> None:
    body = parse_log(LOG)
    assert body == {"functions": ["main", "twice"], "sites": [[0, 1, 0, 1, "p"], [0, 1, 1, 0, "m"], [1, 0, 0, 0, "i"]]}
    assert sites_of(body)[1] == Site("main", "twice", 1, False, Who.MANDATORY)
    assert counts(body) == {Who.POLICY: 1, Who.MANDATORY: 1, Who.CAP: 0, Who.ILLEGAL: 1, Who.REPLACED: 0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f main\n0 0 0 1", "line 2 is neither"),
        ("f main\n0 0 0 1 p 0", "line 2 is neither"),
        ("f main\n0 0 0 2 p", "line 2 is neither"),
        ("f main\n0 0 0 1 x", "line 2 is neither"),
        ("f main\n0 0 0 1 ", "line 2 is neither"),
        ("f main\n0  0 0 1 p", "line 2 is neither"),
        ("f main\n0 0 0 1 p ", "line 2 is neither"),
        ("f main\n0 0 -1 1 p", "line 2 is neither"),
        ("f main\n00 0 0 1 p", "line 2 is neither"),
        ("f main\n0 0 1e0 1 p", "line 2 is neither"),
        ("f main\n0 0 1000000000 1 p", "line 2 is neither"),
        ("f main\n\n0 0 0 1 p", "line 2 is neither"),
        ("f main\nf two words", "line 2 is neither"),
        ("f main\nf tab\t", "line 2 is neither"),
        ("f main\nf ünï", "line 2 is neither"),
        ("f main\nf %6dain", "line 2 is neither"),
        ("f main\nf %FF", "line 2 is neither"),
        ("f main\nf 5%", "line 2 is neither"),
        ("f main\nf %e", "line 2 is neither"),
        ("g main", "line 1 is neither"),
        ("f", "line 1 is neither"),
        ("0 0 0 1 p", "line 1 is of a function that is not known yet"),
        ("f main\n0 1 0 1 p\nf twice", "line 2 is of a function that is not known yet"),
        ("f main\n1 0 0 1 p", "line 2 is of a function that is not known yet"),
        ("f main\n0 0 1 1 p", "line 2 is out of order"),
        ("f main\n0 0 0 1 p\n0 0 0 1 p", "line 3 is out of order"),
        ("f main\n0 0 0 1 p\n0 0 2 1 p", "line 3 is out of order"),
        ("f main\n0 0 0 1 i", "line 2 inlines what cannot be inlined"),
        ("f main\nf twice\nf main", "line 3 makes a function known again"),
    ],
)
def test_what_the_plugin_would_not_write_is_refused(text: str, said: str) -> None:
    with pytest.raises(LogError, match=said):
        parse_log(text)


def test_a_log_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_LINES", 5)
    assert len(parse_log(LOG)["sites"]) == 3
    with pytest.raises(LogError, match="more than 5 lines"):
        parse_log(LOG + "0 1 2 1 p\n")


def test_a_forged_log_costs_little() -> None:
    """A policy can write into its folder what it likes: no list is made of lines that are refused."""
    text = "\n" * 3_000_000
    tracemalloc.start()
    with pytest.raises(LogError, match="line 1 is neither"):
        parse_log(text)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_more_functions_than_any_module_has() -> None:
    names = [str(number) for number in range(100_001)]
    with pytest.raises(LogError, match="more than 100000 functions"):
        parse_log("".join(f"f {name}\n" for name in names))
    assert body_fault({"functions": names, "sites": []}) == "more than 100000 functions"
    assert body_fault({"functions": names[:-1], "sites": []}) is None


@given(st.text(max_size=40) | st.text("f 019pmcir\n", max_size=40))
def test_any_text_is_a_log_or_is_refused(text: str) -> None:
    try:
        body = parse_log(text)
    except LogError:
        return
    assert parse_log(log_of(body)) == body
    assert sites_of(body_of(sites_of(body))) == sites_of(body)
