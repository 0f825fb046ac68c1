"""The program that a recorded row is about, as it is now."""

from harness.base.errors import UsageError
from harness.base.own import own_suite
from harness.freeze.freeze import program_digest
from harness.record import RunFile
from harness.suite.load import Program, choose, load_suite, suite_names

__all__ = ["program_of"]


def program_of(run: RunFile, benchmark: str, suite_path: str | None = None) -> Program:
    """The program as it is now; ``suite_path`` says where the suite is that does not come with the harness, and that
    nobody has named by its path here.

    Raises UsageError when the suite is not to be found or the program not what the run measured.
    """
    name = run.header.suite
    if suite_path is None and name not in suite_names() and own_suite(name) is None:
        raise UsageError(
            f"suite {name!r} does not come with the harness", where=run.path.name, hint="give its path with --suite"
        )
    suite = load_suite(suite_path or name)
    if suite.name != name:
        raise UsageError(f"this is suite {suite.name!r}; the run is of {name!r}", where=str(suite.file))
    program = choose(suite, [benchmark])[0]
    if program_digest(program) != run.header.benchmarks[benchmark].program_digest:
        raise UsageError(
            f"{program.id} has changed since this run (suite version {run.header.suite_version} then, "
            f"{suite.definition.version} now)",
            where=run.path.name,
            hint=f"check out the commit of the run: {run.header.commit or 'not recorded'}",
        )
    return program
