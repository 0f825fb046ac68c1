"""What is compiled of a tree that nobody has configured, and what its templates become."""

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.learn.corpus.configure import PRELUDE, configured, layout_of, prelude_defines
from harness.learn.corpus.recipe import Package
from harness.suite.tree import Entry, Kind, check_tree


def package(**fields: object) -> Package:
    given = {
        "version": "3.14.1",
        "tarball": "pi_3.14.1.orig.tar.gz",
        "sha256": "0" * 64,
        "licence": "MIT",
        "about": "p",
    }
    return Package.model_validate({**given, **fields})


def tree_of(**files: str) -> dict[str, Entry]:
    content = {path.replace("__", "/").replace("_dot_", "."): text.encode() for path, text in files.items()}
    return {path: Entry(Kind.FILE, content=memoryview(text), size=len(text)) for path, text in content.items()}


def header(text: str, **fields: object) -> str:
    made = configured({"config.h.in": tree_of(x=text)["x"]}, package(**fields))["config.h"]
    assert made.content is not None and not hasattr(made.content, "read_bytes")
    return bytes(made.content).decode()  # type: ignore[arg-type]


def test_a_template_becomes_what_the_prelude_knows() -> None:
    text = "#undef HAVE_UNISTD_H\n# undef HAVE_WINDOWS_H\n#cmakedefine HAVE_MMAP\n#cmakedefine01 HAVE_KQUEUE\n"
    assert header(text) == "#define HAVE_UNISTD_H 1\n\n#define HAVE_MMAP 1\n#define HAVE_KQUEUE 0\n"


def test_variables_are_versions_values_of_the_recipe_or_zero() -> None:
    text = '#define V "@PACKAGE_VERSION@"\n#define A ${X_MAJOR}\n#define B @X_PATCH@\n@LINES@\n'
    text += "typedef @WORD@ word;\nint a[@N@];\n"
    expected = '#define V "3.14.1"\n#define A 3\n#define B 1\n\ntypedef unsigned word;\nint a[0];\n'
    assert header(text, values={"WORD": "unsigned"}) == expected


def test_the_recipe_knows_better_than_the_prelude() -> None:
    text = "#cmakedefine01 IS_LITTLE\n#undef HAVE_MMAP\n#undef HAVE_FORK\n"
    made = header(text, values={"IS_LITTLE": "1", "HAVE_MMAP": "2"})
    assert made == "#define IS_LITTLE 1\n#define HAVE_MMAP 2\n#define HAVE_FORK 1\n"


def test_a_header_that_is_there_is_kept() -> None:
    tree = tree_of(config_dot_h="1", config_dot_h_dot_in="2")
    assert configured(tree, package())["config.h"] == tree["config.h"]


def test_headers_of_the_recipe_and_gathered_ones_are_found() -> None:
    tree = tree_of(a__x_dot_h="", b__c__y_dot_h="")
    made = configured(tree, package(headers={"b/z.h": "int z;\n"}, gathered="all"))
    assert {"b/z.h", "all/x.h", "all/y.h", "all/z.h"} <= made.keys()
    assert bytes(made["all/y.h"].content) == b'#include "../b/c/y.h"\n'  # type: ignore[arg-type]
    check_tree(made, "made")


def test_units_are_the_sources_of_this_system_the_largest_first() -> None:
    tree = tree_of(
        src__a_dot_c="int a;", src__b_dot_cc="int b; int c;", Tests__t_dot_c="", src__win32__w_dot_c="",
        lib__x_dot_h="", src__include_dot_h="", contrib__c_dot_c="int c;",
    )  # fmt: skip
    layout = layout_of(tree, package(without=("contrib",)))
    assert [(unit.path, unit.is_cpp) for unit in layout.units] == [("src/b.cc", True), ("src/a.c", False)]
    assert layout.folders == ("", "lib", "src")
    assert layout.units[1].near == ("src", "")


def test_what_only_names_is_taken_even_where_it_would_be_left_out() -> None:
    tree = tree_of(tests__t_dot_c="", src__a_dot_c="")
    assert [unit.path for unit in layout_of(tree, package(only=("tests",))).units] == ["tests/t.c"]


@given(st.permutations(["a/x.c", "b/x.c", "b/y.h", "c/d/z.cpp", "c/z.h"]))
def test_the_order_of_the_tarball_does_not_matter(paths: list[str]) -> None:
    tree = {path: Entry(Kind.FILE, content=memoryview(b""), size=0) for path in paths}
    assert layout_of(tree, package()) == layout_of(dict(sorted(tree.items())), package())


def test_the_prelude_defines_everything_once() -> None:
    names = re.findall(r"^#define (\w+)", (PRELUDE / "config.h").read_text(), re.MULTILINE)
    assert len(names) == len(set(names))
    assert prelude_defines()["SIZEOF_LONG"] == "8"
