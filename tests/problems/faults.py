"""Policies in C++ with every fault, of several problems: what they share is in ``faults.h``."""

import re
from pathlib import Path

__all__ = ["with_faults"]

_SHARED = (Path(__file__).parent / "faults.h").read_text()


def with_faults(policy: Path) -> tuple[str, list[str]]:
    """The text of a submission, whose own part is in this file; and its faults by name: ``mode`` is the position."""
    own = policy.read_text()
    *shared, _ = _names(_SHARED, "Fault")
    return _SHARED + own, shared + _names(own, "Mode")


def _names(text: str, enum: str) -> list[str]:
    found = re.search(rf"enum {enum} \{{(.*?)\}};", text, re.DOTALL)
    assert found
    return re.findall(r"^\s*(\w+)", re.sub(r"//.*", "", found[1]).replace(",", "\n"), re.MULTILINE)
