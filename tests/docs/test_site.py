"""The documents lead somewhere: every page is on the site, and every link has a target and an anchor."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.problems.inlining.features import LLVM_FEATURES
from tests.drive import ROOT

DOCS = ROOT / "docs"
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
MADE = {"index.md", "contributing.md", "changelog.md", "reporting.md"}
"""Pages that scripts/pages.py makes of documents beside docs/."""


def prose(document: Path) -> str:
    return FENCED.sub("", document.read_text())


def anchors(document: Path) -> list[str]:
    headings = re.findall(r"^#+ (.*)$", prose(document), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings]


def pages(entry: Any) -> Iterator[str]:
    """Every page of a part of the navigation, in its order."""
    if isinstance(entry, str):
        yield entry
        return
    for part in entry.values() if isinstance(entry, dict) else entry:
        yield from pages(part)


def test_every_page_is_in_the_navigation_once() -> None:
    named = sorted(pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.glob("*.md")}
    assert named == sorted(there | MADE)


@pytest.mark.parametrize("document", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for name, anchor in LINK.findall(prose(document)):
        target = document.parent / name if name else document
        assert target.exists(), name
        if anchor:
            assert anchor in anchors(target), f"{name}#{anchor}"


def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?(https?:[^\"> ]*)")
    found = {address for page in tmp_path.rglob("*.html") for address in loaded.findall(page.read_text())}
    assert not found


def test_the_table_of_features_has_each_in_the_order_of_llvm() -> None:
    [section] = re.findall(
        r"^## The 38 features$(.*?)^## ", (DOCS / "inlining.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert tuple(re.findall(r"^\| `(\w+)` \| \S.* \| \S.* \|$", section, re.MULTILINE)) == LLVM_FEATURES
