"""A network in the compiler decides on real programs as onnxruntime does on the features that were recorded there."""

from pathlib import Path

import numpy as np
import onnxruntime
import polars
import pytest

from harness.problems.inlining.features import STATIC_FEATURES
from tests.drive import ROOT, User

MODEL = ROOT / "submissions" / "clone" / "model.onnx"
MOST_ROWS = 20_000


@pytest.mark.slow
def test_ten_thousand_recorded_decisions_are_onnxruntimes(tmp_path: Path) -> None:
    user = User.at(tmp_path)
    user.harness("run", "--suite", "cbench", "--policy", "clone", "--log-features", code=0, timeout=1800)
    (path,) = user.results.glob("*.trajectories.parquet")
    table = polars.read_parquet(path).filter(polars.col("policy") == "clone", ~polars.col("replaced"))
    assert table.height > MOST_ROWS // 2
    table = table.sample(min(table.height, MOST_ROWS), seed=1)
    rows = table.select(STATIC_FEATURES).to_numpy()
    session = onnxruntime.InferenceSession(MODEL.read_bytes(), providers=["CPUExecutionProvider"])
    asked = [entry.name for entry in session.get_inputs()]
    places = [STATIC_FEATURES.index(name) for name in asked]
    logits = np.array(
        [session.run(None, {n: row[p].reshape(1, 1) for n, p in zip(asked, places, strict=True)})[0] for row in rows]
    )
    recorded = table["inlining_decision"].to_numpy() == 1
    assert (recorded == (logits.ravel() > 0)).all()
    assert recorded.any() and not recorded.all()
