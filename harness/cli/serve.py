"""``harness serve``."""

import os
import sys
from pathlib import Path

from harness.base.extras import require
from harness.base.paths import ROOT, default_results

__all__ = ["serve"]


def serve(port: int, results: Path | None) -> int:
    """Become the page's server; it ends with Ctrl-C."""
    require("streamlit", "plotly")
    os.environ["HARNESS_RESULTS"] = str((results or default_results()).resolve())
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    options = ["--server.port", str(port), "--server.headless", "true", "--browser.gatherUsageStats", "false"]
    sys.stdout.flush()
    os.execv(  # noqa: S606 - Streamlit takes this process over
        sys.executable, [*command, *options]
    )
