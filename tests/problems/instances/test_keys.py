"""What a solver's cell depends on is in its key: each input changes it, or there is a reason why not."""

import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from harness.base.machine import machine
from harness.base.vocabulary import Target
from harness.policy.manifest import Manifest
from harness.policy.policy import Policy
from harness.problems.instances import cell as cells
from harness.problems.instances import solver as solvers
from harness.problems.instances.cell import SolverCell, with_key
from harness.problems.instances.policies import SOLVER, SOLVER_CPP, SOLVER_PY
from harness.problems.instances.solver import prepare_solver
from harness.problems.instances.suite import SuiteInstance, load_instances
from harness.problems.sharding.domain import Sharding
from harness.sandbox import Limits
from harness.sandbox.bench import Bench
from tests.problems.instances.user import write_instances

FORMS = {"python": SOLVER_PY, "cpp": SOLVER_CPP}
both = pytest.mark.parametrize("form", FORMS)


@pytest.fixture
def instance(tmp_path: Path) -> SuiteInstance:
    (found,) = load_instances(Sharding(), str(write_instances(tmp_path / "made"))).choose(["small"])
    return found


def policy(form: str, content: bytes = b"print([0, 0, 0])") -> Policy:
    words = {"name": "mine", "version": "1", "problem": "sharding", "form": form, "class": "zero-shot"}
    words |= {"track": "sharding", "licence": "MIT", "description": "Made by a test."}
    manifest = Manifest(**words, targets=["x86-64"], authors=["A. Tester"], files={SOLVER: FORMS[form]})
    return Policy(manifest, Path("/mine"), {SOLVER: content}, baseline=False)


def key(instance: SuiteInstance, form: str, bench: Bench, **cell: Any) -> str:
    given = {"policy": policy(form), "time_scale": 1.0, "cores": (0, 1), **cell}
    return with_key(SolverCell(instance, **given), bench).key


CELL: dict[str, Any] = {
    "time_scale": 0.5,
    "cores": (0,),
    "number": 1,
    "seed": "ab",
}
NOT_OF_CELL = {
    "policy": "its files are digested, see below",
    "instance": "the same",
    "copy": "its numbers follow from the seed, which is in the key",
    "metrics": "a cell that lacks one computes it of the assignment that it has",
    "key": "what is made here",
}


@pytest.mark.parametrize("field", [field.name for field in fields(SolverCell)])
@both
def test_each_field_of_a_cell(field: str, form: str, instance: SuiteInstance, bench: Bench) -> None:
    assert (field in CELL) != (field in NOT_OF_CELL), "say what a new field does to a cell"
    if field in CELL:
        assert key(instance, form, bench, **{field: CELL[field]}) != key(instance, form, bench)


@both
def test_the_solver_the_instance_and_its_limit(
    form: str, instance: SuiteInstance, bench: Bench, tmp_path: Path
) -> None:
    (huge,) = load_instances(Sharding(), str(tmp_path / "made")).choose(["huge"])
    slow = replace(instance, entry=instance.entry.model_copy(update={"seconds": 21.0}))
    found = [key(one, form, bench) for one in (instance, huge, slow)]
    found += [key(instance, form, bench, policy=policy(form, b"print([0, 0, 1])"))]
    assert len(set(found)) == 4
    assert key(instance, "python", bench) != key(instance, "cpp", bench)


@both
def test_the_machine_and_the_versions_of_reading_and_judging(
    form: str, instance: SuiteInstance, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = key(instance, form, bench)
    for field in ("vendor", "family", "model", "stepping", "hypervisor"):
        with monkeypatch.context() as patched:
            patched.setattr(cells, "machine", lambda field=field: replace(machine(), **{field: "another"}))
            assert key(instance, form, bench) != first, field
    with monkeypatch.context() as patched:
        patched.setattr(cells, "machine", lambda: replace(machine(), cores=machine().cores + 1))
        assert key(instance, form, bench) != first
    for place, name in ((cells, "_READING"), (Sharding, "judging")):
        with monkeypatch.context() as patched:
            patched.setattr(place, name, 1000)
            assert key(instance, form, bench) != first, name


LIMITS: dict[str, Any] = {"memory": 5, "processes": 3, "address_space": 7, "file_size": 5, "files": 5, "scratch": 5}
LIMITS |= {"output": 5, "open_files": 5, "cpu": 5.0}
NOT_OF_LIMITS = {"wall": "the cell's own seconds, see above"}


@pytest.mark.parametrize("field", [field.name for field in fields(Limits)])
@both
def test_each_limit(
    field: str, form: str, instance: SuiteInstance, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (field in LIMITS) != (field in NOT_OF_LIMITS), "say what a new limit does to a cell"
    if field in LIMITS:
        first, given = key(instance, form, bench), solvers._limits
        monkeypatch.setattr(solvers, "_limits", lambda seconds: replace(given(seconds), **{field: LIMITS[field]}))
        assert key(instance, form, bench) != first


@both
def test_the_environment(form: str, instance: SuiteInstance, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    first, given = key(instance, form, bench), solvers._environment
    monkeypatch.setattr(solvers, "_environment", lambda cores: given(cores) | {"LC_ALL": "C.UTF-8"})
    assert key(instance, form, bench) != first


def other(bench: Bench, runtime: str | None = None, **changes: Any) -> Bench:
    """With another compiler, or another C++ library."""
    toolchain = replace(bench.toolchain)
    vars(toolchain)["fingerprint"] = replace(bench.toolchain.fingerprint, **changes)
    if runtime:
        vars(toolchain)["_runtimes"] = {(Target.X86_64, "c++", ()): runtime}
    return replace(bench, toolchain=toolchain)


def test_what_a_solver_in_cpp_is_compiled_with(
    instance: SuiteInstance, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both for the cell and for the compiled program that is kept."""
    source = b"int main() { return 0; }"
    first, made = key(instance, "cpp", bench), prepare_solver(source, SOLVER_CPP, bench).program
    for another in (other(bench, llvm="another"), other(bench, runtime="another libstdc++")):
        assert key(instance, "cpp", another) != first
        assert prepare_solver(source, SOLVER_CPP, another).program != made
        assert key(instance, "python", another) == key(instance, "python", bench), "which has no compiler"
    monkeypatch.setattr(solvers, "FLAGS", (*solvers.FLAGS, "-O1"))
    assert key(instance, "cpp", bench) != first
    assert prepare_solver(source, SOLVER_CPP, bench).program != made


def test_what_a_solver_in_python_runs_on(
    instance: SuiteInstance, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, given = key(instance, "python", bench), solvers.version
    files = solvers._python_files()
    assert any("libc.so" in path for path in files) and any("libstdc++" in path for path in files)
    for package in solvers.PACKAGES:
        with monkeypatch.context() as patched:
            patched.setattr(solvers, "version", lambda name, p=package: "0" if name == p else given(name))
            assert key(instance, "python", bench) != first, package
    changes: dict[str, Any] = {"PACKAGES": ("numpy",), "_START": "", "_python_files": lambda: files | {"x": "y"}}
    for name, value in changes.items():
        with monkeypatch.context() as patched:
            patched.setattr(solvers, name, value)
            assert key(instance, "python", bench) != first, name
    monkeypatch.setattr(sys, "version", "2.7")
    assert key(instance, "python", bench) != first
