"""``harness export FILE.tfrecord``."""

from pathlib import Path

import polars

from harness.base.answers import Answer
from harness.base.errors import UsageError
from harness.problems.inlining.trajectories.table import read_trajectories
from harness.problems.inlining.trajectories.tfrecord import INTEGERS, sequence_example, write_tfrecord
from harness.record.runfile import TRAJECTORIES

__all__ = ["export"]


def export(output: Path, suite: str | None, results: Path) -> Answer:
    """All logged trajectories, one record a module, policy and seed, as ml-compiler-opt's trainers read them."""
    begin = f"{suite}-" if suite else ""
    there = results.iterdir() if results.is_dir() else ()
    files = sorted(path for path in there if path.name.startswith(begin) and path.name.endswith(TRAJECTORIES))
    if not files:
        which = f" of suite {suite!r}" if suite else ""
        raise UsageError(
            f"there are no trajectories{which} in {results}",
            hint=f"log them: harness run --suite {suite or 'cbench'} --log-features",
        )
    frame = polars.concat([read_trajectories(file) for file in files])
    keys = ["benchmark", "target", "policy", "seed", "cell"]
    frame = frame.unique([*keys, "position"], keep="last").sort([*keys, "position"])
    cells = frame.partition_by(keys, maintain_order=True)
    known = [cell for cell in cells if cell["reward"][0] is not None]
    records = (
        sequence_example(
            {name: cell[name][0] for name in ("benchmark", "target", "policy")},
            {name: cell[name].to_list() for name in INTEGERS},
            cell["reward"].to_list(),
        )
        for cell in known
    )
    try:
        count = write_tfrecord(output, records)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(output)) from None
    notes = [f"{count} modules, {sum(cell.height for cell in known)} decisions in {output}"]
    if left := len(cells) - len(known):
        notes.append(f"{left} modules are left out: their reward is not known, since the reference was not in the run")
    return Answer(notes=tuple(notes))
