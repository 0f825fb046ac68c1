"""Submissions and suites that are written to hurt whoever reads them: refused quickly, with the reason."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.base.confined import confined
from harness.base.errors import CellError, UsageError
from harness.base.process import Limits
from harness.base.store import Store
from harness.policy import load_policy
from harness.policy.forms.cpp.hyperparameters import parse_hyperparameters, require_no_options
from harness.policy.forms.tree import parse_tree
from harness.policy.forms.tree.convert import from_xgboost
from harness.policy.forms.tree.model import MAX_NODES
from harness.policy.python_check import check_python
from harness.problems.inlining.features import INTERFACE
from harness.problems.instances.apart import make_apart, parse_apart
from harness.problems.programs.admission import definition_findings
from harness.problems.sharding.domain import Made, Sharding
from harness.problems.sharding.generate import generate as generate_instance
from harness.suite.generators import generate
from harness.suite.generators.apart import generate_apart
from harness.suite.locate import locate
from harness.suite.model import Workload
from harness.suite.workloads import prepare
from harness.verify.execute import result_digest
from tests.drive import ROOT
from tests.programs import own_program

DOMAIN = Sharding()

MANIFEST = """name = "mine"
version = "1"
problem = "passes"
form = "list"
class = "fixed"
track = "size"
targets = ["x86-64"]
authors = ["Ada"]
licence = "MIT"
description = "x"
files = {{ passes = "{file}" }}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "submission.toml").write_text(MANIFEST.format(file="passes.txt"))
    (folder / "passes.txt").write_text("sroa\n")
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))


def refused(folder: Path) -> str:
    with pytest.raises(UsageError) as raised:
        load_policy(f"{folder}/")
    assert len(str(raised.value)) < 1000
    return str(raised.value)


def _sparse(file: Path, size: int = 3 << 30) -> None:
    file.unlink(missing_ok=True)
    with file.open("wb") as content:
        content.truncate(size)


def test_a_manifest_of_three_gibibytes_is_not_read(mine: Path) -> None:
    _sparse(mine / "submission.toml")
    assert "larger than 64 KiB" in refused(mine)


def test_a_policys_file_is_not_read_beyond_what_its_role_needs(mine: Path) -> None:
    _sparse(mine / "passes.txt", 2 << 20)
    assert "larger than 1 MiB" in refused(mine)


def test_a_manifest_that_is_a_link_out_of_its_folder_is_refused(mine: Path, tmp_path: Path) -> None:
    (mine / "submission.toml").rename(tmp_path / "secret.toml")
    (mine / "submission.toml").symlink_to(tmp_path / "secret.toml")
    assert "leads out of the folder" in refused(mine)


@pytest.mark.parametrize("name", ["passes\\u0000", "n" * 300, "a/" * 600 + "a", "a\\nb"])
def test_names_of_files_that_no_kernel_takes_are_refused(mine: Path, name: str) -> None:
    (mine / "submission.toml").write_text(MANIFEST.format(file=name))
    assert "files.passes" in refused(mine)


@pytest.mark.parametrize(
    "more",
    [
        "seeds = [" + ",".join(map(str, range(2000))) + "]",
        f"seeds = [{'9' * 5000}]",
        "x = " + "[" * 50_000,
        'a."b".c=1',
    ],
)
def test_manifests_that_are_too_much_are_refused(mine: Path, more: str) -> None:
    (mine / "submission.toml").write_text(MANIFEST.format(file="passes.txt") + more)
    assert str(mine) in refused(mine)


def _linear(work: Callable[[str], object], piece: str, begin: str = "", end: str = "") -> None:
    """Eight times the text may take three times as long as in proportion, not sixty-four times."""

    def seconds(length: int) -> float:
        text = begin + piece * (length // len(piece)) + end
        taken = []
        for _ in range(3):
            started = time.process_time()
            with contextlib.suppress(UsageError):
                work(text)
            taken.append(time.process_time() - started)
        return min(taken)

    assert seconds(160_000) < 24 * seconds(20_000) + 0.2


CPP = ["/*", "/**", '"\\', "'\\", 'R"(', 'R"a(', "cl ", "cl :: ", "// [hyperparam] ", " ", "'", "1'", '"\\"', "\\\n"]


@pytest.mark.parametrize("piece", CPP)
@pytest.mark.parametrize("begin", ["", "// [hyperparam]: a, int, "])
def test_a_heuristic_is_checked_in_time_in_proportion_to_its_length(begin: str, piece: str) -> None:
    _linear(lambda text: require_no_options(text, "heuristic.cpp"), piece, begin)
    _linear(lambda text: parse_hyperparameters(text, "heuristic.cpp"), piece, begin, "x")


@pytest.mark.parametrize(
    ("code", "is_refused"),
    [
        ("int a = 1'000; cl::opt<int> b;", True),
        ('auto s = R"x( " )x"; cl::opt<int> b;', True),
        ("/* ** */ cl /* */ :: list<int> b;", True),
        ("'\\''; cl::bits<int> b; '", True),
        ('auto s = R"(\n" cl::opt )";', False),
        ('auto s = "\\" cl::opt";', False),
        ("/* cl::opt", False),
    ],
)
def test_options_are_found_in_code_and_not_in_text(code: str, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(UsageError, match="LLVM options are the harness's"):
            require_no_options(code, "heuristic.cpp")
    else:
        require_no_options(code, "heuristic.cpp")


@pytest.mark.parametrize("piece", [" ", "[ ", "a ", "a.", '"a" ', "]"])
@pytest.mark.parametrize("begin", ["[", "a", ""])
def test_fields_are_located_in_time_in_proportion_to_the_line(begin: str, piece: str) -> None:
    _linear(lambda text: locate(text, ("a",)), piece, begin, "x")


PYTHON = {
    "minus": b"decide = " + b"-" * 200_000 + b"1",
    "lambda": b"decide = " + b"lambda:" * 50_000 + b"1",
    "brackets": b"decide = " + b"(" * 100_000,
    "sum": b"decide = 1" + b"+1" * 100_000,
}


@pytest.mark.parametrize("content", PYTHON.values(), ids=PYTHON)
def test_python_that_pythons_parser_cannot_take_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError, match=r"not Python|Python's parser cannot read it"):
        check_python(content, "policy.py")


def test_python_is_parsed_in_another_process_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.policy import python_check as check

    content = f"# {time.time()}\ndef decide(features):\n    return True\n".encode()
    check_python(content, "policy.py")
    check._fault.cache_clear()
    monkeypatch.setattr(check, "confined", lambda *_: pytest.fail("parsed again"))
    check_python(content, "policy.py")


@pytest.mark.parametrize(
    "content", [b"[" + b"[]," * 1_000_000 + b"1]", b"{" * (MAX_NODES * 2), b"[" + b"1," * 5_000_000 + b"1]"]
)
def test_trees_of_more_values_than_a_tree_has_are_not_parsed(content: bytes) -> None:
    started = time.process_time()
    with pytest.raises(UsageError):
        parse_tree(content, "tree.json", INTERFACE)
    assert time.process_time() - started < 2


def test_a_node_that_is_its_own_child_ends(tmp_path: Path) -> None:
    tree = {
        "left_children": [0], "right_children": [0], "split_indices": [0], "split_conditions": [1.0], "split_type": [0],
        "tree_param": {"size_leaf_vector": "1"},
    }  # fmt: skip
    dump = {
        "version": [3, 0, 0],
        "learner": {
            "learner_model_param": {"num_class": "0", "num_target": "1", "base_score": "0.5", "num_feature": "1"},
            "gradient_booster": {"name": "gbtree", "model": {"trees": [tree], "iteration_indptr": [0, 1]}},
            "objective": {"name": "reg:squarederror"},
        },
    }
    with pytest.raises(UsageError, match="nodes in all"):
        from_xgboost(dump, INTERFACE, ["callee_basic_block_count"])


def ready(*drop: str) -> Any:
    return SimpleNamespace(workload=Workload(name="w", drop=drop))


def test_a_drop_pattern_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.base import process
    from harness.verify import execute

    monkeypatch.setattr(execute, "_DROP_LIMITS", process.Limits(wall=1))
    with pytest.raises(CellError, match="drop patterns cannot be applied to the output: it takes more than 1 s"):
        result_digest(b"a" * 60 + b"b\n", {}, ready("(a+)+$"))
    assert result_digest(b"a 1\nb\n\xff\n", {}, ready("^a", "^c")) == result_digest(b"b\n\xff\n", {}, ready())


def test_ctrl_c_is_heard_while_a_drop_pattern_runs() -> None:
    code = (
        "from types import SimpleNamespace as N; from harness.verify.execute import result_digest;"
        "from harness.suite.model import Workload; print('ready', flush=True);"
        "result_digest(b'a' * 60 + b'b', {}, N(workload=Workload(name='w', drop=('(a+)+$',))))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    started = time.monotonic()
    child.communicate(timeout=30)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "fields",
    [
        {"drop": ["x" * 501]},
        {"drop": ["(" * 499]},
        {"drop": ["a{99999999999999999999}"]},
        {"drop": ["a"] * 21},
        {"args": ["a\0b"]},
        {"args": ["a" * 9_000] * 10},
        {"outputs": ["a\0b"]},
        {"timeout": float("inf")},
        {"timeout": float("nan")},
        {"inputs": [{"file": "x", "generator": "text", "seed": 1 << 63}]},
        {"inputs": [{"file": "x", "generator": "sample", "seed": 1, "params": {"count": 2_000_000_000}}]},
    ],
)
def test_workloads_that_ask_for_too_much_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        Workload.model_validate({"name": "w", **fields})


def test_a_generator_of_an_untrusted_suite_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.base import process
    from harness.suite.generators import apart

    assert generate_apart("text", 7, {"size": 2000}) == generate("text", 7, {"size": 2000})
    monkeypatch.setattr(apart, "_LIMITS", process.Limits(wall=20, memory=256 << 20, file_size=1 << 20))
    with pytest.raises(UsageError, match="it takes more than"):
        generate_apart("sample", 1, {"count": 900_000_000})
    with pytest.raises(UsageError, match="cannot make an input of these parameters"):
        generate_apart("noise", 1, {"size": 2 << 20})
    with pytest.raises(UsageError, match="must be of type int"):
        generate_apart("noise", 1, {"size": "x"})


def test_an_input_of_an_untrusted_suite_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is made for a program."""
    from harness.base import process
    from harness.suite.generators import apart

    monkeypatch.setattr(apart, "_LIMITS", process.Limits(wall=20, memory=256 << 20, file_size=1 << 20))
    many = {"file": "in", "generator": "noise", "seed": 1, "params": {"size": 2 << 20}}
    program = own_program(tmp_path, {"main.c": ""}, workloads=[{"name": "only", "inputs": [many]}])
    with pytest.raises(UsageError, match=r"input in: .*cannot make an input of these parameters"):
        prepare(program, Store(tmp_path / "cache"))


def test_an_instance_of_an_untrusted_suite_is_limited(tmp_path: Path) -> None:
    assert make_apart(DOMAIN, "a", Made(seed=1, layers=2, mesh=(2, 2))) == generate_instance("a", 1, 2, 0.1, (2, 2))
    for content in (b"[" * 1_000_000, b"[" + b"[]," * 21_000_000 + b"1]", b"{}"):
        with pytest.raises(UsageError, match="x/y"):
            parse_apart(DOMAIN, content, "x/y", tmp_path)


def test_what_runs_apart_finds_packages_wherever_the_harness_has_them_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By ``PYTHONPATH``, too, which an isolated interpreter does not read."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "brought.py").write_text("ANSWER = 42")
    (tmp_path / "script.py").write_text("import brought; print(brought.ANSWER)")
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    ended = confined(tmp_path / "script.py", b"", Limits(), packages=True)
    assert ended.stdout == b"42\n", ended.stderr


def test_a_suite_of_faults_is_judged_in_seconds_and_shows_a_hundred(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_text('name = "x"\n' + "[[benchmarks]]\nname = 1\n" * 20_000)
    started = time.process_time()
    assert 0 < len(definition_findings(str(tmp_path / "suite.toml"))) <= 100
    assert time.process_time() - started < 10


def test_a_suite_that_is_too_large_or_too_deep_is_one_finding(tmp_path: Path) -> None:
    file = tmp_path / "suite.toml"
    for text in ("x = " + "[" * 50_000, f"x = {'9' * 5000}"):
        file.write_text(text)
        assert len(definition_findings(str(file))) == 1
    _sparse(file)
    assert "larger than 1 MiB" in definition_findings(str(file))[0].message
