"""The real server over a results folder of invented numbers, and a real browser that watches for faults."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import ConsoleMessage, Page, Request, expect, sync_playwright

from harness.base.paths import ROOT
from tests.browser.recorded import write_results, write_solved, write_speed, write_timed

CHROMIUM = Path("/usr/bin/chromium")
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SERVED: set[str] = set()
"""Addresses of the servers that tests have started."""


@dataclass(frozen=True)
class Site:
    """The running page."""

    url: str
    results: Path


@pytest.fixture(scope="module")
def site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over runs of track size."""
    yield from site_of(tmp_path_factory.mktemp("page"), write_results)


@pytest.fixture(scope="module")
def speed_site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over a run of track speed."""
    yield from site_of(tmp_path_factory.mktemp("speed"), write_speed)


@pytest.fixture(scope="module")
def timed_site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over runs with timing campaigns."""
    yield from site_of(tmp_path_factory.mktemp("timed"), write_timed)


@pytest.fixture(scope="module")
def solvers_site(own_folders: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The page over a run of solvers."""
    yield from site_of(tmp_path_factory.mktemp("solvers"), write_solved)


def site_of(folder: Path, write: Callable[[Path], object]) -> Iterator[Site]:
    """The page over the results that ``write`` makes."""
    write(folder / "results")
    with _serving(folder / "results") as running:
        yield running


@contextmanager
def _serving(results: Path) -> Iterator[Site]:
    """``streamlit run app.py`` on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = results.parent / "server.log"
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--server.fileWatcherType", "none"]
    command += ["--browser.gatherUsageStats", "false"]
    with log.open("wb") as output:
        environment = {**os.environ, "HARNESS_RESULTS": str(results)}
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for(url, server, log)
        SERVED.add(url)
        yield Site(url, results)
    finally:
        server.terminate()
        server.wait(timeout=10)


def _wait_for(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 120  # on a busy machine Streamlit takes long to import
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
    pytest.fail(f"the server did not start:\n{log.read_text()}")


class Watched:
    """One tab for all tests, since a new one costs seconds, and what went wrong in it."""

    def __init__(self, tab: Page) -> None:
        self.tab = tab
        self.faults: list[str] = []
        tab.on("console", self._heard)
        tab.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        tab.on("request", self._asked)

    def _heard(self, message: ConsoleMessage) -> None:
        # Opened below the root, streamlit first looks for its server there, and then at the root.
        probing = "/_stcore/" in message.location.get("url", "")
        if message.type in ("error", "warning") and not probing:
            self.faults.append(f"console: {message.text}")

    def _asked(self, request: Request) -> None:
        if not request.url.startswith((*SERVED, "data:", "blob:")):
            self.faults.append(f"request to elsewhere: {request.url}")


@pytest.fixture(scope="module")
def watched() -> Iterator[Watched]:
    """The browser."""
    if not CHROMIUM.exists():
        pytest.fail("chromium is missing: apt-get install -y --no-install-recommends chromium fonts-dejavu-core")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        context = chromium.new_context(viewport={"width": 1400, "height": 900})
        context.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        yield Watched(context.new_page())
        chromium.close()


@pytest.fixture
def page(watched: Watched) -> Iterator[Page]:
    """The tab. The test fails at its end for anything in the console, and for any request to elsewhere."""
    watched.faults.clear()
    yield watched.tab
    assert watched.faults == []
    assert watched.tab.get_by_test_id("stException").all_inner_texts() == []
