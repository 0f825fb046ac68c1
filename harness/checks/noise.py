"""How often identical binaries are called different here, and how small a real difference is found.

Campaigns like those of ``harness run``, of one program: a reference, a byte-identical copy of it that takes part
as if it were a policy, and binaries that do one and three per cent more of the same work. The rule that judges them
is the one that judges policies.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from harness.base.digest import digest_bytes
from harness.base.errors import PrerequisiteError
from harness.base.progress import Observer
from harness.record.rows import Campaign
from harness.sandbox.bench import Bench
from harness.statistics import (
    SEQUENTIAL,
    Effect,
    Verdict,
    hodges_lehmann_interval,
    minimum_detectable_effect,
    paired_effect,
    verdict,
)
from harness.timing.campaign import Timed, run_campaign, summary
from harness.timing.contestants import TimedProgram, try_object
from harness.timing.schedule import Plan
from harness.timing.spin import READY, RIGHT, spin, spin_object

__all__ = ["IDENTICAL", "Found", "NoiseReport", "Resolution", "TriedCampaign", "noise", "spin_program"]

IDENTICAL = "identical"
_SLOWER = {"slower by 1 %": 1.01, "slower by 3 %": 1.03}
_ROUNDS = 100
_PAIRS = (10, 20, 30, 40)
_DRAWS = 200


@dataclass(frozen=True, slots=True)
class TriedCampaign:
    """One campaign's verdicts."""

    pairs: int
    seconds: float
    marks: tuple[str, ...]
    verdicts: dict[str, str]
    """Binary → what the rule says of it; ``unusable`` in a marked campaign."""
    effects: dict[str, tuple[float, float, float]]
    """Binary → ratio to the reference with its interval."""


@dataclass(frozen=True, slots=True)
class Found:
    """How often one binary was called something."""

    binary: str
    worse: int
    better: int
    neither: int
    unusable: int
    """Campaigns that were marked: they call nothing."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a number of pairs can tell apart."""

    pairs: int
    seconds: float
    """That they take here, of two programs like this one."""
    difference: float
    """The least that four of five campaigns find, as a share: 0.01 is one per cent."""


@dataclass(frozen=True)
class NoiseReport:
    """What was found."""

    campaigns: tuple[TriedCampaign, ...]
    found: tuple[Found, ...]
    resolutions: tuple[Resolution, ...]
    load: tuple[float, float]
    """Load average at the beginning and at the end."""
    program_seconds: float
    """CPU seconds of the reference."""
    spread: float
    """Standard deviation of a pair of identical binaries, as a share; robust (from the median deviation)."""

    def record(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return asdict(self)


def noise(campaigns: int, seconds: float, plan: Plan, bench: Bench, observer: Observer) -> NoiseReport:
    """Take so many campaigns with a program of so many seconds. Raises PrerequisiteError where nothing can be built."""
    import os

    begin = os.getloadavg()[0]
    with bench.store.scratch() as folder:
        program, digests = spin_program({IDENTICAL: 1.0, **_SLOWER}, seconds, folder, bench)
        took = try_object(program, program.reference, bench).cpu
        observer.stage("noise", campaigns)
        tried: list[TriedCampaign] = []
        controls: list[list[float]] = []
        for number in range(campaigns):
            timed = Timed([])
            facts = run_campaign([program], {program.name: took}, plan, bench, timed)
            done = summary(facts, timed.blocks, {program.name: program.reference})
            pairs = timed.pairs(program)
            tried.append(_judged(done, pairs, digests))
            controls.append(pairs[digests[IDENTICAL]])
            observer.advance(1, f"campaign {number + 1}")
    values = np.array([value for series in controls for value in series])
    spread = float(1.4826 * np.median(np.abs(values - np.median(values)))) if len(values) else math.nan
    return NoiseReport(
        tuple(tried),
        tuple(_count(name, tried) for name in (IDENTICAL, *_SLOWER)),
        tuple(_resolutions(values, took)),
        (begin, os.getloadavg()[0]),
        took,
        spread,
    )


def spin_program(
    binaries: Mapping[str, float], seconds: float, folder: Path, bench: Bench
) -> tuple[TimedProgram, dict[str, str]]:
    """A program of about so many CPU seconds, as ``reference`` and with these shares of its work.

    Returns it, and of each name the key of its object. Raises PrerequisiteError where it cannot be built.
    """
    work = _work_for(seconds, folder, bench)
    program = _program(folder, {"reference": 1.0, **binaries}, work, bench)
    return program, dict(zip(("reference", *binaries), program.objects, strict=True))


def _judged(done: Campaign, pairs: dict[str, list[float]], digests: Mapping[str, str]) -> TriedCampaign:
    effects: dict[str, Effect] = {}
    for name in (IDENTICAL, *_SLOWER):
        values = pairs.get(digests[name], [])
        effects[name] = (
            paired_effect(np.array(values), confidence=SEQUENTIAL) if values else Effect(0.0, -math.inf, math.inf, 0)
        )
    return TriedCampaign(
        pairs=min(effect.count for effect in effects.values()),
        seconds=done.seconds,
        marks=done.marks,
        verdicts={name: "unusable" if done.marks else verdict(effect).value for name, effect in effects.items()},
        effects={name: (e.ratio, e.ratio_low, e.ratio_high) for name, e in effects.items()},
    )


def _count(name: str, tried: Sequence[TriedCampaign]) -> Found:
    said = [one.verdicts[name] for one in tried]
    worse, better, unusable = (said.count(word) for word in (Verdict.WORSE, Verdict.BETTER, "unusable"))
    return Found(name, worse, better, len(said) - worse - better - unusable, unusable)


def _resolutions(values: np.ndarray, seconds: float) -> list[Resolution]:
    """From the pairs of identical binaries, drawn anew: the median of what so many of them could tell."""
    if len(values) < max(_PAIRS):
        return []
    random = np.random.default_rng(0)
    found = []
    for count in _PAIRS:
        drawn = [
            minimum_detectable_effect(
                hodges_lehmann_interval(random.choice(values, count, replace=False), SEQUENTIAL),
                confidence=SEQUENTIAL,
            )
            for _ in range(_DRAWS)
        ]
        found.append(Resolution(count, round(2 * count * seconds, 1), math.expm1(float(np.median(drawn)))))
    return found


def _work_for(seconds: float, folder: Path, bench: Bench) -> int:
    """Rounds of the program's loop that take about so long here."""
    program = _program(folder, {"calibration": 1.0}, _ROUNDS, bench)
    took = try_object(program, program.reference, bench)
    if took.problem:
        raise PrerequisiteError(f"the test program does not run: {took.problem}")
    return max(_ROUNDS, round(_ROUNDS * seconds / took.cpu))


def _program(folder: Path, binaries: dict[str, float], work: int, bench: Bench) -> TimedProgram:
    """The test program's objects, each with so much of the work."""
    objects: dict[str, Path] = {}
    for name, share in binaries.items():
        made = spin_object(folder / f"{name.replace(' ', '-')}.o", round(work * share), bench)
        # Equal objects are otherwise timed once: here the point is that they are not known to be equal.
        objects[digest_bytes(made.read_bytes() + made.stem.encode())] = made
    return TimedProgram(spin(), next(iter(objects)), objects, (READY,), {"spin": RIGHT})
