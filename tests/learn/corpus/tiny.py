"""Small packages and corpora for the tests: tarballs as Debian has them, recipes, and the layout of mlgo-utils."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.base.progress import SilentObserver
from harness.learn.corpus.build import Built, Wanted, build
from harness.learn.corpus.recipe import Recipe, read_recipe
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench

WALK = """\
struct node { struct node *next; int key; double weight; };
double walk(const struct node *from, int least) {
  double sum = 0;
  for (; from; from = from->next) {
    if (from->key < least) continue;
    sum += from->weight * 3.5 + from->key % 7;
    if (sum > 1e6) sum /= 2;
  }
  return sum;
}
"""
WALK_RENAMED = WALK.replace("walk", "total").replace("node", "entry").replace("3.5", "9.25").replace("% 7", "% 11")
COUNT = """\
#include "config.h"
#include <string.h>
static unsigned table[256];
static int is_wanted(const char *set, char c) { return strchr(set, c) != 0; }
unsigned count(const char *text, const char *set) {
  unsigned found = 0;
  for (; *text; ++text) {
    table[(unsigned char)*text]++;
    if (is_wanted(set, *text)) found += table[(unsigned char)*text] ^ VALUE;
  }
  return found;
}
"""
CONFIG = (
    "#undef HAVE_STRING_H\n#cmakedefine HAVE_NOTHING_LIKE_IT 1\n#define VALUE @VALUE@\n#define MAJOR @TINY_MAJOR@\n"
)
PACKAGES: dict[str, dict[str, str]] = {
    "alpha": {"alpha/walk.c": WALK, "alpha/src/count.c": COUNT, "alpha/src/config.h.in": CONFIG},
    "beta": {
        "beta/lib/again.c": WALK_RENAMED,
        "beta/lib/twice.cc": "template <class T> T twice(T x) { return x + x; }\n"
        "long four(int x) { return twice(twice(x)); }\n",
        "beta/lib/broken.c": "int broken(void) { return nowhere; }\n",
        "beta/lib/lacks.c": '#include "libelsewhere/x.h"\n',
        "beta/lib/off.c": "__attribute__((optnone, noinline)) int off(int x) { return x + 1; }\n",
        "beta/tests/left.c": "int left(void) { return 0; }\n",
    },
}


def write_tarballs(folder: Path, packages: Mapping[str, Mapping[str, str]] | None = None) -> Path:
    """The packages' tarballs, and a recipe of them: beta, where there is one, is for validation."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe = []
    for name, files in (packages or PACKAGES).items():
        tarball = folder / f"{name}_1.2.orig.tar"
        with tarfile.open(tarball, "w") as archive:
            for path, text in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
        split = "validation" if name == "beta" else "train"
        recipe.append(
            f'[packages.{name}]\nversion = "1.2"\ntarball = "{tarball.name}"\nsha256 = "{digest}"\n'
            f'licence = "MIT"\nabout = "small"\nsplit = "{split}"\nvalues = {{ VALUE = "21" }}\n'
        )
    (folder / "recipe.toml").write_text("\n".join(recipe))
    return folder / "recipe.toml"


def recipe_in(folder: Path, packages: Mapping[str, Mapping[str, str]] | None = None) -> Recipe:
    return read_recipe(write_tarballs(folder, packages))


def built(folder: Path, bench: Bench, files: Mapping[str, Mapping[str, str]] | None = None, **more: Any) -> Built:
    """The corpus of these packages, in ``folder/corpus``. ``more``: what else is wanted."""
    tarballs = folder / "tarballs"
    recipe = more.pop("recipe", None) or recipe_in(tarballs, files)
    offered = more.pop("offered", tarballs)
    wanted = Wanted(recipe, tuple(recipe.packages), more.pop("programs", ()), offered=offered, **more)
    return build(wanted, folder / "corpus", {}, bench, local_engine(2), SilentObserver())


def write_layout(folder: Path, modules: Mapping[str, bytes], commands: Mapping[str, bytes] | None = None) -> Path:
    """A corpus as mlgo-utils extracts it."""
    folder.mkdir(parents=True)
    for name, bitcode in modules.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.bc").write_bytes(bitcode)
        (folder / f"{name}.cmd").write_bytes((commands or {}).get(name, b"-cc1\0-Oz\0"))
    (folder / "corpus_description.json").write_text(json.dumps({"modules": list(modules), "has_thinlto": False}))
    return folder
