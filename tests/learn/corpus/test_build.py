"""A corpus of two small packages, by the real compiler in the sandbox."""

import re
import shutil
import signal
import tarfile
import time
from pathlib import Path

import polars
import pytest

from harness.base.digest import digest_file
from harness.base.errors import UsageError
from harness.base.progress import SilentObserver
from harness.base.store import Store
from harness.base.vocabulary import Level, Target
from harness.freeze import freeze
from harness.learn.corpus.build import Built, Wanted, build
from harness.learn.corpus.corpus import Corpus, load, parts
from harness.learn.corpus.digests import Pinned, difference
from harness.learn.corpus.mlgo import import_modules
from harness.learn.corpus.nearness import nearness
from harness.learn.corpus.recipe import read_recipe
from harness.learn.corpus.suites import programs_of, suite_facts
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench
from harness.sandbox.tools import run_tool, tool_job
from tests.drive import ROOT, TINY, User
from tests.learn.corpus.tiny import PACKAGES, WALK, WALK_RENAMED, built, recipe_in, write_layout, write_tarballs


@pytest.fixture(scope="module")
def small(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> tuple[Built, Corpus]:
    folder = tmp_path_factory.mktemp("small")
    found = built(folder, bench)
    return found, load(folder / "corpus")


def test_what_compiles_alone_is_a_unit(small: tuple[Built, Corpus]) -> None:
    _, corpus = small
    rows = corpus.units.select("name", "language", "split", "licence", "origin").rows()
    assert rows == [
        ("alpha/src/count.c", "c", "train", "MIT", "debian"),
        ("alpha/walk.c", "c", "train", "MIT", "debian"),
        ("beta/lib/twice.cc", "c++", "validation", "MIT", "debian"),
    ]
    assert corpus.about.skipped["beta"] == {"duplicate": 1, "error": 1, "header libelsewhere/x.h": 1, "optnone": 1}


def test_a_near_duplicate_is_found_whatever_its_names_and_constants(small: tuple[Built, Corpus]) -> None:
    found, _ = small
    [duplicate] = [one for one in found.units if one.is_duplicate]
    assert (duplicate.unit.name, duplicate.like, duplicate.known) == ("beta/lib/again.c", "alpha/walk.c", 1.0)


def test_facts_are_those_of_the_module(small: tuple[Built, Corpus], bench: Bench, tmp_path: Path) -> None:
    _, corpus = small
    unit = next(one for one in corpus.modules("train") if one.name == "alpha/src/count.c")
    frozen = unit.frozen(tmp_path)
    done = run_tool(tool_job("llvm-dis", ("m.bc", "-o", "m.ll"), {"m.bc": frozen.bitcode}, ("m.ll",), 60, bench), bench)
    text = done.results["m.ll"].decode()
    assert text.count("minsize") and "xor i32" in text and 'source_filename = "./src/count.c"' in text
    functions = corpus.functions.filter(polars.col("unit") == unit.facts["unit"])
    assert functions["name"].to_list() == ["count", "is_wanted"]
    assert functions["local"].to_list() == [False, True]
    assert functions["instructions"].sum() == unit.facts["instructions"] == unit.facts["TotalInsts"]
    count, wanted = functions["ranges"].to_list()
    assert count >= 5 and wanted is None  # -O3 inlines the one and drops it


def test_a_reader_gets_what_clang_wrote_and_nothing_generated(small: tuple[Built, Corpus]) -> None:
    _, corpus = small
    assert [one.name for one in corpus.modules("validation")] == ["beta/lib/twice.cc"]
    assert [one.name for one in corpus.modules(language="c++")] == ["beta/lib/twice.cc"]
    assert all(one.bitcode().startswith(b"BC\xc0\xde") for one in corpus.modules())


def test_an_altered_shard_is_found(small: tuple[Built, Corpus], tmp_path: Path) -> None:
    _, corpus = small
    shutil.copytree(corpus.folder, tmp_path / "copy")
    shard = tmp_path / "copy" / "modules" / "alpha.zst"
    content = bytearray(shard.read_bytes())
    content[len(content) // 3] ^= 1
    shard.write_bytes(content)
    with pytest.raises(UsageError, match="altered"):
        [one.bitcode() for one in load(tmp_path / "copy").modules("train")]


def test_parts_are_functions_with_what_they_reach(small: tuple[Built, Corpus], bench: Bench, tmp_path: Path) -> None:
    _, corpus = small
    unit = next(one for one in corpus.modules("train") if one.name == "alpha/src/count.c")
    texts = []
    for place, bitcode in enumerate(parts(unit, bench)):
        (tmp_path / f"{place}.bc").write_bytes(bitcode)
        words, given = ("-passes=verify", "-S", "m.bc", "-o", "m.ll"), {"m.bc": tmp_path / f"{place}.bc"}
        done = run_tool(tool_job("opt", words, given, ("m.ll",), 60, bench), bench)
        assert done.ok, done.stderr
        texts.append(done.results["m.ll"].decode())
    count, wanted = texts
    assert "define dso_local i32 @count" in count and "define internal i32 @is_wanted" in count
    assert "@table = external" in count  # what others have stored there is not known
    assert "@is_wanted" in wanted and "@count" not in wanted and "define internal" not in wanted


def test_digests_do_not_depend_on_the_folder_or_the_order(
    small: tuple[Built, Corpus], toolchain: object, tmp_path: Path, bench: Bench
) -> None:
    found, corpus = small
    elsewhere = Bench(bench.toolchain, Store(tmp_path / "another" / "cache").root)
    again = built(tmp_path / "elsewhere" / "deep", elsewhere, dict(reversed(PACKAGES.items())))
    assert again.about.digest == corpus.about.digest
    assert again.pinned == found.pinned
    assert load(tmp_path / "elsewhere" / "deep" / "corpus").units.equals(corpus.units)


@pytest.mark.parametrize(("names", "first"), [(("alpha", "gamma"), "alpha"), (("beta", "gamma"), "gamma")])
def test_the_first_of_two_alike_stays_and_train_comes_first(
    names: tuple[str, str], first: str, bench: Bench, tmp_path: Path
) -> None:
    """Whatever the order of the recipe. (beta is for validation.)"""
    for number, order in enumerate((names, names[::-1])):
        texts = dict(zip(names, (WALK, WALK_RENAMED), strict=True))
        found = built(tmp_path / str(number), bench, {name: {f"{name}/walk.c": texts[name]} for name in order})
        assert next((one.unit.source, one.is_duplicate) for one in found.units) == (first, False)
        assert [one.is_duplicate for one in found.units] == [False, True]


def test_what_differs_from_the_record_is_named(small: tuple[Built, Corpus]) -> None:
    found, _ = small
    alpha = found.pinned["alpha"]
    assert difference(found.pinned, found.pinned) == {}
    fewer = {**found.pinned, "alpha": Pinned(units=alpha.units + 1, functions=alpha.functions, digest=alpha.digest)}
    other = {**found.pinned, "alpha": Pinned(units=alpha.units, functions=alpha.functions, digest="0" * 64)}
    assert difference(found.pinned, fewer) == {"alpha": "2 units, 3 are recorded"}
    assert "other modules" in difference(found.pinned, other)["alpha"]
    assert difference(found.pinned, {})["beta"] == "nothing is recorded of it"


def test_a_package_that_cannot_be_had_does_not_cost_the_others(bench: Bench, tmp_path: Path) -> None:
    recipe = recipe_in(tmp_path / "tarballs")
    (tmp_path / "tarballs" / "beta_1.2.orig.tar").write_bytes(b"altered")
    found = built(
        tmp_path / "rest",
        Bench(bench.toolchain, Store(tmp_path / "cache").root),
        offered=tmp_path / "tarballs",
        recipe=recipe,
    )
    assert "sha256" in found.failed["beta"].message
    assert {one.unit.source for one in found.units} == {"alpha"}


def test_a_hostile_tarball_is_refused(bench: Bench, tmp_path: Path) -> None:
    path = write_tarballs(tmp_path / "tarballs", {"alpha": PACKAGES["alpha"]})
    tarball = tmp_path / "tarballs" / "alpha_1.2.orig.tar"
    pinned = digest_file(tarball)
    with tarfile.open(tarball, "a") as archive:
        archive.addfile(tarfile.TarInfo("alpha/../../evil.c"))
    path.write_text(path.read_text().replace(pinned, digest_file(tarball)))
    with pytest.raises(UsageError, match="no relative path"):
        built(tmp_path, bench, recipe=read_recipe(path))


def test_a_source_cannot_read_files_of_the_machine(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret.h"
    secret.write_text("int secret;\n")
    files = {
        "alpha/walk.c": PACKAGES["alpha"]["alpha/walk.c"],
        "alpha/spy.c": f'#include "{secret}"\nint spy(void) {{ return secret; }}\n',
    }
    found = built(tmp_path, bench, {"alpha": files})
    assert [one.unit.name for one in found.units] == ["alpha/walk.c"]


def test_a_program_of_a_suite_is_recognised(bench: Bench, tmp_path: Path) -> None:
    [program] = [one for one in programs_of(["cbench"]) if one.id == "cbench/crc32"]
    sources = {path.name: path.read_text() for path in (ROOT / "suites/cbench/src/crc32").iterdir()}
    renamed = {f"alpha/{name}": re.sub(r"\bcrc_", "sum_", text) for name, text in sources.items()}
    files = {"alpha": {**renamed, **PACKAGES["alpha"]}}
    found = built(tmp_path, bench, files, programs=(program,))
    copies = [one for one in found.units if one.unit.kept.unit in ("crc.c", "main.c")]
    assert [(one.is_duplicate, one.like) for one in copies] == [(True, "cbench/crc32")] * 2
    assert len(load(tmp_path / "corpus").units) == 2
    known = suite_facts([program], bench, local_engine(1), SilentObserver())
    frozen = freeze(program, Target.X86_64, Level.OZ, bench)
    assert known["cbench/crc32"].instructions == frozen.instructions


def test_modules_of_mlgo_utils_are_taken_with_the_same_facts(
    small: tuple[Built, Corpus], bench: Bench, tmp_path: Path
) -> None:
    _, corpus = small
    modules = {one.name.removesuffix(".c").removesuffix(".cc"): one.bitcode() for one in corpus.modules()}
    folder = write_layout(tmp_path / "given", modules)
    one = import_modules(folder, "given", "train", "MIT", bench)
    alone = built(
        tmp_path / "alone", bench, {"gamma": {"gamma/x.c": "int x(int a) { return a * a + 1; }\n"}}, imports=(one,)
    )
    assert [each.unit.name for each in alone.units] == ["gamma/x.c", *(f"given/{name}" for name in sorted(modules))]
    taken = load(tmp_path / "alone" / "corpus").units.filter(polars.col("origin") == "import")
    assert taken["instructions"].to_list() == corpus.units["instructions"].to_list()
    beside = built(tmp_path / "beside", bench, imports=(one,))
    assert all(
        each.is_duplicate for each in beside.units if each.unit.origin == "import" and "twice" not in each.unit.name
    )


def test_generated_modules_are_a_split_of_their_own(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from harness.learn.corpus import build as module
    from harness.learn.corpus.generated import GENERATORS

    few = {name: replace(one, modules=3) for name, one in GENERATORS.items()}
    if shutil.which("csmith") is None:
        del few["csmith"]
    monkeypatch.setattr(module, "GENERATORS", few)
    built(tmp_path, bench, generated=tuple(few))
    corpus = load(tmp_path / "corpus")
    assert len(list(corpus.modules("generated"))) >= 3
    assert not any(one.facts["split"] == "generated" for one in corpus.modules())
    [program] = [one for one in programs_of(["cbench"]) if one.id == "cbench/crc32"]
    wanted = Wanted(recipe_in(tmp_path / "tarballs"), (), (program,), generated=("llvm-stress",))
    build(wanted, tmp_path / "alone", {}, bench, local_engine(2), SilentObserver())
    [near] = nearness(load(tmp_path / "alone"))
    assert near.unit.startswith("llvm-stress/"), "there is nothing else to be near"


def slow(number: int) -> str:
    """A unit that takes the compiler a while."""
    loop = "for (int i = 0; i < m; ++i) s = s * 31 + a[i] / (i + 3);"
    functions = (
        f"int f{number}_{n}(int *a, int m) {{ int s = {n}; {loop * (n % 9 + 1)} return s; }}" for n in range(150)
    )
    return "\n".join(functions)


def test_a_killed_build_goes_on_with_the_package_in_flight(bench: Bench, tmp_path: Path) -> None:
    packages = {"alpha": PACKAGES["alpha"], "delta": {f"delta/{n}.c": slow(n) for n in range(3)}}
    path = write_tarballs(tmp_path / "tarballs", packages)
    user = User.at(tmp_path / "user")
    common = ("--recipe", path, "--from", path.parent, "--output", tmp_path / "corpus", "--suite", TINY)
    words = ("corpus", "build", *common, "-j", "1")
    process = user.start(*words)
    entries = user.cache / "corpus-packages"
    deadline = time.monotonic() + 120
    while not list(entries.glob("??/*/facts.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    first = {entry: entry.stat().st_ino for entry in entries.glob("??/*")}
    assert len(first) == 1 and not (tmp_path / "corpus").exists()
    done = user.harness(*words)
    assert "3 units" in done.out  # units of one shape are duplicates
    assert {entry: entry.stat().st_ino for entry in first} == first
    assert len(list(entries.glob("??/*"))) == 2


def test_the_command_line_builds_shows_and_says_what_differs(tmp_path: Path) -> None:
    path = write_tarballs(tmp_path / "tarballs")
    user = User.at(tmp_path / "user")
    common = ("--recipe", path, "--from", path.parent, "--output", tmp_path / "corpus", "--suite", TINY)
    unrecorded = user.harness("corpus", "build", *common, code=1)
    assert "differs: alpha: nothing is recorded of it" in unrecorded.err
    user.harness("corpus", "build", "--pin", *common)
    user.harness("corpus", "build", *common)
    shown = user.json("corpus", "show", "--output", tmp_path / "corpus")
    assert [(one["split"], one["language"], one["units"]) for one in shown["splits"]] == [
        ("train", "c", 2),
        ("validation", "c++", 1),
    ]
    user.harness("corpus", "show", "--output", tmp_path / "corpus", "--html", tmp_path / "plot.html")
    assert "principal component" in (tmp_path / "plot.html").read_text()
    user.harness("corpus", "show", "--output", tmp_path / "nowhere").refused(
        2, "there is no corpus", "harness corpus build"
    )


def test_the_command_line_imports_and_keeps_what_it_imported(bench: Bench, tmp_path: Path) -> None:
    built(tmp_path / "elsewhere", bench, {"gamma": {"gamma/x.c": "int x(int a) { return a ? a * x(a - 1) : 7; }\n"}})
    modules = {one.name: one.bitcode() for one in load(tmp_path / "elsewhere" / "corpus").modules()}
    folder = write_layout(tmp_path / "given", modules)
    path = write_tarballs(tmp_path / "tarballs")
    user = User.at(tmp_path / "user")
    common = ("--recipe", path, "--output", tmp_path / "corpus", "--suite", TINY)
    user.harness("corpus", "build", "--packages", "alpha", "--from", path.parent, "--pin", *common, code=0)
    user.harness("corpus", "import", folder, "--licence", "ISC", *common, code=0)
    assert load(tmp_path / "corpus").units.select("name", "licence", "origin").rows()[1:] == [
        ("alpha/walk.c", "MIT", "debian"),
        ("given/gamma/x.c", "ISC", "import"),
    ]
    user.harness("corpus", "build", "--packages", "alpha", "--from", path.parent, *common, code=0)
    assert "given/gamma/x.c" in load(tmp_path / "corpus").units["name"]
    user.harness("corpus", "import", tmp_path / "tarballs", *common).refused(2, "not a corpus of mlgo-utils")
    rubbish = write_layout(tmp_path / "rubbish", {"a": b"no bitcode at all"})
    words = ("corpus", "import", rubbish, "--recipe", path, "--output", tmp_path / "other", "--suite", TINY)
    user.harness(*words).refused(2, "no module is left", "rubbish: 1 ")
    assert not (tmp_path / "other").exists()
