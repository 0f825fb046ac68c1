"""The page in a real browser: what it shows is what ``harness.rank`` answers."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import duckdb
import pytest
from playwright.sync_api import Locator, Page, expect

from harness.base.formats import interval
from harness.measure import find_metric
from harness.rank import Comparison, ProgramFigure, Question, Standing, programs, standings, versus
from harness.rank.contest import percent
from harness.rank.question import ALL, questions
from harness.rank.words import decided, rank_range, verdict_mark
from harness.record import open_index, run_files
from tests.browser.conftest import Site
from tests.browser.recorded import CRASH, DETAIL, LLVM, MARK, OLDER, REASON

HEADING = 36
"""Height of a table's headings, in pixels."""


def visit(page: Page, site: Site, path: str) -> None:
    page.goto(f"{site.url}/{path}")
    settled(page)


def settled(page: Page) -> None:
    """Wait until the script behind the page has run and its elements are drawn."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")
    expect(page.get_by_role("heading").first).to_be_visible()


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a selector, and wait for the page to answer."""
    box = page.get_by_test_id("stSelectbox").filter(has=page.get_by_text(label, exact=True))
    box.scroll_into_view_if_needed()
    page.wait_for_timeout(200)  # scrolling closes an open list
    box.get_by_role("combobox").click()
    before = page.url
    page.get_by_role("option", name=option, exact=True).click()
    page.wait_for_function("before => location.href !== before", arg=before)
    settled(page)


def shown(page: Page) -> list[list[str]]:
    """The cells of the page's table as a screen reader gets them: numbers are not rounded there."""
    grid = page.get_by_test_id("stDataFrame").first.locator("table[role=grid]")
    expect(grid).to_be_attached()
    cells = "rows => rows.map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent))"
    return [[str(cell) for cell in row] for row in grid.locator("tbody tr").evaluate_all(cells)]


def assert_shown(page: Page, expected: Sequence[object], read: Callable[[list[str]], object] = list) -> None:
    """The table, each row read by ``read``, is the expected one, at the latest when it is drawn."""
    deadline = time.monotonic() + 10
    while (found := [read(row) for row in shown(page)]) != expected and time.monotonic() < deadline:
        page.wait_for_timeout(100)
    assert found == expected


def points(page: Page) -> Locator:
    """The marks of the chart: dots or bars."""
    return page.locator(".js-plotly-plot .point")


def asked(
    index: duckdb.DuckDBPyConnection, *, llvm: str = LLVM, target: str = "x86-64", **fields: str | tuple[str, ...]
) -> Question:
    """The question with these fields, the others as the page has them at first, but of all splits."""
    chosen = {"split": ALL} | fields
    return questions(index, suite="toy", llvm=llvm, targets=(target,), **chosen)[0]  # type: ignore[arg-type]


def answer(site: Site, **fields: str | tuple[str, ...]) -> list[Standing]:
    with open_index(site.results) as index:
        return standings(index, asked(index, **fields))


def four(text: str) -> str:
    """A number as tables print it, to four decimals."""
    return f"{float(text):.4f}" if text else "–"


def printed(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def assert_standings(page: Page, table: list[Standing]) -> None:
    """The table on the page is this one, to the printed precision."""
    expected = [
        [
            rank_range(row) or "–",
            row.policy,
            row.policy_class,
            verdict_mark(row.verdict, row.depends_on) or "–",
            printed(row.strict),
            interval(row.low, row.high),
            printed(row.median),
            printed(row.matched),
            f"{row.completed}/{row.benchmarks}",
            decided(row) or "–",
            percent(row.mde) or "–",
            "" if row.decide_cpu is None else f"{row.decide_cpu:g}",
        ]
        for row in table
    ]
    assert_shown(page, expected, lambda r: [*r[:4], four(r[4]), r[5], four(r[6]), four(r[7]), *r[8:]])


def assert_programs(page: Page, table: list[ProgramFigure]) -> None:
    expected = [
        [
            row.benchmark,
            row.split,
            row.origin,
            row.outcome,
            f"{row.reference:.0f}",
            "" if row.policy is None else f"{row.policy:.0f}",
            printed(row.ratio),
            verdict_mark(row.verdict) or "–",
            printed(row.counted),
            (row.object_digest or "–")[:12],
            "–" if row.object_digest is None else "same" if row.same_object else "differs",
        ]
        for row in table
    ]
    assert_shown(page, expected, lambda r: [*r[:6], four(r[6]), r[7], four(r[8]), *r[9:]])


def test_standings_are_those_computed(page: Page, site: Site) -> None:
    table = answer(site)
    assert {row.policy: row.coverage for row in table}["flawed"] == 0.75
    visit(page, site, "?split=all")
    assert_standings(page, table)
    expect(points(page)).to_have_count(len(table))
    expect(page.locator(".js-plotly-plot path.xerror")).to_have_count(len(table))
    # Ticks are drawn from the bottom up: the best on top, one axis a class.
    fixed, search = (page.locator(f".js-plotly-plot .{axis}tick text").all_text_contents() for axis in ("y", "y2"))
    assert [*reversed(fixed), *reversed(search)] == [row.policy for row in table]
    expect(page.get_by_text("every two policies of a class alone")).to_be_visible()
    expect(page.get_by_text("fingerprint")).to_contain_text(LLVM[:12])
    newest = run_files(site.results)[0][-1].stem
    expect(page.get_by_role("link", name=f"{newest} (24 cells)")).to_be_visible()


def test_choices_change_table_and_address(page: Page, site: Site) -> None:
    visit(page, site, "?split=all")
    choose(page, "Target", "aarch64")
    assert_standings(page, answer(site, target="aarch64"))
    choose(page, "Metric", "size.text (bytes)")
    text = answer(site, target="aarch64", metric="size.text")
    assert_standings(page, text)
    choose(page, "Split", "test")
    assert_standings(page, answer(site, target="aarch64", metric="size.text", split="test"))
    wanted = {"suite": "toy", "track": "size", "target": "aarch64", "metric": "size.text"}
    wanted |= {"reference": "Oz", "split": "test", "llvm": LLVM[:12]}
    assert parse_qs(urlsplit(page.url).query) == {name: [value] for name, value in wanted.items()}
    page.go_back()
    expect(page.get_by_text("against Oz · 4 programs")).to_be_visible()
    settled(page)
    assert_standings(page, text)


@pytest.mark.slow
def test_programs_that_were_trained_on_can_be_left_out(page: Page, site: Site) -> None:
    visit(page, site, "?split=all")
    choose(page, "Training", "unseen by every policy")
    unseen = answer(site, unseen=("everyone",))
    assert {row.benchmarks for row in unseen} == {2}
    assert_standings(page, unseen)
    expect(page.get_by_text("unseen by every policy · size.alloc")).to_be_visible()
    assert parse_qs(urlsplit(page.url).query)["unseen"] == ["everyone"]
    page.reload()
    assert_standings(page, unseen)


@pytest.mark.parametrize(
    "view",
    [{"target": "aarch64", "metric": "size.text", "origin": "debian"}, {"llvm": OLDER}],
    ids=["restricted", "older compiler"],
)
def test_permalink_gives_that_view(page: Page, site: Site, view: dict[str, str]) -> None:
    visit(page, site, "?split=all&" + "&".join(f"{name}={value[:12]}" for name, value in view.items()))
    assert_standings(page, answer(site, **view))


def test_link_to_what_is_not_recorded_says_so(page: Page, site: Site) -> None:
    visit(page, site, "?split=all&target=z80")
    expect(page.get_by_test_id("stAlert")).to_contain_text("No results of target z80 here: x86-64 is shown instead.")
    assert_standings(page, answer(site))


def test_times_are_shown_and_not_ranked(page: Page, site: Site) -> None:
    visit(page, site, "?metric=compile.cpu")
    expect(page.get_by_text(f"not ranked: {find_metric('compile.cpu').not_ranked}")).to_be_visible()
    assert_shown(page, [["–"]] * len(answer(site)), lambda r: r[:1])
    expect(page.locator(".js-plotly-plot").get_by_text("not ranked")).to_be_visible()


def test_selected_policy_leads_to_its_programs(page: Page, site: Site) -> None:
    with open_index(site.results) as index:
        question = asked(index, target="aarch64")
        names = [row.policy for row in standings(index, question)]
        rows = programs(index, question, "tidy_pass_list")
    assert any(row.same_object for row in rows)
    visit(page, site, "?target=aarch64&split=all")
    box = page.get_by_test_id("stDataFrame").locator("canvas").first.bounding_box()
    assert box is not None
    row_height = (box["height"] - HEADING) / len(names)
    page.mouse.click(box["x"] + 15, box["y"] + HEADING + (names.index("tidy_pass_list") + 0.5) * row_height)
    page.get_by_role("link", name="Programs of tidy_pass_list").click()
    expect(page.get_by_role("heading", name="Programs")).to_be_visible()
    settled(page)
    address = parse_qs(urlsplit(page.url).query)
    assert (address["policy"], address["target"]) == (["tidy_pass_list"], ["aarch64"])
    expect(points(page)).to_have_count(len(rows))
    assert_programs(page, rows)


def test_failed_benchmark_is_visible_with_its_outcome(page: Page, site: Site) -> None:
    with open_index(site.results) as index:
        rows = programs(index, asked(index), "flawed")
    visit(page, site, "program?policy=flawed&split=all")
    expect(page.get_by_text("Not ok: 1 of 4 programs")).to_be_visible()
    expect(page.get_by_role("cell", name="wrong-output", exact=True).first).to_be_visible()
    expect(page.get_by_role("cell", name=DETAIL, exact=True)).to_be_visible()  # as text, not as markup
    assert_programs(page, rows)
    expect(points(page)).to_have_count(len(rows))
    expect(page.locator(".js-plotly-plot").get_by_text("wrong-output")).to_be_visible()


def test_comparison_is_that_computed(page: Page, site: Site) -> None:
    with open_index(site.results) as index:
        found = versus(index, asked(index), "tidy_pass_list", "flawed")
    visit(page, site, "compare?a=tidy_pass_list&b=flawed&split=all")
    rows = found.rows
    marks = [verdict_mark(row.verdict) or "–" for row in rows]
    expected = [
        [row.benchmark, printed(row.ratio), mark, row.outcome_a, row.outcome_b, row.remark]
        for row, mark in zip(rows, marks, strict=True)
    ]
    assert_shown(page, expected, lambda r: [r[0], four(r[4]), *r[5:]])
    ratios = [row.ratio for row in rows if row.ratio is not None]
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    figures = page.get_by_test_id("stMetricValue")
    assert figures.all_inner_texts() == [f"{mean:.4f}", "0", "3", "0", "0", "3/4"]
    expect(page.get_by_text(found.summary.conclusion)).to_be_visible()
    expect(page.get_by_text(f"{printed(found.summary.low)} – {printed(found.summary.high)} for")).to_be_visible()
    expect(page.get_by_text("exact for these")).to_be_visible()
    expect(points(page)).to_have_count(len(ratios))


@pytest.mark.parametrize(
    ("path", "columns"),
    [
        ("program?policy=flawed&split=all", {"benchmark": 0, "outcome": 3, "reference": 4, "value": 5, "counted": 8}),
        ("compare?a=seeker&b=Oz&split=all", {"benchmark": 0, "a": 1, "b": 2, "ratio": 4}),
    ],
    ids=["programs", "compare"],
)
def test_shown_query_gives_the_shown_numbers(page: Page, site: Site, path: str, columns: dict[str, int]) -> None:
    visit(page, site, path)
    expected = [[_cell(row[name]) for name in columns] for row in queried(page, site)]
    assert_shown(page, expected, lambda row: [_cell(row[place]) for place in columns.values()])


def test_shown_query_gives_what_strict_is_the_mean_of(page: Page, site: Site) -> None:
    visit(page, site, "?split=all")
    rows = queried(page, site)
    policies = {row["policy"] for row in rows}
    means = {}
    for policy in policies:
        logs = [math.log(row["counted"]) for row in rows if row["policy"] == policy]
        means[policy] = f"{math.exp(statistics.fmean(logs)):.4f}"
    assert {row[1]: four(row[4]) for row in shown(page)} == means


def queried(page: Page, site: Site) -> list[dict[str, Any]]:
    """The rows of the query that the page shows."""
    page.get_by_text("SQL of this table").click()
    query = page.get_by_test_id("stExpander").locator("code.language-sql").inner_text()
    with open_index(site.results) as index:
        answer = index.execute(query)
        names = [column[0] for column in answer.description]
        return [dict(zip(names, row, strict=True)) for row in answer.fetchall()]


def _cell(value: object) -> str:
    """A cell as a number to ten digits where it is one; nothing where it is empty."""
    try:
        return f"{float(value):.10g}"  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return str(value or "")


def test_runs_say_how_to_rebuild_them(page: Page, site: Site) -> None:
    older, newest = (path.stem for path in run_files(site.results)[0])
    visit(page, site, f"runs?run={older}")
    assert_shown(page, [[newest[:-20]], [older[:-20]]], lambda r: r[:1])  # 12 of the digest's 32 digits
    expect(page.get_by_role("cell", name=f"LLVM 22.1.0, fingerprint {OLDER}")).to_be_visible()
    codes = page.get_by_test_id("stCode")
    expect(codes.filter(has_text=f"harness replay {older} --results {site.results}")).to_be_visible()
    choose(page, "Cell", "alpha/aarch64/O0")
    expect(codes.filter(has_text=f"harness repro {older}/alpha/aarch64/O0 --results")).to_be_visible()


PICTURE = "![p](http://127.0.0.1:9/picture)"


@pytest.mark.parametrize("path", ["program?policy=", "?suite=", "compare?a=", "runs?run=", "runs?cell="])
def test_a_crafted_link_fetches_no_picture(page: Page, site: Site, path: str) -> None:
    """What the address says is shown as it is; the tab's watcher fails the test for a request to elsewhere."""
    visit(page, site, path + quote(f"none\n\n{PICTURE}\n\n[click](http://127.0.0.1:9/)"))
    expect(page.get_by_test_id("stAlert").filter(has_text="none").first).to_be_visible()
    page.wait_for_timeout(300)
    assert page.locator("img[src*='127.0.0.1:9']").count() == 0
    assert page.locator("a[href*='127.0.0.1:9']").count() == 0


def test_a_file_with_markup_for_a_name_fetches_no_picture(page: Page, site: Site) -> None:
    stranger = site.results / "x`\n\n![p](http:&#47;&#47;127.0.0.1:9&#47;picture).txt"
    stranger.write_text("")
    try:
        visit(page, site, "runs")
        expect(page.get_by_test_id("stAlert").filter(has_text="not a run file")).to_be_visible()
        page.wait_for_timeout(300)
        assert page.locator("img[src*='127.0.0.1']").count() == 0
    finally:
        stranger.unlink()


def test_torn_file_gives_a_message(page: Page, site: Site) -> None:
    whole = run_files(site.results)[0][-1]
    torn = whole.with_name(whole.name.replace("20260202", "20260303"))
    torn.write_bytes(whole.read_bytes()[:-100])
    try:
        visit(page, site, "")
        expect(page.get_by_test_id("stAlert")).to_contain_text("torn or altered: its content contradicts its name")
        expect(page.get_by_text(str(torn))).to_be_visible()
        expect(page.get_by_text("restore it, or move it out of the results folder")).to_be_visible()
    finally:
        torn.unlink()


def test_empty_folder_gives_a_message(page: Page, site: Site) -> None:
    aside = site.results.with_name("aside")
    site.results.rename(aside)
    try:
        visit(page, site, "")
        expect(page.get_by_test_id("stAlert")).to_contain_text("there are no results yet")
        expect(page.get_by_text("harness run --suite cbench")).to_be_visible()
        page.get_by_role("link", name="Runs").click()
        expect(page.get_by_role("heading", name="Runs")).to_be_visible()
        expect(page.get_by_test_id("stAlert")).to_contain_text("there are no results yet")
    finally:
        aside.rename(site.results)


@pytest.mark.slow
def test_track_speed_has_a_reference_to_choose(page: Page, speed_site: Site) -> None:
    """Each reference has its table; the address keeps it, and goes along to the other pages."""

    def table(reference: str, metric: str) -> list[Standing]:
        with open_index(speed_site.results) as index:
            (question,) = questions(index, suite="zippy", reference=reference, metric=metric)
            return standings(index, question)

    visit(page, speed_site, "")
    assert_standings(page, table("greedy", "instructions"))
    choose(page, "Reference", "basic")
    assert parse_qs(urlsplit(page.url).query)["reference"] == ["basic"]
    assert_standings(page, table("basic", "instructions"))
    expect(page.get_by_text("counts as the worst of basic, fast-o0 and")).to_be_visible()
    choose(page, "Metric", "spills (operands)")
    assert_standings(page, table("basic", "spills"))
    expect(page.get_by_text("ratios are of the values plus one")).to_be_visible()
    page.get_by_text("SQL of this table").click()
    expect(page.get_by_text("--reference basic")).to_be_visible()


def test_modelled_cycles_name_their_cpu_and_say_what_they_could_not_model(page: Page, speed_site: Site) -> None:
    visit(page, speed_site, "program?suite=zippy&track=speed&metric=mca.cycles&policy=pbqp&reference=greedy")
    expect(page.get_by_text("mca.cycles (skylake-avx512 cycles) against greedy")).to_be_visible()
    with open_index(speed_site.results) as index:
        (question,) = questions(index, suite="zippy", reference="greedy", metric="mca.cycles")
        table = {row.benchmark: row for row in programs(index, question, "pbqp")}
    assert (table["gamma"].outcome, table["gamma"].detail) == ("not measured", REASON)
    assert [row[3] for row in shown(page) if row[0] == "gamma"] == ["not measured"]
    expect(page.get_by_text(REASON)).to_be_visible()


def race(index: duckdb.DuckDBPyConnection, reference: str = "greedy") -> Question:
    """The question that the page of the timed suite opens with."""
    (question,) = questions(index, suite="race", reference=reference)
    assert question.metric == "runtime.cpu"
    return question


@pytest.mark.slow
def test_timed_standings_say_where_times_come_from_and_who_is_not_ranked(page: Page, timed_site: Site) -> None:
    with open_index(timed_site.results) as index:
        table = standings(index, race(index))
    assert [row.policy for row in table if row.rank is None] == ["latecomer"]
    visit(page, timed_site, "")
    assert_standings(page, table)
    control = "control 1.0004 (99 % interval 0.9989 – 1.0019)"
    expect(
        page.get_by_text(f"timed in one campaign on Invented CPU, 16 pairs a program (median); {control}")
    ).to_be_visible()
    expect(page.get_by_text("on Old CPU is not used: another machine")).to_be_visible()
    marked = page.get_by_test_id("stAlert")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text(
        f"campaign 5d5d5d5d5d5d5d5d of 2026-04-05 is marked, nothing is ranked by it: {MARK}"
    )
    expect(page.get_by_text(f"latecomer: not ranked: timed only in a marked campaign: {MARK}")).to_be_visible()
    expect(page.locator(".js-plotly-plot").get_by_text("not ranked")).to_be_visible()
    expect(points(page)).to_have_count(len(table))
    expect(page.get_by_text("the thick line of the chart")).to_be_visible()


def test_timed_programs_have_intervals_and_verdicts(page: Page, timed_site: Site) -> None:
    with open_index(timed_site.results) as index:
        rows = programs(index, race(index), "pbqp")
        failed = next(row for row in programs(index, race(index), "fast") if row.outcome != "ok")
    assert {row.verdict for row in rows} >= {"better", "worse", "equal"}
    visit(page, timed_site, "program?policy=pbqp")
    assert_shown(page, [timed_cells(row) for row in rows], lambda r: [r[0], four(r[6]), *r[7:10]])
    expect(page.locator(".js-plotly-plot path.xerror")).to_have_count(len(rows))
    assert (failed.outcome, failed.detail) == ("not measured", CRASH)
    visit(page, timed_site, "program?policy=fast")
    expect(page.get_by_role("cell", name=CRASH, exact=True)).to_be_visible()


def timed_cells(row: ProgramFigure | Comparison) -> list[str]:
    """Benchmark, ratio, interval, verdict and pairs as they are shown."""
    interval = "–" if row.low is None else f"{printed(row.low)} – {printed(row.high)}"
    return [
        row.benchmark,
        printed(row.ratio),
        interval,
        verdict_mark(row.verdict) or "–",
        "" if row.pairs is None else str(row.pairs),
    ]


@pytest.mark.slow
def test_timed_comparison_is_of_direct_pairs(page: Page, timed_site: Site) -> None:
    with open_index(timed_site.results) as index:
        found = versus(index, race(index), "pbqp", "greedy")
    visit(page, timed_site, "compare?a=pbqp&b=greedy")
    assert_shown(page, [timed_cells(row) for row in found.rows], lambda r: [r[0], four(r[3]), *r[4:7]])
    assert [row[-1] for row in shown(page)] == ["same object" if row.same_object else "" for row in found.rows]
    expect(page.get_by_text(found.summary.conclusion)).to_be_visible()
    expect(page.get_by_text("timed in one campaign on Invented CPU")).to_be_visible()


def test_policies_that_never_met_are_told_what_to_do(page: Page, timed_site: Site) -> None:
    visit(page, timed_site, "compare?a=latecomer&b=basic")
    command = "harness run --suite race --track speed --policy latecomer,basic"
    expect(page.get_by_text(f"never timed together: {command}")).to_be_visible()
    assert {row[-1] for row in shown(page)} == {"never timed together"}
    expect(page.locator(".js-plotly-plot")).to_have_count(0)
