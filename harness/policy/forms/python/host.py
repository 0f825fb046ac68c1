"""Runs inside the sandbox: loads ``policy.py`` and answers questions with it.

usage: host.py QUESTIONS ANSWERS SEED INTERFACE FOLDER...      two descriptors, what is asked, and where packages lie

``harness/policy/forms/decider.py`` has the protocol, and ``interface.py`` beside it what INTERFACE says. It stands
alone: nothing of the harness is there.
"""

import importlib.util
import json
import math
import os
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from types import TracebackType
from typing import Any

_WORD = 8
_BAD = struct.pack("=q", -1)
_NO_NUMBER = struct.pack("=d", math.nan)
"""Answers that whoever asks counts as none."""
_CODES = {"int32": "i", "int64": "q", "float32": "f", "float64": "d"}

Features = dict[str, Any]


def main(questions: int, answers: int, seed: int, interface: str) -> None:
    """Answer until there are no more questions."""
    source = os.fdopen(questions, "rb")
    names = json.loads(source.readline())["features"]
    _, features, _, kind, _, details, *dear = json.loads(interface)
    if names != [name for name, _, _ in features]:
        raise SystemExit("the features that are asked with are not those that were agreed on")
    decide = _load(seed)
    size, read = _reader(features)
    word_of = _words(kind, details)
    os.write(answers, bytes(_wants(name, *dear) for name in names))
    while len(question := source.read(size)) == size:
        known = read(question)
        answer = decide(known)
        word, fault = word_of(answer, known)
        if fault:
            print(f"decide returned {answer!r}: it must be {fault}", file=sys.stderr, flush=True)
        os.write(answers, question[:_WORD] + word)


def _wants(name: str, dear: tuple[str, ...] = ()) -> bool:
    """All features but those that take long to find out and stand nowhere in the file."""
    return name not in dear or name in _code()


@cache
def _code() -> str:
    with open("policy.py", encoding="utf-8", errors="replace") as file:
        return file.read()


def _reader(features: list[tuple[str, str, list[int]]]) -> tuple[int, Callable[[bytes], Features]]:
    """How many bytes a question has, and what its features are: numbers, and arrays of numpy."""
    form, scalars, tensors, at = f"={_WORD}x", [], [], _WORD
    for name, element, shape in features:
        size = math.prod(shape) * struct.calcsize("=" + _CODES[element])
        padded = -(-size // _WORD) * _WORD
        if shape:
            tensors.append((name, element, math.prod(shape), at, shape))
            form += f"{padded}x"
        else:
            scalars.append(name)
            form += f"{_CODES[element]}{padded - size}x"
        at += padded
    unpack = struct.Struct(form).unpack

    def numbers(question: bytes) -> Features:
        return dict(zip(scalars, unpack(question), strict=True))

    if not tensors:
        return at, numbers
    import numpy

    def arrays(question: bytes) -> Features:
        found = numbers(question)
        for name, element, count, start, shape in tensors:
            found[name] = numpy.frombuffer(question, element, count, start).reshape(shape)
        return found

    return at, arrays


def _words(kind: str, details: list[str]) -> Callable[[Any, Features], tuple[bytes, str]]:
    """How an answer becomes a word, and what it must be where it is none."""

    def number(answer: Any, _: Features) -> tuple[bytes, str]:
        try:
            word = float(answer)
        except (TypeError, ValueError, OverflowError):
            word = math.nan
        return (struct.pack("=d", word), "") if math.isfinite(word) else (_NO_NUMBER, "a finite number")

    def position(answer: Any, features: Features) -> tuple[bytes, str]:
        among = range(len(features[details[0]]) if kind == "Index" else len(details))
        usable = False
        with suppress(TypeError, ValueError):
            usable = answer in among and (kind != "Index" or features[details[0]][int(answer)] != 0)
        if usable:
            return struct.pack("=q", int(answer)), ""
        if kind == "Index":
            return _BAD, f"a position from 0 to {among[-1]} where {details[0]} is not 0"
        return _BAD, "True or False" if len(details) == 2 else f"a number from 0 to {among[-1]}"

    return number if kind == "Number" else position


def _say_where(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What ended the policy, in one line, with the number of that of its file: the harness repeats one line."""
    line, inner = None, trace
    while inner is not None:
        line = inner.tb_lineno if inner.tb_frame.f_code.co_filename.endswith("policy.py") else line
        inner = inner.tb_next
    if line is None:
        sys.__excepthook__(kind, error, trace)
    else:
        words = f": {error}" if str(error) else ""
        print(f"line {line}: {kind.__name__}{words}", file=sys.stderr, flush=True)


def _load(seed: int) -> Callable[[Features], Any]:
    spec = importlib.util.spec_from_file_location("policy", "policy.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "start"):
        module.start(seed)
    if not callable(getattr(module, "decide", None)):
        raise SystemExit("there is no function decide(features)")
    found: Callable[[Features], Any] = module.decide
    return found


if __name__ == "__main__":
    sys.path += sys.argv[5:]
    sys.excepthook = _say_where
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
