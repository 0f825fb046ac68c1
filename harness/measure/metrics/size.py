"""Sizes of the program's one object file."""

from harness.measure.registry import Subject, metric
from harness.toolchain.elf import allocated_bytes, executable_bytes


@metric("size.alloc", unit="bytes", deterministic=True, least=1)
def size_alloc(subject: Subject) -> int:
    """What is loaded of the object: allocated sections, unwind tables included, without .bss.

    Ranks track size: a policy that shrinks .text by growing .eh_frame gains nothing.
    """
    return allocated_bytes(subject.object)


@metric("size.text", unit="bytes", deterministic=True, least=1)
def size_text(subject: Subject) -> int:
    """Executable sections of the object: what MLGO reports."""
    return executable_bytes(subject.object)
