"""The exact commands of the freeze step. ``freeze`` runs them, ``harness repro`` prints them."""

from harness.suite.model import Benchmark
from harness.toolchain import TARGETS
from harness.vocabulary import Level, Target

__all__ = ["compile_unit", "driver", "internalize", "link_units"]


def driver(benchmark: Benchmark) -> str:
    """The clang driver of the program's language."""
    return "clang++" if benchmark.language == "c++" else "clang"


def compile_unit(benchmark: Benchmark, target: Target, level: Level, source: str, output: str) -> list[str]:
    """One translation unit to bitcode with no pass run. To be run in the source tree: paths are
    relative, so that the module does not depend on where the tree is."""
    spec = TARGETS[target]
    return [
        driver(benchmark),
        f"--target={spec.triple}",
        *spec.cpu,
        f"-{level.value}",
        "-Xclang",
        "-disable-llvm-passes",
        "-ffp-contract=off",  # otherwise the targets' floating-point output differs
        "-fPIE",
        *benchmark.flags,
        *(f"-D{define}" for define in benchmark.defines),
        *(f"-I{folder}" for folder in benchmark.include),
        "-emit-llvm",
        "-c",
        source,
        "-o",
        output,
    ]


def link_units(units: list[str], output: str) -> list[str]:
    """All units to one module, in the suite's order."""
    return ["llvm-link", *units, "-o", output]


def internalize(module: str, output: str) -> list[str]:
    """Keep ``main``, make the rest local, drop what nothing reaches. Without this, every inlined
    callee's body would stay and "never inline" would be rewarded."""
    return ["opt", "-passes=internalize,globaldce", "-internalize-public-api-list=main", module, "-o", output]
