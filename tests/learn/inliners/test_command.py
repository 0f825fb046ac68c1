"""The command that trains, judges and exports, as its user runs it."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.learn.inliners.__main__ import main
from harness.learn.inliners.export import as_onnx
from harness.learn.inliners.material import material_of
from harness.learn.inliners.network import Network, fresh
from harness.problems.inlining.features import STATIC_FEATURES
from harness.sandbox.bench import Bench

SEEN = np.random.default_rng(0).integers(-40, 900, (500, 3))
SOME = fresh(("callee_users", "cost_estimate", STATIC_FEATURES[-1]), SEEN, (7, 4), 1)


def learn(*words: str, bench: Bench, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "harness.learn.inliners", *words],
        env={**os.environ, "HARNESS_CACHE": str(bench.cache)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_a_network_is_learnt_judged_and_exported(bench: Bench, tmp_path: Path) -> None:
    few = ("--from", "polybench", "--judge", "polybench", "--subset", "4", "--metric", "size.text")
    folder = tmp_path / "clone"
    cloned = learn("clone", *few, "--features", "mlgo", "--hidden", "6", "--folder", str(folder), bench=bench)
    assert "4 modules to learn from, 3 to be judged on" in cloned.stdout
    evolved = tmp_path / "evolved"
    start = str(folder / "network.bin")
    evolve = ("evolve", *few, "--start", start, "--modules", "1", "--folder", str(evolved))
    learn(*evolve, "--steps", "1", bench=bench)
    learn(*evolve, "--steps", "3", "--every", "7", bench=bench)  # it goes on, judged as often as is wanted now
    curve = [json.loads(line) for line in (evolved / "curve.jsonl").read_text().splitlines()]
    assert [point["compilations"] for point in curve] == [103, 203, 306]
    assert [point["validation"] is None for point in curve] == [False, True, False]
    judged = learn("judge", *few, start, bench=bench).stdout.splitlines()
    assert len([line for line in judged if line.startswith("polybench/")]) == 3
    alone = learn("judge", "--judge", "polybench", start, bench=bench).stdout.splitlines()
    assert len([line for line in alone if line.startswith("polybench/")]) == 15, "no corpus is here, and none is needed"
    file = tmp_path / "model.onnx"
    learn("export", start, str(file), bench=bench)
    assert file.read_bytes() == as_onnx(Network.of_data((folder / "network.bin").read_bytes())).SerializeToString()


def test_what_can_be_foretold_is_said(bench: Bench) -> None:
    told = learn("foresee", "--from", "polybench", "--subset", "6", "--functions", "2", bench=bench).stdout.splitlines()
    assert "of 6 modules" in told[0] and "saves" in told[1] and len(told) == 4
    few = learn("foresee", "--from", "polybench", "--subset", "2", "--functions", "1", bench=bench, code=2)
    assert few.stderr.splitlines()[-1] == "error: at least 5 modules must have something to decide, and 2 have"


def test_a_training_that_is_interrupted_says_so(bench: Bench, tmp_path: Path) -> None:
    """And nothing else: no traceback, no worker that goes on."""
    words = ("imitate", "--from", "polybench", "--judge", "polybench", "--rounds", "9", "--folder", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-m", "harness.learn.inliners", *words],
        env={**os.environ, "HARNESS_CACHE": str(bench.cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as training:
        assert training.stdout is not None
        assert "modules to learn from" in training.stdout.readline()
        training.send_signal(signal.SIGINT)
        _, said = training.communicate(timeout=120)
    assert training.returncode == 130 and said.splitlines()[-1] == "interrupted" and "Traceback" not in said


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("export", "{none}", "{out}"), "No such file"),
        (("export", "{bad}", "{out}"), "{bad}: this is no network"),
        (("judge", "{none}"), "No such file"),
        (("evolve", "--start", "{bad}", "--steps", "1", "--folder", "{out}"), "this is no network"),
        (("imitate", "--folder", "{out}", "--from", "corpus", "--judge", "polybench"), "harness corpus build"),
    ],
)
def test_what_is_wrong_is_said_in_few_words(words: tuple[str, ...], what: str, bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(SOME.as_data()[:-3])
    places = {name: str(tmp_path / name) for name in ("none", "bad", "out")}
    done = learn(*(word.format(**places) for word in words), bench=bench, code=2)
    assert what.format(**places) in done.stderr and done.stderr.count("\n") <= 2


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("clone", "--subset", "0"), "--subset: '0' is no whole number above 0"),
        (("clone", "--hidden", "40,x"), "--hidden: 'x' is no whole number above 0"),
        (("clone", "--hidden", "0"), "--hidden: '0' is no whole number above 0"),
        (("imitate", "--rounds", "0"), "--rounds: '0' is no whole number above 0"),
        (("imitate", "--jobs", "0"), "--jobs: '0' is no whole number above 0"),
        (("evolve", "--steps", "1", "--modules", "0"), "--modules: '0' is no whole number above 0"),
        (("gradient", "--steps", "-1"), "--steps: '-1' is no whole number above 0"),
        (("adapt", "--steps", "1", "--seed", "-1"), "--seed: '-1' is no whole number from 0 on"),
    ],
)
def test_a_wrong_number_is_refused_before_anything_is_compiled(
    words: tuple[str, ...], what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start = () if words[0] in ("clone", "imitate") else ("--start", str(tmp_path / "none"))
    with pytest.raises(SystemExit) as ended:
        main([*words, *start, "--folder", str(tmp_path / "out")])
    assert ended.value.code == 2 and what in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_where_nothing_is_left_to_be_judged_on_is_said(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = material_of(["polybench"], ["polybench"], 1, bench)
    monkeypatch.setattr("harness.learn.inliners.__main__.material_of", lambda *_: replace(shared, validation=()))
    monkeypatch.setenv("HARNESS_CACHE", str(bench.cache))
    assert main(["clone", "--from", "polybench", "--folder", str(tmp_path / "out"), "--jobs", "1"]) == 2
    assert "no module is left to be judged on" in capsys.readouterr().err


def test_a_training_computes_on_one_core_and_leaves_the_others_to_its_workers() -> None:
    told = "import harness.learn.inliners.fit; from threadpoolctl import threadpool_info as t; print(len(t()), t())"
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    words = [sys.executable, "-c", told]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stdout.startswith("0") and "'num_threads': 1" in done.stdout


def test_an_exported_network_says_the_same() -> None:
    session = onnxruntime.InferenceSession(as_onnx(SOME).SerializeToString(), providers=["CPUExecutionProvider"])
    rows = np.concatenate([SEEN, SEEN * 1000, [[0, 0, 0], [-(2**40), 2**40, 2**62]]])
    names = [one.name for one in session.get_inputs()]
    assert names == list(SOME.features)
    given = [session.run(None, {n: np.array([[v]]) for n, v in zip(names, row, strict=True)}) for row in rows]
    np.testing.assert_allclose([float(one[0][0, 0]) for one in given], SOME.logits(rows), rtol=1e-4, atol=1e-5)


def test_a_network_is_what_was_written() -> None:
    again = Network.of_data(SOME.as_data())
    assert again.features == SOME.features and again.as_data() == SOME.as_data()
    assert (again.logits(SEEN) == SOME.logits(SEEN)).all()


@given(st.binary(max_size=300) | st.integers(0, 400).map(lambda end: SOME.as_data()[:end]))
def test_what_is_no_network_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="no network"):
        Network.of_data(data)
