"""Standings of signed runs apart from claims, in a real browser."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from harness.record.ledger import add_to_ledger
from harness.record.runfile import SIGNERS
from tests.browser.conftest import Site, site_of
from tests.browser.test_page import assert_shown, choose, shown, visit
from tests.record.test_backing import HERE, recorded
from tests.record.test_ledger import key_at

SIGNED = "official: signed by a maintainer"


def write_mixed(results: Path) -> None:
    """A signed run, and a claim that looks better."""
    signed = recorded(results, 1, HERE, Oz=100, mine=90)
    key = key_at(results.parent / "key")
    (results / SIGNERS).write_text(f"maintainer {key.with_suffix('.pub').read_text()}")
    add_to_ledger(signed, key)
    recorded(results, 2, HERE, boast=10)


@pytest.fixture(scope="module")
def mixed_site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    yield from site_of(tmp_path_factory.mktemp("mixed"), write_mixed)


def test_a_claim_leaves_when_signed_runs_alone_are_chosen(page: Page, mixed_site: Site) -> None:
    visit(page, mixed_site, "?split=all")
    policies = [row[1] for row in shown(page)]
    assert {"boast", "mine"} <= {*policies}
    choose(page, "Results", SIGNED)
    assert_shown(page, [name for name in policies if name != "boast"], lambda row: row[1])
    assert parse_qs(urlsplit(page.url).query)["backing"] == ["official"]
    link = page.get_by_role("link", name="permalink").get_attribute("href") or ""
    assert parse_qs(urlsplit(link).query)["backing"] == ["official"]
    expect(page.get_by_text("--backing official").first).to_be_attached()


def test_runs_say_what_stands_behind_them(page: Page, mixed_site: Site) -> None:
    visit(page, mixed_site, "runs")
    for word in ("official", "claimed"):
        expect(page.get_by_test_id("stMain").get_by_text(word, exact=True).first).to_be_attached()
