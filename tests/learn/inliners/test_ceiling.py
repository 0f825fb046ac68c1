"""``harness ceiling``, as its user runs it."""

import json
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from harness.learn.inliners.ceiling import Budget
from harness.learn.inliners.ceiling import search as ceiling
from harness.learn.inliners.collector import Collector
from harness.learn.inliners.modules import Module
from harness.problems.inlining.sites import body_of, log_of, parse_log, sites_of
from harness.sandbox.bench import Bench
from harness.toolchain.llvm import Toolchain
from tests.drive import User


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> tuple[User, Path]:
    """Someone with a policy of form ``best`` that was searched for."""
    folder = tmp_path_factory.mktemp("ceiling")
    user = User.at(folder)
    user.harness("new", "known", "--problem", "inlining", "--form", "best", cwd=folder, code=0)
    (folder / "known" / "decisions.json").write_text("{}")
    return user, folder / "known"


def search(user: User, policy: Path, *words: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = user.json(
        "ceiling", policy, "--suite", "cbench", "--benchmark", "qsort", "--trials", "25", *words
    )
    return found


def test_what_is_found_is_written_and_can_be_run(searched: tuple[User, Path]) -> None:
    user, policy = searched
    (found,) = search(user, policy)
    assert found["program"] == "cbench/qsort" and found["target"] == "x86-64"
    entry = json.loads((policy / "decisions.json").read_text())["cbench/qsort"]["x86-64"]
    assert float(str(found["gain"])) > 1.005
    assert (len(entry["sites"]), entry["trials"]) == (found["decisions"], found["trials"])
    user.harness(
        *("run", "--suite", "cbench", "--benchmark", "qsort", "--target", "x86-64", "--policy", f"{policy},Oz"),
        *("--metric", "size.alloc", "--no-fresh"),
        code=0,
    )
    sizes = {row.policy: row.value for row in user.rows() if row.metric == "size.alloc"}
    assert sizes["Oz"] / sizes["known"] == pytest.approx(found["gain"])


def test_no_link_leads_it_elsewhere(tmp_path: Path) -> None:
    """Of a policy of somebody else's, which may have any file in its folder."""
    user = User.at(tmp_path)
    user.harness("new", "known", "--problem", "inlining", "--form", "best", cwd=tmp_path, code=0)
    file = tmp_path / "known" / "decisions.json"
    file.write_text("{}")
    (tmp_path / "precious").write_text("mine")
    for name in ("decisions.new", ".decisions.json", "decisions.json.new", "decisions.tmp"):
        file.with_name(name).symlink_to(tmp_path / "precious")
    assert search(user, tmp_path / "known")
    assert not file.is_symlink() and json.loads(file.read_text())
    assert (tmp_path / "precious").read_text() == "mine"


def test_it_may_begin_from_what_a_policy_decides(searched: tuple[User, Path], tmp_path: Path) -> None:
    """Two compilations are LLVM's and the policy's: it has no others."""
    user, _ = searched
    user.harness("new", "begun", "--problem", "inlining", "--form", "best", cwd=tmp_path, code=0)
    (tmp_path / "begun" / "decisions.json").write_text("{}")
    words = (tmp_path / "begun", "--suite", "cbench", "--benchmark", "qsort", "--trials", "1")
    (plain,) = user.json("ceiling", *words)
    (begun,) = user.json("ceiling", *words, "--again", "--begin", "inline-trials-search")
    assert plain["gain"] == 1 and begun["gain"] > 1.005
    done = user.harness("ceiling", *words, "--again", "--begin", "oz-tail", code=2)
    assert "oz-tail" in done.err


def test_what_the_file_has_is_searched_again_only_by_word(searched: tuple[User, Path]) -> None:
    user, policy = searched
    (first,) = search(user, policy, "--again")
    assert search(user, policy) == []
    said = user.harness("ceiling", policy, "--suite", "cbench", "--benchmark", "qsort", "--trials", "25", code=0)
    assert "the file has 1 of 1 already" in said.out + said.err
    (more,) = search(user, policy, "--again", "--seed", "1")
    assert float(str(more["gain"])) >= float(str(first["gain"])) and int(str(more["trials"])) > int(
        str(first["trials"])
    )


def test_known_decisions_are_improved_function_by_function(small: list[Module], bench: Bench) -> None:
    module = next(one for one in small if one.name == "cbench/qsort")
    with Collector(bench) as collector:
        own = collector.compile(module.read(), with_decisions=True)
        chosen = [site for site in sites_of(parse_log(own.table.decode("ascii"))) if site.chosen]
        found = ceiling(module, "size.alloc", collector, Budget(15, 60), begin=[chosen[:1]])
    assert found.bytes < found.plain
    assert max(Counter(site.callee for site in found.sites).values()) > 1, "one call alone saves nothing here"


def test_known_decisions_that_are_worse_than_llvms_are_left(small: list[Module], bench: Bench) -> None:
    module = next(one for one in small if one.name == "cbench/qsort")
    with Collector(bench) as collector:
        own = collector.compile(module.read(), with_decisions=True)
        worse = [replace(site, inline=False) for site in sites_of(parse_log(own.table.decode("ascii"))) if site.chosen]
        found = ceiling(module, "size.alloc", collector, Budget(1, 60), begin=[worse])
        assert collector.compile(module.read(), table=log_of(body_of(worse)).encode()).alloc > own.alloc
    assert found.bytes == found.plain == own.alloc and not found.sites


ONE = """
static int scan@(int *a, int n, int k) {
  int s = 0;
  for (int i = 0; i < n; i++) { a[i] = a[i] * k + i; s ^= a[i] >> (k & 7); }
  return s;
}
int both@(int *a, int n) { return scan@(a, n, 3) + scan@(a + 4, n / 2, 5); }
"""
"""Inlined twice, ``scan`` is smaller than once beside its calls; LLVM's heuristic leaves it alone."""


def test_what_is_far_apart_is_tried_together(bench: Bench, toolchain: Toolchain) -> None:
    """Ten functions are found in fewer compilations than one at a time would take for the first pass alone."""
    text = "".join(ONE.replace("@", str(number)) for number in range(10))
    command = [toolchain.tool("clang"), "-Oz", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "-x", "c"]
    made = subprocess.run(
        [*command, "-", "-o", "-"], input=text.encode(), capture_output=True, check=True, timeout=60
    ).stdout
    with Collector(bench) as collector:
        found = ceiling(Module("ten", "ten", lambda: made, "ten"), "size.alloc", collector, Budget(8, 60))
    assert found.trials <= 8
    assert {(site.callee, site.inline) for site in found.sites} == {(f"scan{number}", True) for number in range(10)}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("oz-tail", "--suite", "cbench"), "is no policy of problem 'inlining' and form 'best'"),
        (("{policy}", "--suite", "cbench", "--benchmark", "qsrt"), "qsort"),
        (("{policy}", "--suite", "cbench", "--suite", "mibench", "--benchmark", "qsort"), "one --suite"),
        (("{policy}", "--suite", "cbench", "--metric", "size"), "size.alloc or size.text"),
        (("{policy}", "--suite", "cbench", "--target", "aarch64"), "aarch64"),
    ],
)
def test_what_cannot_be_searched_is_said(searched: tuple[User, Path], words: tuple[str, ...], what: str) -> None:
    user, policy = searched
    user.harness("ceiling", *(word.format(policy=policy) for word in words)).refused(2, what)
