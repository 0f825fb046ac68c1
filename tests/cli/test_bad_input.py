"""What a user can get wrong: one clear message (what, where, what to do), the right exit code, no traceback."""

import hashlib
import io
import json
import shutil
import tarfile
from pathlib import Path

import pytest

from harness.record.runfile import run_files
from harness.toolchain import Toolchain
from tests.drive import TINY, User, write_policy, write_suite
from tests.drive import Sketch as Program

RUN = ("run", "--suite", str(TINY))
NAMES: list[tuple[tuple[str, ...], list[str]]] = [
    (("run", "--suite", "cbnech"), ["unknown suite 'cbnech'", "did you mean 'cbench'?"]),
    (("run", "--suite", "mine"), ["unknown suite 'mine'", "there are: cbench", "named by its path"]),
    (("run", "--suite", ""), ["unknown suite ''"]),
    (("run", "--suite", "nowhere/suite.toml"), ["nowhere/suite.toml", "no such suite file"]),
    (("fetch", "cbnech"), ["unknown suite 'cbnech'"]),
    (("suites", "cbnech"), ["unknown suite 'cbnech'"]),
    (("suites", "check", "cbnech"), ["unknown suite 'cbnech'"]),
    (("suites", "check"), ["which suite?", "harness suites check NAME"]),
    (("suites", "cbench", "bzip2"), ["one suite at a time"]),
    ((*RUN, "--benchmark", "gob"), ["suite 'tiny' has no benchmark 'gob'", "did you mean 'glob'?"]),
    ((*RUN, "--benchmark", "cbench/bzip2"), ["suite 'tiny' has no benchmark 'cbench/bzip2'"]),
    (("run", "--suite", "cbench", "--benchmark", "ghostscript"), ["'ghostscript' is absent from cbench", "run-time"]),
    ((*RUN, "--policy", "Ozz"), ["unknown policy 'Ozz'", "did you mean 'Oz'?"]),
    ((*RUN, "--policy", "Oz,nobody"), ["unknown policy 'nobody'", "there are: O0, O1"]),
    ((*RUN, "--policy", "./nowhere"), ["nowhere", "there is no such folder"]),
    ((*RUN, "--target", "arm64"), ["unknown target 'arm64'", "did you mean 'aarch64'?"]),
    ((*RUN, "--target", "x86-64,riscv"), ["unknown target 'riscv'", "there are: x86-64, aarch64"]),
    ((*RUN, "--track", "speeed"), ["unknown track 'speeed'", "did you mean 'speed'?"]),
    ((*RUN, "--track", "colour"), ["unknown track 'colour'", "there are: size, speed"]),
    ((*RUN, "--metric", "size.text@znver4"), ["'size.text' models no CPU", "mca.cycles, mca.static"]),
    ((*RUN, "--metric", "mca.cycles@"), ["no CPU is named"]),
    ((*RUN, "--metric", "size.txt"), ["unknown metric 'size.txt'", "did you mean 'size.text'?"]),
    (("leaderboard", "--target", "arm64"), ["unknown target 'arm64'"]),
    (("leaderboard", "--track", "speeed"), ["unknown track 'speeed'"]),
    (("leaderboard", "--metric", "bytes"), ["unknown metric 'bytes'", "there are:"]),
    (("leaderboard", "--split", "tset"), ["unknown split 'tset'", "did you mean 'test'?"]),
    (("leaderboard", "--origin", "debian"), ["no rows of the reference policy 'Oz'", "debian", "--origin own"]),
    (("leaderboard", "--suite", "cbench"), ["no results of suite cbench", "there are: tiny"]),
    (("leaderboard", "--reference", "O3"), ["no rows of the reference policy 'O3'", "harness run --suite tiny"]),
    (
        ("leaderboard", "--reference", "nosuch"),
        ["no rows of the reference policy 'nosuch'", "there is no policy of that name; there are: O0"],
    ),
    (("leaderboard", "--instances"), ["--instances says nothing here", "results of programs (tiny)"]),
    (("leaderboard", "--json", "--csv"), ["--json and --csv"]),
    (("explain", "greedy-descent", "iopddl/chain-4"), ["explain is about policies that compile programs", "a solver"]),
    (("leaderboard", "--llvm", "0000"), ["no results of the toolchain '0000'", "there are:"]),
    (("compare", "Oz", "nobody"), ["no rows of policy 'nobody'", "there is no policy of that name; there are: O0"]),
    (
        ("compare", "Oz", "O3"),
        ["no rows of policy 'O3'", "run `harness run --suite tiny --policy O3` first; there are:"],
    ),
    (("replay", "nothing"), ["unknown run 'nothing'", "there are:", "tiny-size-"]),
    (("replay", "tiny", "--suite", "cbench"), ["this is suite 'cbench'; the run is of 'tiny'"]),
    (("replay", "tiny", "--suite", str(TINY), "--policy", "O9"), ["no cell of this run fits", "policies: O0, Os, Oz"]),
    (("repro", "tiny"), ["'tiny' names no row", "RUN#LINE"]),
    (("repro", "tiny#1", "--suite", str(TINY)), ["no row at line 1", "lines 2 to 109"]),
    (("repro", "tiny#110", "--suite", str(TINY)), ["no row at line 110"]),
    (("repro", "tiny/glob/x86-64/O9", "--suite", str(TINY)), ["no row of glob, x86-64, O9"]),
    (("export", "rows.xlsx"), ["cannot write .xlsx", ".csv, .json, .parquet"]),
    (("export", "rows"), ["a file without an ending"]),
    (("export", "/proc/rows.csv"), ["/proc/rows.csv", "cannot be written"]),
    (("export", "nowhere/rows.parquet"), ["nowhere/rows.parquet", "cannot be written"]),
    (("export", "rows.csv", "--suite", "cbench"), ["no rows of suite 'cbench'"]),
    (("schema", "rows"), ["unknown schema 'rows'", "there are: suite, submission, tree, header, campaign,"]),
]


@pytest.mark.parametrize("words", [("replay", "tiny"), ("repro", "tiny/glob/x86-64/Oz")])
def test_a_suite_that_was_named_by_its_path_elsewhere(words: tuple[str, ...], tiny: User, tmp_path: Path) -> None:
    """Where its cache is, its name is enough (``test_own_suite``)."""
    someone = User(tmp_path, tiny.results)
    someone.harness(*words).refused(2, "suite 'tiny' does not come with the harness", "--suite")


@pytest.mark.parametrize(("words", "fragments"), NAMES, ids=[" ".join(words)[-40:] for words, _ in NAMES])
def test_names_that_mean_nothing(tiny: User, words: tuple[str, ...], fragments: list[str]) -> None:
    tiny.harness(*words).refused(2, *fragments)


@pytest.mark.parametrize("words", [("leaderboard",), (*RUN, "--dry-run")])
def test_a_file_in_the_place_of_results(words: tuple[str, ...], visitor: User) -> None:
    visitor.results.write_text("")
    visitor.harness(*words).refused(2, str(visitor.results), "is a file, and no folder of results")


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (("frobnicate",), "no such command 'frobnicate'"),
        (("run",), "missing option '--suite'"),
        ((*RUN, "--jobs", "0"), "--jobs"),
        ((*RUN, "--compile-timeout", "0"), "--compile-timeout"),
        ((*RUN, "--sweep"), "--sweep"),
        (("official", "--suite", "cbench", "--perturb"), "no such option"),
        (("official", "--suite", "cbench", "--seed-file", "secret"), "no such option"),
        (("official", "--suite", "cbench", "--no-fresh"), "no such option"),
        (("compare", "Oz"), "missing argument"),
    ],
)
def test_options_that_cannot_be(tiny: User, words: tuple[str, ...], fragment: str) -> None:
    tiny.harness(*words).refused(2, fragment, "--help")


def test_without_a_word_the_verbs_are_listed(tiny: User) -> None:
    answer = tiny.harness("--help", code=0)
    for verb in (
        "doctor suites fetch policies run replay repro leaderboard compare export convert serve schema".split()  # noqa: SIM905
    ):
        assert f" {verb} " in answer.out


@pytest.mark.parametrize("verb", ["leaderboard", "export rows.csv", "compare Oz O0"])
def test_without_results_the_way_to_some_is_named(visitor: User, verb: str) -> None:
    visitor.harness(*verb.split()).refused(2, "there are no r", "harness run --suite cbench")


SUBMISSIONS: list[tuple[dict[str, str | None], str]] = [
    (
        {"problem": '"pases"'},
        "problem: unknown problem 'pases'; there are: inlining, levels, passes, regalloc, sharding",
    ),
    ({"form": '"liszt"'}, "form: policies of problem 'passes' have no form 'liszt'; there are: list"),
    ({"form": None}, "form: this field is missing"),
    ({"kind": '"pass-sequence"'}, "kind: manifests have problem and form instead"),
    ({"class": '"lucky"'}, "class: must be"),
    ({"targets": '["x86-64", "arm64"]'}, "targets.2: must be 'x86-64' or 'aarch64', not 'arm64'"),
    ({"version": "1"}, "version: must be text in quotes, not 1"),
    ({"licnece": '"MIT"'}, "licnece: there is no such field"),
    ({"name": '"another"'}, "name: 'another' must be the folder's name, 'mine'"),
    ({"files": '{ passes = "other.txt" }'}, "files.passes: there is no such file"),
    ({"files": '{ passes = "../../etc/passwd" }'}, "files.passes: '../../etc/passwd' must be a relative path"),
    ({"files": '{ model = "passes.txt" }'}, "files: a policy of form 'list' has one file"),
    (
        {"problem": '"levels"', "form": '"level"', "files": None},
        "values.level: a policy of form 'level' needs one of O0",
    ),
    ({"problem": "levels"}, "not TOML"),
]


@pytest.mark.parametrize(("changes", "fragment"), SUBMISSIONS, ids=[text[:30] for _, text in SUBMISSIONS])
def test_faults_of_a_submission(tiny: User, tmp_path: Path, changes: dict[str, str | None], fragment: str) -> None:
    folder = write_policy(tmp_path / "mine", "mem2reg", **changes)
    tiny.harness(*RUN, "--policy", folder).refused(2, str(folder / "submission.toml"), fragment)


def test_a_submission_cannot_take_a_baselines_name(tiny: User, tmp_path: Path) -> None:
    """Its rows would be the reference's."""
    folder = write_policy(tmp_path / "Oz", "mem2reg")
    tiny.harness(*RUN, "--policy", folder).refused(2, str(folder / "submission.toml"), "'Oz' is a baseline's")


def test_two_policies_of_one_name(tiny: User, tmp_path: Path) -> None:
    one, other = write_policy(tmp_path / "a" / "mine", "mem2reg"), write_policy(tmp_path / "b" / "mine", "sroa")
    tiny.harness(*RUN, "--policy", f"{one},{other}").refused(2, "two policies are called 'mine'", str(other))


@pytest.mark.parametrize(
    ("old", "new", "fragment"),
    [
        ('name = "tiny"', "name = ", "not TOML"),
        ('split = "train"', 'split = "trian"', "split: must be 'train' or 'test', not 'trian'"),
        ('generator = "integers"', 'generator = "integer"', "'integer'"),
        ('path = "src/glob"', 'path = "src/nowhere"', "there is no such source folder"),
        ('files = ["main.c"]', 'files = ["man.c"]', "man.c"),
        ('flags = ["-std=c++17"]', 'flags = ["-O3"]', "flag '-O3' is not allowed"),
    ],
)
def test_faults_of_a_suite(tiny: User, tmp_path: Path, old: str, new: str, fragment: str) -> None:
    """A copy of the tiny suite with one fault, run."""
    text = TINY.read_text()
    assert old in text
    shutil.copytree(TINY.parent, tmp_path / "copy")
    file = tmp_path / "copy" / "suite.toml"
    file.write_text(text.replace(old, new))
    User(tiny.cache, tmp_path / "results").harness("run", "--suite", file, "--policy", "Oz").refused(2, fragment)


def test_a_program_that_does_not_compile(visitor: User, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "broken", Program("bad", "int main(void) { return nothing; }\n"))
    answer = visitor.harness("run", "--suite", suite, "--policy", "Oz", "--target", "x86-64")
    answer.refused(2, "broken/bad", "main.c", "use of undeclared identifier 'nothing'")


def test_a_broken_file_of_pinned_results(visitor: User, tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "pinned", Program("fine", "int main(void) { return 0; }\n"))
    (suite.parent / "expected.json").write_text('{"fine": ')
    visitor.harness("run", "--suite", suite, "--policy", "Oz").refused(2, "expected.json", "not JSON")


def tarball(path: Path) -> str:
    """An orig tarball of one program; returns its sha256."""
    content = b"int main(void) { return 0; }\n"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("pack-1.0/main.c")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def upstream(tmp_path: Path) -> tuple[Path, Path]:
    """A suite whose only source is a tarball, and the folder that offers it."""
    offered = tmp_path / "tarballs"
    offered.mkdir()
    digest = tarball(offered / "pack_1.0.orig.tar.gz")
    suite = write_suite(tmp_path / "up", Program("pack", ""))
    source = f'package = "pack"\nversion = "1.0"\ntarball = "pack_1.0.orig.tar.gz"\nsha256 = "{digest}"'
    text = suite.read_text().replace('origin = "own"', 'origin = "debian"').replace('path = "src/pack"', source)
    suite.write_text(text)
    return suite, offered


def test_tarballs_from_a_folder(upstream: tuple[Path, Path], tmp_path: Path) -> None:
    suite, offered = upstream
    user = User.at(tmp_path)
    assert (
        "1 source trees of 1 programs are here and verified"
        in user.harness("fetch", suite, "--from", offered, code=0).err
    )
    user.harness("run", "--suite", suite, "--policy", "Oz", "--target", "x86-64", code=0)


@pytest.mark.parametrize("change", ["altered", "truncated", "empty"])
def test_another_tarball_is_refused_by_name(upstream: tuple[Path, Path], tmp_path: Path, change: str) -> None:
    suite, offered = upstream
    file = offered / "pack_1.0.orig.tar.gz"
    content = file.read_bytes()
    changed = {"altered": content[:-1] + bytes([content[-1] ^ 1]), "truncated": content[:-1], "empty": b""}[change]
    file.write_bytes(changed)
    user = User.at(tmp_path)
    for _ in range(2):  # nothing of it stays
        answer = user.harness("fetch", suite, "--from", offered)
        answer.refused(2, str(file), "refused", hashlib.sha256(changed).hexdigest(), f"{len(changed)} bytes")
    file.write_bytes(content)
    user.harness("fetch", suite, "--from", offered, code=0)
    file.write_bytes(changed)  # also when the right one is here already
    user.harness("fetch", suite, "--from", offered).refused(2, str(file), "refused")


def test_tarballs_that_are_not_there(upstream: tuple[Path, Path], tmp_path: Path) -> None:
    suite, _ = upstream
    user = User.at(tmp_path)
    user.harness("fetch", suite, "--from", tmp_path / "nowhere").refused(2, "nowhere", "there is no such folder")
    answer = user.harness("fetch", suite, "--from", tmp_path)
    answer.refused(2, "pack_1.0.orig.tar.gz is not in this folder", "source package pack 1.0")


def test_without_apt_the_other_way_is_named(upstream: tuple[Path, Path], tmp_path: Path, toolchain: Toolchain) -> None:
    suite, _ = upstream
    user = User.at(tmp_path)
    tools = tmp_path / "bin"
    tools.mkdir()
    words = ("run", "--suite", suite, "--policy", "Oz", "--target", "x86-64")
    answer = user.harness(*words, PATH=str(tools), HARNESS_LLVM=str(toolchain.bin))
    answer.refused(3, "apt-get is not here", "source package pack 1.0", "--from DIR")


def test_a_torn_run_file_is_named_before_anything_is_computed(tiny: User, visitor: User, tmp_path: Path) -> None:
    (whole,) = run_files(tiny.results)[0]
    visitor.results.mkdir()
    torn = visitor.results / whole.name
    torn.write_bytes(whole.read_bytes()[:-100])
    remedy = "restore it, or move it out of the results folder"
    new = write_policy(tmp_path / "new", "sroa adce")
    for words in (("leaderboard",), ("export", tmp_path / "rows.csv"), ("replay", whole.stem), (*RUN, "--policy", new)):
        answer = visitor.harness(*words)
        answer.refused(2, str(torn), "torn or altered", remedy)
        assert "cells" not in answer.err
    torn.rename(tmp_path / torn.name)
    visitor.harness(*RUN, "--policy", "Oz", code=0)


def test_foreign_files_are_named_and_left_alone(tiny: User, visitor: User) -> None:
    visitor.results.mkdir()
    notes, odd = visitor.results / "notes.txt", visitor.results / "tiny.jsonl"
    notes.write_text("mine")
    odd.write_bytes(b"\x00\xff{")
    visitor.harness(*RUN, "--policy", "Oz,O0", code=0)
    answer = visitor.harness("leaderboard", code=0)
    for file in (notes, odd):
        assert answer.err.count(f"warning: ignored, not a run file: {file}") == 1
    assert (notes.read_text(), odd.read_bytes()) == ("mine", b"\x00\xff{")


def test_an_altered_number_is_not_shown(tiny: User, visitor: User) -> None:
    (whole,) = run_files(tiny.results)[0]
    visitor.results.mkdir()
    row = json.loads(whole.read_text().splitlines()[1])
    text = whole.read_text().replace(f'"value":{row["value"]}', '"value":1', 1)
    assert text != whole.read_text()
    (visitor.results / whole.name).write_text(text)
    visitor.harness("leaderboard").refused(2, whole.name, "torn or altered")
