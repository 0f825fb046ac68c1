"""What a package outside the repository may bring: a problem, a metric and a suite, each complete, and how it is
installed. ``docs/adding-a-problem.md`` walks through ``colouring``."""

import subprocess
import sys
import zipfile
from pathlib import Path

__all__ = ["BRINGS", "install"]

BRINGS = """[harness.problems]
colouring = colouring
shrinking = shrinking

[harness.metrics]
doubled = doubled

[harness.suites]
ladders = ladders
"""
_NAME = "made_up"
_INFO = f"{_NAME}-1.0.dist-info"
_METADATA = {
    "METADATA": f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: 1.0\n",
    "WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}


def install(folder: Path, brings: str = BRINGS, extra: dict[str, str] | None = None) -> Path:
    """Make a package of this folder, with these entry points, and have pip install it; where it lies then.

    ``extra``: more files, name → text.
    """
    here, wheel = Path(__file__).parent, folder / f"{_NAME}-1.0-py3-none-any.whl"
    files = {
        str(path.relative_to(here)): path.read_text()
        for path in sorted(here.rglob("*"))
        if path.suffix in (".py", ".toml", ".c", ".cpp", ".txt") and path != Path(__file__)
    } | (extra or {})
    files |= {f"{_INFO}/{name}": text for name, text in {**_METADATA, "entry_points.txt": brings}.items()}
    files[f"{_INFO}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{_INFO}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    words = ["--no-deps", "--no-index", "--no-compile", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *words, "--target", str(folder / "installed"), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    return folder / "installed"
