"""The documents show what the commands print for the committed results."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.base.digest import digest_of
from harness.base.vocabulary import PolicyClass
from tests.drive import ROOT
from tests.rows import row, run_file

CACHE = ROOT / "build" / "tests" / "figures"
"""Verdicts are kept there by the digest of their rows, from one session to the next."""


def check(*documents: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/figures.py", "--check", *documents],
        cwd=ROOT,
        env={**os.environ, "HARNESS_CACHE": str(CACHE)},
        capture_output=True,
        text=True,
        check=False,
    )


def inliners(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/inliners.py", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)


def cells_of(done: subprocess.CompletedProcess[str]) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if line]


def require(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, f"{done.stdout}{done.stderr}run {sys.executable} scripts/figures.py"


def test_the_tables_of_standings_are_what_the_command_prints() -> None:
    require(check("README.md", "docs/standings.md"))


@pytest.mark.slow
def test_documents_say_what_commands_print() -> None:
    require(check())


def test_what_is_no_document_is_refused() -> None:
    done = check("docs/nothing.md")
    assert done.returncode != 0
    assert "docs/nothing.md is no document" in done.stderr


@pytest.mark.parametrize(
    "words", [["inliners.py", "zero-shot"], ["clusters.py", "cbench"], ["allocators.py", "counts"]]
)
def test_a_folder_without_results_is_one_error(words: list[str], tmp_path: Path) -> None:
    script, *asked = words
    for folder in (tmp_path, tmp_path / "nothing"):
        command = [sys.executable, f"scripts/{script}", *asked, str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"error: {folder}: there are no results")
        assert "Traceback" not in done.stderr


def test_before_an_error_no_table_is_begun(tmp_path: Path) -> None:
    facts = {"problem": "inlining", "policy_class": PolicyClass.ZERO_SHOT, "form": "python"}
    run_file(tmp_path, [row("crc32", "inliner", 90, **facts)], suite="cbench")
    command = [sys.executable, "scripts/inliners.py", "zero-shot", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert "'Oz'" in done.stderr


def test_the_table_of_inliners_has_no_other_policies(tmp_path: Path) -> None:
    zero = {"policy_class": PolicyClass.ZERO_SHOT, "form": "python"}
    for metric in ("size.alloc", "size.text"):
        rows = [row("crc32", "Oz", 100, metric=metric)]
        rows += [row("crc32", "inliner", 90, metric=metric, problem="inlining", **zero)]
        rows += [row("crc32", "agent", 90, metric=metric, problem="passes", **zero)]
        run_file(tmp_path, rows, suite="cbench")
    done = inliners("zero-shot", tmp_path)
    heads = [line for line in done.stdout.splitlines() if " target " in line]
    assert heads == [f"| `{metric}` | target | split | programs | inliner |" for metric in ("size.alloc", "size.text")]


def test_the_table_of_speed_is_against_greedy_by_every_metric(tmp_path: Path) -> None:
    facts = {"problem": "inlining", "policy_class": PolicyClass.ZERO_SHOT, "form": "cpp"}
    for metric in ("instructions", "accesses", "mca.cycles", "size.alloc"):
        rows = [row("crc32", "greedy", 1000, track="speed", metric=metric)]
        rows += [row("crc32", "inliner", 800, track="speed", metric=metric, **facts)]
        rows += [row("crc32", "elsewhere", 500, track="speed", metric=metric, **{**facts, "problem": "passes"})]
        run_file(tmp_path, rows, suite="cbench", track="speed")
    head, _, line = cells_of(inliners("speed", tmp_path))
    assert head[5:] == ["`instructions`", "`accesses`", "`mca.cycles`", "`size.alloc`"]
    assert line[:5] == ["cbench", "x86-64", "train", "1", "inliner"]
    assert set(line[5:]) == {"1.2500"}


def searched(results: Path, **values: float) -> None:
    """Runs of the four suites, a program each: -Oz takes 10,000 bytes, -O0 four times as many, and searches by these
    names what is said; ``once`` is run on one suite only, and ``fails`` fails one.
    """
    programs = {"cbench": "bitcount", "mibench": "patricia", "polybench": "atax", "spec-like": "mcf"}
    for suite, name in programs.items():
        test = {name: {"split": "test", "origin": "own", "program_digest": digest_of(name)}}
        for metric in ("size.alloc", "size.text"):
            rows = [row(name, level, size, metric=metric) for level, size in (("Oz", 10_000), ("O0", 40_000))]
            for policy, value in values.items():
                if policy == "once" and suite != "cbench":
                    continue
                form = "best" if policy == "known" else "search"
                facts = {"problem": "inlining", "policy_class": PolicyClass.SEARCH, "form": form}
                failed = policy == "fails" and suite == "mibench"
                of = {} if failed else {"metric": metric}
                rows.append(row(name, policy, None if failed else value, **facts, **of))
            run_file(results, rows, suite=suite, benchmarks=test, ceilings=["known"] if "known" in values else [])


def test_of_all_suites_together_the_table_has_who_was_run_on_each(tmp_path: Path) -> None:
    searched(tmp_path, everywhere=8_000, once=5_000)
    table = cells_of(inliners("search", tmp_path))
    assert table[0][4:] == ["everywhere", "once"]
    cells = {line[0]: line[3:] for line in table}
    assert cells["cbench"] == ["1", "1.2500", "2.0000"]
    assert cells["all"] == ["4", "1.2500 (1.2500 – 1.2500)", "–"]
    assert cells["applications"] == ["3", "1.2500 (1.2500 – 1.2500)", "–"]


def test_what_is_reached_of_the_ceiling_is_shown_beside_what_it_wins(tmp_path: Path) -> None:
    searched(tmp_path, known=6_400, half=8_000, once=8_000, fails=8_000)
    table = cells_of(inliners("reached", tmp_path))
    assert table[0][1:3] == ["x86-64, all", "x86-64, applications"]
    cells = {line[0]: line[1:3] for line in table}
    assert cells["known"] == ["1.5625", "1.5625"]
    assert cells["half"] == ["50 %", "50 %"]
    assert "once" not in cells
    assert all(one.startswith("-") for one in cells["fails"]), "a failed program counts"
