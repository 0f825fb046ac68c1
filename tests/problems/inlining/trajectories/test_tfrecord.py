"""``harness export FILE.tfrecord``: read back by a reader that is not ours, and checksums by the book."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from crc32c import crc32c
from hypothesis import given, settings
from hypothesis import strategies as st
from tfrecord import example_pb2
from tfrecord.reader import tfrecord_loader

from harness.problems.inlining.features import LLVM_FEATURES
from harness.problems.inlining.trajectories.tfrecord import INTEGERS, sequence_example, write_tfrecord
from tests.drive import User
from tests.problems.inlining.trajectories.conftest import Logged

CONTEXT = {"benchmark": "byte", "target": "byte", "policy": "byte"}
SEQUENCE = {**dict.fromkeys(INTEGERS, "int"), "reward": "float"}


def check_of(content: bytes) -> int:
    """As TensorFlow's record_writer.h has it: rotated right by 15 bits, plus a constant."""
    crc = crc32c(content)
    return ((crc >> 15 | (crc & 0x7FFF) << 17) + 0xA282EAD8) % 2**32


def checked(content: bytes) -> Iterator[bytes]:
    """The records of a file. Raises ValueError where a checksum or a length is wrong."""
    while content:
        if len(content) < 16:
            raise ValueError("torn")
        (length, check) = struct.unpack("<QI", content[:12])
        if check != check_of(content[:8]) or len(content) < 16 + length:
            raise ValueError("length")
        record = content[12 : 12 + length]
        if struct.unpack("<I", content[12 + length : 16 + length]) != (check_of(record),):
            raise ValueError("record")
        yield record
        content = content[16 + length :]


def test_checksums_are_those_of_the_standard() -> None:
    """RFC 3720, B.4; and what TensorFlow writes before a record of 11 bytes."""
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(bytes(32)) == 0x8A9136AA and crc32c(b"\xff" * 32) == 0x62A8AB43


@pytest.fixture(scope="module")
def exported(logged: Logged) -> tuple[Path, str]:
    path = logged.user.results.parent / "decisions.tfrecord"
    return path, logged.user.harness("export", path, code=0).err


def test_all_of_it_is_read_back_by_another_reader(logged: Logged, exported: tuple[Path, str]) -> None:
    frame = polars.read_parquet(logged.file)
    groups = {key: group.sort("position") for key, group in frame.group_by("benchmark", "target", "policy")}
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for context, steps in tfrecord_loader(str(exported[0]), None, CONTEXT, sequence_description=SEQUENCE):
        key = tuple(bytes(context[name]).decode() for name in CONTEXT)
        assert key not in found
        found[key] = steps
    assert set(found) == set(groups)
    for key, steps in found.items():
        group = groups[key]
        assert set(steps) == {*LLVM_FEATURES, "inlining_decision", "inlining_default", "reward"}
        for name in INTEGERS:
            assert [step.dtype for step in steps[name]] == [np.int64] * group.height
            assert [step.tolist() for step in steps[name]] == [[value] for value in group[name]]
        assert [step.dtype for step in steps["reward"]] == [np.float32] * group.height
        assert [step.tolist() for step in steps["reward"]] == [[float(np.float32(r))] for r in group["reward"]]
    assert f"{len(groups)} modules, {frame.height} decisions in {exported[0]}" in exported[1]


def test_checksums(exported: tuple[Path, str]) -> None:
    records = list(checked(exported[0].read_bytes()))
    assert len(records) == 12
    for record in records:
        example = example_pb2.SequenceExample.FromString(record)
        lists = example.feature_lists.feature_list
        assert set(lists) == set(SEQUENCE) and set(example.context.feature) == set(CONTEXT)
        assert len({len(steps.feature) for steps in lists.values()}) == 1


def test_an_export_again_is_equal(logged: Logged, exported: tuple[Path, str], tmp_path: Path) -> None:
    other = tmp_path / "other.tfrecord"
    logged.user.harness("export", other, "--suite", "tiny", code=0)
    assert other.read_bytes() == exported[0].read_bytes()
    logged.user.harness("export", other, "--suite", "tin").refused(2, "no trajectories of suite 'tin'")


def test_modules_without_a_reward_are_left_out(alone: User, tmp_path: Path) -> None:
    path = tmp_path / "none.tfrecord"
    answer = alone.harness("export", path, code=0)
    assert path.read_bytes() == b""
    assert "0 modules, 0 decisions" in answer.err and "1 modules are left out" in answer.err


def test_what_cannot_be(logged: Logged, tmp_path: Path) -> None:
    user = User(tmp_path / "cache", tmp_path / "results")
    path = tmp_path / "some.tfrecord"
    user.harness("export", path).refused(2, "there are no trajectories in", "harness run --suite", "--log-features")
    nowhere = tmp_path / "nowhere" / "some.tfrecord"
    logged.user.harness("export", nowhere).refused(2, "cannot be written", str(nowhere))
    assert not list(tmp_path.iterdir())


# -- records by hand


@st.composite
def modules(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, list[int]], list[float]]:
    """Decisions of a module: any integers."""
    length = draw(st.integers(0, 4))
    numbers = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=length, max_size=length)
    pool = draw(st.lists(numbers, min_size=3, max_size=3))
    integers = {name: pool[place % 3] for place, name in enumerate(INTEGERS)}
    rewards = draw(st.lists(st.floats(-1e9, 1, width=32), min_size=length, max_size=length))
    return {name: draw(st.text(max_size=5)) for name in CONTEXT}, integers, rewards


@settings(max_examples=40)
@given(modules())
def test_examples_there_and_back(made: tuple[dict[str, str], dict[str, list[int]], list[float]]) -> None:
    context, integers, rewards = made
    example = example_pb2.SequenceExample.FromString(sequence_example(context, integers, rewards))
    lists = example.feature_lists.feature_list
    found = {name: [list(step.int64_list.value) for step in lists[name].feature] for name in INTEGERS}
    assert found == {name: [[value] for value in values] for name, values in integers.items()}
    assert [list(step.float_list.value) for step in lists["reward"].feature] == [[reward] for reward in rewards]
    given_back = {name: feature.bytes_list.value[0].decode() for name, feature in example.context.feature.items()}
    assert given_back == context


def test_every_altered_byte_is_noticed(tmp_path: Path) -> None:
    records = [b"one", b"", b"three" * 30]
    path = tmp_path / "some.tfrecord"
    assert write_tfrecord(path, records) == 3
    content = path.read_bytes()
    assert list(checked(content)) == records
    for place in range(len(content)):
        for bit in (1, 128):
            altered = bytearray(content)
            altered[place] ^= bit
            with pytest.raises(ValueError, match=r"torn|length|record"):
                list(checked(bytes(altered)))


def test_all_or_nothing(tmp_path: Path) -> None:
    def torn() -> Iterator[bytes]:
        yield b"one"
        raise RuntimeError("half way")

    path = tmp_path / "some.tfrecord"
    path.write_bytes(b"before")
    with pytest.raises(RuntimeError, match="half way"):
        write_tfrecord(path, torn())
    assert path.read_bytes() == b"before" and list(tmp_path.iterdir()) == [path]
    assert write_tfrecord(path, []) == 0 and path.read_bytes() == b""
