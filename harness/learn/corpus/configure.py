"""How a source tree is compiled that nobody has configured: which files are units, where headers are looked for, and
what becomes of ``config.h.in``. Pure: a tree in, a tree and commands out.

No script of a package is run. ``prelude/config.h`` says what every glibc system with x86-64 has; a template of a header
(``NAME.h.in``) becomes the header by the same knowledge.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from harness.learn.corpus.recipe import Package
from harness.suite.tree import Entry, Kind

__all__ = ["PRELUDE", "Layout", "Unit", "configured", "layout_of", "prelude_defines"]

PRELUDE = Path(__file__).with_name("prelude")
"""The folder of headers that every package is given."""

_C, _CPP = (".c",), (".cc", ".cpp", ".cxx", ".C", ".c++")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".def", ".tcc", ".ipp", ".inl")
_OTHERS = (
    *(
        "test",
        "tests",
        "testsuite",
        "testing",
        "unittest",
        "unittests",
        "t",
        "win32",
        "windows",
    ),
    *(
        "win",
        "win64",
        "msdos",
        "dos",
        "os2",
        "amiga",
        "mac",
        "macos",
        "macosx",
    ),
    *("vms",),
    *(
        "msvc",
        "wince",
        "fuzz",
        "fuzzing",
        "fuzzer",
        "bench",
        "benchmark",
        "benchmarks",
        "python",
    ),
    *(
        "python3",
        "java",
        "perl",
        "ruby",
        "swig",
        "bindings",
        "debian",
    ),
    *(
        "android",
        "ios",
        "solaris",
        "beos",
        "djgpp",
        "riscos",
        "sgi",
        "apple",
        "arm",
    ),
    *(
        "aarch64",
        "ppc",
        "powerpc",
        "mips",
        "sparc",
        "riscv",
        "loongarch",
    ),
)
_LEFT_OUT = frozenset(_OTHERS)
"""Folders, in lower case, that no unit is taken from: tests, and other systems."""
_MOST_FOLDERS = 150
"""Of headers that a unit sees: those next to it first."""
_LARGEST_TEMPLATE = 1 << 18
_TEMPLATE = re.compile(r"(?P<name>.+\.(?:h|hh|hpp))(?:\.in|\.cmake|\.cmakein|\.cmake\.in|\.in\.cmake)\Z")
_UNDEF = re.compile(
    r"(?P<head>[ \t]*#[ \t]*)(?P<word>undef|cmakedefine01|cmakedefine)[ \t]+(?P<name>\w+)(?P<rest>[^\n]*)"
)
_VARIABLE = re.compile(r"@(\w+)@|\$\{(\w+)\}")
_ALONE = re.compile(r"^[ \t]*(?:@\w+@|\$\{\w+\})[ \t]*$", re.MULTILINE)
"""A line that is nothing but a variable: lines of C, or none."""
_DEFINED = re.compile(r"#define (\w+)(?: (.*))?")


@dataclass(frozen=True, slots=True)
class Unit:
    """A translation unit that may compile."""

    path: str
    """In the tree."""
    is_cpp: bool
    near: tuple[str, ...]
    """Folders of headers that are looked in first: its own, and those above."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is compiled, and how."""

    units: tuple[Unit, ...]
    """In the order in which they are tried, the largest first: if there are too many, these are taken, since they have
    the functions that are hard to allocate."""
    folders: tuple[str, ...]
    """All folders of headers, those nearest to the top first."""


@cache
def prelude_defines() -> dict[str, str]:
    """What the prelude defines: name → text."""
    found = (_DEFINED.fullmatch(line) for line in (PRELUDE / "config.h").read_text().splitlines())
    return {str(one[1]): str(one[2] or "") for one in found if one and one[1] != "HARNESS_CORPUS_CONFIG_H"}


def layout_of(tree: Mapping[str, Entry], package: Package) -> Layout:
    """Units and folders of headers of a tree."""
    files = [path for path, entry in tree.items() if entry.kind is Kind.FILE]
    folders = {path.rpartition("/")[0] for path in files if path.endswith(_HEADERS)}
    # `#include <NAME/x.h>` is found from the folder above, too.
    folders |= {folder.rpartition("/")[0] for folder in folders if folder}
    ordered = sorted(folders, key=lambda folder: (folder.count("/") + bool(folder), folder))
    units = [
        Unit(path, path.endswith(_CPP), tuple(_near(path, folders)))
        for path in files
        if path.endswith((*_C, *_CPP)) and _is_wanted(path, package)
    ]
    units.sort(key=lambda unit: (-tree[unit.path].size, unit.path))
    return Layout(tuple(units), tuple(ordered[:_MOST_FOLDERS]))


def _is_wanted(path: str, package: Package) -> bool:
    parts = PurePosixPath(path)
    if package.only and not any(parts.is_relative_to(one) for one in package.only):
        return False
    if any(parts.is_relative_to(one) for one in package.without) or path.startswith("-"):
        return False
    if any(part.lower() in _LEFT_OUT for part in parts.parts[:-1]):
        return any(parts.is_relative_to(one) for one in package.only)
    return True


def _near(path: str, folders: set[str]) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while True:
        if folder in folders:
            yield folder
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def configured(tree: Mapping[str, Entry], package: Package) -> dict[str, Entry]:
    """The tree with the headers that the recipe gives it, and those that its templates become."""
    made = {path: _file(text.encode()) for path, text in package.headers.items()}
    for path, entry in tree.items():
        found = _TEMPLATE.fullmatch(path)
        if found is None or entry.kind is not Kind.FILE or entry.size > _LARGEST_TEMPLATE:
            continue
        if found["name"] not in tree and found["name"] not in made:
            made[found["name"]] = _file(_header_of(bytes(_content(entry)), package))
    if package.gathered:
        made |= _gathered(package.gathered, {**tree, **made})
    clear = {path: entry for path, entry in made.items() if path not in tree}
    return {**tree, **clear}


def _gathered(name: str, tree: Mapping[str, Entry]) -> dict[str, Entry]:
    found: dict[str, str] = {}
    for path in sorted(tree, key=lambda path: (path.count("/"), path)):
        if path.endswith(_HEADERS) and tree[path].kind is Kind.FILE:
            found.setdefault(path.rpartition("/")[2], path)
    return {f"{name}/{one}": _file(f'#include "../{path}"\n'.encode()) for one, path in found.items()}


def _content(entry: Entry) -> bytes | memoryview:
    return entry.content.read_bytes() if isinstance(entry.content, Path) else entry.content or b""


def _file(content: bytes) -> Entry:
    return Entry(Kind.FILE, content=memoryview(content), size=len(content))


def _header_of(template: bytes, package: Package) -> bytes:
    """A header from its template."""
    text = _UNDEF.sub(lambda found: _defined(found, package), template.decode("utf-8", "replace"))

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        known = package.values.get(name)
        return _value_of(name, package.version) if known is None else known

    return _VARIABLE.sub(value, _ALONE.sub("", text)).encode()


def _defined(found: re.Match[str], package: Package) -> str:
    name, known = found["name"], {**prelude_defines(), **package.values}
    if name in package.values:
        return f"#define {name} {known[name]}"
    if found["word"] == "cmakedefine01":
        return f"#define {name} {int(name in known)}"
    if name not in known:
        return ""
    return f"#define {name} {known[name]}"


def _value_of(name: str, version: str) -> str:
    """What a variable of a template becomes."""
    numbers: list[str] = [*re.findall(r"\d+", version), "0", "0", "0"]
    for place, words in enumerate((("MAJOR",), ("MINOR",), ("MICRO", "PATCH", "REVISION", "TEENY", "BUILD"))):
        if any(word in name.upper() for word in words):
            return numbers[place]
    if "VERSION" in name.upper():
        return version
    return prelude_defines().get(name, "0").strip('"')
