"""What git cannot hold of a hostile submission: links, pipes, devices, odd names, bombs, binary models, claims.

Each function makes its part in a submission's folder; an ``attack.toml`` names it. ``user`` is who would send it.
"""

import json
import os
import random
import re
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from harness.base.digest import canonical_json
from harness.record.names import digits_of, stamp_of
from harness.record.rows import Header
from harness.record.runfile import _digest
from tests.drive import User

__all__ = ["MAKERS"]

Make = Callable[[Path, User], None]
MAKERS: dict[str, Make] = {}
"""By name."""


def _maker(make: Make) -> Make:
    MAKERS[make.__name__] = make
    return make


# -- lists and manifests


@_maker
def nested_passes(folder: Path, user: User) -> None:
    (folder / "passes.txt").write_text("function(" * 100_000 + "adce" + ")" * 100_000 + "\n")


@_maker
def many_passes(folder: Path, user: User) -> None:
    (folder / "passes.txt").write_text("adce\n" * 100_000)


@_maker
def slow_passes(folder: Path, user: User) -> None:
    (folder / "passes.txt").write_text("default<O3>\n" * 8000)


@_maker
def deep_manifest(folder: Path, user: User) -> None:
    _add(folder, "trained_on = " + "[" * 20_000 + "]" * 20_000)


@_maker
def long_manifest(folder: Path, user: User) -> None:
    _add(folder, f'links = ["{"x" * (64 << 20)}"]')


@_maker
def manifest_bytes(folder: Path, user: User) -> None:
    file = folder / "submission.toml"
    file.write_bytes(file.read_bytes() + b"# \xff\xfe\xc0\xaf\xed\xa0\x80\n")


@_maker
def dotted_manifest(folder: Path, user: User) -> None:
    _add(folder, ".".join("a" * 30_000) + " = 1")


@_maker
def odd_manifest(folder: Path, user: User) -> None:
    _add(folder, f"budget = nan\nseeds = [-1, {'9' * 5000}, 1e400]")


@_maker
def many_seeds(folder: Path, user: User) -> None:
    _add(folder, f"seeds = [{','.join(map(str, range(10_000)))}]")


def _add(folder: Path, lines: str) -> None:
    """Before the tables of the manifest."""
    file = folder / "submission.toml"
    fields, tables = file.read_text().split("[files]")
    file.write_text(f"{fields}{lines}\n[files]{tables}")


# -- folders


@_maker
def fifo(folder: Path, user: User) -> None:
    os.mkfifo(folder / "README.md")


@_maker
def fifo_as_list(folder: Path, user: User) -> None:
    (folder / "passes.txt").unlink()
    os.mkfifo(folder / "passes.txt")


@_maker
def device(folder: Path, user: User) -> None:
    (folder / "passes.txt").unlink()
    try:
        os.mknod(folder / "passes.txt", stat.S_IFCHR | 0o666, os.makedev(1, 5))
    except PermissionError:
        with suppress(OSError), socket.socket(socket.AF_UNIX) as one:
            here = Path.cwd()
            os.chdir(folder)  # a socket's path may have a hundred bytes
            try:
                one.bind("passes.txt")
            finally:
                os.chdir(here)


@_maker
def link_to_secret(folder: Path, user: User) -> None:
    (folder / "passes.txt").unlink()
    (folder / "passes.txt").symlink_to(Path.home() / ".ssh" / "id_ed25519")


@_maker
def link_to_folder(folder: Path, user: User) -> None:
    (folder / "all").symlink_to("/")
    (folder / "itself").symlink_to(".")
    (folder / "loop").symlink_to("loop")


@_maker
def manifest_link(folder: Path, user: User) -> None:
    manifest = folder / "submission.toml"
    manifest.rename(folder.parent / "elsewhere.toml")
    manifest.symlink_to("../elsewhere.toml")


@_maker
def many_files(folder: Path, user: User) -> None:
    within = folder / "data"
    within.mkdir()
    for number in range(100_000):
        os.close(os.open(within / str(number), os.O_CREAT | os.O_WRONLY))


@_maker
def sparse_file(folder: Path, user: User) -> None:
    os.truncate(os.open(folder / "README.md", os.O_CREAT | os.O_WRONLY, 0o644), 200 << 20)


@_maker
def strange_names(folder: Path, user: User) -> None:
    for name in (b"\xff\xfe", b"a\nb", b"\x1b[2J", b"`x`|<b>[red]@all", "a\u202eb".encode(), b"-rf", b"nul:", b" "):
        (folder / os.fsdecode(name)).write_bytes(b"")


@_maker
def deep_folders(folder: Path, user: User) -> None:
    (folder / "/".join("d" * 200)).mkdir(parents=True)


@_maker
def same_names(folder: Path, user: User) -> None:
    (folder / "PASSES.TXT").write_text("")
    (folder / "p\u0430sses.txt").write_text("")


# -- texts that nest


@_maker
def deep_lists(folder: Path, user: User) -> None:
    (folder / "lists.json").write_text('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}")


@_maker
def nested_python(folder: Path, user: User) -> None:
    (folder / "policy.py").write_text("x = " + "(" * 100_000 + ")" * 100_000 + "\ndef decide(features): return 1\n")


@_maker
def deep_tree(folder: Path, user: User) -> None:
    nodes: list[dict[str, float]] = []
    for _ in range(1000):
        at = len(nodes)
        nodes += [{"feature": 0, "threshold": at, "below": at + 1, "above": at + 2}, {"value": 1}]
    _tree(folder, [*nodes, {"value": -1}])


@_maker
def many_nodes(folder: Path, user: User) -> None:
    nodes: list[dict[str, float]] = [{"value": 1}] * 150_001
    splits = [{"feature": 0, "threshold": n, "below": 2 * n + 1, "above": 2 * n + 2} for n in range(150_000)]
    _tree(folder, splits + nodes)


def _tree(folder: Path, nodes: list[Any]) -> None:
    tree = {"schema": 1, "features": ["cost_estimate"], "trees": [{"nodes": nodes}]}
    (folder / "tree.json").write_text(json.dumps(tree))


# -- models

FLOAT, INT = TensorProto.FLOAT, TensorProto.INT64
_INPUT = "cost_estimate"


def _model(
    folder: Path,
    nodes: list[Any],
    constants: dict[str, Any] | None = None,
    *,
    name: str = "linear",
    file: str = "model.onnx",
    inputs: list[Any] | None = None,
    outputs: list[Any] | None = None,
    **more: Any,
) -> None:
    graph = helper.make_graph(
        nodes,
        name,
        inputs or [helper.make_tensor_value_info(_INPUT, INT, [1, 1])],
        outputs or [helper.make_tensor_value_info("logit", FLOAT, [1, 1])],
        [
            one if isinstance(one, onnx.TensorProto) else numpy_helper.from_array(np.asarray(one), key)
            for key, one in (constants or {}).items()
        ],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    model = helper.make_model(graph, opset_imports=opsets[: 2 if more.pop("own", False) else 1], ir_version=8, **more)
    (folder / file).write_bytes(model.SerializeToString())


def _cast(to: str = "x") -> Any:
    return helper.make_node("Cast", [_INPUT], [to], to=FLOAT)


@_maker
def model_of_code(folder: Path, user: User) -> None:
    code = (
        'x"; } __attribute__((constructor)) void f(void) { *(volatile int *)0 = 1; } /* */ //\n#include "/etc/passwd"\n'
    )
    nodes = [_cast(code), helper.make_node("Neg", [code], ["logit"], name=code, doc_string=f"*/{code}")]
    _model(folder, nodes, name=code, producer_name=code, doc_string=f"*/ {code}")


@_maker
def model_outside(folder: Path, user: User) -> None:
    tensor = numpy_helper.from_array(np.float32([[1]]), "weights")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": str(Path.home() / ".ssh" / "id_ed25519"), "offset": "0", "length": "4"}.items():
        tensor.external_data.add(key=key, value=value)
    _model(folder, [_cast(), helper.make_node("MatMul", ["x", "weights"], ["logit"])], {"weights": tensor})


@_maker
def model_of_own_domain(folder: Path, user: User) -> None:
    itself = helper.make_node("Again", ["a"], ["b"], domain="own")
    again = helper.make_function("own", "Again", ["a"], ["b"], [itself], [helper.make_opsetid("own", 1)])
    nodes = [_cast(), helper.make_node("Again", ["x"], ["logit"], domain="own")]
    _model(folder, nodes, own=True, functions=[again])


@_maker
def model_giant(folder: Path, user: User) -> None:
    nodes = [
        _cast(),
        helper.make_node("Mul", ["x", "column"], ["tall"]),
        helper.make_node("Mul", ["tall", "row"], ["wide"]),
        helper.make_node("ReduceSum", ["wide"], ["logit"], keepdims=1),
    ]
    _model(folder, nodes, {"column": np.ones((1 << 16, 1), np.float32), "row": np.ones((1, 1 << 16), np.float32)})


@_maker
def model_loop(folder: Path, user: User) -> None:
    inner = [helper.make_node("Identity", ["more"], ["again"]), helper.make_node("Identity", ["s"], ["t"])]
    body = helper.make_graph(
        inner,
        "body",
        [
            helper.make_tensor_value_info("at", INT, []),
            helper.make_tensor_value_info("more", TensorProto.BOOL, []),
            helper.make_tensor_value_info("s", FLOAT, [1, 1]),
        ],
        [
            helper.make_tensor_value_info("again", TensorProto.BOOL, []),
            helper.make_tensor_value_info("t", FLOAT, [1, 1]),
        ],
    )
    nodes = [_cast(), helper.make_node("Loop", ["", "yes", "x"], ["logit"], body=body)]
    _model(folder, nodes, {"yes": np.bool_(True)})


@_maker
def model_garbage(folder: Path, user: User) -> None:
    (folder / "model.onnx").write_bytes(random.Random(1).randbytes(100_000))


@_maker
def model_nested(folder: Path, user: User) -> None:
    def field(number: int, content: bytes) -> bytes:
        size, length = len(content), b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([number << 3 | 2]) + length + bytes([size]) + content

    graph = b""
    for _ in range(10_000):  # graph, its node, the node's attribute, and the graph in that
        graph = field(1, field(5, field(6, graph)))
    (folder / "model.onnx").write_bytes(b"\x08\x08" + field(7, graph))


@_maker
def model_beyond(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Gather", ["table", _INPUT], ["far"], axis=0),
        helper.make_node("Reshape", ["far", "one"], ["logit"]),
    ]
    _model(folder, nodes, {"table": np.float32([1, 2, 3]), "one": np.int64([1, 1])})


_FEATURES, _ACTIONS, _STATE = 56, 42, 4


def _agent(
    folder: Path, nodes: list[Any], actions: int, constants: dict[str, Any], *more: Any, name: str = "logits"
) -> None:
    shapes = {"autophase": _FEATURES, "histogram": _ACTIONS} | ({"state": _STATE} if more else {})
    inputs = [helper.make_tensor_value_info(name, FLOAT, [1, size]) for name, size in shapes.items()]
    outputs = [helper.make_tensor_value_info(name, FLOAT, [1, actions]), *more]
    _model(folder, nodes, constants, file="agent.onnx", inputs=inputs, outputs=outputs)


@_maker
def agent_of_nan(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Sub", ["histogram", "histogram"], ["zero"]),
        helper.make_node("Div", ["zero", "zero"], ["logits"]),
    ]
    _agent(folder, nodes, _ACTIONS, {})


@_maker
def agent_of_many(folder: Path, user: User) -> None:
    nodes = [helper.make_node("Gemm", ["histogram", "weights"], ["logits"])]
    _agent(folder, nodes, 1042, {"weights": np.ones((_ACTIONS, 1042), np.float32)})


@_maker
def agent_of_state(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Identity", ["histogram"], ["action"]),
        helper.make_node("Gemm", ["state", "weights"], ["state_next"]),
    ]
    wide = helper.make_tensor_value_info("state_next", FLOAT, [1, 4096])
    _agent(folder, nodes, _ACTIONS, {"weights": np.ones((_STATE, 4096), np.float32)}, wide, name="action")


@_maker
def priority_of_nan(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Cast", ["li_size"], ["x"], to=FLOAT),
        helper.make_node("Sub", ["x", "x"], ["zero"]),
        helper.make_node("Div", ["zero", "zero"], ["priority"]),
    ]
    inputs = [helper.make_tensor_value_info("li_size", INT, [1, 1])]
    _model(folder, nodes, inputs=inputs, outputs=[helper.make_tensor_value_info("priority", FLOAT, [1, 1])])


def _products(many: int, size: int) -> tuple[list[Any], dict[str, Any]]:
    """``before`` multiplied so often by a matrix of that size, which is ``after``."""
    names = ["before", *(f"product{number}" for number in range(1, many)), "after"]
    nodes = [helper.make_node("MatMul", [one, "matrix"], [other]) for one, other in pairwise(names)]
    return nodes, {"matrix": np.eye(size, dtype=np.float32)}


@_maker
def models_in_a_row(folder: Path, user: User) -> None:
    file = folder / "model.onnx"
    nodes = [helper.make_node("Neg", ["x"], ["logit"])]
    _model(folder, [_cast(), *nodes])
    first = file.read_bytes()
    _model(
        folder,
        [helper.make_node("Cast", [_INPUT], ["y"], to=FLOAT), helper.make_node("Neg", ["y"], ["other"])],
        outputs=[helper.make_tensor_value_info("other", FLOAT, [1, 1])],
    )
    file.write_bytes(first + file.read_bytes())


@_maker
def priority_of_many_products(folder: Path, user: User) -> None:
    products, constants = _products(60, 1000)
    nodes = [
        helper.make_node("Cast", ["li_size"], ["x"], to=FLOAT),
        helper.make_node("Mul", ["x", "row"], ["before"]),
        *products,
        helper.make_node("ReduceSum", ["after"], ["priority"], keepdims=1),
    ]
    inputs = [helper.make_tensor_value_info("li_size", INT, [1, 1])]
    outputs = [helper.make_tensor_value_info("priority", FLOAT, [1, 1])]
    _model(folder, nodes, constants | {"row": np.ones((1, 1000), np.float32)}, inputs=inputs, outputs=outputs)


@_maker
def agent_of_many_products(folder: Path, user: User) -> None:
    products, constants = _products(60, 960)
    ends = {"in": np.ones((_FEATURES, 960), np.float32), "out": np.ones((960, _ACTIONS), np.float32)}
    nodes = [
        helper.make_node("MatMul", ["autophase", "in"], ["before"]),
        *products,
        helper.make_node("MatMul", ["after", "out"], ["sum"]),
        helper.make_node("Sub", ["sum", "histogram"], ["logits"]),
    ]
    _agent(folder, nodes, _ACTIONS, constants | ends)
    manifest = folder / "submission.toml"
    manifest.write_text(re.sub("^steps = .*$", "steps = 500", manifest.read_text(), flags=re.MULTILINE))


_SLOTS = 33


@_maker
def eviction_of_nan(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Cast", ["mask"], ["legal"], to=FLOAT),
        helper.make_node("Sub", ["one", "legal"], ["illegal"]),
        helper.make_node("Div", ["illegal", "nothing"], ["index_to_evict"]),
    ]
    inputs = [helper.make_tensor_value_info("mask", INT, [1, _SLOTS])]
    outputs = [helper.make_tensor_value_info("index_to_evict", FLOAT, [1, _SLOTS])]
    _model(folder, nodes, {"one": np.float32([1]), "nothing": np.float32([0])}, inputs=inputs, outputs=outputs)


@_maker
def allocation_of_overflow(folder: Path, user: User) -> None:
    nodes = [
        helper.make_node("Mul", ["instructions", "much"], ["far"]),
        helper.make_node("Add", ["far", "one"], ["it"]),
    ]
    inputs = [helper.make_tensor_value_info("instructions", INT, [1, 1])]
    outputs = [helper.make_tensor_value_info("it", INT, [1, 1])]
    _model(folder, nodes, {"much": np.int64([1 << 62]), "one": np.int64([1 << 40])}, inputs=inputs, outputs=outputs)


# -- claims: run files that somebody wrote anew, under the name that fits their content

Edit = Callable[[dict[str, Any]], None]


def _run(folder: Path, user: User) -> Path:
    """A true claim: the run file, in the submission's folder."""
    words = ("--benchmark", "crc32", "--target", "x86-64", "--metric", "size.alloc", "--no-fresh")
    user.harness("run", "--suite", "cbench", "--policy", f"{folder},Oz", *words, code=0)
    (file,) = user.results.glob("*.jsonl")
    (folder / "claims").mkdir()
    return file.rename(folder / "claims" / file.name)


def _forged(folder: Path, user: User, edit: Edit, *, value: str | None = None) -> None:
    """Rows of the policy changed; ``value`` is the text of their value where JSON has no number for it."""
    file = _run(folder, user)
    header, *rows = [json.loads(line) for line in file.read_text().splitlines()]
    for row in rows:
        if row["policy"] == folder.name:
            edit(row)
    lines = sorted(canonical_json(row) for row in rows)
    if value is not None:
        lines = [line.replace(b'"value":"VALUE"', f'"value":{value}'.encode()) for line in lines]
    body = b"".join(line + b"\n" for line in lines)
    fields = {name: one for name, one in header["header"].items() if name != "run"}
    known = Header.model_validate({"run": "", **fields})
    digest = _digest(fields, body)[: digits_of(known.schema_version)]
    name = f"{known.suite}-{known.track}-{stamp_of(known.finished)}-{digest}"
    file.unlink()
    content = canonical_json({"header": {**fields, "run": name}}) + b"\n" + body
    (folder / "claims" / f"{name}.jsonl").write_bytes(content)


def _valued(value: Any) -> Edit:
    return lambda row: row.update(value=value)


@_maker
def claim_of_nan(folder: Path, user: User) -> None:
    _forged(folder, user, _valued("VALUE"), value="NaN")


@_maker
def claim_of_zero(folder: Path, user: User) -> None:
    _forged(folder, user, _valued(0))


@_maker
def claim_of_less(folder: Path, user: User) -> None:
    _forged(folder, user, _valued(-8))


@_maker
def claim_of_huge(folder: Path, user: User) -> None:
    _forged(folder, user, _valued("VALUE"), value="9" * 300)


@_maker
def claim_of_less_bytes(folder: Path, user: User) -> None:
    _forged(folder, user, lambda row: row.update(value=row["value"] - 8))


@_maker
def claim_of_failure(folder: Path, user: User) -> None:
    def fail(row: dict[str, Any]) -> None:
        for name in ("metric", "metric_version", "unit", "value", "workload"):
            row.pop(name, None)
        row.update(outcome="wrong-output", detail="it is broken", object_digest=None)

    _forged(folder, user, fail)


@_maker
def claim_by_hand(folder: Path, user: User) -> None:
    file = _run(folder, user)
    file.write_text(file.read_text().replace('"value":', '"value":1'))


@_maker
def claim_of_others(folder: Path, user: User) -> None:
    _forged(folder, user, lambda row: row.update(policy="Os"))


@_maker
def claim_bomb(folder: Path, user: User) -> None:
    (folder / "claims").mkdir()
    name = f"cbench-size-20260101T000000Z-{'0' * 32}.jsonl"
    (folder / "claims" / name).write_text('{"header":' + "[" * (100 << 20))


@_maker
def claim_folder(folder: Path, user: User) -> None:
    claims = folder / "claims"
    (claims / f"cbench-size-20260101T000000Z-{'0' * 32}.jsonl").mkdir(parents=True)
    (claims / "[red]a.jsonl").write_text("")
    (claims / "run.json").write_text("{}")
