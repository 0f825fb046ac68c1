"""Shell completion: the names that there are. What goes wrong completes nothing."""

import typer

from harness.base.errors import HarnessError

__all__ = ["benchmarks", "forms", "generators", "policies", "problems", "suites"]


def suites(incomplete: str) -> list[str]:
    """Names of suites, one's own too; a path is left to the shell."""
    from harness.base.own import own_suites
    from harness.suite.known import RESERVED, known_suites

    try:
        there = dict.fromkeys([*RESERVED, *sorted(known_suites()), *own_suites()])
        return [name for name in there if name.startswith(incomplete)]
    except HarnessError:
        return []


def policies(incomplete: str) -> list[str]:
    """Names of baselines, submissions and policies of one's own, the last one of a list with commas."""
    from harness.base.own import own_policies
    from harness.base.paths import BASELINES, SUBMISSIONS

    head, comma, last = incomplete.rpartition(",")
    here = [file.parent.name for root in (BASELINES, SUBMISSIONS) for file in root.glob("*/submission.toml")]
    names = sorted({*here, *own_policies()})
    return [f"{head}{comma}{name}" for name in names if name.startswith(last)]


def benchmarks(context: typer.Context, incomplete: str) -> list[str]:
    """Names of the programs of the suite that the command line names."""
    from harness.suite.load import load_suite

    suite = context.params.get("suite")
    if not isinstance(suite, str):
        return []
    try:
        return [name for one in load_suite(suite).programs if (name := one.benchmark.name).startswith(incomplete)]
    except HarnessError:
        return []


def problems(incomplete: str) -> list[str]:
    """Problems that have submissions to start from."""
    from harness.policy.templates import all_templates

    return sorted({problem for problem, _ in all_templates() if problem.startswith(incomplete)})


def forms(context: typer.Context, incomplete: str) -> list[str]:
    """Forms of the problem that the command line names; of all, where it names none."""
    from harness.policy.templates import all_templates

    wanted = context.params.get("problem")
    pairs = [(problem, form) for problem, form in all_templates() if wanted in (None, problem)]
    return sorted({form for _, form in pairs if form.startswith(incomplete)})


def generators(incomplete: str) -> list[str]:
    """Names of generators of inputs."""
    from harness.suite.generators import names

    return [name for name in names() if name.startswith(incomplete)]
