"""Decisions of any origin: malformed ones give an outcome that says what is wrong with them, and no traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.apply.decisions import Decisions
from harness.base.digest import canonical_json, digest_bytes
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, Target
from harness.problems.programs.problems import plan_of
from harness.record.decisions import store_decisions
from tests.drive import TINY, User, forge

SITE = [0, 0, 0, 1, "p"]
MALFORMED: list[tuple[str, Level | None, Any]] = [
    ("levels", None, {}),
    ("levels", Level.OZ, {"level": "O3"}),
    ("regalloc", Level.O3, {}),
    ("regalloc", Level.O3, {"allocator": "none"}),
    ("regalloc", Level.O3, {"allocator": ["greedy"]}),
    ("regalloc", Level.O3, {"allocator": {"greedy": 1}}),
    ("regalloc", Level.O3, {"allocator": "greedy", "more": 1}),
    ("regalloc", None, {"allocator": "greedy"}),
    ("passes", Level.OZ, {}),
    ("passes", Level.OZ, {"passes": "mem2reg"}),
    ("passes", Level.OZ, {"passes": [1]}),
    ("passes", Level.OZ, {"passes": []}),
    ("passes", Level.OZ, {"passes": ["mem2reg\0"]}),
    ("passes", Level.OZ, {"passes": ["mem2reg"] * 20_000}),
    ("passes", Level.OZ, {"passes": {"mem2reg": 1}}),
    ("passes", None, {"passes": ["mem2reg"], "dropped": []}),
    ("inlining", Level.OZ, {}),
    ("inlining", Level.OZ, {"functions": [], "sites": {}}),
    ("inlining", Level.OZ, {"functions": [1], "sites": []}),
    ("inlining", Level.OZ, {"functions": ["a", "a"], "sites": []}),
    ("inlining", Level.OZ, {"functions": ["a\nf b"], "sites": []}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[*SITE, 0]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 1, 0, 1, "p"]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, -1, 0, 1, "p"]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0, 2, "p"]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0, True, "p"]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0, 1]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0, 1, "x"]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0, 1, ["p"]]]}),
    ("inlining", Level.OZ, {"functions": ["a"], "sites": [[0, 0, 0.5, 1, "p"]]}),
    ("inlining", None, {"functions": [], "sites": []}),
    ("inlining", Level.OZ, {"functions": None, "sites": None}),
    ("sharding", None, {"assignment": [0]}),
    ("sharding", Level.OZ, {"assignment": [0]}),
    ("nothing", Level.OZ, {}),
]


@pytest.mark.parametrize(("problem", "level", "body"), MALFORMED, ids=lambda value: str(value)[:50])
def test_malformed_decisions_have_no_plan(problem: str, level: Level | None, body: Any) -> None:
    with pytest.raises(CellError) as refused:
        plan_of(Decisions(problem, level, body), Target.X86_64)
    assert refused.value.outcome is Outcome.NOT_REPLAYABLE


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b"{}", b"\xff", b'{"schema":1,"kind":"level","level":"O9","body":{}}',
        b'{"schema":1,"kind":"x","level":null,"body":{}}', b'{"schema":1,"kind":"level","level":"Oz","body":[["a",1]]}',
        b'{"schema":1,"kind":["level"],"level":"Oz","body":{}}', b"[" * 100_000, b'{"schema":' + b"9" * 5000 + b"}",
        b'{"schema":2,"kind":"level","level":"Oz","body":{}}', b'{"schema":2,"problem":1,"level":"Oz","body":{}}',
        b'{"schema":1,"problem":"levels","level":"Oz","body":{}}',
    ],
    ids=range(14),
)  # fmt: skip
def test_what_is_no_decisions_file_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError):
        Decisions.parse(content, "here")


def test_replay_of_malformed_decisions_says_so(tiny: User, tmp_path: Path) -> None:
    """At the shell, with all of them in one run: an outcome each, the others are replayed."""
    user = User(tiny.cache, tmp_path / "results")
    user.harness("run", "--suite", TINY, "--policy", "Oz", "--benchmark", "glob", "--target", "x86-64", code=0)
    (run,) = user.runs()
    for problem, level, body in MALFORMED[::4]:
        fields = {"schema": 2, "problem": problem, "level": level and level.value, "body": body}
        digest = store_decisions(user.results, canonical_json(fields))
        assert digest == digest_bytes(canonical_json(fields))
        forged = forge(run, keep=True, decisions_digest=digest)
        answer = user.harness("replay", forged.path, "--suite", TINY, "--json", code=1)
        assert "Traceback" not in answer.err
        assert "--trust" not in answer.err, "no sandbox is missing"
        (cell,) = json.loads(answer.out)
        assert cell["outcome"] == "not-replayable"
        script = user.harness("repro", f"{forged.path.stem}/glob/x86-64/Oz", "--suite", TINY)
        assert script.code in (1, 2)
        assert "Traceback" not in script.err
        forged.path.unlink()
