"""Hidden workloads: other inputs from a secret seed, of every program alike."""

from pathlib import Path

import pytest

from harness.base.errors import UsageError
from harness.suite.generators import is_seeded
from harness.suite.hidden import commitment, read_secret, with_hidden
from harness.suite.load import load_suite
from harness.suite.model import Input, Workload
from tests.programs import own_program

SECRET = b"a secret of more than sixteen bytes"


def is_drawn(item: Input) -> bool:
    return item.generator is not None and is_seeded(item.generator)


def test_each_workload_whose_inputs_are_drawn_has_a_hidden_twin() -> None:
    programs = load_suite("cbench").programs
    for program, plain in zip(with_hidden(programs, SECRET), programs, strict=True):
        counted = [w for w in plain.benchmark.workloads if w.kind == "count" and any(map(is_drawn, w.inputs))]
        assert [w.name for w in program.hidden] == [f"hidden-{n}" for n in range(1, len(counted) + 1)]
        assert program.benchmark == plain.benchmark  # what is counted and timed stays as it was
        for twin, workload in zip(program.hidden, counted, strict=True):
            same = {"name", "inputs"}
            assert twin.model_dump(exclude=same) == workload.model_dump(exclude=same)
            for ours, theirs in zip(twin.inputs, workload.inputs, strict=True):
                assert ours.model_copy(update={"seed": theirs.seed}) == theirs
                assert ours.seed != theirs.seed


def test_what_no_seed_changes_has_no_twin(tmp_path: Path) -> None:
    """A malformed file that the definition spells out would be the same again."""
    fixed = Input(file="bad", generator="literal", seed=0, params={"text": "bad"})
    drawn = Input(file="good", generator="text", seed=0)
    workloads = (
        Workload(name="usage", exit=2),
        Workload(name="bad", inputs=(fixed,)),
        Workload(name="both", inputs=(fixed, drawn)),
    )
    program = own_program(tmp_path, {"main.c": "int main(void) { return 0; }"}, workloads=workloads)
    (one,) = with_hidden([program], SECRET)
    assert [[item.file for item in twin.inputs] for twin in one.hidden] == [["bad", "good"]]


def test_seeds_follow_from_the_secret_and_differ_everywhere() -> None:
    programs = load_suite("cbench").programs

    def seeds(secret: bytes) -> list[int]:
        return [i.seed for p in with_hidden(programs, secret) for w in p.hidden for i in w.inputs if i.seed is not None]

    assert seeds(SECRET) == seeds(SECRET)
    both = [*seeds(SECRET), *seeds(SECRET + b".")]
    assert len(set(both)) == len(both)


def test_the_commitment_binds_and_reveals_nothing(tmp_path: Path) -> None:
    assert commitment(SECRET) == commitment(SECRET) != commitment(SECRET + b".")
    file = tmp_path / "secret"
    file.write_bytes(b"\n" + SECRET + b"\n")
    assert read_secret(file) == SECRET


@pytest.mark.parametrize(("content", "message"), [(b"short\n", "a secret of 5 bytes"), (None, "cannot be read")])
def test_a_secret_that_is_none(content: bytes | None, message: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "secret").write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_secret(tmp_path / "secret")
