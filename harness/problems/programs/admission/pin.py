"""Pinning the results that all builds of a program agree on."""

import json
from collections.abc import Mapping
from pathlib import Path

from harness.suite.load import EXPECTED, LoadedSuite, read_expected

__all__ = ["pin_results"]


def pin_results(suite: LoadedSuite, agreed: Mapping[str, Mapping[str, str]]) -> Path:
    """Write them into the suite's folder, beside those of its other programs. Returns the file."""
    merged = {**read_expected(suite.folder), **agreed}
    names = [program.benchmark.name for program in suite.own_programs]
    file = suite.folder / EXPECTED
    file.write_text(json.dumps({name: merged[name] for name in names if name in merged}, indent=2) + "\n")
    return file
