"""submission.toml: one loader for all policies; every fault is named by file and field; what a digest covers."""

import os
from pathlib import Path

import pytest

from harness.base.digest import digest_bytes, digest_of
from harness.base.errors import UsageError
from harness.base.paths import BASELINES, SUBMISSIONS
from harness.base.upgrade import manifest_of_1
from harness.base.vocabulary import SIZE, Level
from harness.policy import all_policies, load_policy, problem_of
from harness.policy.load import choose_policies
from harness.problems.programs.run import make_request

MANIFEST = """
name = "mine"
version = "1"
problem = "passes"
form = "list"
class = "fixed"
track = "size"
targets = ["x86-64", "aarch64"]
authors = ["A. Nonymous"]
licence = "MIT"
description = "Two passes."
seeds = [0]
values = { depth = 3, scale = 0.5, mode = "fast" }

[files]
passes = "passes.txt"
"""


def submission(folder: Path, manifest: str | bytes = MANIFEST, passes: bytes = b"sroa\ngvn\n") -> Path:
    """A submission in ``folder``/mine."""
    mine = folder / "mine"
    mine.mkdir(parents=True)
    (mine / "passes.txt").write_bytes(passes)
    content = manifest if isinstance(manifest, bytes) else manifest.encode()
    (mine / "submission.toml").write_bytes(content)
    return mine


def changed(old: str, new: str) -> str:
    assert MANIFEST.count(old) == 1
    return MANIFEST.replace(old, new)


def fault(name: str) -> UsageError:
    """What is said of a policy that cannot be loaded."""
    with pytest.raises(UsageError) as raised:
        load_policy(name)
    assert raised.value.exit_code == 2
    return raised.value


def test_a_good_submission_is_loaded(tmp_path: Path) -> None:
    policy = load_policy(str(submission(tmp_path)))
    assert policy.name == "mine"
    assert (policy.manifest.problem, policy.manifest.form) == ("passes", "list")
    assert policy.manifest.values == {"depth": 3, "scale": 0.5, "mode": "fast"}
    assert policy.contents == {"passes": b"sroa\ngvn\n"}
    assert not policy.baseline
    assert problem_of(policy.manifest.problem).freeze_level(policy, SIZE) is Level.OZ


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (changed('version = "1"', "version = 1"), "version: must be text in quotes, not 1"),
        (changed('version = "1"', 'version = ""'), "version: "),
        (changed('name = "mine"', "name = 7"), "name: must be text in quotes, not 7"),
        (changed('name = "mine"', 'name = "a\'b"'), 'name: "a\'b" is not a name'),
        (changed('name = "mine"', 'name = "../mine"'), "name: '../mine' is not a name"),
        (changed('name = "mine"', 'name = "other"'), "name: 'other' must be the folder's name, 'mine'"),
        (changed('problem = "passes"', 'problem = "magic"'), "problem: unknown problem 'magic'; there are: inlining, "),
        (changed('problem = "passes"', 'problem = ["passes"]'), "problem: must be text in quotes"),
        (changed('problem = "passes"', ""), "problem: this field is missing"),
        (
            changed('form = "list"', 'form = "tree"'),
            "form: policies of problem 'passes' have no form 'tree'",
        ),
        (changed('form = "list"', ""), "form: this field is missing"),
        (
            changed('form = "list"', 'form = "list"\nquestion = "order"'),
            "question: unknown question 'order'; policies of this problem name none",
        ),
        (
            changed('problem = "passes"\nform = "list"', 'kind = "magic"'),
            "kind: unknown kind 'magic'; there were: ",
        ),
        (changed('problem = "passes"\nform = "list"', 'kind = ["level"]'), "kind: unknown kind ['level']"),
        (changed('form = "list"', 'kind = "level"'), "kind: manifests have problem and form instead"),
        (changed('class = "fixed"', 'class = "best"'), "class: "),
        (changed('track = "size"', 'track = "sise"'), "track: "),
        (changed('["x86-64", "aarch64"]', '"x86-64"'), "targets: "),
        (changed('"aarch64"]', '"riscv64"]'), "targets.2: "),
        (changed('["x86-64", "aarch64"]', "[]"), "targets: "),
        (changed('authors = ["A. Nonymous"]', "authors = []"), "authors: "),
        (changed('licence = "MIT"', 'license = "MIT"'), "license: there is no such field (also wrong: licence)"),
        (changed("seeds = [0]", 'hats = "red"\nseeds = [0]'), "hats: there is no such field"),
        (changed("seeds = [0]", "seeds = []"), "seeds: at least one is needed"),
        (changed("seeds = [0]", "seeds = [1, 2, 1]"), "seeds: at least one is needed, and none twice"),
        (changed("seeds = [0]", "seeds = [-1]"), "seeds.1: "),
        (changed("seeds = [0]", f"seeds = [{1 << 63}]"), "seeds.1: "),  # the index has 64-bit integers
        (changed("seeds = [0]", 'seeds = ["zero"]'), "seeds.1: "),
        (changed("seeds = [0]", "budget = 0"), "budget: must be greater than 0, not 0"),
        (changed("seeds = [0]", "budget = inf"), "budget: must be "),
        (changed("seeds = [0]", "budget = 3600.5"), "budget: must be less than or equal to 3600, not 3600.5"),
        (changed("seeds = [0]", "seeds = [true]"), "seeds.1: "),
        (changed("seeds = [0]", "budget = true"), "budget: "),
        (changed("seeds = [0]", 'budget = "600"'), "budget: "),
        (changed("seeds = [0]", "deterministic = 1"), "deterministic: "),
        (changed("scale = 0.5", "scale = true"), "values.scale: must be a number or text in quotes"),
        (changed("scale = 0.5", "scale = nan"), "values.scale: must be a finite number, not nan"),
        (changed("scale = 0.5", "scale = [0.5]"), "values.scale: must be a number or text in quotes"),
        (changed('"fast"', f'"{"x" * 501}"'), "values.mode: must have from 1 to 500 characters, not 501"),
        (changed('passes = "passes.txt"', 'passes = "../passes.txt"'), "files.passes: '../passes.txt' must be"),
        (changed('passes = "passes.txt"', 'passes = "/etc/hostname"'), "files.passes: '/etc/hostname' must be"),
        (changed('passes = "passes.txt"', 'passes = ""'), "files.passes: '' must be"),
        (changed('passes = "passes.txt"', "passes = 3"), "files.passes: "),
        (changed('passes = "passes.txt"', 'model = "passes.txt"'), "files: a policy of form 'list'"),
        (changed('passes = "passes.txt"', ""), "files: a policy of form 'list'"),
        (changed("[files]", "[files"), "not TOML: "),
        (MANIFEST + '\n[files]\npasses = "x"', "not TOML: "),
        (MANIFEST.encode() + b"# \xff\xfe", "not UTF-8 text"),
        ("", "name: this field is missing (also wrong: version, problem, form, …)"),
    ],
)
def test_every_fault_names_file_and_field(manifest: str | bytes, message: str, tmp_path: Path) -> None:
    error = fault(str(submission(tmp_path, manifest)))
    assert error.where == str(tmp_path / "mine" / "submission.toml")
    assert error.message.startswith(message)
    assert "\n" not in error.message


@pytest.mark.parametrize("level", ['"O4"', "2", '["Oz"]', '""'])
def test_a_level_policy_needs_a_level(level: str, tmp_path: Path) -> None:
    manifest = changed('problem = "passes"\nform = "list"', 'problem = "levels"\nform = "level"')
    manifest = manifest.replace('[files]\npasses = "passes.txt"', "")
    values = f"values = {{ level = {level} }}"
    error = fault(str(submission(tmp_path, manifest.replace(manifest[manifest.index("values") :], values))))
    assert error.message.startswith("values.level") and error.where == str(tmp_path / "mine" / "submission.toml")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    mine = submission(tmp_path)
    (mine / "passes.txt").unlink()
    error = fault(str(mine))
    assert error.where == f"{mine / 'submission.toml'}: files.passes"
    assert str(mine / "passes.txt") in error.message


@pytest.mark.parametrize("content", ["folder", "fifo"])
def test_what_is_no_file_is_no_policys_file(content: str, tmp_path: Path) -> None:
    mine = submission(tmp_path)
    (mine / "passes.txt").unlink()
    (mine / "passes.txt").mkdir() if content == "folder" else os.mkfifo(mine / "passes.txt")
    assert "not a regular file" in fault(str(mine)).message


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_link_out_of_the_folder_is_refused(link: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("sroa")
    if link == "file":
        mine = submission(tmp_path)
        (mine / "passes.txt").unlink()
        (mine / "passes.txt").symlink_to("../outside/secret")
    else:
        mine = submission(tmp_path, changed('"passes.txt"', '"sub/secret"'))
        (mine / "sub").symlink_to(outside)
    error = fault(str(mine))
    assert error.message == "leads out of the policy's folder"
    assert error.where == f"{mine / 'submission.toml'}: files.passes"


def test_a_link_inside_the_folder_is_followed(tmp_path: Path) -> None:
    mine = submission(tmp_path)
    (mine / "passes.txt").rename(mine / "real.txt")
    (mine / "passes.txt").symlink_to("real.txt")
    assert load_policy(str(mine)).contents == {"passes": b"sroa\ngvn\n"}


def test_a_pass_list_must_be_text(tmp_path: Path) -> None:
    mine = submission(tmp_path, passes=b"sroa\xff")
    error = fault(str(mine))
    assert (error.message, error.where) == ("not UTF-8 text", str(mine / "passes.txt"))


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    mine = submission(tmp_path)
    os.truncate(mine / "passes.txt", 65 << 20)
    assert fault(str(mine)).where == str(mine / "passes.txt")


def test_a_folder_without_manifest_is_named(tmp_path: Path) -> None:
    assert fault(str(tmp_path)).where == str(tmp_path)
    assert "submission.toml" in fault(str(tmp_path)).message
    assert fault(f"{tmp_path}/nowhere").message == "there is no such folder"


def test_an_unknown_name_gets_a_suggestion() -> None:
    error = fault("Ozz")
    assert error.message == "unknown policy 'Ozz'" and "did you mean 'Oz'?" in (error.hint or "")
    assert "there are: O0, O1" in (fault("zzzzzz").hint or "")


def test_two_policies_of_one_name_are_refused(tmp_path: Path) -> None:
    first, second = submission(tmp_path / "a"), submission(tmp_path / "b")
    assert len(choose_policies([str(first), f"{first}/", "Oz", "Oz"])) == 2
    with pytest.raises(UsageError, match="two policies are called 'mine'"):
        choose_policies([str(first), str(second)])


def test_the_digest_covers_what_can_change_a_decision(tmp_path: Path) -> None:
    digest = load_policy(str(submission(tmp_path / "base"))).digest
    same = [
        changed('"Two passes."', '"Other words."'),
        changed('version = "1"', 'version = "2"\nlinks = ["https://example.org/paper"]\ntrained_on = ["cbench:train"]'),
        changed('passes = "passes.txt"', "passes = 'passes.txt' # the list"),
        changed("depth = 3, scale = 0.5", "scale = 0.5, depth = 3"),
    ]
    other = [
        changed("depth = 3", "depth = 4"),
        changed('mode = "fast"', 'mode = "slow"'),
        changed('class = "fixed"', 'class = "zero-shot"'),
    ]
    for number, manifest in enumerate(same):
        assert load_policy(str(submission(tmp_path / f"same{number}", manifest))).digest == digest
    digests = {load_policy(str(submission(tmp_path / f"other{n}", text))).digest for n, text in enumerate(other)}
    digests.add(load_policy(str(submission(tmp_path / "files", passes=b"sroa\ngvn\n\n"))).digest)
    assert len(digests - {digest}) == 4


def test_passes_that_are_gone_are_reported(tmp_path: Path) -> None:
    policy = load_policy(str(submission(tmp_path, passes=b"-sroa -prune-eh\ngvn -prune-eh # and -ipconstprop\n")))
    (note,) = problem_of(policy.manifest.problem).notes(policy)
    assert note.startswith("pass 'prune-eh' no longer exists and is left out (")


def test_the_shipped_policies_load() -> None:
    policies = {policy.name: policy for policy in all_policies()}
    assert {"O0", "O1", "O2", "O3", "Os", "Oz"} <= set(policies)
    for policy in policies.values():
        assert policy.folder.parent in (BASELINES, SUBMISSIONS)
        assert policy.baseline == (policy.folder.parent == BASELINES)
        assert load_policy(policy.name).digest == policy.digest
        if policy.baseline and policy.manifest.problem != "sharding":
            level = problem_of(policy.manifest.problem).freeze_level(policy, policy.manifest.track).value
            named = policy.name.removesuffix("-no-slp").capitalize()
            usual = "Oz" if policy.manifest.track == SIZE else "O3"
            assert level == (usual if policy.manifest.problem == "inlining" or policy.manifest.track != SIZE else named)
    digests = [policy.digest for policy in policies.values()]
    assert len(set(digests)) == len(digests)


SOLVER = """
name = "mine"
version = "1"
problem = "sharding"
form = "python"
class = "zero-shot"
track = "sharding"
targets = ["x86-64"]
authors = ["A. Nonymous"]
licence = "MIT"
description = "A solver."

[files]
solver = "solver.py"
"""


def test_a_solver_is_loaded_and_decides_nothing_about_programs(tmp_path: Path) -> None:
    folder = submission(tmp_path, SOLVER)
    (folder / "solver.py").write_text("print([])\n")
    policy = load_policy(str(folder))
    assert policy.manifest.problem == "sharding"
    with pytest.raises(UsageError, match="mine cannot be run on cbench, a suite of programs"):
        make_request("cbench", policies=[str(folder)])
    with pytest.raises(UsageError, match="track 'sharding' is one of instances, not of programs"):
        make_request("cbench", track="sharding")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('solver = "solver.py"', 'solver = "passes.txt"', 'has one file, solver = "solver.py"'),
        ('form = "python"', 'form = "cpp"', "files: a solver of form 'cpp' has one file, solver = \"solver.cpp\""),
        ('solver = "solver.py"', 'program = "solver.py"', "files: a solver of form 'python' has one file"),
        ('"zero-shot"', '"fixed"', "class: a solver is called once with the instance alone: 'zero-shot', not 'fixed'"),
        ('["x86-64"]', '["x86-64", "aarch64"]', 'targets: solvers run natively: ["x86-64"]'),
        ('track = "sharding"', 'track = "size"', "a policy of problem 'sharding' cannot have the track 'size'"),
        ('problem = "sharding"', 'problem = "inlining"', "problem 'inlining' cannot have the track 'sharding'"),
        ('[files]', 'values = { depth = 3 }\n[files]', "values.depth: a policy of problem 'sharding' in form"),
        ('[files]', 'seeds = [1, 2, 3]\n[files]', "seeds: a policy of problem 'sharding' in form 'python' is given"),
        ('[files]', 'seeds = [7]\n[files]', "seeds: a policy of problem 'sharding' in form 'python' is given none"),
        ('[files]', 'budget = 3.5\n[files]', "budget: a policy of class 'zero-shot' does not search"),
    ],
)  # fmt: skip
def test_a_solver_that_breaks_its_kinds_rules(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert SOLVER.count(old) == 1
    folder = submission(tmp_path, SOLVER.replace(old, new))
    (folder / "solver.py").write_text("print([])\n")
    assert message in str(fault(str(folder)))


OLD = {
    "level": ("levels", "level", "", "values = { level = 'O2' }"),
    "pass-sequence": ("passes", "list", "[files]\npasses = 'passes.txt'", ""),
    "inliner": ("inlining", "python", "[files]\npolicy = 'policy.py'", ""),
    "heuristic": ("inlining", "cpp", "[files]\nheuristic = 'heuristic.cpp'", ""),
    "regalloc": ("regalloc", "allocator", "", "values = { allocator = 'basic' }"),
    "sharding": ("sharding", "python", "[files]\nsolver = 'solver.py'", ""),
}
"""Kind → problem, form, files and values of a policy."""


@pytest.mark.parametrize("kind", OLD)
def test_a_manifest_of_schema_1_is_the_same_policy(kind: str, tmp_path: Path) -> None:
    """Its ``kind`` is read as problem and form, and its digest, which recorded rows have, is what it was."""
    problem, form, files, values = OLD[kind]
    common = SOLVER[: SOLVER.index("[files]")].replace('problem = "sharding"\nform = "python"\n', "{words}")
    if kind != "sharding":
        common = common.replace('track = "sharding"', 'track = "size"')
    texts = (f'kind = "{kind}"\n', f'problem = "{problem}"\nform = "{form}"\n')
    found = []
    for number, words in enumerate(texts):
        folder = submission(tmp_path / str(number), f"{common.replace('{words}', words)}{values}\n{files}\n")
        (folder / "policy.py").write_text("def decide(features): return False\n")
        (folder / "heuristic.cpp").write_text("bool getEvolvableAdvice(CallBase &, PolicyContext &) { return true; }\n")
        (folder / "solver.py").write_text("print([])\n")
        found.append(load_policy(str(folder)))
    assert {(one.manifest.problem, one.manifest.form) for one in found} == {(problem, form)}
    given = found[0]
    fields = {"kind": kind, "class": "zero-shot", "values": given.manifest.values, "budget": None}
    of_files = {role: digest_bytes(content) for role, content in given.contents.items()}
    assert {one.digest for one in found} == {digest_of([fields, of_files])}


@pytest.mark.parametrize(
    ("role", "file", "form"), [("model", "m", "onnx"), ("tree", "t", "tree"), ("policy", "p", "python")]
)
def test_the_role_of_its_file_tells_the_form_of_an_old_inliner(role: str, file: str, form: str) -> None:
    assert manifest_of_1({"kind": "inliner", "files": {role: file}}) == {
        "problem": "inlining", "form": form, "files": {role: file},
    }  # fmt: skip


def test_an_old_solvers_file_tells_its_form() -> None:
    for file, form in (("solver.cpp", "cpp"), ("solver.py", "python")):
        assert manifest_of_1({"kind": "sharding", "files": {"solver": file}})["form"] == form


@pytest.mark.parametrize("lines", ["oid sha256:" + "a" * 64 + "\nsize 12\n", ""])
def test_a_pointer_of_git_lfs_is_no_file(lines: str, tmp_path: Path) -> None:
    """Its author has the file itself on disk, and cannot know what a misspelt pass has to do with it."""
    mine = submission(tmp_path, passes=f"version https://git-lfs.github.com/spec/v1\n{lines}".encode())
    with pytest.raises(UsageError, match="pointer of Git LFS") as refused:
        load_policy(str(mine))
    assert "git lfs untrack passes.txt" in str(refused.value)
