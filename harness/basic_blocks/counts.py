"""What one run executed, as the plugin ``native/count`` wrote it.

The plugin counts executions of QEMU's translation blocks (TBs): straight runs of instructions that are
executed from the first to the last. A TB may hold several basic blocks or a part of one, so executions
of an instruction are the sum over the TBs that hold it.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Integers = NDArray[numpy.int64]

__all__ = ["Counts"]

_MAGIC = int.from_bytes(b"TBCOUNT1", "little")
_FIELDS = 7


@dataclass(frozen=True)
class Counts:
    """One row a TB that was executed; all columns are int64 of one length, sorted by address."""

    address: "Integers"
    size: "Integers"
    """Bytes of its code."""
    instructions: "Integers"
    """Instructions in the TB."""
    checksum: "Integers"
    """CRC-32 of its code."""
    executions: "Integers"
    loads: "Integers"
    """By all of its executions. As the emulator makes them: of at most 8 bytes each."""
    stores: "Integers"
    incomplete: str | None
    """Why these are not all that was executed, or None: they are."""

    @classmethod
    def parse(cls, content: bytes) -> "Counts":
        """Read the plugin's file. Raises ValueError for anything else."""
        import numpy

        if len(content) < 48 or len(content) % 8:
            raise ValueError("not a file of counts")
        words = numpy.frombuffer(content, "<u8")
        magic, records, threads, handlers, forks, lost = (int(word) for word in words[:6])
        if magic != _MAGIC or len(words) != 6 + _FIELDS * records:
            raise ValueError("not a file of counts")
        table = words[6:].reshape(records, _FIELDS).astype(numpy.int64)
        table = table[numpy.lexsort((table[:, 1], table[:, 0]))]
        problems = (
            (threads > 1, f"{threads} threads ran"),
            (handlers > 0, f"signal handlers ran {handlers} times"),
            (forks > 0, "it started other processes"),
            (lost > 0, "it has more code than the counter has room for"),
        )
        why = [text for applies, text in problems if applies]
        address, size, instructions, checksum, executions, loads, stores = table.T
        return cls(address, size, instructions, checksum, executions, loads, stores, incomplete="; ".join(why) or None)

    @property
    def total(self) -> dict[str, int]:
        """Executed instructions, loads and stores, of the program, libc and start-up together."""
        return {
            "instructions": int((self.instructions * self.executions).sum()),
            "loads": int(self.loads.sum()),
            "stores": int(self.stores.sum()),
        }

    def foreign(self, memory: Mapping[tuple[str, int], bytes]) -> str | None:
        """What was executed that is not code of the program's file, or None.

        ``memory`` is what the file loads: (section, address) → content. Code that the program wrote
        or altered has no basic blocks that anyone knows.
        """
        starts = sorted((address, content) for (_, address), content in memory.items())
        place = 0
        for address, size, checksum in zip(
            self.address.tolist(), self.size.tolist(), self.checksum.tolist(), strict=True
        ):
            while place < len(starts) and starts[place][0] + len(starts[place][1]) <= address:
                place += 1
            if place == len(starts) or address < starts[place][0]:
                return f"it executed code at {address:#x} that is not in its file"
            offset = address - starts[place][0]
            if zlib.crc32(starts[place][1][offset : offset + size]) != checksum:
                return f"it changed its code at {address:#x}"
        return None
