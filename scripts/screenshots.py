"""Take the documentation's pictures of the pages, from the recorded results.

usage: .venv/bin/python scripts/screenshots.py [FOLDER]      (needs Chromium and `make setup-test`)
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from harness.base.paths import ROOT

WIDTH, HEIGHT = 1280, 860
PICTURES = {
    "leaderboard": "?suite=cbench&track=speed&target=x86-64&metric=runtime.cpu",
    "solvers": "?suite=iopddl&track=sharding&origin=contest",
    "compare": "compare?suite=cbench&track=speed&target=x86-64&metric=runtime.cpu&a=basic&b=greedy",
}
"""File name → address of the page."""
EXPLAINED = ("size-rules", "mibench/rsynth")
"""What the picture of `harness explain --plot` is of."""


def main() -> None:
    """One PNG a page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images"
    names = sys.argv[2:] or [*PICTURES, "explain"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    command += ["--server.address", "127.0.0.1", "--server.headless", "true", "--browser.gatherUsageStats", "false"]
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ}, stdout=subprocess.DEVNULL)
    try:
        _wait(f"http://127.0.0.1:{port}/_stcore/health")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            for name in names:
                if name == "explain":
                    _explain(page, folder / f"{name}.png")
                else:
                    _take(page, f"http://127.0.0.1:{port}/{PICTURES[name]}", folder / f"{name}.png")
            browser.close()
    finally:
        server.terminate()
        server.wait()


def _wait(url: str) -> None:
    for _ in range(120):
        try:
            with urllib.request.urlopen(url, timeout=1):  # noqa: S310 - our own server
                return
        except OSError:
            time.sleep(0.5)
    raise SystemExit("the page does not start")


def _take(page: Page, url: str, file: Path) -> None:
    page.goto(url)
    page.get_by_test_id("stHeading").first.wait_for(timeout=60_000)
    page.locator("[data-testid=stStatusWidget]").wait_for(state="hidden", timeout=60_000)
    page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)  # plots draw after the page is there
    page.screenshot(path=file)
    print(file)


def _explain(page: Page, file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        plot = Path(folder) / "graph.html"
        command = [str(ROOT / ".venv" / "bin" / "harness"), "explain", *EXPLAINED, "--plot", str(plot)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        page.goto(plot.as_uri())
        picture = page.locator(".js-plotly-plot")
        page.locator(".js-plotly-plot .main-svg").first.wait_for(timeout=60_000)
        picture.screenshot(path=file)
    print(file)


if __name__ == "__main__":
    main()
