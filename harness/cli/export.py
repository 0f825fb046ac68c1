"""``harness export``."""

from pathlib import Path

from harness.base.errors import UsageError
from harness.base.paths import default_results
from harness.cli.output import note
from harness.record import open_index

__all__ = ["export"]

_QUERY = """SELECT rows.*, runs.started, runs.llvm, runs.llvm_version, runs.commit, runs.dirty, runs.cpu
FROM rows JOIN runs USING (run)"""


def export(output: Path, suite: str | None, results: Path | None) -> int:
    """Write every row, with its run's provenance, in the format that the file's ending names."""
    if output.suffix == ".tfrecord":
        return _export_trajectories(output, suite, results or default_results())
    writers = {".csv": "write_csv", ".json": "write_json", ".parquet": "write_parquet"}
    if output.suffix not in writers:
        raise UsageError(
            f"cannot write {output.suffix or 'a file without an ending'}",
            hint="use .csv, .json or .parquet; .tfrecord for trajectories",
        )
    with open_index(results or default_results()) as index:
        where, values = (" WHERE rows.suite = ?", [suite]) if suite else ("", [])
        frame = index.sql(f"{_QUERY}{where} ORDER BY rows.run, rows.line", params=values).to_arrow_table()
    import polars

    table = polars.DataFrame(frame)
    if table.is_empty():
        which = f" of suite {suite!r}" if suite else ""
        raise UsageError(
            f"there are no rows{which} to export", hint=f"run `harness run --suite {suite or 'cbench'}` first"
        )
    try:
        with output.open("wb") as file:  # a library that is given a path may read it as a pattern
            getattr(table, writers[output.suffix])(file)
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", where=str(output)) from None
    note(f"{table.height} rows in {output}")
    return 0


def _export_trajectories(output: Path, suite: str | None, results: Path) -> int:
    """All logged trajectories, one record a module, policy and seed, as ml-compiler-opt's trainers read them."""
    import polars

    from harness.problems.inlining.trajectories.table import ENDING, read_trajectories
    from harness.problems.inlining.trajectories.tfrecord import INTEGERS, sequence_example, write_tfrecord

    begin = f"{suite}-" if suite else ""
    there = results.iterdir() if results.is_dir() else ()
    files = sorted(path for path in there if path.name.startswith(begin) and path.name.endswith(ENDING))
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
    note(f"{count} modules, {sum(cell.height for cell in known)} decisions in {output}")
    if left := len(cells) - len(known):
        note(f"{left} modules are left out: their reward is not known, since the reference was not in the run")
    return 0
