"""Suites of programs: ``harness.problems.protocol.Benchmarks``."""

from dataclasses import asdict

from harness.base.answers import Answer, Column, Table
from harness.base.engine import Engine
from harness.base.progress import Observer
from harness.base.vocabulary import Track
from harness.problems.programs.request import Request
from harness.problems.protocol import Asked, Replaying
from harness.record import Row
from harness.sandbox.bench import Bench
from harness.suite.load import suite_names

__all__ = ["Programs"]

_COLUMNS = (
    Column("benchmark", "benchmark"),
    Column("target", "target"),
    Column("policy", "policy"),
    Column("outcome", "outcome"),
    Column("recorded", "recorded", lambda digest: str(digest)[:12]),
    Column("rebuilt", "rebuilt", lambda digest: str(digest)[:12]),
    Column("detail", "detail"),
)


class Programs:
    """See ``harness.problems.protocol.Benchmarks``."""

    called = "programs"
    tracks = frozenset({Track.SIZE, Track.SPEED})

    def names(self) -> list[str]:
        """The suites that come with the harness."""
        return suite_names()

    def owns(self, suite: str) -> bool:
        """Whether a suite of programs is called so."""
        return suite in suite_names()

    def request(self, asked: Asked) -> Request:
        """Raises UsageError for the first word that means nothing."""
        from harness.freeze.perturb import COPIES
        from harness.problems.programs.options import OPTIONS
        from harness.problems.programs.request import make_request
        from harness.suite.hidden import read_secret
        from harness.timing.request import USUAL_TIMING, TimingRequest

        given = asked.options
        own = {option.name for option in OPTIONS["run"]}
        timing = given.get("timing") or TimingRequest(
            given.get("budget", USUAL_TIMING.budget),
            given.get("precision", USUAL_TIMING.precision),
            given.get("again", USUAL_TIMING.again),
        )
        return make_request(
            asked.suite,
            asked.benchmarks,
            asked.policies,
            given.get("target", ()),
            given.get("track", Track.SIZE.value),
            given.get("metric", ()),
            COPIES if given.get("perturb") else 0,
            read_secret(given["seed_file"]) if given.get("seed_file") is not None else None,
            timing,
            fresh=not given.get("no_fresh", False),
            extras={name: value for name, value in given.items() if name not in own},
        )

    def replay(self, asked: Replaying, bench: Bench, engine: Engine, observer: Observer) -> Answer:
        """Objects and deterministic values, rebuilt from the decisions alone."""
        from harness.problems.programs.rebuild import replay_run

        # Decisions stand beside the run, wherever it was found.
        results = asked.run.path.parent
        answers = replay_run(asked.run, bench, engine, results, observer, asked.benchmarks, asked.policies, asked.suite)
        different = [answer for answer in answers if answer.outcome != "ok"]
        values = sum(answer.values for answer in answers)
        notes = [
            f"{len(answers) - len(different)} of {len(answers)} objects rebuilt from their decisions are equal",
            f"{values - sum(len(answer.differing) for answer in answers)} of {values} values measured again are equal",
        ]
        if skipped := sorted({name for answer in answers for name in answer.skipped}):
            why = "the suite's version, C library, linker or emulator is another than in the run"
            notes.append(f"not compared, since {why}: {', '.join(skipped)}")
        table = Table([asdict(one) for one in answers], _COLUMNS, differing=[asdict(one) for one in different])
        return Answer(table, tuple(notes), failed=bool(different))

    def script(self, asked: Replaying, row: Row, _bench: Bench) -> str:
        """Bare tool commands that give the row's object."""
        from harness.problems.programs.script import repro_script

        return repro_script(asked.run, row, asked.run.path.parent, asked.suite)
