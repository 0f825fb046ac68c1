"""The recorded runs, what made each, and the commands that rebuild its objects."""

import shlex
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from harness.base.errors import UsageError
from harness.base.formats import ABSENT, day, exactly, short
from harness.base.paths import default_results, usual_results
from harness.base.text import printable
from harness.page import address, site
from harness.page.sql import show_sql
from harness.page.table import show_table
from harness.page.text import show_text
from harness.problems.registry import benchmarks_of_track
from harness.rank.runs import RecordedCell, RecordedRun, recorded_cells, runs, runs_sql
from harness.record import read_run, run_files

__all__ = ["render"]

_DIGITS = 12


def render() -> None:
    """Show the page."""
    st.header("Runs", anchor=False)
    st.markdown("One line an invocation of `harness run`. A finished run never changes; its name is its identity.")
    with site.opened_index() as index:
        table = runs(index)
        if not table:
            raise UsageError("there are no results yet", hint="run `harness run --suite cbench` first")
        _table(table)
        _ignored()
        st.subheader("One run", anchor=False)
        name = address.choose(st.container(width=480), "Run", "run", [run.run for run in table])
        cells = recorded_cells(index, name)
    chosen = next(run for run in table if run.run == name)
    _provenance(chosen)
    _commands(chosen, cells)
    show_sql(runs_sql())


def _table(table: Sequence[RecordedRun]) -> None:
    frame = pd.DataFrame(
        {
            "run": [_shortened(run.run) for run in table],
            "started": [day(run.started) for run in table],
            "backing": [run.backing for run in table],
            "suite": [f"{run.suite} {run.suite_version}" for run in table],
            "track": [run.track for run in table],
            "cells": [run.cells for run in table],
            "failed": [run.failed for run in table],
            "llvm": [run.llvm_version for run in table],
            "commit": [_commit(run) for run in table],
            "cpu": [run.cpu for run in table],
        }
    )
    config = st.column_config
    show_table(
        frame,
        "runs",
        {
            "run": config.TextColumn("run", width=310, help=f"The digest's first {_DIGITS} digits; all are below."),
            "started": config.TextColumn("started (UTC)", width=125),
            "suite": config.TextColumn("suite", width=90),
            "track": config.TextColumn("track", width=70),
            "cells": config.NumberColumn("cells", format="%,d", width=55),
            "failed": config.NumberColumn("failed", format="%,d", width=60, help="Outcome other than ok."),
            "llvm": config.TextColumn("LLVM", width=60),
            "commit": config.TextColumn("commit", width=135, help="Of the harness; dirty: with changes beyond it."),
            "cpu": config.TextColumn("CPU", width=80),
        },
    )


def _shortened(name: str) -> str:
    """The name with the beginning of its digest: whole, it is wider than a column."""
    front, _, digest = name.rpartition("-")
    return f"{front}-{digest[:_DIGITS]}"


def _commit(run: RecordedRun) -> str:
    return f"{short(run.commit)}{' dirty' if run.dirty else ''}"


def _ignored() -> None:
    """Files that lie among the run files and are none: a leftover, or a name that was changed."""
    foreign = run_files(default_results())[1]
    if foreign:
        names = ", ".join(exactly(path.name) for path in foreign[:5])
        more = f" and {len(foreign) - 5} more" if len(foreign) > 5 else ""
        st.warning(f"Ignored, not a run file: {names}{more}")


def _provenance(run: RecordedRun) -> None:
    """Everything that the run's header says of how it was made."""
    file = next(path for path in run_files(default_results())[0] if path.stem == run.run)
    header = read_run(file).header
    facts = {
        "command": printable(f"harness {shlex.join(header.command)}", lines=False),
        "started, finished (UTC)": f"{day(header.started)}, {day(header.finished)}",
        "suite": f"{header.suite}, version {header.suite_version}; {run.benchmarks} benchmarks, "
        f"{run.policies} {'policy' if run.policies == 1 else 'policies'}",
        "harness": f"{header.harness_version}, commit {header.commit or ABSENT}"
        + (" with uncommitted changes" if header.dirty else ""),
        "other packages": ", ".join(header.packages) or ABSENT,
        "compiler": f"LLVM {header.llvm_version}, fingerprint {header.llvm}",
        "runtime": "; ".join(f"{target} {short(digest)}" for target, digest in sorted(header.runtime.items())),
        "host": f"{header.host.cpu}, {header.host.cores} cores, Linux {header.host.kernel}, "
        f"governor {header.host.governor or 'unknown'}, load {header.host.load:g} at the start",
        "isolation": header.host.sandbox,
        "limits": f"{header.jobs} workers, {header.compile_timeout:g} s for each compile step",
        **benchmarks_of_track(run.track)[1].pages.conditions(header),
        "cells": f"{run.cells:,}, of which {run.failed:,} failed",
    }
    show_text(("run", run.run), list(facts.items()))


def _commands(chosen: RecordedRun, cells: Sequence[RecordedCell]) -> None:
    run = chosen.run
    pages = benchmarks_of_track(chosen.track)[1].pages
    st.markdown(f"**Rebuild it**: {pages.replay}, compared with what was measured.")
    st.code(f"harness replay {shlex.quote(run)}{_where()}", language="bash", wrap_lines=True)
    st.markdown(f"**Without the harness**: a script of {pages.script}.")
    if not cells:
        return
    rows = [f"{cell.benchmark}/{cell.target}/{cell.policy}" for cell in cells]
    outcomes = dict(zip(rows, (cell.outcome for cell in cells), strict=True))
    cell = address.choose(
        st.container(width=480),
        "Cell",
        "cell",
        rows,
        show=lambda row: row if outcomes[row] == "ok" else f"{row} ({outcomes[row]})",
        explain="BENCHMARK/TARGET/POLICY; those that failed come first.",
    )
    st.code(f"harness repro {shlex.quote(f'{run}/{cell}')}{_where()}", language="bash", wrap_lines=True)


def _where() -> str:
    """The option that names the results folder, where it is not the usual one."""
    folder = default_results()
    return "" if folder == usual_results() else f" --results {shlex.quote(str(folder))}"
