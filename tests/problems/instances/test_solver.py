"""Solvers in C++ and in Python, from the submitted file to an assignment."""

from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.paths import BASELINES
from harness.base.vocabulary import Outcome
from harness.problems.instances.answers import Answers
from harness.problems.instances.files import instance_content, load_instance
from harness.problems.instances.policies import SOLVER_CPP, SOLVER_PY
from harness.problems.instances.solve import Attempt, run_solver
from harness.problems.instances.solver import prepare_solver, solver_job
from harness.problems.instances.suite import load_instances
from harness.problems.sharding.domain import Sharding
from harness.problems.sharding.evaluate import evaluate, verify
from harness.problems.sharding.generate import generate
from harness.problems.sharding.parse import parse_instance
from harness.sandbox.bench import Bench

LEAST_PY = b"""
import json, sys, time
import numpy
problem = json.load(open(sys.argv[1]))["problem"]
assert float(sys.argv[2]) == 20
print([int(numpy.argmin(usages)) for usages in problem["nodes"]["usages"]], flush=True)
"""
ZEROS_CPP = b"""
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
int main(int argc, char **argv) {
  std::string text;
  std::thread([&] { std::getline(std::ifstream(argv[1]), text); }).join();
  if (argc != 3 || text.find("usage_limit") == text.npos) return 1;
  std::puts("[0, 0, 0]");
}
"""


@pytest.fixture
def instance(tmp_path: Path) -> Path:
    """A file of a made instance."""
    file = tmp_path / "instance.json"
    file.write_bytes(generate("made", 1, 2))
    return file


def solved(content: bytes, name: str, instance: Path, bench: Bench, nodes: int) -> Attempt:
    """What it does in twenty seconds on two cores."""
    return run_solver(
        solver_job(prepare_solver(content, name, bench), instance, 20, (0,), bench),
        Answers(nodes, "nodes", "strategies"),
        bench.sandbox,
    )


def test_a_solver_in_python(instance: Path, bench: Bench) -> None:
    problem = parse_instance(instance.read_bytes(), "made")
    tried = solved(LEAST_PY, SOLVER_PY, instance, bench, problem.nodes)
    assert tried.finished.ok, tried.finished.reason_line()
    assert tried.answers.last is not None
    assignment = tried.answers.last.assignment
    assert verify(problem, assignment) is None and evaluate(problem, assignment) > 0


def test_a_solver_in_cpp_is_compiled_once(instance: Path, bench: Bench) -> None:
    tried = solved(ZEROS_CPP, SOLVER_CPP, instance, bench, 3)
    assert tried.finished.ok and tried.answers.last is not None
    first = prepare_solver(ZEROS_CPP, SOLVER_CPP, bench).program
    made = first.stat().st_mtime_ns
    assert prepare_solver(ZEROS_CPP, SOLVER_CPP, bench).program.stat().st_mtime_ns == made
    assert prepare_solver(ZEROS_CPP + b"\n", SOLVER_CPP, bench).program != first


def test_a_solver_sees_neither_the_machine_nor_the_network(instance: Path, bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    script = f"""
import os, socket
assert not os.path.exists({str(secret)!r}) and not os.path.exists("/etc/passwd")
try:
    socket.create_connection(("127.0.0.1", 1), 1)
except OSError:
    print([0, 0, 0])
"""
    tried = solved(script.encode(), SOLVER_PY, instance, bench, 3)
    assert tried.finished.ok and tried.answers.last is not None, tried.finished.reason_line()


def test_a_solver_in_python_can_import_what_is_documented_and_nothing_else(instance: Path, bench: Bench) -> None:
    script = """
import ctypes, fractions, highspy, json, multiprocessing, numpy, sys, threading
for name in ("duckdb", "harness", "pip", "pydantic", "pytest", "setuptools"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    sys.exit(f"there is {name}")
assert sys.argv[1:] == ["/instance.json", "20"] and __name__ == "__main__"
def double(pipe):
    pipe.send(2 * pipe.recv())
ours, theirs = multiprocessing.Pipe()
other = multiprocessing.Process(target=double, args=(theirs,))
other.start()
ours.send(21)
assert ours.recv() == 42
other.join()
print([0, 0, 0])
"""
    tried = solved(script.encode(), SOLVER_PY, instance, bench, 3)
    assert tried.finished.ok and tried.answers.last is not None, tried.finished.reason_line()


def test_the_exact_model_solves_a_small_instance_of_the_suite(bench: Bench, tmp_path: Path) -> None:
    (chain,) = load_instances(Sharding(), "iopddl").choose(["chain-4"])
    (tmp_path / "chain.json").write_bytes(instance_content(chain, bench.store))
    problem = load_instance(chain, bench.store)
    solver = (BASELINES / "exact-model" / SOLVER_PY).read_bytes()
    last = solved(solver, SOLVER_PY, tmp_path / "chain.json", bench, problem.nodes).answers.last
    assert last is not None and evaluate(problem, last.assignment) == chain.entry.bound


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            b"int main() { return x; }",
            r"solver.cpp does not compile: solver.cpp:1:21: use of undeclared identifier 'x'",
        ),
        (b"int f();\nint main() { return f(); }", r"does not compile: undefined reference to `f\(\)'"),
        (b'#include "/etc/passwd"\nint main() {}', "solver.cpp:1:10: '/etc/passwd' file not found"),
    ],
)
def test_what_does_not_compile_names_the_line(source: bytes, message: str, bench: Bench) -> None:
    with pytest.raises(CellError, match=message) as error:
        prepare_solver(source, SOLVER_CPP, bench)
    assert error.value.outcome is Outcome.POLICY_ERROR
