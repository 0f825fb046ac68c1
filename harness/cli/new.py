"""``harness new``."""

from pathlib import Path

from harness.base.paths import at_home
from harness.cli.output import note, say
from harness.policy.load import MANIFEST
from harness.policy.templates import choose_template

__all__ = ["new"]


def new(folder: Path, problem: str | None, form: str | None, question: str | None = None) -> int:
    """Write a submission to start from, and say how to try it."""
    policy, trial = choose_template(problem, form, question).write(at_home(folder).absolute())
    files = ", ".join((MANIFEST, *sorted(file.name for file in policy.folder.iterdir() if file.name != MANIFEST)))
    note(f'{folder}/: {files}. Fields marked "yours" in {MANIFEST} wait for your words')
    say(trial.replace(f"./{policy.name}", _spelt(folder)))
    return 0


def _spelt(folder: Path) -> str:
    """As a policy of one's own is named: a path with a slash."""
    return str(folder) if "/" in str(folder) else f"./{folder}"
