"""Submissions to start from: a problem brings one for a form in the folder ``new/FORM`` beside its ``problem.py``, and
in ``new/FORM-QUESTION`` one that answers another of its questions than the first.

The folder holds a ``submission.toml`` in which ``NAME`` stands for the policy's name, and every file that it names.
What it holds loads and runs as it is.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.errors import UsageError
from harness.policy.load import MANIFEST, load_policy
from harness.policy.names import require_free_name
from harness.policy.policy import Policy
from harness.policy.problems import AskingProblem, problem_of

__all__ = ["Template", "all_templates", "choose_template", "template_words"]

_FOLDER = "new"
_NAME = "NAME"
_TRY = "# Try it: "


@dataclass(frozen=True, slots=True)
class Template:
    """What one problem brings for one form."""

    problem: str
    form: str
    folder: Path

    def write(self, folder: Path) -> tuple[Policy, str]:
        """A submission in the new folder, which gives it its name: the policy, and the commands that try it.

        Raises UsageError for a name that no submission may have, and where anything is there already.
        """
        require_free_name(folder.name, str(folder), outside=True)
        files = sorted(file for file in self.folder.iterdir() if file.is_file())
        manifest = _named((self.folder / MANIFEST).read_text(), folder.name)
        try:
            folder.mkdir()
            for file in files:
                content = manifest.encode() if file.name == MANIFEST else file.read_bytes()
                (folder / file.name).write_bytes(content)
        except FileExistsError:
            raise UsageError("this is there already, and nothing was written", where=str(folder)) from None
        except OSError as error:
            raise UsageError(f"cannot be written: {error.strerror or error}", where=str(folder)) from None
        trials = [line.removeprefix(_TRY) for line in manifest.splitlines() if line.startswith(_TRY)]
        return load_policy(str(folder)), "\n".join(trials) or f"harness run --policy ./{folder.name}"

    def asked(self, question: str) -> "Template":
        """The one that answers this question. Raises UsageError, with what there is, where there is none."""
        problem = problem_of(self.problem)
        known = problem.questions if isinstance(problem, AskingProblem) else ()
        if question in known[:1]:
            return self
        folders = {one: self.folder.with_name(f"{self.form}-{one}") for one in known[1:]}
        there = [*known[:1], *(one for one, folder in folders.items() if (folder / MANIFEST).is_file())]
        if question not in there:
            message = (
                f"--question: there is no submission to start from for question {question!r} in form {self.form!r}"
            )
            hint = f"there are: {', '.join(there)}" if there else f"problem {self.problem!r} asks one question only"
            raise UsageError(message, hint=hint)
        return Template(self.problem, self.form, folders[question])


def _named(manifest: str, name: str) -> str:
    """The manifest with the policy's name; the comment behind it stays in its column, if there is room."""
    behind = re.compile(rf'^(name = "{_NAME}")( +)(?=#)', re.MULTILINE)
    longer = len(name) - len(_NAME)
    placed = behind.sub(lambda found: found[1] + " " * max(len(found[2]) - longer, 2), manifest)
    return placed.replace(_NAME, name)


def all_templates() -> Mapping[tuple[str, str], Template]:
    """Problem and form → template, for those that have one."""
    found: dict[tuple[str, str], Template] = {}
    for module in in_every_folder(PROBLEMS, "problem"):
        problem = module.__name__.split(".")[-2]
        root = Path(str(module.__file__)).with_name(_FOLDER)
        for form in sorted(getattr(getattr(module, "POLICIES", None), "forms", ())):
            if (root / form / MANIFEST).is_file():
                found[problem, form] = Template(problem, form, root / form)
    return found


def template_words() -> frozenset[str]:
    """Authors and descriptions of all templates: words that wait for one's own."""
    folders = {template.folder.parent for template in all_templates().values()}
    manifests = [tomllib.loads(file.read_text()) for folder in folders for file in folder.glob(f"*/{MANIFEST}")]
    return frozenset(words for one in manifests for words in (*one["authors"], one["description"]))


def choose_template(problem: str | None, form: str | None, question: str | None = None) -> Template:
    """The template of a problem, a form and a question; a form need not be named where the problem has one alone, and a
    question where the first is meant.

    Raises UsageError, with what there is, for words that name none.
    """
    every = all_templates()
    by_problem: dict[str, list[str]] = {}
    for one, its in every:
        by_problem.setdefault(one, []).append(its)
    there = "; ".join(f"--problem {one} --form {'|'.join(forms)}" for one, forms in by_problem.items())
    if problem is None:
        raise UsageError("which problem does the policy decide?", hint=f"there are: {there}")
    if problem not in by_problem:
        close = difflib.get_close_matches(problem, by_problem, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are: {there}"
        raise UsageError(f"--problem: there is no submission to start from for {problem!r}", hint=hint)
    forms = by_problem[problem]
    if form is None and len(forms) > 1:
        raise UsageError("in which form is the policy written?", hint=f"--form {'|'.join(forms)}")
    chosen = form or forms[0]
    if chosen not in forms:
        message = f"--form: there is no submission to start from for problem {problem!r} in form {chosen!r}"
        raise UsageError(message, hint=f"there are: {', '.join(forms)}")
    template = every[problem, chosen]
    return template if question is None else template.asked(question)
