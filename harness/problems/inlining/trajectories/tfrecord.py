"""Trajectories in the record layout of ml-compiler-opt's trainers: TFRecord files of ``tf.train.SequenceExample``.

One example a module. Its ``feature_lists`` have, for each decision in order, LLVM's features by name as int64,
``inlining_decision`` and ``inlining_default`` as int64, and ``reward`` as float: the module's, at every step, as
ml-compiler-opt's runners write it. ``context`` says whose it is. Layouts: tensorflow/core/example/example.proto,
tensorflow/core/lib/io/record_writer.h.
"""

import os
import struct
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from harness.problems.inlining.features import LLVM_FEATURES

__all__ = ["INTEGERS", "sequence_example", "write_tfrecord"]

INTEGERS = (*LLVM_FEATURES, "inlining_decision", "inlining_default")
"""Feature lists of int64."""
_CONTEXT = ("benchmark", "target", "policy")
_MASK = 0xA282EAD8
_LENGTH, _CHECK = struct.Struct("<Q"), struct.Struct("<I")


def write_tfrecord(path: Path, records: Iterable[bytes]) -> int:
    """Write the records, each with its length and checksums, all or nothing; how many they were."""
    count = 0
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            for record in records:
                length = _LENGTH.pack(len(record))
                file.write(length + _CHECK.pack(_masked(length)) + record + _CHECK.pack(_masked(record)))
                count += 1
            file.close()
            Path(file.name).chmod(0o644)
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    return count


def sequence_example(context: dict[str, str], integers: dict[str, Sequence[int]], rewards: Sequence[float]) -> bytes:
    """One module's decisions: ``integers`` has a list for each of ``INTEGERS``, all of one length."""
    example = _message("SequenceExample")()
    for name in _CONTEXT:
        example.context.feature[name].bytes_list.value.append(context[name].encode())
    for name in INTEGERS:
        steps = example.feature_lists.feature_list[name]
        for value in integers[name]:
            steps.feature.add().int64_list.value.append(value)
    steps = example.feature_lists.feature_list["reward"]
    for reward in rewards:
        steps.feature.add().float_list.value.append(reward)
    encoded: bytes = example.SerializeToString(deterministic=True)
    return encoded


def _masked(content: bytes) -> int:
    from crc32c import crc32c

    check = crc32c(content)
    return ((check >> 15 | check << 17) + _MASK) & 0xFFFFFFFF


@cache
def _message(name: str) -> Any:
    """A message class of tensorflow's example.proto and feature.proto, without tensorflow."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="example.proto", package="tensorflow", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto
    for message, fields in _FIELDS.items():
        described = file.message_type.add(name=message)
        if message == "Feature":
            described.oneof_decl.add(name="kind")
        for number, (field, label, kind) in enumerate(fields, start=1):
            added = described.field.add(name=field, number=number, label=getattr(kinds, f"LABEL_{label.upper()}"))
            if kind in _SCALARS:
                added.type = getattr(kinds, f"TYPE_{kind.upper()}")
            else:
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".tensorflow.{kind}"
            if message == "Feature":
                added.oneof_index = 0
    for owner, entry, kind in _MAPS:
        nested = next(m for m in file.message_type if m.name == owner).nested_type.add(name=entry)
        nested.options.map_entry = True
        nested.field.add(name="key", number=1, label=kinds.LABEL_OPTIONAL, type=kinds.TYPE_STRING)
        nested.field.add(
            name="value", number=2, label=kinds.LABEL_OPTIONAL, type=kinds.TYPE_MESSAGE, type_name=f".tensorflow.{kind}"
        )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"tensorflow.{name}"))


_SCALARS = ("bytes", "float", "int64")
_FIELDS: dict[str, Iterable[tuple[str, str, str]]] = {
    "BytesList": [("value", "repeated", "bytes")],
    "FloatList": [("value", "repeated", "float")],
    "Int64List": [("value", "repeated", "int64")],
    "Feature": [
        ("bytes_list", "optional", "BytesList"),
        ("float_list", "optional", "FloatList"),
        ("int64_list", "optional", "Int64List"),
    ],
    "Features": [("feature", "repeated", "Features.FeatureEntry")],
    "FeatureList": [("feature", "repeated", "Feature")],
    "FeatureLists": [("feature_list", "repeated", "FeatureLists.FeatureListEntry")],
    "SequenceExample": [("context", "optional", "Features"), ("feature_lists", "optional", "FeatureLists")],
}
"""Message → fields, numbered from 1 on: name, label, type."""
_MAPS = (("Features", "FeatureEntry", "Feature"), ("FeatureLists", "FeatureListEntry", "FeatureList"))
