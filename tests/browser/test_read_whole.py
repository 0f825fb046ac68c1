"""What a reader reads is what was said: names in their own letters, figures to their last character, no markup."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from harness.rank import versus
from harness.record import open_index
from tests.browser.conftest import Site
from tests.browser.test_page import asked, visit

CUT = """() => [...document.querySelectorAll(
  '[data-testid=stMetricValue], [data-testid=stMetricValue] *, [data-testid=stMetricLabel] *'
)].filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')
  .map(one => one.textContent)"""
"""Large figures, and their names, that an ellipsis ends."""


@pytest.fixture
def narrow(page: Page) -> Iterator[Page]:
    """The tab as wide as a small laptop's."""
    before = page.viewport_size
    page.set_viewport_size({"width": 1280, "height": 900})
    yield page
    if before is not None:
        page.set_viewport_size(before)


def test_a_verdict_names_policies_in_their_own_letters(page: Page, site: Site) -> None:
    with open_index(site.results) as index:
        said = versus(index, asked(index), "Os", "Oz").summary.in_class
    assert "Os is not resolved against Oz" in said
    visit(page, site, "compare?a=Os&b=Oz&split=all")
    expect(page.get_by_text("Os is not resolved against Oz")).to_be_visible()
    assert "Os is not resolved against Oz" in page.get_by_text("In the standings, at 5 %").inner_text()


def test_a_verdict_with_a_star_is_no_markup(page: Page, timed_site: Site) -> None:
    visit(page, timed_site, "program?policy=basic")
    expect(page.get_by_text("Against greedy: ▼ worse *. ")).to_be_visible()
    expect(page.locator("strong").get_by_text("▼ worse *", exact=True)).to_be_visible()


def test_large_figures_are_read_to_their_last_character(narrow: Page, solvers_site: Site) -> None:
    page = narrow
    visit(page, solvers_site, "program?suite=iopddl&track=sharding&origin=contest&split=all&policy=greedy-descent")
    expect(page.get_by_test_id("stMetricValue").filter(has_text="e+")).not_to_have_count(0)
    assert page.evaluate(CUT) == []
    visit(page, solvers_site, "compare?suite=iopddl&origin=contest&split=all&a=layout-messages&b=greedy-descent")
    expect(page.get_by_text("layout-messages is better", exact=True).first).to_be_visible()
    assert page.evaluate(CUT) == []


def test_the_table_of_standings_fits_a_small_laptop(narrow: Page, site: Site) -> None:
    page = narrow
    page.set_viewport_size({"width": 1244, "height": 900})  # names of recorded policies are so much longer than these
    visit(page, site, "?split=all")
    expect(page.get_by_test_id("stDataFrame").first.locator("table[role=grid]")).to_be_attached()
    beyond = "() => { const one = document.querySelector('.dvn-scroller'); return one.scrollWidth - one.clientWidth }"
    assert page.evaluate(beyond) <= 0


def test_names_of_facts_are_broken_between_words_alone(narrow: Page, site: Site) -> None:
    page = narrow
    page.set_viewport_size({"width": 390, "height": 900})
    visit(page, site, "runs")
    word = """cell => {
      const text = cell.firstChild, range = document.createRange(), at = text.data.indexOf('verification');
      range.setStart(text, at); range.setEnd(text, at + 'verification'.length);
      return range.getClientRects().length }"""
    assert page.get_by_role("cell", name="fresh verification", exact=True).evaluate(word) == 1


def test_on_a_telephone_the_chart_says_which_direction_is_better(narrow: Page, site: Site) -> None:
    page = narrow
    page.set_viewport_size({"width": 390, "height": 900})
    visit(page, site, "compare?a=Os&b=Oz&split=all")
    title = page.locator(".js-plotly-plot .xtitle").first
    expect(title).to_contain_text("right of 0, Os is better")
    # A chart is drawn anew when its width changes, so that what was found a moment ago may be gone: ask in one step.
    page.wait_for_function("""() => {
      const one = document.querySelector('.js-plotly-plot .xtitle');
      return one && one.getBoundingClientRect().right <= one.ownerSVGElement.getBoundingClientRect().right }""")


def test_the_command_beside_a_solvers_instances_prints_instances(page: Page, solvers_site: Site) -> None:
    visit(page, solvers_site, "program?suite=iopddl&track=sharding&origin=contest&split=all&policy=greedy-descent")
    page.get_by_text("SQL of this table").click()
    expect(page.get_by_text("The same table in a terminal")).to_contain_text("--instances --no-published")


def test_standings_are_found_by_their_name_too(page: Page, site: Site) -> None:
    visit(page, site, "standings?split=all&target=aarch64")
    expect(page.get_by_text("toy · aarch64 · track size")).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    page.get_by_role("link", name="Standings").click()
    page.wait_for_url(lambda url: "/standings" not in url and "target=aarch64" in url)
    expect(page.get_by_text("toy · aarch64 · track size")).to_be_visible()
