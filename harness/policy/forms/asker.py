"""Asking a policy's process from Python: its side of the channel is ``decider.py``'s ``Host``.

The process is not trusted: an answer counts only if it is one, of the question that was asked, in time; after more
than are tolerated the process is given up.
"""

import json
import math
import struct
from collections.abc import Mapping
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from harness.base.errors import CellError
from harness.base.process import last_words
from harness.base.vocabulary import Outcome
from harness.policy.forms.decider import Host
from harness.policy.forms.interface import WORD, Choice, Element, Index, Interface, Number
from harness.sandbox import Finished, Reason
from harness.sandbox.dialogue import Dialogue, Gone, Late
from harness.sandbox.run import Sandbox

__all__ = ["START", "Asker"]

START = 10.0
"""Seconds for the first word: the process may have much to load."""
_DTYPES = {Element.INT32: "<i4", Element.INT64: "<i8", Element.FLOAT: "<f4", Element.DOUBLE: "<f8"}
_ANSWER = struct.Struct("<qq")
_NUMBER = struct.Struct("<qd")


class Asker:
    """A policy's process, asked question after question. A context: at its end the process ends."""

    def __init__(self, host: Host, interface: Interface, sandbox: Sandbox) -> None:
        """Start it. Raises CellError: ``policy-error``, ``policy-timeout``."""
        self._host, self._interface = host, interface
        self._dialogue = Dialogue(host.job, sandbox)
        self._asked = self._unusable = 0
        header = json.dumps({"features": interface.names}).encode() + b"\n"
        wanted = self._talk(header, len(interface.features), START)
        self._uses = [bool(byte) for byte in wanted]

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """End the process."""
        self._dialogue.end()

    def end(self) -> Finished:
        """End the process, and say what it used."""
        return self._dialogue.end()

    def ask(self, features: Mapping[str, ArrayLike]) -> float | int | None:
        """The decision on these features: a position, or a number; None for an answer that cannot be used.

        Raises CellError: ``policy-error`` for a process that has ended or given too many answers of that sort,
        ``policy-timeout`` for one that does not answer in time.
        """
        self._asked += 1
        question = struct.pack("<q", self._asked) + self._words(features)
        patience = START if self._asked == 1 else self._host.reply
        content = self._talk(question, _ANSWER.size, patience)
        number: int
        answer: float | int
        number, answer = (_NUMBER if isinstance(self._interface.decision, Number) else _ANSWER).unpack(content)
        if number == self._asked and self._is_usable(answer, features):
            return answer
        self._unusable += 1
        if self._unusable > self._host.tolerated:
            words = last_words(self._dialogue.end().stderr)
            message = f"{self._host.name}: {self._unusable} answers could not be used{words}"
            raise CellError(Outcome.POLICY_ERROR, message)
        return None

    def _words(self, features: Mapping[str, ArrayLike]) -> bytes:
        parts = []
        for used, tensor in zip(self._uses, self._interface.features, strict=True):
            size = tensor.words * WORD
            content = np.asarray(features[tensor.name], _DTYPES[tensor.element]).tobytes() if used else b""
            parts.append(content.ljust(size, b"\0"))
        return b"".join(parts)

    def _is_usable(self, answer: float, features: Mapping[str, ArrayLike]) -> bool:
        decision = self._interface.decision
        if isinstance(decision, Number):
            return math.isfinite(answer)
        if isinstance(decision, Choice):
            return 0 <= answer < len(decision.alternatives)
        assert isinstance(decision, Index)
        mask = np.asarray(features[decision.mask])
        return 0 <= answer < len(mask) and bool(mask[int(answer)])

    def _talk(self, content: bytes, size: int, patience: float) -> bytes:
        try:
            self._dialogue.write(content, patience)
            return self._dialogue.read(size, patience)
        except Late:
            words = last_words(self._dialogue.end().stderr)
            message = f"{self._host.name} did not answer within {patience:g} s{words}"
            raise CellError(Outcome.POLICY_TIMEOUT, message, transient=True) from None
        except Gone:
            finished = self._dialogue.end()
            raise CellError(_outcome(finished), f"{self._host.name} {_ending(finished)}", finished.transient) from None


def _outcome(finished: Finished) -> Outcome:
    return Outcome.POLICY_TIMEOUT if finished.out_of_time else Outcome.POLICY_ERROR


def _ending(finished: Finished) -> str:
    """How the process ended, for people, with its last words."""
    words = last_words(finished.stderr)
    if finished.reason is Reason.STOPPED:
        return f"closed the channel{words}"
    return f"ended with {finished.ending}{words}" if finished.reason is Reason.EXIT else f"was {finished.ending}{words}"
