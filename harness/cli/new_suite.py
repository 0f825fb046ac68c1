"""``harness suites new``: the beginning of a suite of one's own."""

import json
from collections.abc import Sequence
from pathlib import Path

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.paths import at_home, cache_root
from harness.cli.output import note, say
from harness.suite.debian import Release, find_release
from harness.suite.fields import Model, Name

__all__ = ["new_suite"]

_DEFINITION = "suite.toml"
_HEAD = """\
# docs/adding-a-suite.md explains every field; `harness schema suite` lists them, `harness generators` the inputs.
name = {name}
version = "1"                       # another one whenever a program or a workload changes
description = "What it is."         # yours

"""
_OWN = """\
[sources.hello]
origin = "own"                      # a folder beside this file
path = "src/hello"
licence = "Apache-2.0"              # yours: an SPDX expression

[[benchmarks]]
name = "hello"
source = "hello"
description = "Counts letters."
files = ["main.c"]                  # translation units, relative to the source's folder
split = "train"                     # may policies be made on it? "test": they may not

[[benchmarks.workloads]]
name = "prose"
args = ["input.txt"]
inputs = [{ file = "input.txt", generator = "text", seed = 1, params = { size = 100000 } }]

[[benchmarks.workloads]]
name = "nothing"                    # wrong turns count, too
args = []
exit = 1
stderr = true
"""
_MAIN = """\
#include <ctype.h>
#include <stdio.h>

int main(int argc, char **argv) {
  FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (file == NULL) {
    fputs("usage: hello FILE\\n", stderr);
    return 1;
  }
  long counts[26] = {0};
  for (int letter; (letter = fgetc(file)) != EOF;)
    if (isalpha(letter))
      ++counts[tolower(letter) - 'a'];
  for (int at = 0; at < 26; ++at)
    printf("%c %ld\\n", 'a' + at, counts[at]);
  return 0;
}
"""
_DEBIAN = """\
[sources.{source}]
origin = "debian"                   # the upstream release; Debian's patches are not applied
package = {package}
version = {version}                 # upstream's: without the Debian revision
tarball = {tarball}
sha256 = {sha256}
licence = "…"                       # yours: an SPDX expression; see debian/copyright of the package
# overlay = "upstream/{source}"     # a folder beside this file, laid over the tree: a config.h, or a patched file

[sources.{source}.build]            # of a program that is a list of files: no build, but files, include, defines below
steps = [
    ["./configure", "--host={{host}}", "--disable-shared"],
    ["make"],
]
programs = ["{source}"]             # yours: what it links, relative to the tree

[[benchmarks]]
name = "{source}"
source = "{source}"
description = "What it does."       # yours
program = "{source}"                # one of the build's programs
split = "test"                      # may policies be made on it? "train": they may

[[benchmarks.workloads]]
name = "small"
args = []                           # yours
inputs = [{{ file = "input", generator = "text", seed = 1, params = {{ size = 40000 }} }}]  # yours
"""


class _Named(Model):
    name: Name


def new_suite(path: Path, debian: Sequence[str], version: str | None) -> int:
    """Write it into a new folder, which gives it its name; with Debian packages, what apt knows of these."""
    if version is not None and len(debian) != 1:
        raise UsageError("--version is of one Debian package", hint="give --debian PACKAGE, too, once")
    folder = at_home(path).absolute()
    folder = folder.parent if folder.name == _DEFINITION else folder
    try:
        _Named(name=folder.name)
    except ValueError:
        hint = "use up to 64 lower-case letters, digits, '.', '_' and '-'"
        raise UsageError(f"a suite is called as its folder, and {folder.name!r} is no name", hint=hint) from None
    files = {_DEFINITION: _HEAD.format(name=json.dumps(folder.name))}
    missing: PrerequisiteError | None = None
    if not debian:
        files |= {_DEFINITION: files[_DEFINITION] + _OWN, "src/hello/main.c": _MAIN}
    sections = []
    for package in dict.fromkeys(debian):
        found: Release | None = None
        try:
            note(f"asking apt for {package}")
            state = cache_root() / "apt"
            state.mkdir(parents=True, exist_ok=True)
            found = find_release(package, version, state)
        except PrerequisiteError as error:
            missing = error
        sections.append(_of_package(package, version, found))
    files[_DEFINITION] += "\n".join(sections)
    _write(folder, files)
    file = path if path.name == _DEFINITION else path / _DEFINITION
    if missing is not None:
        note(f"{missing}")
        note(
            "fill in version, tarball and sha256: `apt-get source --print-uris PACKAGE` prints them on a machine with "
            "deb-src lines, and the .dsc file of the package has them under Checksums-Sha256"
        )
    note(f'{file}: fields marked "yours" wait for your words; then')
    say(f"harness suites check {file}")
    return 0


def _of_package(package: str, version: str | None, found: Release | None) -> str:
    known = {"version": version or "…", "tarball": "…", "sha256": "…"}
    if found is not None:
        known = {"version": found.version, "tarball": found.tarball, "sha256": found.sha256}
    values = {name: json.dumps(value, ensure_ascii=False) for name, value in known.items()}
    name = found.package if found is not None else package
    return _DEBIAN.format(source=name.replace("+", "p"), package=json.dumps(name), **values)


def _write(folder: Path, files: dict[str, str]) -> None:
    """Raises UsageError where the folder has a suite already."""
    if (folder / _DEFINITION).exists():
        raise UsageError("this is there already, and nothing was written", where=str(folder / _DEFINITION))
    try:
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                opened.write(content)
    except FileExistsError as error:
        raise UsageError("this is there already", where=str(error.filename)) from None
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(folder)) from None
