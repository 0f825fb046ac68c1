"""Runs inside the sandbox: loads ``policy.py`` and answers the compiler's questions with it.

usage: host.py QUESTIONS ANSWERS SEED FOLDER...      two descriptors, and where packages lie

``native/inline/channel.cpp`` has the protocol. It stands alone: nothing of the harness is there.
"""

import importlib.util
import json
import os
import struct
import sys
from collections.abc import Callable
from typing import Any

_BAD = -1
"""An answer that the compiler counts as none."""


def main(questions: int, answers: int, seed: int) -> None:
    """Answer until there are no more questions."""
    source = os.fdopen(questions, "rb")
    names = json.loads(source.readline())["features"]
    decide = _load(seed)
    os.write(answers, bytes([1]) * len(names))  # it wants all features
    form = struct.Struct(f"={len(names) + 1}q")
    while len(question := source.read(form.size)) == form.size:
        number, *values = form.unpack(question)
        answer = decide(dict(zip(names, values, strict=True)))
        try:
            word = int(answer) if answer in (0, 1) else _BAD
        except (TypeError, ValueError):
            word = _BAD
        if word == _BAD:
            print(f"decide returned {answer!r}: it must be True or False", file=sys.stderr, flush=True)
        os.write(answers, struct.pack("=2q", number, word))


def _load(seed: int) -> Callable[[dict[str, int]], Any]:
    spec = importlib.util.spec_from_file_location("policy", "policy.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "start"):
        module.start(seed)
    if not callable(getattr(module, "decide", None)):
        raise SystemExit("policy.py defines no function decide(features)")
    found: Callable[[dict[str, int]], Any] = module.decide
    return found


if __name__ == "__main__":
    sys.path += sys.argv[4:]
    main(*map(int, sys.argv[1:4]))
