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


def test_a_verdict_with_a_star_is_no_markup(page: Page, timed_site: Site) -> None:
    visit(page, timed_site, "program?policy=basic")
    expect(page.get_by_text("Against greedy: ▼ worse *. ")).to_be_visible()
    expect(page.locator("strong").get_by_text("▼ worse *", exact=True)).to_be_visible()
