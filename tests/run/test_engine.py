"""Engines: every task comes back once, with its value or its error, whatever the order; the rest can be cancelled."""

import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.engine import Done, Engine
from harness.base.errors import CellError, PrerequisiteError, UsageError
from harness.base.store import Store
from harness.base.vocabulary import SIZE, Level, Outcome, Target
from harness.policy import load_policy
from harness.problems.programs.cell import Cell, CellResult, run_cell
from harness.problems.programs.stages import _fetch, _freeze, _generate
from harness.run.engines import InProcess, LocalPool, local_engine
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain
from tests.programs import own_program

ENGINES: list[Callable[[], Engine]] = [InProcess, partial(LocalPool, 2), partial(LocalPool, 5)]
engines = pytest.mark.parametrize("make", ENGINES, ids=["in process", "two workers", "five workers"])


def halve(number: int) -> float:
    if number % 5 == 0:
        raise UsageError(f"{number} is a multiple of five", where="here", hint="take another")
    return number / 2


@engines
@given(numbers=st.lists(st.integers(0, 1000), max_size=30))
def test_every_task_comes_back_once_with_its_value_or_error(make: Callable[[], Engine], numbers: list[int]) -> None:
    done = list(make().run(halve, numbers))
    assert sorted(d.task for d in done) == sorted(numbers)
    for d in done:
        if d.task % 5:
            assert (d.value, d.error) == (d.task / 2, None)
        else:
            assert d.value is None
            assert isinstance(d.error, UsageError) and (d.error.where, d.error.hint) == ("here", "take another")


def test_one_worker_keeps_the_order() -> None:
    assert [d.task for d in local_engine(1).run(halve, [3, 1, 2])] == [3, 1, 2]
    assert isinstance(local_engine(3), LocalPool) and local_engine(3).workers == 3
    assert local_engine(1).workers == 1


def test_workers_work_at_the_same_time_and_no_more_of_them() -> None:
    together = threading.Barrier(3, timeout=20)
    lock = threading.Lock()
    active, most = 0, 0

    def work(_: int) -> None:
        nonlocal active, most
        with lock:
            active += 1
            most = max(most, active)
        together.wait()
        with lock:
            active -= 1

    assert all(d.error is None for d in LocalPool(3).run(work, range(9)))
    assert most == 3


def test_a_task_comes_back_as_soon_as_it_ends() -> None:
    release = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert release.wait(20)
        return number

    order = []
    for done in LocalPool(2).run(work, range(5)):
        order.append(done.task)
        if len(order) == 4:
            release.set()
    assert order == [1, 2, 3, 4, 0]


@engines
def test_closing_cancels_what_has_not_started(make: Callable[[], Engine]) -> None:
    engine = make()
    started: list[int] = []
    ended: list[int] = []

    def work(number: int) -> None:
        started.append(number)
        time.sleep(0.01)
        ended.append(number)

    results = engine.run(work, range(500))
    next(iter(results))
    results.close()  # type: ignore[attr-defined]
    count = len(started)
    assert 1 <= count <= 50
    assert sorted(ended) == sorted(started)  # nothing goes on behind our back
    time.sleep(0.05)
    assert len(started) == count


@engines
def test_an_error_of_the_consumer_ends_the_work(make: Callable[[], Engine]) -> None:
    started: list[int] = []

    def consume() -> None:
        for _ in make().run(lambda n: started.append(n) or time.sleep(0.01), range(500)):
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        consume()
    assert len(started) <= 50


@engines
def test_ctrl_c_inside_a_task_is_not_swallowed(make: Callable[[], Engine]) -> None:
    def work(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(make().run(work, range(3)))


INTERRUPTED = """
import sys
from pathlib import Path
from harness.run.engines import LocalPool
from harness.base.process import Limits, run

folder = Path(sys.argv[1])

def work(number):
    (folder / f"started{number}").touch()
    script = f"sleep 60 & echo $! > pid{number}; mv pid{number} ready{number}; wait"
    return run(["/bin/sh", "-c", script], cwd=folder, limits=Limits(wall=60))

try:
    list(LocalPool(2).run(work, range(50)))
except KeyboardInterrupt:
    print("interrupted", flush=True)
echo = lambda word: run(["/bin/echo", word], cwd=folder, limits=Limits(wall=20)).stdout
print(sorted(done.value for done in LocalPool(2).run(echo, ["a", "b"])), flush=True)
"""


def test_ctrl_c_ends_the_commands_at_once_and_the_engine_can_be_used_again(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as child:
        end = time.monotonic() + 20
        while len(list(tmp_path.glob("ready*"))) < 2 and time.monotonic() < end:
            time.sleep(0.02)
        pids = [int(file.read_text()) for file in tmp_path.glob("ready*")]
        assert len(pids) == 2
        started = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
    assert time.monotonic() - started < 10
    assert out == "interrupted\n[b'a\\n', b'b\\n']\n"
    assert len(list(tmp_path.glob("ready*"))) == 2
    assert len(list(tmp_path.glob("started*"))) <= 4  # the others were never begun
    for pid in pids:
        status = Path(f"/proc/{pid}/stat")
        assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_what_the_flow_sends_can_be_pickled(tmp_path: Path, toolchain: Toolchain, store: Store) -> None:
    program = own_program(tmp_path, {"main.c": "int main(void) { return 0; }"})
    policy = load_policy("Oz")
    cell = Cell(program, Target.X86_64, SIZE, policy, 0)
    bench = Bench(toolchain, store.root)
    _ = toolchain.fingerprint, policy.digest  # values that are computed once travel, or are computed again
    again: Cell = pickle.loads(pickle.dumps(cell))
    assert again == cell and again.identity == cell.identity and again.policy.digest == policy.digest
    module = (program, Target.AARCH64, Level.OZ)
    for function, task in (
        (partial(run_cell, metrics=["size.alloc"], bench=bench), cell),
        (partial(_freeze, bench=bench), module),
        (partial(_fetch, bench=bench, offered=tmp_path), program),
        (partial(_generate, bench=bench), program),
    ):
        there, sent = pickle.loads(pickle.dumps((function, task)))
        assert sent == task
        assert there.func is function.func
    assert pickle.loads(pickle.dumps(bench)) == bench
    assert pickle.loads(pickle.dumps(bench)).toolchain.fingerprint == toolchain.fingerprint


def test_what_comes_back_can_be_pickled() -> None:
    result = CellResult("key", Outcome.OK, values={"size.alloc": 3})
    assert pickle.loads(pickle.dumps(Done(1, result, None))) == Done(1, result, None)
    for error in (
        UsageError("message", where="place", hint="remedy"),
        PrerequisiteError("message", hint="remedy"),
        CellError(Outcome.COMPILE_TIMEOUT, "message", True),
    ):
        back = pickle.loads(pickle.dumps(Done("task", None, error))).error
        assert type(back) is type(error)
        assert str(back) == str(error) and back.__dict__ == error.__dict__


def test_a_real_cell_in_a_pickled_task(tmp_path: Path, toolchain: Toolchain, store: Store) -> None:
    program = own_program(tmp_path, {"main.c": "int main(void) { return 0; }"})
    cell = Cell(program, Target.X86_64, SIZE, load_policy("Oz"), 0)
    task = partial(run_cell, metrics=["size.alloc", "size.text"], bench=Bench(toolchain, store.root))
    there, sent = pickle.loads(pickle.dumps((task, cell)))
    (done,) = LocalPool(2).run(there, [sent])
    assert done.error is None and done.value.outcome is Outcome.OK
    assert done.value == run_cell(cell, ["size.alloc", "size.text"], Bench(toolchain, store.root))
