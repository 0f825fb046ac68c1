"""Checking the machine: every prerequisite, its version, what needs it, how to install it."""

import importlib.metadata
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.base.digest import digest_file
from harness.base.errors import HarnessError
from harness.base.extras import missing
from harness.base.paths import PINNED
from harness.base.vocabulary import Level, Target
from harness.sandbox.conditions import clock_library
from harness.toolchain.llvm import INSTALL, Toolchain, find_toolchain
from harness.toolchain.targets import TARGETS

__all__ = ["Prerequisite", "examine"]


@dataclass(frozen=True, slots=True)
class Prerequisite:
    """One line of ``harness doctor``."""

    name: str
    found: str | None
    """Version or answer; None when it is missing or wrong."""
    needed_for: str
    remedy: str
    required: bool = True


_LIBRARIES = {"duckdb": "results", "polars": "export", "pandas": "evaluate", "pygad": "genetic searches"}
_OPTIONAL = {
    "streamlit": "the page: harness serve",
    "plotly": "plots",
    "optuna": "harness tune",
    "tomlkit": "harness tune",
    "emx-onnx-cgen": "policies that are model.onnx",
    "onnx": "policies that are model.onnx, and what writes them",
    "highspy": "solvers that ask HiGHS",
    "crc32c": "trajectories as TFRecord",
    "gymnasium": "environments: harness.environments",
    "lightgbm": "training of boosted trees",
    "cmaes": "training by CMA-ES",
    "scipy": "training: the model of size",
}
"""Of the package's extras."""


def examine() -> list[Prerequisite]:
    """Every prerequisite. Never raises: what is missing is the answer."""
    lines = list(_llvm())
    for target, spec in TARGETS.items():
        if spec.emulator:
            lines.append(
                _command(spec.emulator, f"running {target.value} programs", f"apt-get install {spec.packages}")
            )
    lines += [_static_libc(target) for target in TARGETS]
    lines.append(_sanitizers())
    lines.append(_command("bwrap", "isolating what is not ours", "apt-get install bubblewrap"))
    lines.append(_clock())
    lines.append(_pinned())
    lines.append(_command("apt-get", "fetching upstream sources (or `harness fetch --from DIR`)", "-", required=False))
    lines.append(_command("chromium", "the page's tests", "apt-get install chromium", required=False))
    lines += [_library(package, use) for package, use in _LIBRARIES.items()]
    lines += [_library(package, use, required=False) for package, use in _OPTIONAL.items()]
    return lines


def _llvm() -> Iterator[Prerequisite]:
    use = "compiling; the one that is measured"
    try:
        toolchain = find_toolchain()
    except HarnessError as error:
        yield Prerequisite("LLVM 22", None, use, error.hint or str(error))
        return
    yield Prerequisite("LLVM 22", f"{toolchain.version} in {toolchain.bin}", use, INSTALL)
    yield Prerequisite("fingerprint", toolchain.fingerprint.llvm[:16], "telling results of other compilers apart", "-")
    for target in TARGETS:
        yield _reference_plan(toolchain, target)


def _reference_plan(toolchain: Toolchain, target: Target) -> Prerequisite:
    """Whether optimise and generate together give the object that clang gives in one step."""
    name = f"reference plan, {target.value}"
    use = "equating the harness's -Oz with clang's"
    try:
        equal = all(_two_steps_equal_one(toolchain, target, level) for level in Level)
    except (HarnessError, OSError, subprocess.SubprocessError) as error:
        return Prerequisite(name, None, use, f"{str(error).splitlines()[0]}; {INSTALL}")
    if not equal:
        return Prerequisite(name, None, use, "this clang's two steps give another object than one: reinstall LLVM 22")
    return Prerequisite(name, "gives clang's own object at every level", use, "-")


_SAMPLE = """
#include <stdio.h>
static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static double mean(const double *x, int n) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s / n; }
int main(int argc, char **argv) {
  double x[64]; int g = 0;
  for (int i = 0; i < 64; i++) { x[i] = i * argc; g += gcd(i + 1, 36); }
  printf("%d %.3f %s\\n", g, mean(x, 64), argc > 1 ? argv[1] : "");
  return 0;
}
"""


def _two_steps_equal_one(toolchain: Toolchain, target: Target, level: Level) -> bool:
    from harness.apply.plan import FROZEN, OBJECT, clang_direct, clang_generate, clang_optimise

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "sample.c").write_text(_SAMPLE)
        spec = TARGETS[target]
        flags = [f"--target={spec.triple}", *spec.cpu, f"-{level.value}", "-ffp-contract=off", "-fPIE"]
        frozen = ["-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "sample.c", "-o", FROZEN]
        _must(toolchain, "clang", [*flags, *frozen], folder)
        for step in (
            clang_optimise(level, target),
            clang_generate(level, target),
            clang_direct(level, target, "one.o"),
        ):
            _must(toolchain, step.tool, list(step.arguments), folder)
        return digest_file(folder / OBJECT) == digest_file(folder / "one.o")


def _must(toolchain: Toolchain, tool: str, arguments: list[str], folder: Path) -> None:
    command = [toolchain.tool(tool), *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)


def _command(name: str, use: str, remedy: str, *, required: bool = True) -> Prerequisite:
    path = shutil.which(name)
    return Prerequisite(name, _first_line([path, "--version"]) if path else None, use, remedy, required)


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return "present"
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0][:60] if lines else "present"


def _static_libc(target: Target) -> Prerequisite:
    found = next((path for path in TARGETS[target].libc if Path(path).is_file()), None)
    return Prerequisite(
        f"static libc, {target.value}", found, "linking programs", f"apt-get install {TARGETS[target].packages}"
    )


def _sanitizers() -> Prerequisite:
    def probe() -> str | None:
        folder = find_toolchain().bin.parent / "lib" / "clang" / "22" / "lib"
        return "installed" if any(folder.rglob("libclang_rt.asan*")) else None

    return Prerequisite("sanitizers", _quietly(probe), "harness suites check", "apt-get install libclang-rt-22-dev")


def _quietly(probe: Callable[[], str | None]) -> str | None:
    try:
        return probe()
    except HarnessError:
        return None


def _pinned() -> Prerequisite:
    """Whether what decides objects and counts has the versions of the machine that recorded the project's results."""
    name, use, remedy = "pinned versions", "the fingerprint of recorded results", "scripts/setup pinned"
    if not PINNED.is_file() or shutil.which("dpkg-query") is None:
        return Prerequisite(name, None, use, "a clone, on Debian", required=False)
    pinned = dict(line.split("=", 1) for line in PINNED.read_text().splitlines() if "=" in line and line[0] != "#")
    command = ["dpkg-query", "--show", "--showformat=${Package}=${Version}\\n", *pinned]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    here = dict(line.split("=", 1) for line in done.stdout.splitlines())
    others = [f"{one} is {here.get(one, 'missing')}" for one, version in pinned.items() if here.get(one) != version]
    if others:
        return Prerequisite(name, None, use, f"{remedy}: {', '.join(others)}", required=False)
    return Prerequisite(name, f"all {len(pinned)}", use, "-", required=False)


def _clock() -> Prerequisite:
    found, use = clock_library(), "another year's clock: harness validate"
    return Prerequisite(
        "libfaketime", str(found) if found else None, use, "apt-get install libfaketime", required=False
    )


def _library(package: str, use: str, *, required: bool = True) -> Prerequisite:
    try:
        found = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        found = None
    return Prerequisite(package, found, use, missing(package.replace("-", "_")).hint or "-", required)
