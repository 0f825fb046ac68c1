"""Train a network or a tree that decides as a recorded policy did: behavioural cloning.

usage: scripts/train_inliner.py TRAJECTORIES.parquet... --output model.onnx|tree.json [--policy Oz]

Reads what `harness run --log-features` wrote. Learns the policy's decisions on programs of the train split, and says
on those of the test split how often it decides alike. `submissions/clone` and `submissions/clone-tree` are made so,
of LLVM's own heuristic, which is what `Oz` stands for.
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import polars
from onnx import TensorProto, helper, numpy_helper
from sklearn.neural_network import MLPClassifier
from sklearn.tree import DecisionTreeClassifier

from harness.base.vocabulary import Split
from harness.policy.forms.tree import tree_json
from harness.policy.forms.tree.convert import from_sklearn
from harness.problems.inlining.features import INTERFACE, LLVM_FEATURES
from harness.suite.load import load_suite, suite_names

LAYERS = (64, 64)


def prepared(features: np.ndarray) -> np.ndarray:
    """What the network sees: ``sign(x) log(1 + |x|)``."""
    floats = features.astype(np.float32)
    return np.sign(floats) * np.log(np.float32(1) + np.abs(floats))


class _Network:
    """A network with its preparation."""

    def __init__(self, seed: int) -> None:
        self._network = MLPClassifier(
            LAYERS, random_state=seed, max_iter=400, early_stopping=True, validation_fraction=0.2,
            n_iter_no_change=30, alpha=1e-4, batch_size=256,
        )  # fmt: skip

    def fit(self, rows: np.ndarray, wanted: np.ndarray) -> None:
        """Learn; a fifth of the rows is held back to choose when to stop."""
        seen = prepared(rows)
        self._mean, self._scale = seen.mean(axis=0), np.maximum(seen.std(axis=0), 1e-3)
        self._network.fit((seen - self._mean) / self._scale, wanted)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Whether to inline."""
        decided: np.ndarray = self._network.predict((prepared(rows) - self._mean) / self._scale)
        return decided

    def exported(self) -> onnx.ModelProto:
        """One graph: a scalar input a feature, one logit."""
        weights = [matrix.astype(np.float32) for matrix in self._network.coefs_]
        biases = [vector.astype(np.float32) for vector in self._network.intercepts_]
        biases[0] = biases[0] - (self._mean / self._scale).astype(np.float32) @ weights[0]
        weights[0] = weights[0] / self._scale[:, None].astype(np.float32)  # standardising is part of the first layer
        constants = [numpy_helper.from_array(np.array([1], np.float32), "one")]
        nodes = [
            helper.make_node("Concat", list(LLVM_FEATURES), ["whole"], axis=1),
            helper.make_node("Cast", ["whole"], ["x"], to=TensorProto.FLOAT),
            helper.make_node("Abs", ["x"], ["size"]),
            helper.make_node("Add", ["size", "one"], ["more"]),
            helper.make_node("Log", ["more"], ["log"]),
            helper.make_node("Sign", ["x"], ["sign"]),
            helper.make_node("Mul", ["sign", "log"], ["layer0"]),
        ]
        for number, (matrix, vector) in enumerate(zip(weights, biases, strict=True)):
            last = number == len(weights) - 1
            constants += [numpy_helper.from_array(matrix, f"w{number}"), numpy_helper.from_array(vector, f"b{number}")]
            product = "logit" if last else f"sum{number}"
            nodes.append(helper.make_node("Gemm", [f"layer{number}", f"w{number}", f"b{number}"], [product]))
            if not last:
                nodes.append(helper.make_node("Relu", [product], [f"layer{number + 1}"]))
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, 1]) for name in LLVM_FEATURES]
        output = helper.make_tensor_value_info("logit", TensorProto.FLOAT, [1, 1])
        graph = helper.make_graph(nodes, "clone", inputs, [output], constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _tree(seed: int) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_leaf_nodes=200, min_samples_leaf=5, random_state=seed)


def main() -> None:
    """Read, learn, say how well, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trajectories", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, required=True, help="model.onnx: a network; tree.json: a tree")
    parser.add_argument("--policy", default="Oz", help="whose decisions")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    splits = {p.benchmark.name: p.benchmark.split for name in suite_names() for p in load_suite(name).programs}
    frame = polars.concat([polars.read_parquet(file) for file in options.trajectories])
    frame = frame.filter(polars.col("policy") == options.policy)
    frame = frame.unique(["benchmark", "target", "position", "caller", "callee"], maintain_order=True)
    parts = {
        split: frame.filter(polars.col("benchmark").is_in([name for name, of in splits.items() if of is split]))
        for split in Split
    }
    train = parts[Split.TRAIN]
    rows, wanted = train.select(LLVM_FEATURES).to_numpy(), train["inlining_decision"].to_numpy()
    print(f"{len(wanted)} decisions of {train['benchmark'].n_unique()} programs, {wanted.mean():.1%} of them to inline")
    model = _Network(options.seed) if options.output.suffix == ".onnx" else _tree(options.seed)
    model.fit(rows, wanted)
    for split, part in parts.items():
        same = model.predict(part.select(LLVM_FEATURES).to_numpy()) == part["inlining_decision"].to_numpy()
        print(f"{split.value}: {same.mean():.2%} of {len(same)} decisions are {options.policy}'s")
        by_program = part.with_columns(same=polars.Series(same)).group_by("benchmark").agg(polars.col("same").mean())
        print("  lowest:", ", ".join(f"{name} {share:.1%}" for name, share in by_program.sort("same").head(4).rows()))
    if isinstance(model, _Network):
        onnx.save(model.exported(), options.output)
    else:
        options.output.write_text(tree_json(from_sklearn(model, LLVM_FEATURES, INTERFACE)))
    print(f"wrote {options.output}: {options.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
