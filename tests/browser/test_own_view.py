"""What a problem of another package says that a page shows, drawn by the real page in a real browser."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from harness.base.paths import ROOT
from tests.browser.conftest import Site, site_of
from tests.browser.test_page import assert_shown, choose, points, visit
from tests.outside import install

HERE = "?suite=towns&track=weather"


@pytest.fixture(scope="module")
def weather_site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over a run of the made-up problem, which is installed for the page alone."""
    place = install(tmp_path_factory.mktemp("package"), "[harness.problems]\nweather = weather\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
        yield from site_of(tmp_path_factory.mktemp("weather"), _write)


def _write(results: Path) -> None:
    """In a process of its own: this one has found its problems before the package was there."""
    code = "import sys, pathlib, tests.browser.recorded as r; r.write_measured_elsewhere(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(results)], check=True, cwd=ROOT)


def test_every_part_is_drawn_in_its_place(page: Page, weather_site: Site) -> None:
    visit(page, weather_site, HERE)
    expect(page.get_by_text("The weather of a *town*")).to_be_visible()
    expect(page.get_by_test_id("stMetricValue").nth(0)).to_have_text("Aachen")
    expect(page.get_by_test_id("stMetricValue").nth(1)).to_have_text("x86-64")
    assert_shown(page, [["Aachen", "12.345"], ["Bern", ""]])
    expect(page.get_by_text("<b>wet</b>")).to_be_visible()
    bars, steps = page.locator(".js-plotly-plot").nth(0), page.locator(".js-plotly-plot").nth(1)
    expect(bars.locator(".point")).to_have_count(2)
    expect(bars.get_by_text("three", exact=True)).to_be_visible()
    expect(bars.get_by_text("rain per day")).to_be_visible()
    expect(bars.locator(".legendtext")).to_have_text(["rain"])
    expect(steps.get_by_text("overcast")).to_be_visible()
    expect(steps.locator(".scatterlayer .trace .point")).to_have_count(3)
    expect(points(page)).to_have_count(5)
    expect(page.get_by_role("heading", name="Clouds")).to_be_visible()
    expect(page.get_by_text("rain is expected")).to_be_visible()
    page.get_by_text("Ask the sky").click()
    expect(page.get_by_text("look --up")).to_be_visible()
    page.get_by_text("SQL of this table").click()
    expect(page.get_by_text("harness leaderboard --suite towns --track weather")).to_be_visible()
    town, metric = page.get_by_text("Town", exact=True).bounding_box(), page.get_by_text("rain in").bounding_box()
    above = page.get_by_text("The weather of").bounding_box()
    assert above and town and metric and above["y"] < town["y"] < metric["y"]


def test_choices_are_the_address_and_go_along(page: Page, weather_site: Site) -> None:
    visit(page, weather_site, HERE)
    choose(page, "Town", "BERN")
    expect(page.get_by_test_id("stMetricValue").nth(0)).to_have_text("Bern")
    choose(page, "Season", "spring")
    asked = {"suite": ["towns"], "track": ["weather"], "town": ["Bern"], "season": ["spring"]}
    assert parse_qs(urlsplit(page.url).query) == asked
    page.get_by_role("link", name="Where this is from").click()
    expect(page.get_by_text("1013 hPa")).to_be_visible()
    expect(page.get_by_text("look again, compared with what was measured")).to_be_visible()
    expect(page.get_by_text("a script of a barometer")).to_be_visible()
    assert asked.items() <= parse_qs(urlsplit(page.url).query).items()
