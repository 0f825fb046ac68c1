"""What a pull request changes, read from real repositories: only one submission, and nothing that leads elsewhere."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.base.paths import ROOT
from harness.checks.gate.repository import Repository
from harness.checks.gate.request import Request, export, read_request
from harness.checks.submission.findings import Code
from tests.checks.gate.conftest import Clone


def read(clone: Clone, base: str = "main", head: str = "request") -> Request:
    return read_request(Repository(clone.folder), base, head)


def codes(request: Request) -> set[Code]:
    return {finding.code for finding in request.findings}


def test_a_new_submission_is_in_order(clone: Clone, tmp_path: Path) -> None:
    clone.submit("mine")
    clone.commit()
    request = read(clone)
    assert (request.name, request.new, request.findings) == ("mine", True, ())
    folder = export(Repository(clone.folder), request.head, "mine", tmp_path / "out")
    assert folder is not None
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written == {path.name: path.read_bytes() for path in (clone.folder / "submissions/mine").iterdir()}


def test_a_changed_submission_is_in_order(clone: Clone) -> None:
    clone.submit("old", "default<Os>\n")
    clone.commit()
    request = read(clone)
    assert (request.name, request.new, request.findings) == ("old", False, ())


def edits_a_rule(clone: Clone) -> None:
    clone.write("harness/rules.py", "STRICT = False\n")


def moves_a_file_in(clone: Clone) -> None:
    clone.git("mv", "README.md", "submissions/mine/README.md")


def moves_a_file_out(clone: Clone) -> None:
    clone.git("mv", "submissions/old/passes.txt", "passes.txt")


def changes_a_mode(clone: Clone) -> None:
    (clone.folder / "harness/rules.py").chmod(0o755)


def lies_beside(clone: Clone) -> None:
    clone.write("submissions/README.md")


def looks_like_it(clone: Clone) -> None:
    clone.write("Submissions/mine/x.txt")


def adds_results(clone: Clone) -> None:
    clone.write("results/mine.jsonl")


def adds_a_workflow(clone: Clone) -> None:
    clone.write(".github/workflows/x.yml")


@pytest.mark.parametrize(
    "change",
    [
        *(edits_a_rule, moves_a_file_in, moves_a_file_out, changes_a_mode, lies_beside, looks_like_it, adds_results),
        adds_a_workflow,
    ],
)
def test_whatever_touches_something_else_is_refused(change: Callable[[Clone], None], clone: Clone) -> None:
    clone.submit("mine")
    change(clone)
    clone.commit()
    request = read(clone)
    assert Code.OUTSIDE in codes(request)
    outside = next(finding.what for finding in request.findings if finding.code is Code.OUTSIDE)
    named = [path for path in request.changed if not path.startswith("submissions/mine/") and path in outside]
    assert named and "submissions/mine/submission.toml" not in outside


def test_so_many_paths_are_listed_as_the_rules_say(clone: Clone) -> None:
    for number in range(25):
        clone.write(f"harness/{number:02}.py")
    clone.commit()
    [found] = read(clone).findings
    assert found.what.count("harness/") == 20 and found.what.endswith("harness/19.py, and 5 more")
    rules = (ROOT / "docs" / "submission-rules.md").read_text()
    assert "first 20 paths are listed" in rules.partition("### V601")[2].partition("###")[0]


def test_two_submissions_are_two_requests(clone: Clone) -> None:
    clone.submit("mine")
    clone.submit("other")
    clone.commit()
    assert codes(read(clone)) == {Code.SEVERAL}


def test_a_renamed_submission_is_two(clone: Clone) -> None:
    clone.git("mv", "submissions/old", "submissions/new")
    clone.commit()
    assert codes(read(clone)) == {Code.SEVERAL}


def test_merging_the_base_changes_nothing_of_the_request(clone: Clone) -> None:
    clone.submit("mine")
    clone.commit()
    clone.on("main")
    clone.write("harness/rules.py", "STRICT = 1\n")
    clone.submit("third")
    clone.commit()
    clone.on("request")
    assert read(clone).findings == ()
    clone.git("merge", "--quiet", "--no-edit", "main")
    request = read(clone)
    assert (request.name, request.findings) == ("mine", ())


def test_a_merge_cannot_smuggle_a_change_in(clone: Clone) -> None:
    """What a merge commit itself edits is no change of either parent's, and is found."""
    clone.submit("mine")
    clone.commit()
    clone.on("main")
    clone.write("other.txt")
    clone.commit()
    clone.on("request")
    clone.git("merge", "--quiet", "--no-commit", "--no-ff", "main")
    edits_a_rule(clone)
    clone.commit("Merge main")
    assert codes(read(clone)) == {Code.OUTSIDE}


def test_histories_that_cross_hide_nothing(clone: Clone) -> None:
    """Against the newer of two commits in common a request looks like one submission, and would undo the base's own."""
    clone.submit("first")
    honest = clone.commit()
    clone.on("main")
    clone.write("harness/rules.py", "STRICT = 2\n")
    mended = clone.commit("Mend a rule")
    clone.git("merge", "--quiet", "--no-edit", "--no-ff", "request")
    clone.on("request")
    clone.submit("second")
    clone.git("add", "--all")
    tree = clone.git("write-tree")
    head = clone.git("commit-tree", tree, "-p", honest, "-p", mended, "-m", "Merge main")
    assert "rules.py" in clone.git("diff", "--name-only", mended, head)
    assert codes(read(clone, head=head)) == {Code.CONFLICT}


def test_what_is_undone_again_is_no_change(clone: Clone) -> None:
    edits_a_rule(clone)
    clone.commit()
    clone.write("harness/rules.py", "STRICT = True\n")
    clone.submit("mine")
    clone.commit()
    assert read(clone).findings == ()


def test_a_base_that_changed_the_submission_too_is_a_conflict(clone: Clone) -> None:
    clone.submit("old", "default<Os>\n")
    clone.commit()
    clone.on("main")
    clone.submit("old", "default<O2>\n")
    clone.commit()
    assert codes(read(clone)) == {Code.CONFLICT}


def test_a_branch_that_was_pushed_anew_is_what_it_is_now(clone: Clone) -> None:
    edits_a_rule(clone)
    bad = clone.commit()
    clone.git("reset", "--quiet", "--hard", "main")
    clone.submit("mine")
    clone.commit()
    assert read(clone).findings == ()
    assert codes(read(clone, head=bad)) == {Code.OUTSIDE}, "a commit is named by its id, whatever branches say"


def test_without_a_common_history_there_is_no_request(clone: Clone) -> None:
    clone.git("checkout", "--quiet", "--orphan", "alien")
    clone.submit("mine")
    clone.commit()
    assert codes(read(clone, head="alien")) == {Code.UNRELATED}


def test_no_file_of_the_working_tree_says_which_submodules_count(clone: Clone) -> None:
    """The clone that the request is read in may have any files."""
    commit = clone.git("rev-parse", "HEAD")
    clone.git("update-index", "--add", "--cacheinfo", f"160000,{commit},vendor")
    clone.git("commit", "--quiet", "-m", "Add a submodule")
    clone.write(".gitmodules", '[submodule "vendor"]\n\tpath = vendor\n\turl = .\n\tignore = all\n')
    assert codes(read(clone)) == {Code.OUTSIDE}
    clone.submit("mine")
    clone.git("add", "submissions")
    clone.git("commit", "--quiet", "-m", "Add a submission")
    assert codes(read(clone)) == {Code.OUTSIDE}


def test_more_files_than_can_be_listed_hide_nothing(clone: Clone) -> None:
    """What a request changes beside them is found as well: by folder."""
    clone.submit("mine")
    clone.commit()
    [found] = read(clone, head=clone.bomb("submissions/mine/zz")).findings
    assert found.code is Code.TOO_MUCH and "hint" not in found.what, "git's own reason is said, and no advice of it"
    clone.submit("other")
    clone.write("submissions/README.md")
    clone.commit()
    request = read(clone, head=clone.bomb("submissions/mine/zz"))
    assert codes(request) == {Code.OUTSIDE, Code.SEVERAL}
    assert request.changed == ("submissions/README.md", "submissions/mine/", "submissions/other/")


def test_nothing_and_removal(clone: Clone) -> None:
    assert codes(read(clone)) == {Code.NOTHING_CHANGED}
    clone.git("rm", "-r", "--quiet", "submissions/old")
    clone.commit()
    assert codes(read(clone)) == {Code.REMOVED}


def tree_with(clone: Clone, mode: str, kind: str, object_: str, name: bytes) -> str:
    """A commit whose submission ``mine`` has this entry too, made by hand: git itself would not add it."""
    clone.submit("mine")
    clone.commit()
    inner = clone.git("rev-parse", "HEAD:submissions/mine")
    listed = clone.git("ls-tree", "-z", inner).encode() + b"\0"
    entry = f"{mode} {kind} {object_}\t".encode() + name + b"\0"
    tree = clone.git("mktree", "-z", "--missing", stdin=listed.replace(b"\0\0", b"\0") + entry)
    old = clone.git("ls-tree", "HEAD:submissions", "old")
    places = clone.git("mktree", stdin=f"{old}\n040000 tree {tree}\tmine\n".encode())
    top = [line for line in clone.git("ls-tree", "HEAD").splitlines() if not line.endswith("\tsubmissions")]
    whole = clone.git("mktree", stdin="\n".join([*top, f"040000 tree {places}\tsubmissions", ""]).encode())
    return clone.git("commit-tree", whole, "-p", "HEAD", "-m", "By hand")


@pytest.mark.parametrize(
    ("mode", "kind", "name", "code"),
    [
        ("160000", "commit", b"module", Code.SPECIAL_FILE),
        ("120000", "blob", b"link", Code.LINK),
        ("100644", "blob", b"PASSES.TXT", Code.FILE_NAME),
        ("100644", "blob", b"a\nb", Code.FILE_NAME),
        ("100644", "blob", b"\xff", Code.FILE_NAME),
        ("100644", "blob", "a\u202eb".encode(), Code.FILE_NAME),
        ("100644", "blob", b"n" * 300, Code.FILE_NAME),
        ("100644", "blob", b"passes.txt", Code.FILE_NAME),
    ],
)
def test_entries_that_must_not_be_written(mode: str, kind: str, name: bytes, code: Code, clone: Clone) -> None:
    blob = clone.git("hash-object", "-w", "--stdin", stdin=b"/etc/passwd")
    object_ = clone.git("rev-parse", "HEAD") if kind == "commit" else blob
    head = tree_with(clone, mode, kind, object_, name)
    assert codes(read(clone, head=head)) == {code}


def test_more_findings_than_anybody_reads_are_counted(clone: Clone) -> None:
    folder = clone.folder / "submissions" / "mine"
    clone.submit("mine")
    for number in range(150):
        (folder / f"link{number:03}").symlink_to("/etc/passwd")
    clone.commit()
    request = read(clone)
    assert codes(request) == {Code.LINK} and len(request.findings) < 20
    assert request.findings[-1].what == "and 140 more of these"


@pytest.mark.parametrize("name", ["a b", "-x", ".hidden", "n" * 65])
def test_a_submission_is_called_as_a_policy_may_be(name: str, clone: Clone) -> None:
    clone.submit(name)
    clone.commit()
    assert codes(read(clone)) == {Code.FILE_NAME}


def test_a_name_in_other_case_is_no_new_submission(clone: Clone) -> None:
    clone.submit("Old")
    clone.commit()
    assert codes(read(clone)) == {Code.FILE_NAME}


def test_a_huge_file_is_not_read(clone: Clone) -> None:
    clone.submit("mine")
    with (clone.folder / "submissions/mine/large").open("wb") as file:
        file.truncate(200 << 20)
    clone.commit()
    assert codes(read(clone)) == {Code.TOO_MUCH}


def test_what_is_written_is_what_was_committed(clone: Clone, tmp_path: Path) -> None:
    """No filter, no attribute, no replaced object, no hook has a say."""
    marker = tmp_path / "ran"
    clone.submit("mine")
    clone.write("submissions/mine/.gitattributes", "* filter=evil text eol=crlf\n")
    clone.write("submissions/mine/passes.txt", "default<Oz>\n")
    clone.git("config", "filter.evil.smudge", f"touch {marker}; cat")
    head = clone.commit()
    blob = clone.git("rev-parse", "HEAD:submissions/mine/passes.txt")
    other = clone.git("hash-object", "-w", "--stdin", stdin=b"default<O3>\n")
    clone.git("replace", blob, other)
    folder = export(Repository(clone.folder), head, "mine", tmp_path / "out")
    assert folder is not None and (folder / "passes.txt").read_text() == "default<Oz>\n"
    assert not marker.exists()


def test_no_file_of_the_clone_says_what_a_commit_s_parents_are(clone: Clone) -> None:
    """A graft makes what the request has changed before a part of the base: only the rest was looked at."""
    edits_a_rule(clone)
    bad = clone.commit()
    clone.submit("mine")
    clone.commit()
    clone.write(".git/info/grafts", f"{clone.git('rev-parse', 'main')} {bad}\n")
    assert codes(read(clone)) == {Code.OUTSIDE}


@pytest.mark.parametrize("name", ["nothere", "--output=/tmp/x", "", "main:README.md", "main^{tree}"])
def test_a_name_of_no_commit_is_said(name: str, clone: Clone) -> None:
    with pytest.raises(UsageError, match="there is no commit"):
        read(clone, head=name)


def test_a_folder_that_is_no_repository_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        Repository(tmp_path)


def test_the_clone_is_left_as_it_was(clone: Clone) -> None:
    def state() -> list[tuple[str, float]]:
        return sorted(
            (os.path.join(place, name), os.stat(os.path.join(place, name)).st_mtime)
            for place, _, names in os.walk(clone.folder)
            for name in names
        )

    clone.submit("mine")
    clone.commit()
    clone.write("untracked.txt")
    before = state()
    read(clone)
    assert state() == before


def test_git_of_another_owner_is_read(clone: Clone) -> None:
    """A clone that belongs to another user is data, too."""
    if os.getuid() != 0:
        pytest.skip("only root can give a folder away")
    clone.submit("mine")
    clone.commit()
    subprocess.run(["chown", "-R", "nobody", str(clone.folder)], check=True)
    assert read(clone).findings == ()
