"""Hostile submissions, each sent as an honest one would be: ``harness validate`` finds what it must, and nothing more.

A folder of ``submissions/`` holds what is hostile of one: it is laid over what ``harness new`` writes for that problem
and form, for x86-64 alone, and ``attack.toml`` says what it tries and what must come of it. In its files ``@SECRET@``,
``@RESULTS@``, ``@CACHE@`` and ``@ROOT@`` stand for places of the host that it wants.
"""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.policy.templates import Template, all_templates
from tests.attacks.host import Secrets, await_that, children
from tests.attacks.make import MAKERS
from tests.drive import ROOT, User

CORPUS = Path(__file__).with_name("submissions")
SLOWER = 4.0
"""How many times longer than on an idle machine it may take."""
FEWEST = 45
FIELDS = {"tries", "problem", "form", "question", "make", "named", "must"}
MUST = {"codes", "outcome", "says", "seconds", "daily"}
FINE = [("sharding", "python"), pytest.param("inlining", "cpp", marks=pytest.mark.slow)]
_SUBREAPER = 36


@dataclass(frozen=True)
class Attack:
    """One of the corpus."""

    folder: Path
    fields: dict[str, Any]

    @property
    def must(self) -> dict[str, Any]:
        """What must come of it."""
        found: dict[str, Any] = self.fields["must"]
        return found

    @property
    def outcomes(self) -> set[str]:
        """That a failed cell may have."""
        said = self.must.get("outcome", [])
        return {said} if isinstance(said, str) else set(said)


@cache
def corpus() -> list[Attack]:
    """All of them, by name."""
    files = sorted(CORPUS.glob("*/attack.toml"))
    return [Attack(file.parent, tomllib.loads(file.read_text())) for file in files]


def each() -> Iterator[Any]:
    """As parameters: those that are not for every day are slow."""
    for attack in corpus():
        marks = () if attack.must.get("daily") else (pytest.mark.slow,)
        yield pytest.param(attack, id=attack.folder.name, marks=marks)


@pytest.fixture(scope="module")
def sender(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Someone who sends all of them."""
    return User.at(tmp_path_factory.mktemp("sender"))


@pytest.fixture(scope="module", autouse=True)
def heir() -> Iterator[None]:
    """Processes whose parents have gone become this one's, so that none is overlooked."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(_SUBREAPER, 1, 0, 0, 0) == 0
    yield
    libc.prctl(_SUBREAPER, 0, 0, 0, 0)


def copied(template: Template, folder: Path, question: str = "") -> None:
    """What ``harness new`` writes, for x86-64 alone."""
    asked = template.folder.with_name(f"{template.form}-{question}")
    shutil.copytree(asked if question and asked.is_dir() else template.folder, folder)
    manifest = folder / "submission.toml"
    text = re.sub(r"^targets = .*$", 'targets = ["x86-64"]', manifest.read_text(), flags=re.MULTILINE)
    text = text.replace("NAME", folder.name)
    if question and "question = " not in text:
        text = text.replace("\nclass = ", f'\nquestion = "{question}"\nclass = ')
    manifest.write_text(text)


def sent(attack: Attack, folder: Path, secrets: Secrets, user: User) -> Path:
    """The whole submission."""
    fields = attack.fields
    submission = folder / fields.get("named", attack.folder.name)
    copied(all_templates()[fields["problem"], fields["form"]], submission, fields.get("question", ""))
    secret, stolen, results = secrets.files
    places = {"@SECRET@": secret, "@RESULTS@": results, "@CACHE@": stolen, "@ROOT@": ROOT, "@NAME@": submission.name}
    for file in attack.folder.iterdir():
        if file.name != "attack.toml":
            content = file.read_bytes()
            for word, place in places.items():
                content = content.replace(word.encode(), str(place).encode())
            (submission / file.name).write_bytes(content)
    if "make" in fields:
        MAKERS[fields["make"]](submission, user)
    return submission


def validated(user: User, submission: Path, folder: Path, seconds: float) -> tuple[int, dict[str, Any], str]:
    """Exit code, report and all that was written. Nothing is left behind of it, neither processes nor folders."""
    temporary = folder / "temporary"
    temporary.mkdir()
    before = set(children(os.getpid()))
    started = time.monotonic()
    process = user.start("validate", submission, "--json", TMPDIR=str(temporary))
    try:
        out, err = process.communicate(timeout=SLOWER * seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        pytest.fail(f"no end after {time.monotonic() - started:.0f} s\n{out}\n{err}")
    assert await_that(lambda: set(children(os.getpid())) <= before), "a process is left behind"
    assert [path.name for path in temporary.iterdir() if path.name.startswith("harness-")] == []
    assert "Traceback" not in out + err, out + err
    try:
        return process.returncode, json.loads(out), out + err
    except ValueError:
        pytest.fail(f"no report: exit code {process.returncode}\n{out}\n{err}")


@pytest.mark.parametrize("attack", list(each()))
def test_the_attack_gains_nothing(attack: Attack, sender: User, secrets: Secrets, tmp_path: Path) -> None:
    user = User(sender.cache, tmp_path / "results")
    submission = sent(attack, tmp_path, secrets, user)
    code, report, written = validated(user, submission, tmp_path, attack.must["seconds"])
    findings, must = report["findings"], attack.must
    shown = json.dumps(findings, indent=1)
    errors = {finding["code"] for finding in findings if finding["severity"] == "error"}
    failed = {row["outcome"] for row in report["rows"]} - {"ok", "unsupported"}
    assert errors == set(must["codes"]), shown
    assert code == bool(errors) and report["valid"] == (not errors)
    assert failed <= attack.outcomes, shown
    assert bool(failed) == ("V201" in errors), shown
    assert report["runs"] == 1 or "V203" not in errors, "what fails at once is asked no more"
    said = [f"{finding['where']}: {finding['what']}" for finding in findings]
    assert any(must.get("says", "") in line for line in [*said, ""]), shown
    assert max(map(len, said), default=0) < 2000, "a finding is a line or two"
    assert all(character.isprintable() or character == "\n" for character in written), shown
    assert secrets.word not in written


@pytest.mark.parametrize(("problem", "form"), FINE)
def test_the_next_submission_is_unaffected(problem: str, form: str, sender: User, tmp_path: Path) -> None:
    """Sent by the same user after the attacks, of whom cache and builds are."""
    submission = tmp_path / "the-next"
    copied(all_templates()[problem, form], submission)
    code, report, _ = validated(User(sender.cache, tmp_path / "results"), submission, tmp_path, 120)
    assert code == 0 and report["valid"] and {one["code"] for one in report["findings"]} <= {"V109", "V304"}


def faults_of(attack: Attack) -> Iterator[str]:
    """What its ``attack.toml`` does not say, or should not."""
    fields, must = attack.fields, attack.must
    if not {"tries", "problem", "form", "must"} <= fields.keys() <= FIELDS:
        yield "its fields"
    if not {"codes", "seconds", "daily"} <= must.keys() <= MUST:
        yield "the fields of must"
    if not (fields["tries"].endswith(".") and len(fields["tries"]) > 20):
        yield "no sentence"
    if fields.get("make", next(iter(MAKERS))) not in MAKERS:
        yield "no such maker"
    if bool(attack.outcomes) != ("V201" in must["codes"]):
        yield "outcomes without V201, or V201 without one"
    if len(list(attack.folder.iterdir())) == 1 and "make" not in fields:
        yield "nothing hostile"


def test_every_attack_says_what_it_tries_and_what_must_come_of_it() -> None:
    assert {attack.folder.name: found for attack in corpus() if (found := list(faults_of(attack)))} == {}


def test_there_are_attacks_in_every_form() -> None:
    assert len(corpus()) >= FEWEST
    assert {(attack.fields["problem"], attack.fields["form"]) for attack in corpus()} == all_templates().keys()
    daily = [attack for attack in corpus() if attack.must["daily"]]
    assert 8 <= len(daily) <= 15
    assert {attack.fields.get("make") for attack in corpus()} - {None} == MAKERS.keys(), "each is used"
