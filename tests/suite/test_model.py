"""The schema of suite.toml: what leaks into a module, leaves a folder or contradicts itself is refused."""

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from harness.suite.load import explain_validation
from harness.suite.model import Suite

SHA = "0" * 64
SUITE: dict[str, Any] = {
    "name": "tiny",
    "version": "1",
    "description": "Two programs.",
    "sources": {
        "own": {"origin": "own", "licence": "MIT", "path": "src"},
        "pack": {
            "origin": "debian",
            "licence": "MIT",
            "package": "libpack++",
            "version": "1.0~rc1+dfsg",
            "tarball": "libpack++_1.0~rc1+dfsg.orig.tar.gz",
            "sha256": SHA,
            "overlay": "upstream/pack",
        },
    },
    "benchmarks": [
        {
            "name": "one",
            "source": "own",
            "description": "The first.",
            "files": ["one.c", "sub/two.c"],
            "include": [".", "sub"],
            "defines": ["NDEBUG", "SIZE=3"],
            "flags": ["-std=gnu99", "-fsigned-char", "-fno-strict-aliasing", "-fwrapv", "-Wno-unused-value", "-w"],
            "link": ["-lm", "-lstdc++"],
            "split": "train",
            "workloads": [
                {
                    "name": "small",
                    "args": ["-x", "in"],
                    "stdin": "in",
                    "inputs": [{"file": "in", "generator": "text", "seed": 1, "params": {"size": 3}}],
                    "outputs": ["out"],
                    "drop": ["^time: [0-9]+$"],
                },
                {"name": "large", "kind": "time"},
            ],
        },
        {
            "name": "two",
            "source": "pack",
            "description": "The second.",
            "language": "c++",
            "files": ["two.cc"],
            "split": "test",
            "workloads": [{"name": "small"}],
        },
    ],
}


def with_(value: Any, *place: str | int) -> dict[str, Any]:
    """The suite with another value at a place; ``...`` removes what is there."""
    suite = deepcopy(SUITE)
    inner: Any = suite
    for step in place[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return suite


def fault(suite: dict[str, Any]) -> str:
    """What people are told of a suite that breaks the schema."""
    with pytest.raises(ValidationError) as raised:
        Suite.model_validate(suite)
    error = explain_validation(raised.value, "suite.toml")
    assert error.where == "suite.toml"
    return error.message


@pytest.mark.parametrize("flag", ["-fwrapv", "-fwrapv-pointer", "-fno-strict-float-cast-overflow", "-std=gnu++20"])
def test_flags_that_give_a_meaning_are_taken(flag: str) -> None:
    assert Suite.model_validate(with_([flag], "benchmarks", 0, "flags")).benchmarks[0].flags == (flag,)


@pytest.mark.parametrize("tarball", ["libpack++_1.1.orig.tar.gz", "pack_1.0~rc1+dfsg.orig.tar.gz"])
def test_a_tarball_of_another_release_is_refused(tarball: str) -> None:
    said = fault(with_(tarball, "sources", "pack", "tarball"))
    assert said.startswith(f"sources.pack: tarball {tarball!r} is not of version '1.0~rc1+dfsg' of libpack++")
    part = {"folder": "x", "package": "lib", "version": "1", "tarball": "lib_2.orig.tar.gz", "sha256": SHA}
    assert "'lib_2.orig.tar.gz' is not of version '1' of lib" in fault(with_([part], "sources", "pack", "parts"))
    more = {**part, "tarball": "lib_1.orig-data.tar.gz"}
    assert Suite.model_validate(with_([more], "sources", "pack", "parts"))


def test_a_sound_suite_is_read() -> None:
    suite = Suite.model_validate(SUITE)
    assert [b.name for b in suite.benchmarks] == ["one", "two"]
    assert suite.benchmarks[0].workloads[0].timeout == 10


@pytest.mark.parametrize(
    "flag",
    [
        "-O3", "-Os", "-O0", "-Ofast", "-ffast-math", "-fno-inline", "-fno-inline-functions", "-funroll-loops",
        "-march=native", "-mavx2", "-flto", "-fsanitize=address", "-fprofile-use=x", "-fno-builtin", "-ftrapv",
        "-fno-vectorize", "-g", "-DNDEBUG", "-Iother", "-Xclang", "-mllvm", "-ffp-contract=fast", "-include",
        "-Wl,-O2", "-std=c99 -O3", "-std=", "--std=c99", "-w -O3", "-Wno-x,y", "-x", "", "-fcommon\n", "x.c", "@file",
    ],
)  # fmt: skip
def test_flags_that_would_shape_code_are_refused(flag: str) -> None:
    assert fault(with_([flag], "benchmarks", 0, "flags")).startswith(f"benchmarks.1.flags.1: flag {flag!r} is not")


@pytest.mark.parametrize(
    "flag", ["-O2", "-static-pie", "-Wl,--gc-sections", "-L/usr/lib", "-l", "-lm -O2", "-flto", "x.o", "-l:libm.a"]
)
def test_only_libraries_are_linked(flag: str) -> None:
    assert fault(with_([flag], "benchmarks", 0, "link")).startswith(f"benchmarks.1.link.1: link flag {flag!r} is not")


@pytest.mark.parametrize("path", ["../main.c", "/etc/passwd", "a/../../b", "", "a\\b", "-O3", "@flags"])
@pytest.mark.parametrize(
    "place", [("files",), ("include",), ("workloads", 0, "outputs"), ("workloads", 0, "stdin")], ids=str
)
def test_paths_stay_inside_and_are_no_options(path: str, place: tuple[str | int, ...]) -> None:
    value = path if place[-1] == "stdin" else [path]
    assert repr(path) in fault(with_(value, "benchmarks", 0, *place))


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        (with_(..., "version"), "version: this field is missing"),
        (with_([], "benchmarks"), "the file: benchmarks: the suite has none"),
        (with_("Tiny", "name"), "name: 'Tiny' is not a name"),
        (with_("a b", "name"), "name: 'a b' is not a name"),
        (with_("tiny\n", "name"), "name: 'tiny\\n' is not a name"),
        (with_(1, "colour"), "colour: there is no such field"),
        (with_("one", "benchmarks", 1, "name"), "the file: two benchmarks are called 'one'"),
        (
            with_("none", "benchmarks", 1, "source"),
            "the file: benchmark 'two' names the source 'none'; the suite has own",
        ),
        (with_([], "benchmarks", 0, "files"), "benchmarks.1: files: name the translation units"),
        (with_(["one.c", "one.c"], "benchmarks", 0, "files"), "benchmarks.1: files: 'one.c' is there twice"),
        (with_("small", "benchmarks", 0, "workloads", 1, "name"), "benchmarks.1: workloads: 'small' is there twice"),
        (with_([], "benchmarks", 0, "workloads"), "benchmarks.1.workloads: "),
        (with_("rust", "benchmarks", 0, "language"), "benchmarks.1.language: "),
        (with_("dev", "benchmarks", 0, "split"), "benchmarks.1.split: "),
        (with_(..., "benchmarks", 0, "split"), "benchmarks.1.split: this field is missing"),
        (with_({"Not A Check": "x"}, "benchmarks", 0, "unsanitized"), "benchmarks.1.unsanitized."),
        (with_("fast", "benchmarks", 0, "workloads", 0, "kind"), "benchmarks.1.workloads.1.kind: "),
        (
            with_("other", "benchmarks", 0, "workloads", 0, "stdin"),
            "benchmarks.1.workloads.1: stdin 'other' is not one",
        ),
        (with_(126, "benchmarks", 0, "workloads", 0, "exit"), "benchmarks.1.workloads.1.exit: "),
        (with_(192, "benchmarks", 0, "workloads", 0, "exit"), "benchmarks.1.workloads.1.exit: "),
        (with_(256, "benchmarks", 0, "workloads", 0, "exit"), "benchmarks.1.workloads.1.exit: "),
        (with_("", "benchmarks", 0, "unthrown"), "benchmarks.1.unthrown: "),
        (with_({"blocks": 1.1, "reason": "x"}, "benchmarks", 0, "coverage"), "benchmarks.1.coverage.blocks: "),
        (with_({"blocks": 0.9}, "benchmarks", 0, "coverage"), "benchmarks.1.coverage.reason: this field is missing"),
        (with_(0, "benchmarks", 0, "workloads", 0, "timeout"), "benchmarks.1.workloads.1.timeout: "),
        (with_(float("nan"), "benchmarks", 0, "workloads", 0, "timeout"), "benchmarks.1.workloads.1.timeout: "),
        (with_(601, "benchmarks", 0, "workloads", 0, "timeout"), "benchmarks.1.workloads.1.timeout: "),
        (with_(["["], "benchmarks", 0, "workloads", 0, "drop"), "benchmarks.1.workloads.1: drop pattern '['"),
        # Right for text, wrong for the bytes that a program prints.
        (with_([r"\u20ac"], "benchmarks", 0, "workloads", 0, "drop"), "benchmarks.1.workloads.1: drop pattern "),
        (with_(["(?u)x"], "benchmarks", 0, "workloads", 0, "drop"), "benchmarks.1.workloads.1: drop pattern "),
        (with_(-1, "benchmarks", 0, "workloads", 0, "inputs", 0, "seed"), "benchmarks.1.workloads.1.inputs.1.seed: "),
        (
            with_([1], "benchmarks", 0, "workloads", 0, "inputs", 0, "params"),
            "benchmarks.1.workloads.1.inputs.1.params",
        ),
        (
            with_("x", "benchmarks", 0, "workloads", 0, "inputs", 0, "sed"),
            "benchmarks.1.workloads.1.inputs.1.sed: there",
        ),
        (with_(..., "sources", "own", "path"), "sources.own: a source of origin 'own' needs the field 'path'"),
        (with_("../other", "sources", "own", "path"), "sources.own: '../other' must be a relative path"),
        (with_("/src", "sources", "own", "path"), "sources.own: '/src' must be a relative path"),
        (with_("x", "sources", "own", "overlay"), "sources.own: a source of origin 'own' has no field 'overlay'"),
        (with_(SHA, "sources", "own", "sha256"), "sources.own: a source of origin 'own' has no field 'sha256'"),
        (with_(..., "sources", "pack", "sha256"), "sources.pack: a source of origin 'debian' needs the field 'sha256'"),
        (
            with_(..., "sources", "pack", "tarball"),
            "sources.pack: a source of origin 'debian' needs the field 'tarball'",
        ),
        (with_("x", "sources", "pack", "path"), "sources.pack: a source of origin 'debian' has no field 'path'"),
        (with_("abc", "sources", "pack", "sha256"), "sources.pack.sha256: "),
        (with_(SHA.replace("0", "A"), "sources", "pack", "sha256"), "sources.pack.sha256: "),
        (with_("sub/pack.tar.gz", "sources", "pack", "tarball"), "sources.pack.tarball: "),
        (with_("../pack.tar.gz", "sources", "pack", "tarball"), "sources.pack.tarball: "),
        (with_("--config", "sources", "pack", "package"), "sources.pack.package: "),
        (with_("upstream", "sources", "pack", "origin"), "sources.pack.origin: "),
        (with_("", "sources", "pack", "licence"), "sources.pack.licence: "),
    ],
)
def test_every_fault_names_its_field(suite: dict[str, Any], message: str) -> None:
    assert fault(suite).startswith(message)


def test_two_inputs_cannot_be_one_file() -> None:
    twice = SUITE["benchmarks"][0]["workloads"][0]["inputs"] * 2
    assert "two inputs are called 'in'" in fault(with_(twice, "benchmarks", 0, "workloads", 0, "inputs"))
