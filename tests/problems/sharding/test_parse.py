"""Files that are no instances: each ends with one error that says what and where."""

import copy
import gzip
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.errors import UsageError
from harness.problems.sharding.parse import parse_instance
from tests.problems.sharding.made import as_json
from tests.problems.sharding.test_evaluate import EXAMPLE

GOOD = as_json(EXAMPLE)


def changed(*path: Any, to: Any) -> bytes:
    """The example with one value replaced; with ``None``, taken out."""
    document = copy.deepcopy(EXAMPLE)
    place = document["problem"]
    for key in path[:-1]:
        place = place[key]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return as_json(document)


BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not JSON: Expecting value (line 1, column 1)"),
    "cut off": (GOOD[:100], r"not JSON: .* \(line 1, column \d+\)"),
    "not text": (b'{"problem": "\xff"}', r"not UTF-8 text \(byte 13\)"),
    "deep": (b"[" * 100_000, "not JSON: maximum recursion"),
    "endless number": (b'{"problem": ' + b"9" * 5000 + b"}", "not JSON: Exceeds the limit"),
    "infinite": (GOOD.replace(b"15]", b"Infinity]", 1), "not JSON: Infinity is not a number of JSON's"),
    "truncated gzip": (gzip.compress(GOOD)[:-20], "truncated gzip"),
    "something behind gzip": (gzip.compress(GOOD) + b"\0more", "damaged gzip: 5 bytes behind its end"),
    "two in one": (gzip.compress(GOOD) * 2, "damaged gzip"),
    "damaged gzip": (gzip.compress(GOOD)[:20] + b"\0\0\0" + gzip.compress(GOOD)[23:], "damaged gzip"),
    "another document": (b"[1, 2]", "the file: not an object with fields"),
    "no problem": (b"{}", "problem: this field is missing"),
    "problem is a list": (b'{"problem": []}', "problem: not an object"),
    "no name": (changed("name", to=None), "problem.name: this field is missing"),
    "no usages": (changed("nodes", "usages", to=None), "problem.nodes.usages: this field is missing"),
    "negative limit": (changed("usage_limit", to=-1), "problem.usage_limit: -1 is not a number of bytes"),
    "backward": (changed("nodes", "intervals", 1, to=[6, 2]), r"intervals\[1\]: it ends at 2, before it begins at 6"),
    "negative": (changed("nodes", "intervals", 0, to=[-4, 4]), r"intervals\[0\]: -4 is not an integer from 0 up"),
    "three": (changed("nodes", "intervals", 0, to=[1, 2, 3]), r"intervals\[0\]: a list of 3 is not a list of two"),
    "huge moment": (changed("nodes", "intervals", 0, to=[0, 10**30]), r"intervals\[0\]: 1000\d+ is not an integer"),
    "fewer costs": (changed("nodes", "costs", to=[[1], [1, 2]]), r"nodes\.costs: 2 entries for 3 intervals"),
    "fewer usages": (changed("nodes", "usages", 1, to=[1]), r"usages\[1\]: 1 strategies, and 2 in .*costs\[1\]"),
    "no strategy": (
        changed("nodes", "costs", 1, to=[]),
        r"costs\[1\]: an empty list is not a list of costs or bytes, one at",
    ),
    "not a list": (changed("nodes", "costs", 1, to=7), r"costs\[1\]: 7 is not a list of costs"),
    "text": (changed("nodes", "costs", 2, to=[25, "45", 35]), r'costs\[2\]\[1\]: "45" is not an integer from 0 up'),
    "fraction": (changed("nodes", "costs", 2, to=[25, 4.5, 35]), r"costs\[2\]\[1\]: 4.5 is not an integer from 0 up"),
    "truth": (changed("nodes", "costs", 2, to=[25, 45, True]), r"costs\[2\]\[2\]: true is not an integer from 0 up"),
    "negative cost": (changed("nodes", "costs", 2, to=[25, 45, -1]), r"costs\[2\]\[2\]: -1 is not an integer from 0"),
    "huge cost": (changed("edges", "costs", 0, to=[30, 2**63]), r"costs\[0\]\[1\]: 9223372036854775808 exceeds 64"),
    "huge usage": (changed("nodes", "usages", 0, to=[2**62]), "all nodes together can use more bytes than 62 bits"),
    "no such node": (changed("edges", "nodes", 1, to=[1, 3]), r"edges\.nodes\[1\]: there is no node 3: the last is 2"),
    "three ends": (changed("edges", "nodes", 1, to=[0, 1, 2]), r"edges\.nodes\[1\]: a list of 3 is not a list of two"),
    "short table": (changed("edges", "costs", 1, to=[1, 2, 3]), r"edges\.costs\[1\]: 3 numbers, not 6"),
    "fewer tables": (changed("edges", "costs", to=[[30, 40]]), r"edges\.costs: 1 entries for 3 edges"),
}


@pytest.mark.parametrize("fault", BAD)
def test_what_is_wrong_and_where(fault: str) -> None:
    content, message = BAD[fault]
    pattern = message if "\\" in message or ".*" in message else re.escape(message)
    with pytest.raises(UsageError, match=pattern) as error:
        parse_instance(content, "made.json")
    assert str(error.value).startswith("made.json: ")
    assert len(error.value.message) < 200


def test_a_gzip_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.problems.instances.documents._MOST_BYTES", 1 << 20)
    with pytest.raises(UsageError, match="unpacks to more than 1,048,576 bytes"):
        parse_instance(gzip.compress(b" " * (1 << 26)), "bomb")
    with pytest.raises(UsageError, match="more than 1,048,576 bytes"):
        parse_instance(b" " * (1 << 21), "long")


@given(st.data())
def test_no_damage_gives_anything_but_that_error(data: st.DataObject) -> None:
    packed = data.draw(st.booleans())
    content = bytearray(gzip.compress(GOOD, mtime=0) if packed else GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        instance = parse_instance(bytes(content), "damaged")
    except UsageError as error:
        assert str(error).startswith("damaged: ")
    else:
        text = gzip.decompress(content) if packed else content
        assert instance.nodes == len(json.loads(text)["problem"]["nodes"]["costs"])
