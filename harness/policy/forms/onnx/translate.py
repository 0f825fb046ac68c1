"""Runs in the sandbox: ``model.onnx`` of its folder becomes ``model.c`` and ``facts.json`` there.

Argument: the interface, as ``Interface.text`` gives it. A model that is refused: the reason on standard error, exit
status 2.
"""

import json
import sys
from pathlib import Path

from harness.policy.forms.interface import Interface
from harness.policy.forms.onnx.refused import Refused

__all__ = ["main", "translated"]

REFUSED = 2
"""The exit status."""


def translated(content: bytes, interface: Interface) -> tuple[str, dict[str, object]]:
    """The model as C, and what there is to say about it. Raises Refused."""
    from harness.policy.forms.onnx.graph import read_model

    network = read_model(content, interface)
    from harness.policy.forms.onnx.generate import c_source  # imports for a second: not to refuse a model

    taken = sorted({feature for entry in network.inputs for feature in entry.features})
    facts = {
        "features": [interface.names[number] for number in taken],
        "parameters": network.parameters,
        "operators": network.operators,
    }
    return c_source(network, interface), facts


def main() -> int:
    """The exit status."""
    try:
        source, facts = translated(Path("model.onnx").read_bytes(), Interface.parse(sys.argv[1]))
    except Refused as refused:
        print(refused, file=sys.stderr)
        return REFUSED
    Path("model.c").write_text(source, "ascii")
    Path("facts.json").write_text(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
