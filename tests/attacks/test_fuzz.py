"""Whatever is read from elsewhere, in thousands of hostile variants: an error of ours, or something that is as its
schema says; never a crash, never a hang.
"""

import gzip
import json
import signal
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import onnx
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.apply.decisions import Decisions
from harness.apply.plan import CompilePlan
from harness.base.documents import parse_toml
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Target
from harness.checks.gate.report import GateReport, read_report
from harness.cli.schema import schemas
from harness.policy.forms.onnx.graph import read_model
from harness.policy.forms.onnx.refused import Refused
from harness.policy.forms.tree import parse_tree
from harness.policy.manifest import Manifest
from harness.problems.inlining.features import INTERFACE
from harness.problems.passes.session.wire import actions_of, steps_of
from harness.problems.programs.problems import program_problem
from harness.problems.programs.session.wire import Status, reply_of
from harness.problems.sharding.parse import parse_instance
from harness.problems.sharding.tracks import SHARDING
from harness.record import read_run
from harness.suite.load import validated
from tests.attacks.mutation import changed_bytes, changed_document, changed_json
from tests.checks.gate.conftest import SOUND
from tests.drive import ROOT
from tests.rows import row, run_file, written_by_another

LONGEST = 10.0
"""Seconds that one document may take."""
CASES = 100_000
CPU = 600.0
"""Seconds, after which the long test has seen enough."""
FEW = 300


@dataclass(frozen=True)
class Reader:
    """What reads one kind of document."""

    seeds: Callable[[], Sequence[bytes]]
    change: Callable[[bytes, Random], bytes]
    read: Callable[[bytes, Path], Any]
    """What it makes of a document, or one of ``refusals``."""
    require: Callable[[bytes, Any], None]
    """Raises AssertionError for something that must not have been accepted."""
    refusals: tuple[type[Exception], ...] = (UsageError,)


def required(name: str) -> Callable[[Any], None]:
    """By the published schema, with a library that is not the one that reads."""
    model = schemas()[name][0]
    validator = jsonschema.Draft202012Validator(model.model_json_schema(by_alias=True))
    return lambda document: validator.validate(document)


def manifests() -> Sequence[bytes]:
    return [path.read_bytes() for path in sorted(ROOT.glob("submissions/*/submission.toml"))]


def read_manifest(content: bytes, _: Path) -> tuple[Manifest, dict[str, Any]]:
    fields = parse_toml(content.decode("utf-8", "surrogateescape"), "submission.toml")
    return validated(Manifest, fields, Path("submission.toml")), fields


def require_manifest(_: bytes, found: tuple[Manifest, dict[str, Any]]) -> None:
    manifest, fields = found
    SCHEMA_OF_MANIFEST(_plain(fields))
    assert Manifest.model_validate(manifest.model_dump(by_alias=True, exclude_defaults=True)) == manifest
    assert all(text.isprintable() for text in (manifest.name, manifest.version, manifest.licence, *manifest.authors))


def _plain(value: Any) -> Any:
    """As JSON has it: dates of TOML are nothing that a manifest takes."""
    return json.loads(json.dumps(value, default=str))


SCHEMA_OF_MANIFEST = required("submission")


def decisions() -> Sequence[bytes]:
    """One small file of each problem of programs, of those that are recorded."""
    found: dict[str, bytes] = {}
    for path in sorted((ROOT / "results" / "decisions").glob("*.zst")):
        if path.stat().st_size < 1500:
            content = zstandard.ZstdDecompressor().decompress(path.read_bytes(), 1 << 24)
            problem = json.loads(content)["problem"]
            if problem != SHARDING:
                found.setdefault(problem, content)
    return list(found.values())


def read_decisions(content: bytes, _: Path) -> tuple[Decisions, CompilePlan | None]:
    found = Decisions.parse(content, "decisions")
    assert Decisions.parse(found.content, "again") == found
    return found, program_problem(found.problem).plan(found, Target.X86_64)


def require_decisions(_: bytes, found: tuple[Decisions, CompilePlan | None]) -> None:
    assert found[1] is not None and found[1].generate.tool


def runs() -> Sequence[bytes]:
    return [b"rows"]


def changed_run(_: bytes, chance: Random) -> bytes:
    return chance.randbytes(8)


def read_changed_run(content: bytes, folder: Path) -> Any:
    """A run file of which a row or the header is something else, under the name that its content asks for."""
    chance = Random(content)
    whole = folder / "whole"
    path = next(whole.glob("*.jsonl"), None) if whole.is_dir() else None
    if path is None:
        path = run_file(
            whole, [row(name, policy, value=100 + place) for place, name in enumerate("abc") for policy in POLICIES]
        )
    first, _, body = path.read_bytes().partition(b"\n")
    lines = body.splitlines()
    place = chance.randrange(len(lines) + 1)
    if place == len(lines):
        header = {**json.loads(first)["header"]}
        changes = changed_document({name: value for name, value in header.items() if name != "run"}, chance)
        if not isinstance(changes, dict):
            return None
        try:
            made = written_by_another(path, **changes)
        except ValueError:  # no JSON has that number
            return None
    else:
        lines[place] = changed_json(lines[place], chance)
        made = written_by_another(path, b"\n".join(sorted(lines)) + b"\n")
    try:
        return read_run(made)
    finally:
        made.unlink()


POLICIES = ("Oz", "mine")
SCHEMA_OF_ROW, SCHEMA_OF_HEADER = required("row"), required("header")


def require_run(_: bytes, found: Any) -> None:
    if found is not None:
        SCHEMA_OF_HEADER(found.header.model_dump(mode="json"))
        for one in found.rows:
            SCHEMA_OF_ROW(one.line())
            assert one.value is None or abs(one.value) < float("inf")


def messages() -> Sequence[bytes]:
    return [
        struct.pack("<BQ", 0, 17) + bytes([1, 0, 1]) + struct.pack("<3Q", 5, 4, 4),
        struct.pack("<5H", 1, 2, 3, 4, 5),
    ]


def read_message(content: bytes, _: Path) -> Any:
    actions = actions_of(content) if len(content) % 2 == 0 else ()
    reply = reply_of(content)
    return actions, reply, steps_of(reply.rest, 3)


def require_message(content: bytes, found: Any) -> None:
    actions, reply, (changed, counts) = found
    assert reply.status in Status and reply.cpu >= 0
    assert len(changed) == 3 and len(counts) * 8 + 3 + 9 == len(content)
    assert not actions or struct.pack(f"<{len(actions)}H", *actions) == content


def models() -> Sequence[bytes]:
    nodes = [
        onnx.helper.make_node("Cast", ["cost_estimate"], ["real"], to=onnx.TensorProto.FLOAT),
        onnx.helper.make_node("Mul", ["real", "weight"], ["scaled"]),
        onnx.helper.make_node("Sub", ["bias", "scaled"], ["inlining_decision"]),
    ]
    cost = onnx.helper.make_tensor_value_info("cost_estimate", onnx.TensorProto.INT64, [1])
    out = onnx.helper.make_tensor_value_info("inlining_decision", onnx.TensorProto.FLOAT, [1])
    constants = [onnx.helper.make_tensor(name, onnx.TensorProto.FLOAT, [1], [5.0]) for name in ("weight", "bias")]
    graph = onnx.helper.make_graph(nodes, "g", [cost], [out], constants)
    return [onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)]).SerializeToString()]


def changed_model(seed: bytes, chance: Random) -> bytes:
    """Its bytes, or one thing in its graph."""
    if chance.random() < 0.4:
        return changed_bytes(seed, chance)
    model = onnx.ModelProto.FromString(seed)
    graph = model.graph
    for _ in range(chance.randint(1, 3)):
        node = chance.choice(list(graph.node))
        how = chance.randrange(8)
        if how == 0:
            node.op_type = chance.choice(["Loop", "If", "Gather", "Conv", "MatMul", "Exp", 'x"y', "Reshape", "Tile"])
        elif how == 1 and node.input:
            node.input[chance.randrange(len(node.input))] = chance.choice(
                ["", "real", "scaled", "nothing", "a'b;", "weight"]
            )
        elif how == 2 and node.output:
            node.output[0] = chance.choice(["real", "scaled", "inlining_decision", "int main(){", ""])
        elif how == 3:
            constant = chance.choice(list(graph.initializer))
            del constant.dims[:]
            constant.dims.extend(chance.choice([[], [0], [1 << 40], [-1], [2, 3], [1, 1, 1]]))
        elif how == 4:
            value = chance.choice([*graph.input, *graph.output])
            value.type.tensor_type.elem_type = chance.randrange(25)
        elif how == 5:
            graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
            entry = graph.initializer[0].external_data.add()
            entry.key, entry.value = "location", "../../../etc/passwd"
        elif how == 6:
            model.opset_import[0].version = chance.choice([0, 1, 12, 13, 24, 25, 1 << 40])
        else:
            model.opset_import[0].domain = chance.choice(["", "ai.onnx.ml", "mine"])
    return model.SerializeToString()


def read_network(content: bytes, _: Path) -> Any:
    return read_model(content, INTERFACE)


def require_model(_: bytes, found: Any) -> None:
    assert found is not None


def trees() -> Sequence[bytes]:
    return [path.read_bytes() for path in sorted(ROOT.glob("harness/problems/inlining/new/tree/tree.json"))]


def require_tree(content: bytes, _: Any) -> None:
    SCHEMA_OF_TREE(json.loads(content))


SCHEMA_OF_TREE = required("tree")


def instances() -> Sequence[bytes]:
    return [INSTANCE]


INSTANCE = json.dumps(
    {
        "problem": {
            "name": "made",
            "nodes": {
                "intervals": [[0, 2], [1, 3], [2, 4]],
                "costs": [[1, 2], [3, 4], [5, 6]],
                "usages": [[10, 20], [30, 40], [50, 60]],
            },
            "edges": {"nodes": [[0, 1], [1, 2]], "costs": [[0, 1, 2, 3], [4, 5, 6, 7]]},
            "usage_limit": 100,
        }
    }
).encode()


def changed_instance(seed: bytes, chance: Random) -> bytes:
    made = changed_json(seed, chance)
    return changed_bytes(gzip.compress(made, mtime=0), chance) if chance.random() < 0.1 else made


def require_instance(content: bytes, found: Any) -> None:
    packed = content.startswith(b"\x1f\x8b")
    problem = json.loads(gzip.decompress(content) if packed else content)["problem"]
    assert len(problem["nodes"]["costs"]) == len(problem["nodes"]["usages"]) == len(problem["nodes"]["intervals"])
    for costs, usages in zip(problem["nodes"]["costs"], problem["nodes"]["usages"], strict=True):
        assert len(costs) == len(usages) > 0
        assert all(type(one) is int and one >= 0 for one in (*costs, *usages))
    for (one, other), costs in zip(problem["edges"]["nodes"], problem["edges"]["costs"], strict=True):
        assert len(costs) == len(problem["nodes"]["costs"][one]) * len(problem["nodes"]["costs"][other])
    assert found is not None


REPORT = json.dumps(SOUND).encode()


def read_gate_report(content: bytes, folder: Path) -> GateReport:
    file = folder / "report.json"
    file.write_bytes(content)
    return read_report(file)


def require_report(content: bytes, found: GateReport) -> None:
    assert all(one.isprintable() for one in (*found.plan, *found.failed, found.suite, found.about))
    assert set(json.loads(content)) == set(GateReport.model_fields)


READERS = {
    "manifest": Reader(manifests, changed_bytes, read_manifest, require_manifest),
    "decisions": Reader(decisions, changed_json, read_decisions, require_decisions, (UsageError, CellError)),
    "run": Reader(runs, changed_run, read_changed_run, require_run),
    "message": Reader(messages, changed_bytes, read_message, require_message, (ValueError, struct.error)),
    "model": Reader(
        models, changed_model, lambda content, _: read_model(content, INTERFACE), require_model, (Refused,)
    ),
    "tree": Reader(trees, changed_json, lambda content, _: parse_tree(content, "tree.json", INTERFACE), require_tree),
    "instance": Reader(
        instances, changed_instance, lambda content, _: parse_instance(content, "made"), require_instance
    ),
    "report": Reader(lambda: [REPORT], changed_json, read_gate_report, require_report),
}


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    def late(*_: object) -> None:
        raise AssertionError(f"one document took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fuzz(reader: Reader, cases: int, folder: Path) -> tuple[int, int]:
    """How many variants were read, and how many of these were accepted."""
    seeds = reader.seeds()
    started = time.process_time()
    counts = [0, 0]

    @settings(max_examples=cases, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, (1 << 64) - 1))
    def one(number: int) -> None:
        if time.process_time() - started > CPU:
            return
        chance = Random(number)
        content = reader.change(chance.choice(seeds), chance)
        counts[0] += 1
        with no_longer_than(LONGEST):
            try:
                found = reader.read(content, folder)
            except reader.refusals:
                return
        counts[1] += 1
        reader.require(content, found)

    one()
    return counts[0], counts[1]


@pytest.mark.parametrize("name", READERS)
def test_the_seeds_themselves_are_accepted(name: str, tmp_path: Path) -> None:
    """Otherwise variants would be refused for what they have in common."""
    reader = READERS[name]
    for seed in reader.seeds():
        if name not in ("run", "message"):
            reader.require(seed, reader.read(seed, tmp_path))


@pytest.mark.parametrize("name", READERS)
def test_hostile_variants(name: str, tmp_path: Path) -> None:
    read, accepted = fuzz(READERS[name], FEW, tmp_path)
    assert read >= FEW * 0.9 and accepted < read


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_a_hundred_thousand_hostile_variants(name: str, tmp_path: Path) -> None:
    read, _ = fuzz(READERS[name], CASES, tmp_path)
    print(f"{name}: {read:,} variants")
    assert read >= 10_000
