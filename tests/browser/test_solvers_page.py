"""The pages of solvers in a real browser: scores, published rows, cost and memory over time."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from harness.problems.instances.standings import SolverTable, solver_standings
from harness.problems.sharding.domain import Sharding
from harness.rank.question import ALL, questions
from harness.record import open_index
from tests.browser.conftest import Site
from tests.browser.recorded import SOLVERS, WHY
from tests.browser.test_page import assert_shown, choose, points, visit

DOMAIN = Sharding()

WITHHELD = "?suite=iopddl&track=sharding&origin=contest"
CONTEST = f"{WITHHELD}&split=all"


def answer(site: Site, *, split: str = ALL, published: bool) -> SolverTable:
    with open_index(site.results) as index:
        (question,) = questions(index, suite="iopddl", origin="contest", split=split)
        return solver_standings(DOMAIN, index, question, published=published)


def names(table: SolverTable) -> list[str]:
    return [row.policy for row in table.standings]


@pytest.mark.slow
def test_scores_with_and_without_what_others_have_published(page: Page, solvers_site: Site) -> None:
    table = answer(solvers_site, published=True)
    assert {"XLA", "team01", *SOLVERS} <= set(names(table)) and len(names(table)) > 10
    visit(page, solvers_site, CONTEST)
    expect(page.get_by_text("iopddl · contest instances · time scale 0.1 · 2 cores · 3 instances")).to_be_visible()
    assert_shown(page, names(table), lambda row: row[1])
    assert_shown(
        page,
        [f"{row.contest_score:.4f}" for row in table.standings if row.contest_score is not None],
        lambda row: f"{float(row[5]):.4f}",
    )
    expect(page.get_by_text("layout-messages: not ranked: made on 3 of these 3 instances")).to_be_visible()
    expect(points(page)).to_have_count(len(names(table)))
    choose(page, "Published rows", "left out")
    assert_shown(page, names(answer(solvers_site, published=False)), lambda row: row[1])
    assert parse_qs(urlsplit(page.url).query)["published"] == ["left out"]
    expect(page.get_by_text("XLA")).to_have_count(0)


def test_the_withheld_instances_come_first(page: Page, solvers_site: Site) -> None:
    visit(page, solvers_site, WITHHELD)
    expect(page.get_by_text("contest instances · split test · time scale 0.1 · 2 cores · 1 instance")).to_be_visible()
    assert_shown(page, names(answer(solvers_site, split="test", published=True)), lambda row: row[1])


def test_instances_of_a_solver_to_the_last_digit(page: Page, solvers_site: Site) -> None:
    visit(page, solvers_site, f"program{CONTEST}&policy=greedy-descent&instance=A")
    expect(page.get_by_role("heading", name="Instances")).to_be_visible()
    assert_shown(
        page,
        [["A", "ok", "70,000,000,001,339,941,579"], ["B", "infeasible", "–"], ["G", "ok", "219,866,296"]],
        lambda row: [row[0], row[3], row[4]],
    )
    expect(page.get_by_text(WHY)).to_be_visible()
    expect(page.get_by_text("Cost over time")).to_be_visible()
    expect(page.locator(".js-plotly-plot").nth(1).locator(".scatterlayer .trace")).to_have_count(2)
    expect(page.get_by_text("not shown: the decisions of this row are not here")).to_be_visible()


def test_memory_of_a_solution(page: Page, solvers_site: Site) -> None:
    visit(page, solvers_site, "program?suite=iopddl&track=sharding&origin=own&policy=layout-messages&instance=chain-4")
    expect(page.get_by_text("made instances · time scale 0.1")).to_be_visible()
    chart = page.locator(".js-plotly-plot").nth(2)
    expect(chart.get_by_text("MiB in use")).to_be_visible()
    expect(chart.get_by_text("limit", exact=True)).to_be_visible()


def test_two_solvers_side_by_side(page: Page, solvers_site: Site) -> None:
    visit(page, solvers_site, f"compare{CONTEST}&a=layout-messages&b=greedy-descent")
    expect(page.get_by_text("layout-messages is better", exact=True).first).to_be_visible()
    visit(page, solvers_site, "runs")
    expect(page.get_by_text("time scale 0.1, one at a time on 2 cores")).to_be_visible()
