"""Rows that this harness cannot have recorded are refused by file, line and field, even where the name fits."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.base.digest import canonical_json, digest_of
from harness.base.errors import UsageError
from harness.measure import all_metrics, find_metric
from harness.record import open_index, read_run
from harness.record.rows import History, Row
from harness.record.runfile import write_run
from tests.rows import block, campaign, header, row, run_file, written_by_another

ONE, BAD = row("one", "Oz", 10), row("two", "Oz", None)


def forged(folder: Path, *lines: bytes) -> Path:
    """A run of one row, and these lines in their order: whoever wrote it made the name fit."""
    path = run_file(folder, [ONE, BAD])
    return written_by_another(path, b"".join(line + b"\n" for line in sorted(lines)))


def refused(path: Path, line: int | None = None) -> str:
    """What ``read_run`` and the index say, which is the same."""
    with pytest.raises(UsageError) as raised:
        read_run(path)
    with pytest.raises(UsageError) as again:
        open_index(path.parent)
    assert str(again.value) == str(raised.value)
    place = str(path) if line is None else f"{path}, line {line}"
    assert raised.value.where == place
    assert "\n" not in raised.value.message and len(raised.value.message) < 500
    return raised.value.message


def said(row: Row, **changes: Any) -> bytes:
    """The row's line with other fields; None: without one."""
    fields = {**row.line(), **changes}
    return canonical_json({name: value for name, value in fields.items() if value is not ...})


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "text for a number": ({"value": "12"}, "value"),
    "a truth value": ({"value": True}, "value"),
    "a truth value for a count": ({"seed": False}, "seed"),
    "hardly anything": ({"value": 1e-300}, "value"),
    "a fraction of a byte": ({"value": 9.5}, "value"),
    "a fraction written so": ({"value": 10.0}, "value"),
    "no bytes": ({"value": 0}, "value"),
    "less than nothing": ({"value": -10}, "value"),
    "more than HUGEINT": ({"value": 10**4000}, "value"),
    "a list": ({"value": [10]}, "value"),
    "a field too many": ({"extra": 1}, "extra"),
    "a field too few": ({"policy": ...}, "policy"),
    "another unit": ({"unit": "MB"}, "unit"),
    "no unit": ({"unit": ...}, "metric"),
    "no metric": ({"metric": ..., "unit": ..., "value": ...}, "metric"),
    "a metric of solvers": ({"metric": "cost", "unit": "units"}, "metric"),
    "a metric with a query": ({"metric": "size.alloc' OR 1"}, "metric"),
    "a policy with a path": ({"policy": "../../etc"}, "policy"),
    "a policy with a line feed": ({"policy": "Oz\nrm"}, "policy"),
    "a policy with a mark": ({"policy": "O\u202ez"}, "policy"),
    "no policy": ({"policy": ""}, "policy"),
    "a benchmark of no header": ({"benchmark": "other"}, "benchmark"),
    "another track": ({"track": "speed"}, "track"),
    "a track that is none": ({"track": "beauty"}, "track"),
    "a target that is none": ({"target": "vax"}, "target"),
    "a problem of another track": ({"problem": "sharding"}, "problem"),
    "no level": ({"level": ...}, "level"),
    "half a digest": ({"object_digest": "ab" * 16}, "object_digest"),
    "a digest in capitals": ({"cell": "AB" * 32}, "cell"),
    "no object": ({"object_digest": None}, "decisions_digest, frozen_digest, object_digest"),
    "no decisions": ({"decisions_digest": None}, "decisions_digest, frozen_digest, object_digest"),
    "a failure with a value": ({"outcome": "wrong-output"}, "value"),
    "an outcome that is none": ({"outcome": "fine"}, "outcome"),
    "a detail with an escape": ({"detail": "\x1b[2J"}, "detail"),
    "a detail without an end": ({"detail": "x" * 100_000}, "detail"),
    "a seed below zero": ({"seed": -1}, "seed"),
    "a seed of 65 bits": ({"seed": 1 << 64}, "seed"),
    "a time that is none": ({"metric": "compile.cpu", "unit": "s", "value": 0.0}, "value"),
    "an isolation that is none": ({"isolation": "perhaps"}, "isolation"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_row_that_cannot_be_is_refused(what: str, tmp_path: Path) -> None:
    change, field = WRONG[what]
    path = forged(tmp_path, said(ONE, **change))
    assert refused(path, 2).startswith(f"{field}: ")


@pytest.mark.parametrize("metric", sorted(all_metrics()))
def test_the_least_values_of_metrics_are_recorded(metric: str, tmp_path: Path) -> None:
    """What a harness can measure can be read: zero where it is a good value, else one unit or a microsecond."""
    found = find_metric(metric)
    if found.benchmarks != "programs":
        return
    least = 0 if found.can_be_zero else 1e-6 if found.unit == "s" or found.modelled else 1
    (read,) = read_run(run_file(tmp_path, [row(value=least, metric=metric)])).rows
    assert read.value == least


RAW = {
    "a field twice": (said(ONE)[:-1] + b',"value":9}', "the field 'value' stands there twice"),
    "not a number": (said(ONE).replace(b":10}", b":NaN}"), "not JSON: Out of range float values"),
    "endless": (said(ONE).replace(b":10}", b":1e999}"), "not JSON: Out of range float values"),
    "5,000 digits": (said(ONE).replace(b":10}", b":" + b"1" * 5000 + b"}"), "not JSON: Exceeds the limit"),
    "nested": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, "nested too deeply"),
    "blanks": (json.dumps(ONE.line()).encode(), "not the canonical text"),
    "another order": (b'{"value":10,' + said(ONE)[1:].replace(b',"value":10', b""), "not the canonical text"),
    "nothing": (b"", "not JSON: "),
    "torn": (said(ONE)[:-10], "not JSON: "),
    "bytes": (b'{"\xff":1}', "not JSON: "),
    "half a surrogate": (said(ONE, detail="\ud800"), "Invalid JSON: "),
    "a list": (b"[]", "not a JSON object"),
    "5 MiB": (b'{"a":"' + b"x" * (5 << 20) + b'"}', "a line of 5,242,888 bytes"),
}


@pytest.mark.parametrize("what", RAW)
def test_a_line_that_is_no_canonical_object_is_refused(what: str, tmp_path: Path) -> None:
    line, message = RAW[what]
    assert refused(forged(tmp_path, line), 2).startswith(message)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (said(ONE, value=11), "metric: size.alloc of this cell, policy and seed stands there twice"),
        (said(ONE), "metric: size.alloc of this cell, policy and seed stands there twice"),
        (said(ONE, metric="size.text", object_digest=digest_of("another")), "cell: another row of this cell"),
        (said(BAD, cell=ONE.cell, benchmark="one"), "cell: another row of this cell"),
    ],
)
def test_rows_that_contradict_each_other_are_refused(other: bytes, message: str, tmp_path: Path) -> None:
    path = forged(tmp_path, said(ONE), other)
    assert refused(path, 3).startswith(message)


def test_lines_stand_in_their_order(tmp_path: Path) -> None:
    """Else RUN#LINE would name one row here and another one there."""
    path = run_file(tmp_path, [ONE, BAD])
    late = canonical_json({"campaign": campaign().model_dump(mode="json")})
    for lines in ((said(BAD), said(ONE)), (said(ONE), late)):
        made = written_by_another(path, b"".join(line + b"\n" for line in lines))
        assert refused(made, 3) == "lines are not in the order in which runs are written"
        made.unlink()


def test_campaigns_blocks_and_histories_are_checked(tmp_path: Path) -> None:
    timed = write_run(tmp_path / "a", *_folder(tmp_path / "a"), [campaign()], [block({"o": 1.0, "p": 1.5}, 0)])
    lines = timed.read_bytes().splitlines(keepends=True)[1:]
    for old, new, message in (
        (b'"cpu":1.5', b'"cpu":"1.5"', "block.samples.1.cpu: "),
        (b'"cpu":1.5', b'"cpu":-1.5', "block.samples.1.cpu: "),
        (b'"campaign":"c1","conditions"', b'"campaign":"c2","conditions"', "block.campaign: 'c2' is none of this file"),
        (
            b'"benchmark":"one","campaign":"c1","cond',
            b'"benchmark":"no","campaign":"c1","cond',
            "block.benchmark: 'no'",
        ),
    ):
        changed = [line.replace(old, new) for line in lines]
        assert changed != lines
        assert refused(written_by_another(timed, b"".join(changed)), 3).startswith(message)
        (timed.parent / "other").joinpath(next((timed.parent / "other").iterdir()).name).unlink()
    history = History(cell=ONE.cell, benchmark="one", policy="Oz", seconds=(1.0, 0.5), costs=(5, 4))
    with pytest.raises(UsageError, match="history: seconds ascend, costs descend"):
        write_run(tmp_path, header([ONE]), [ONE], histories=[history])


def _folder(path: Path) -> tuple[dict[str, Any], list[Row]]:
    path.mkdir()
    return header([ONE]), [ONE]


@settings(max_examples=30)
@given(noise=st.binary(max_size=60), at=st.floats(0, 1))
def test_no_line_is_a_traceback(noise: bytes, at: float, tmp_path_factory: pytest.TempPathFactory) -> None:
    line = said(ONE)
    place = int(at * len(line))
    path = forged(tmp_path_factory.mktemp("noise"), line[:place] + noise + line[place + len(noise) :])
    try:
        read_run(path)
    except UsageError as error:
        assert error.where
