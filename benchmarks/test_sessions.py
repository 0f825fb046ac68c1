"""What a session costs beside the barest loop over LLVM's C interface, and what it saves beside a shell loop over opt.

``make bench`` runs it.
"""

import random
import shutil
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from benchmarks.bare import Bare, BareLost, digest_of_text
from harness.base.vocabulary import Level, Target
from harness.environments.benchmarks import modules_of
from harness.freeze import facts_of
from harness.problems.passes.actions import AUTOPHASE_42
from harness.problems.passes.session import Session, SessionLost
from harness.sandbox.bench import Bench, open_bench

LENGTH = 45
"""Actions of a list."""
BATCHES_TO_BARE = 0.8
"""Of the bare loop's steps in a second, a session has at least this share when it is given whole lists."""
SINGLE_TO_BARE = 0.5
"""The same when it is given one action after the other, and both count after each."""
PAIRS = {"polybench/jacobi-1d": 200, "cbench/bzip2": 24}
"""Program → lists that both run in turn. 374 instructions and 27,503."""
LOST = 0.05
"""At most this share of lists may end a process of either side; they are left out."""
SAME_WORK = 0.01
"""Final counts of both sides, summed up, are as close as that. The bare loop forgets after each pass what analyses
know, which neither a session nor opt does, and from which passes may go on otherwise."""

FASTER_THAN_SHELL = 3.0
SHELL_PROGRAMS = ("polybench/jacobi-1d", "polybench/gemm", "polybench/nussinov", "cbench/crc32", "cbench/sha")
"""374 to 1,810 instructions. What a session saves is processes and files: of larger programs, whose passes take longer,
it saves less."""
SEQUENCES = 1000
"""Lists for each program."""
SAMPLED = 20
"""So many of them, evenly spread, the shell loop runs; its time is scaled."""
TURNS = 10
"""Both sides run a tenth of their lists in turn."""
_SHELL = """
while read -r passes; do
  "$OPT" -relocation-model=pic -passes="$passes" module.bc -o out.bc &&
    "$OPT" -passes='print<func-properties>' -disable-output out.bc 2>&1 |
    awk '/^TotalInstructionCount/ { sum += $2 } END { print sum + 0 }' || echo lost
done
"""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench()


@dataclass(frozen=True)
class Subject:
    """A frozen program, and what each action runs on it."""

    bitcode: Path
    pipelines: tuple[str, ...]
    bench: Bench

    def opened(self) -> Session:
        return Session(self.bitcode, self.pipelines, self.bench)

    def passes(self, actions: Sequence[int]) -> list[str]:
        return [self.pipelines[action] for action in actions if self.pipelines[action]]


def subject(name: str, bench: Bench) -> Subject:
    (frozen,) = modules_of([name], Target.X86_64, Level.OZ, bench).values()
    return Subject(frozen.bitcode, AUTOPHASE_42.pipelines(facts_of(frozen.bitcode, bench)), bench)


def lists(count: int, seed: str) -> list[list[int]]:
    chance = random.Random(seed)
    return [[chance.randrange(len(AUTOPHASE_42.actions)) for _ in range(LENGTH)] for _ in range(count)]


class Pairs:
    """A session and a bare loop, which run the same list in turn; who begins, changes."""

    def __init__(self, of: Subject, each: bool) -> None:
        self._of, self._each = of, each
        self._session = of.opened()
        self._bare = Bare(of.bench.toolchain.library, of.bitcode)
        self.seconds: list[tuple[float, float]] = []
        """Of the session and of the bare loop."""
        self.counts: list[tuple[int, int]] = []
        self.lost = self.same = 0
        """Lists that ended a process; lists after which both have the same module."""

    def close(self) -> None:
        self._session.close()
        self._bare.close()

    def play(self, actions: Sequence[int]) -> None:
        turn = len(self.seconds) % 2
        try:
            first = self._bare.play(self._of.passes(actions), each=self._each) if turn else None
            seconds, count, digest = self._by_session(actions)
            bare = first or self._bare.play(self._of.passes(actions), each=self._each)
        except (SessionLost, BareLost):
            self.lost += 1
            self._session.close()
            self._session = self._of.opened()
            return
        self.seconds.append((seconds, bare.seconds))
        self.counts.append((count, bare.counts[-1]))
        self.same += digest == bare.digest

    def _by_session(self, actions: Sequence[int]) -> tuple[float, int, str]:
        """From reading the module to forgetting it, less what is looked at for the comparison."""
        began = time.perf_counter()
        line = self._session.line()
        count = [line.apply(action) for action in actions][-1] if self._each else line.apply(*actions)
        ran = time.perf_counter() - began
        digest = digest_of_text(line.text().encode())
        began = time.perf_counter()
        line.drop()
        return ran + time.perf_counter() - began, count, digest


@pytest.mark.parametrize("each", [False, True], ids=["batches", "single steps"])
@pytest.mark.parametrize("name", PAIRS)
def test_beside_the_bare_loop(name: str, each: bool, benchmark: Any, bench: Bench) -> None:
    """Random lists, in whole and counted at the end, or action by action and counted after each."""
    pairs = Pairs(subject(name, bench), each)
    given = iter(lists(PAIRS[name] + 1, f"bare {name}"))
    try:
        benchmark.pedantic(lambda: pairs.play(next(given)), rounds=PAIRS[name], warmup_rounds=1)
    finally:
        pairs.close()
    share = statistics.median(bare / session for session, bare in pairs.seconds)
    mine, bares = (LENGTH / statistics.median(side) for side in zip(*pairs.seconds, strict=True))
    benchmark.extra_info["share of the bare loop's steps"] = round(share, 3)
    print(
        f"\n{name}: {mine:,.0f} steps in a second, the bare loop {bares:,.0f}: {share:.0%} of them, by pairs; the same "
        f"module after {pairs.same} of {len(pairs.seconds)} lists; {pairs.lost} lists lost"
    )
    assert pairs.lost <= LOST * PAIRS[name]
    ends = [sum(side) for side in zip(*pairs.counts, strict=True)]
    assert abs(ends[0] / ends[1] - 1) <= SAME_WORK
    assert share >= (SINGLE_TO_BARE if each else BATCHES_TO_BARE)


def by_shell(of: Subject, some: Sequence[Sequence[int]], folder: Path) -> tuple[float, list[int | None]]:
    """Seconds, and the counts; None where opt fails."""
    shutil.copy(of.bitcode, folder / "module.bc")
    given = "".join(",".join(of.passes(actions)) + "\n" for actions in some)
    environment = {"OPT": of.bench.toolchain.tool("opt"), "PATH": "/usr/bin:/bin"}
    began = time.perf_counter()
    done = subprocess.run(
        ["sh", "-c", _SHELL], cwd=folder, env=environment, input=given, capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - began
    return seconds, [None if word == "lost" else int(word) for word in done.stdout.split()]


def by_session(of: Subject, some: Sequence[Sequence[int]]) -> tuple[float, list[int | None]]:
    """The same, with a new session after one that is lost."""
    counts: list[int | None] = []
    began = time.perf_counter()
    session = of.opened()
    for actions in some:
        try:
            line = session.line()
            counts.append(line.apply(*actions))
            line.drop()
        except SessionLost:
            counts.append(None)
            session.close()
            session = of.opened()
    session.close()
    return time.perf_counter() - began, counts


def test_beside_a_shell_loop(benchmark: Any, bench: Bench, tmp_path: Path) -> None:
    """1,000 lists on each of five programs in sessions; opt and a count of each by a shell, on 20 of the 1,000.

    What the shell takes for all is estimated from these 20, and numbers are compared on them. The session starts
    anew with each turn.
    """
    seconds = {name: [0.0, 0.0] for name in SHELL_PROGRAMS}
    every = SEQUENCES // SAMPLED

    def one(name: str) -> None:
        of, whole = subject(name, bench), lists(SEQUENCES, f"shell {name}")
        for turn in range(TURNS):
            mine = whole[turn::TURNS]
            spent, counts = by_session(of, mine)
            waited, slow = by_shell(of, mine[::every], tmp_path)
            assert counts[::every] == slow
            seconds[name][0] += spent
            seconds[name][1] += waited * every

    benchmark.pedantic(lambda: [one(name) for name in SHELL_PROGRAMS], rounds=1)
    for name, (session, shell) in seconds.items():
        print(f"\n{name}: {session:.1f} s in sessions, {shell:.0f} s by a shell: {shell / session:.1f} times", end="")
    mine, shells = map(sum, zip(*seconds.values(), strict=True))
    benchmark.extra_info["times as fast as a shell loop"] = round(shells / mine, 2)
    print(f"\nall five: {mine:.0f} s, {shells:.0f} s: {shells / mine:.1f} times as fast as the shell loop")
    assert shells / mine >= FASTER_THAN_SHELL
