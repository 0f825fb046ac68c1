"""What competes is what the recorded training gives: anyone can learn it again."""

from pathlib import Path

import numpy as np
import onnxruntime
import pytest

from harness.base.paths import ROOT, SUBMISSIONS
from harness.learn.inliners import __main__ as command
from harness.learn.inliners.curve import checkpoint_of
from harness.learn.inliners.gains import Found
from harness.learn.inliners.network import Network, columns_of

FOLDER = ROOT / "trainings" / "imitation-callee"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [("mlgo-imitation", ("--margin", "0.5")), ("mlgo-imitation-text", ("--metric", "size.text", "--margin", "0.25"))],
)
def test_a_submission_is_what_its_training_gives(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "network.bin"
    assert command.main(["refit", str(FOLDER), str(file), *words]) == 0
    network = Network.of_data(file.read_bytes())
    asked = Found.kept(checkpoint_of(FOLDER)).features[::50]
    inline = network.logits(columns_of(asked, network.features)) > 0
    session = onnxruntime.InferenceSession(SUBMISSIONS / name / "model.onnx")
    answers = [
        session.run(None, {one: [[value]] for one, value in zip(network.features, row, strict=True)})[0][0, 0] > 0
        for row in columns_of(asked, network.features).tolist()
    ]
    assert np.mean(answers == inline) > 0.998  # processors of another kind round otherwise
    assert 0.2 < np.mean(answers) < 0.9
