"""What a problem asks and what an answer is: named tensors in, one decision out. Every form serves every interface.

A *question* is the features' bytes in their order, little-endian, each tensor filled up with zeros to whole words of
eight bytes. An *answer* is one word: a position as int64, ``UNUSABLE`` where there is none, or a float64.

It stands alone, so that it can go into sandboxes where nothing else of the harness is.
"""

import difflib
import hashlib
import json
import math
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

__all__ = ["UNUSABLE", "WORD", "Choice", "Decision", "Element", "Index", "Interface", "Native", "Number", "Tensor"]

WORD = 8
"""Bytes."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
UNUSABLE = -1
"""The position that is none: whoever asked counts the answer as unusable."""


class Element(StrEnum):
    """What the elements of a tensor are."""

    INT32 = "int32"
    INT64 = "int64"
    FLOAT = "float32"
    DOUBLE = "float64"

    @property
    def size(self) -> int:
        """Bytes."""
        return int(self.value[-2:]) // 8

    @property
    def is_integer(self) -> bool:
        """Whether they are whole numbers."""
        return self in (Element.INT32, Element.INT64)


@dataclass(frozen=True, slots=True)
class Tensor:
    """A feature, or a part of the state."""

    name: str
    element: Element = Element.INT64
    shape: tuple[int, ...] = ()
    """Sizes of its dimensions; none: one number."""

    @property
    def size(self) -> int:
        """Its elements."""
        return math.prod(self.shape)

    @property
    def words(self) -> int:
        """Words of a question that it takes."""
        return -(-self.size * self.element.size // WORD)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several named alternatives, by position. An agent's stop is one of them."""

    name: str
    """What an output of this decision is called."""
    alternatives: tuple[str, ...]
    """Of two, the first is the no and the second the yes."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, as float64. NaN and infinity are unusable."""

    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """A position in a mask, where the mask is not zero."""

    name: str
    mask: str
    """The feature that is the mask: whole numbers, one dimension."""


Decision = Choice | Number | Index


@dataclass(frozen=True, slots=True)
class Native:
    """How C++ is asked that runs in the process that asks: the types are the problem's, and so is the call."""

    headers: tuple[Path, ...]
    """The first is included before the policy's first line, and precompiled."""
    entry: str
    """C++ that comes after the policy: it defines ``harness_heuristic``, which calls the policy's function."""
    rules: str
    """What the policy may do, for the message that refuses a library."""
    reserved: frozenset[str] = frozenset()
    """Names of the headers that no hyperparameter can have."""
    hook: str = ""
    """What ``values.hook`` of a manifest may say, where it says which function the file defines."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One sort of question, and what answers it."""

    subject: str
    """Whose features they are, for messages: ``the eviction advisor``."""
    features: tuple[Tensor, ...]
    decision: Decision
    state: tuple[Tensor, ...] = ()
    """What a policy without a memory of its own can be given back at its next question: zeros at the first. The next
    values of ``NAME`` are called ``NAME_next``. It ends with the process that answers."""
    native: Native | None = None
    summary: str = "What to decide"
    """The first words of generated code."""
    listed_in: str = ""
    """The page that lists the features, for hints."""
    together: int | None = None
    """How many of the features, from the first on, a model may take as one input of numbers; all, if nothing is said.
    Features that were added since are taken by their names."""
    dear: frozenset[str] = frozenset()
    """Features that take so long to find out that a Python policy gets them only if its file has their names."""

    def __post_init__(self) -> None:
        """Raise ValueError for an interface that contradicts itself."""
        tensors = (*self.features, *self.state)
        names = [tensor.name for tensor in tensors]
        if len(set(names)) < len(names) or not all(map(_NAME.fullmatch, names)):
            raise ValueError("features and state have names of their own: C identifiers")
        if not self.features or min((size for tensor in tensors for size in tensor.shape), default=1) < 1:
            raise ValueError("there is a feature, and no tensor is empty")
        if isinstance(self.decision, Choice) and len(self.decision.alternatives) < 2:
            raise ValueError("a choice has two alternatives at least")
        if isinstance(self.decision, Index):
            mask = self.feature(self.decision.mask)
            if len(mask.shape) != 1 or not mask.element.is_integer:
                raise ValueError("a mask is of whole numbers in one dimension")

    def feature(self, name: str) -> Tensor:
        """The feature of this name. Raises ValueError where there is none."""
        found = next((tensor for tensor in self.features if tensor.name == name), None)
        if found is None:
            raise ValueError(f"{self.subject} has no feature {name!r}")
        return found

    @property
    def joined(self) -> int:
        """How many features one input of numbers has."""
        return len(self.features) if self.together is None else self.together

    @property
    def is_plain(self) -> bool:
        """Whether every feature is one int64, so that a question is the features themselves."""
        return all(tensor.element is Element.INT64 and not tensor.shape for tensor in self.features)

    def hint(self, name: str) -> str:
        """What to write where there is no feature ``name``."""
        close = difflib.get_close_matches(name[:100], self.names, n=1)
        listed = f"{self.listed_in} lists them" if self.listed_in else f"there are {', '.join(self.names)}"
        return f"did you mean {close[0]!r}?" if close else listed

    @property
    def names(self) -> tuple[str, ...]:
        """Of the features, in their order."""
        return tuple(tensor.name for tensor in self.features)

    @property
    def places(self) -> dict[str, int]:
        """Feature → the first word of it in a question."""
        places: dict[str, int] = {}
        at = 0
        for tensor in self.features:
            places[tensor.name] = at
            at += tensor.words
        return places

    @property
    def words(self) -> int:
        """Of a question."""
        return sum(tensor.words for tensor in self.features)

    @property
    def alternatives(self) -> int:
        """Positions that an answer can name; 0: it is a number."""
        if isinstance(self.decision, Index):
            return self.feature(self.decision.mask).size
        return len(self.decision.alternatives) if isinstance(self.decision, Choice) else 0

    def text(self) -> str:
        """As JSON, always the same: what whoever answers must know. ``Interface.parse`` reads it."""
        one = self.decision
        details: list[object] = [*one.alternatives] if isinstance(one, Choice) else []
        if isinstance(one, Index):
            details = [one.mask]
        tensors = [[[t.name, t.element.value, t.shape] for t in part] for part in (self.features, self.state)]
        words = [self.subject, *tensors, type(one).__name__, one.name, details]
        return json.dumps([*words, sorted(self.dear)] if self.dear else words, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> "Interface":
        """What ``text`` wrote; the C++ side is not in it."""
        subject, features, state, kind, name, details, *dear = json.loads(text)
        tensors = [
            tuple(Tensor(one, Element(element), tuple(shape)) for one, element, shape in part)
            for part in (features, state)
        ]
        decision: Decision = Number(name)
        if kind == Choice.__name__:
            decision = Choice(name, tuple(details))
        if kind == Index.__name__:
            decision = Index(name, *details)
        return cls(subject, tensors[0], decision, tensors[1], dear=frozenset(*dear))

    @property
    def digest(self) -> str:
        """Of what ``text`` says."""
        return hashlib.sha256(self.text().encode()).hexdigest()
