"""Networks that learn again from what an imitation has found out."""

import json
from pathlib import Path

import numpy as np
import pytest

from harness.learn.inliners import __main__ as command
from harness.learn.inliners.gains import Found
from harness.learn.inliners.material import Material
from harness.learn.inliners.modules import Module
from harness.learn.inliners.network import Network
from harness.problems.inlining.features import STATIC_FEATURES

USERS = STATIC_FEATURES.index("callee_users")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Inlining functions with few users saves bytes, and costs text; each question is of a module of its own."""
    features = np.random.default_rng(0).integers(0, 100, (1000, len(STATIC_FEATURES)))
    saved = np.where(features[:, USERS] < 50, 0.01, -0.01)
    found = Found(features, np.stack([saved, -saved], axis=1), np.arange(1000))
    np.savez(tmp_path / "checkpoint.npz", **found.arrays())
    return tmp_path


@pytest.mark.parametrize(("metric", "inlines_few"), [("size.alloc", True), ("size.text", False)])
def test_a_network_learns_by_either_metric(metric: str, inlines_few: bool, folder: Path) -> None:
    words = ["--metric", metric, "--features", "mlgo", "--hidden", "12"]
    assert command.main(["refit", str(folder), str(folder / "network.bin"), *words]) == 0
    network = Network.of_data((folder / "network.bin").read_bytes())
    rows = np.random.default_rng(1).integers(0, 100, (500, len(network.features)))
    inlines = network.logits(rows) > 0
    is_few = rows[:, network.features.index("callee_users")] < 50
    assert ((inlines == is_few) == inlines_few).mean() > 0.9


def test_a_margin_may_be_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = np.random.default_rng(1).integers(0, 2, (500, len(STATIC_FEATURES)))
    by_llvm = rows[:, STATIC_FEATURES.index("llvm_inlines")] > 0
    for words, is_llvms in ((["--margin", "1000"], True), (["--margin", "0"], False)):
        assert command.main(["refit", str(folder), str(folder / "network.bin"), "--hidden", "4", *words]) == 0
        network = Network.of_data((folder / "network.bin").read_bytes())
        assert ((network.logits(rows) > 0) == by_llvm).all() == is_llvms
    capsys.readouterr()
    words = ["refit", str(folder), str(folder / "network.bin"), "--features", "mlgo", "--margin", "1"]
    assert command.main(words) == 2 and "--margin 1" in capsys.readouterr().err
    for wrong in ("-1", "nan", "x", "1e9"):
        with pytest.raises(SystemExit):
            command.main([*words[:-1], wrong])


def test_fewer_modules_are_a_part_of_more(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["refit", str(folder), str(folder / "network.bin"), "--features", "mlgo", "--hidden", "4"]
    assert command.main([*words, "--modules", "70"]) == 0
    assert capsys.readouterr().out.startswith("70 questions about 70 modules: ")
    with pytest.raises(SystemExit):
        command.main([*words, "--modules", "0"])


def test_what_several_imitations_found_is_learnt_together(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["refit", str(folder), str(tmp_path / "network.bin"), "--features", "mlgo", "--hidden", "4"]
    assert command.main([*words, "--besides", str(folder)]) == 0
    assert capsys.readouterr().out.startswith("2,000 questions about 2,000 modules: ")


def test_what_was_found_of_some_units_is_learnt_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    units = tuple(Module(f"{place}.c", "zlib", bytes, "") for place in range(1000))

    def made(sources: list[str], *_: object) -> Material:
        return Material(units[10:40] if sources == ["corpus-c"] else units if sources == ["corpus"] else (), ())

    monkeypatch.setattr(command, "material_of", made)
    words = ["refit", str(folder), str(folder / "network.bin"), "--features", "mlgo", "--hidden", "4", "--only"]
    (folder / "words.json").write_text(json.dumps({"material": Material(units, ()).words()}))
    assert command.main([*words, "corpus-c"]) == 0
    assert capsys.readouterr().out.startswith("30 questions about 30 modules: ")
    assert command.main([*words, "corpus-c++"]) == 2 and "no module is left" in capsys.readouterr().err
    for others in (json.dumps({"material": Material(units[1:], ()).words()}), "[]", "x"):
        (folder / "words.json").write_text(others)
        assert command.main([*words, "corpus-c"]) == 2 and str(folder) in capsys.readouterr().err


def test_a_training_of_another_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "checkpoint.npz", network=np.zeros(3))
    assert command.main(["refit", str(tmp_path), str(tmp_path / "network.bin")]) == 2
    assert str(tmp_path) in capsys.readouterr().err and not (tmp_path / "network.bin").exists()
