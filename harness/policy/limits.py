"""How large a policy's files may be. Checked before they are read."""

from harness.base.reading import KIB, MIB

__all__ = ["ALL_BYTES", "MANIFEST_BYTES", "TREE_BYTES", "most_bytes"]

MANIFEST_BYTES = 64 * KIB
"""Of ``submission.toml``."""
TREE_BYTES = 32 * MIB
"""Of ``tree.json``."""
ALL_BYTES = 128 * MIB
"""Of a policy's files together."""
_MOST = {"model": 64 * MIB, "tree": TREE_BYTES, "solver": 4 * MIB}
_OTHER = 1 * MIB
"""Code and lists of passes."""


def most_bytes(role: str) -> int:
    """Of a file of this role."""
    return _MOST.get(role, _OTHER)
