"""Counts of a program in C++ are compared only where the C++ library is the run's."""

import json
from pathlib import Path

from harness.base.vocabulary import Target
from harness.record.runfile import read_run, write_run
from tests.drive import Sketch, User, write_suite

HELLO = '#include <iostream>\nint main() { std::cout << "hello" << std::endl; }\n'
HERE = Target.X86_64


def test_after_an_upgrade_of_the_cxx_library_counts_are_not_compared(tmp_path: Path) -> None:
    """The header says what each program was linked with; a false count is seen where that is as it was."""
    suite = write_suite(tmp_path / "made", Sketch("hello", HELLO, language="c++"))
    user = User.at(tmp_path)
    words = ("--suite", suite, "--policy", "Oz", "--target", HERE.value, "--metric", "size.alloc,instructions")
    user.harness("run", *words, "--no-fresh", code=0)
    (run,) = user.runs()
    facts = run.header.benchmarks["hello"]
    assert facts.runtime[HERE] != run.header.runtime[HERE]
    more = {"value": 1_000_000_007}
    rows = [row.model_copy(update=more if row.metric == "instructions" else {}) for row in run.rows]
    fields = {name: getattr(run.header, name) for name in type(run.header).model_fields if name != "run"}
    run.path.unlink()
    other = facts.model_copy(update={"runtime": {HERE: "d" * 64}})
    for said, code, compared in ((facts, 1, 2), (other, 0, 1)):
        path = write_run(user.results, fields | {"benchmarks": {"hello": said}}, rows)
        answer = user.harness("replay", read_run(path).header.run, "--suite", suite, "--json", code=code)
        (cell,) = json.loads(answer.out)
        assert (cell["values"], cell["skipped"]) == (compared, [] if code else ["instructions"])
        path.unlink()
