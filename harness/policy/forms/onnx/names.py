"""Names of our own for a model's nodes and tensors, and the model's for messages."""

import re

from onnx import NodeProto

from harness.policy.forms.onnx.refused import shown

__all__ = ["Names"]

_LONGEST_MESSAGE = 400


class Names:
    """Both ways: the model's names to ours, and ours to what a message says."""

    def __init__(self) -> None:
        self._ours: dict[str, str] = {}
        self._theirs: dict[str, str] = {}
        self._labels: list[str] = []

    def ours(self, theirs: str) -> str:
        """Our name for a tensor of the model's; the empty name stays, it says that an input is left out."""
        if not theirs:
            return ""
        if theirs not in self._ours:
            ours = f"t{len(self._ours)}"
            self._ours[theirs] = ours
            self._theirs[ours] = theirs
        return self._ours[theirs]

    def new_node(self, label: str) -> str:
        """Our name for the next node, which messages call ``label``."""
        self._labels.append(label)
        return f"node{len(self._labels) - 1}"

    def label(self, node: NodeProto) -> str:
        """What messages call one of our nodes."""
        return self._labels[int(node.name.removeprefix("node"))]

    def tensor(self, ours: str) -> str:
        """The model's name for one of our tensors, as messages show it."""
        return shown(self._theirs.get(ours, ours))

    def translated(self, text: str) -> str:
        """A library's message with the model's names in place of ours."""
        line = " ".join(text.split())[:_LONGEST_MESSAGE]
        line = re.sub(r"\bnode(\d+)\b", lambda match: self._labels[int(match[1])], line)
        return re.sub(r"\bt\d+\b", lambda match: self.tensor(match[0]), line)
