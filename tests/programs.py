"""Programs made by tests: a suite of one source tree, without a suite.toml."""

from pathlib import Path
from typing import Any

from harness.base.vocabulary import Origin, Split
from harness.suite.load import Program
from harness.suite.model import Benchmark, Source

__all__ = ["THROWS", "own_program", "write_files"]

THROWS = r"""
#include <cstdio>
#include <stdexcept>
#include <string>
struct Noise { ~Noise() { std::puts("gone"); } };
static int half(int n) {
  Noise noise;
  if (n % 2) throw std::runtime_error("odd");
  return n / 2;
}
int main(int argc, char **) {
  try { std::printf("%d\n", half(argc - 1)); }
  catch (const std::exception &error) { std::puts(error.what()); return 4; }
  return 0;
}
"""
"""Throws where it has an odd number of arguments, and cleans up on the way."""


def write_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files, by their relative names, into a folder that need not exist."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def own_program(folder: Path, written: dict[str, str | bytes], **benchmark: Any) -> Program:
    """A program of the project's own, its sources written to ``folder``/src."""
    write_files(folder / "src", written)
    fields: dict[str, Any] = {
        "name": "program",
        "source": "own",
        "description": "Made by a test.",
        "files": tuple(name for name in written if not name.endswith(".h")),
        "split": Split.TRAIN,
        "workloads": ({"name": "only"},),
    }
    return Program(
        suite="made",
        suite_version="1",
        folder=folder,
        benchmark=Benchmark(**{**fields, **benchmark}),
        source=Source(origin=Origin.OWN, licence="MIT", path="src"),
        expected={},
    )
