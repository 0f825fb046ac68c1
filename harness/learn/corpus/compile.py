"""A package's units to modules and facts, in the sandbox: one job a package, which is what resuming loses at most.

A unit that does not compile within its limits is skipped, and counted by reason. A package's modules depend on its
tarball, its entry in the recipe, the prelude and the toolchain, and on nothing else: neither on where they are made nor
on what else is in the corpus.
"""

import shlex
from collections import Counter
from pathlib import Path

from harness.base.digest import digest_of, digest_tree
from harness.base.vocabulary import Level, Target
from harness.freeze.commands import freezing_flags
from harness.learn.corpus.configure import PRELUDE, Layout, Unit, configured, layout_of
from harness.learn.corpus.job import Step, Work, made_by, tool_key
from harness.learn.corpus.kept import Made, keep, kept
from harness.learn.corpus.recipe import Package, Recipe
from harness.sandbox import MIB
from harness.sandbox.bench import Bench
from harness.suite.sources import fetched_tarball
from harness.suite.tree import pack
from harness.suite.unpack import read_tarball

__all__ = ["LENIENT", "package_key", "package_units"]

_KIND = "corpus-packages"
_FORMAT = 4
"""Of entries of the cache."""
_LARGEST_SOURCE = MIB
LENIENT = (
    *("-w", "-ferror-limit=1", "-fno-caret-diagnostics"),
    *("-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion"),
    *("-Wno-error=incompatible-pointer-types", "-Wno-error=incompatible-function-pointer-types"),
    *("-Wno-error=return-type", "-Wno-error=return-mismatch", "-Wno-error=c++11-narrowing", "-Wno-error=register"),
)
"""What compilers took when many of the packages were written."""


def package_key(recipe: Recipe, name: str, bench: Bench) -> str:
    """The cache's key of a package's units."""
    runtimes = [bench.toolchain.runtime_fingerprint(Target.X86_64, language) for language in ("c", "c++")]
    return digest_of([_KIND, _FORMAT, recipe.digest(name), digest_tree(PRELUDE), tool_key(bench), runtimes])


def package_units(recipe: Recipe, name: str, bench: Bench, offered: Path | None = None) -> Made:
    """All units of a package that compile, made if they are not in the cache.

    ``offered``: see ``source_tree``. Raises what fetching, unpacking and the sandbox raise.
    """
    package = recipe.packages[name]

    def make(entry: Path) -> None:
        tree = configured(read_tarball(fetched_tarball(package.source(name), bench.store, offered), bench), package)
        small = {path: one for path, one in tree.items() if one.size <= _LARGEST_SOURCE or not _is_source(path)}
        layout, skipped = layout_of(small, package), Counter[str]()
        with bench.store.scratch() as scratch:
            pack(small, scratch / "tree.tar")
            keep(entry, made_by(_work(name, package, layout, scratch / "tree.tar", bench), skipped, bench), skipped)

    return kept(bench.store.folder(_KIND, package_key(recipe, name, bench), make))


def _is_source(path: str) -> bool:
    return path.rpartition(".")[2].lower() in ("c", "cc", "cpp", "cxx")


def _work(name: str, package: Package, layout: Layout, archive: Path, bench: Bench) -> Work:
    tools = {is_cpp: bench.toolchain.tool("clang++" if is_cpp else "clang") for is_cpp in (False, True)}
    steps = [
        Step(
            unit.path,
            "c++" if unit.is_cpp else "c",
            (tools[unit.is_cpp], *_flags(package, unit), "@../folders", "-emit-llvm", "-c", f"./{unit.path}", "-o"),
        )
        for unit in layout.units
    ]
    files = {f"prelude/{path.name}": path for path in sorted(PRELUDE.iterdir())}
    before = f"cat >../folders <<'END'\n{shlex.join(_folders(package, layout))}\nEND\n"
    return Work(name, archive, files, before, steps, package.most)


def _flags(package: Package, unit: Unit) -> list[str]:
    dialect = package.std if unit.is_cpp else package.std_c
    return [
        *freezing_flags(Target.X86_64, Level.OZ),
        *([f"-std={dialect}"] if dialect else []),
        *LENIENT,
        "-DHAVE_CONFIG_H=1",
        *([] if unit.is_cpp else ["-D_GNU_SOURCE=1"]),
        *(f"-D{define}" for define in package.defines),
        *(["-include", "../prelude/config.h"] if package.forced else []),
        *(word for folder in (*package.include, *unit.near) for word in ("-iquote", folder or ".")),
    ]


def _folders(package: Package, layout: Layout) -> list[str]:
    """Where every unit looks: the system's headers come before those of the tree that have the same name."""
    quoted = [word for folder in layout.folders for word in ("-iquote", folder or ".")]
    after = [word for folder in (*package.include, *layout.folders) for word in ("-idirafter", folder or ".")]
    return [*quoted, *after, "-iquote", "../prelude", "-idirafter", "../prelude"]
