"""``harness serve``."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from harness.base.errors import HarnessError
from harness.base.extras import require
from harness.base.paths import ROOT, default_results
from harness.cli.opened import opened_index

__all__ = ["serve"]


def serve(port: int, results: Path | None) -> int:
    """Become the page's server; it ends with Ctrl-C."""
    require("streamlit", "plotly")
    folder = (results or default_results()).resolve()
    with suppress(HarnessError):  # the page says it, and goes on when it is mended
        opened_index(folder).close()  # now, and not while the first visitor waits
    os.environ["HARNESS_RESULTS"] = str(folder)
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    options = ["--server.port", str(port), "--server.headless", "true", "--browser.gatherUsageStats", "false"]
    sys.stdout.flush()
    os.execv(  # noqa: S606 - Streamlit takes this process over
        sys.executable, [*command, *options]
    )
