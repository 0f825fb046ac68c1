"""Measure again all that the committed results consist of, each part on a clean commit; what is there is left alone.

usage: .venv/bin/python scripts/measure.py [--list] [--replace] [PART ...]

Parts are those of scripts/measure.toml; `times`, which is none's name, means all whose names begin so. Interrupted, the
same command goes on in the cell where it stopped. --list only says what is there. --replace removes runs of a part that
has a newer one, unless its times are pooled; when all parts of a suite's track are there, all other runs of that track,
too; and decisions that no run names any more.
"""

import json
import re
import resource
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.base.paths import ROOT
from harness.base.text import duration
from harness.record.names import SUMS, RunName
from harness.record.rows import Header

RESULTS = ROOT / "results"
SPENT = ROOT / "build" / "measure.jsonl"
"""One line an attempt: what it took."""
DECISIONS = re.compile(rb'"decisions_digest":"([0-9a-f]{64})"')
SOUND = (0, 1)
"""How a run ends that recorded all of its cells: 1 with failed ones among them."""


@dataclass(frozen=True)
class Part:
    """One run of the list."""

    name: str
    words: tuple[str, ...]
    alone: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        """As headers of run files have it."""
        return ("run", *self.words)

    @property
    def place(self) -> tuple[str, str]:
        """Suite and track."""
        said = dict(zip(self.words, self.words[1:], strict=False))
        return said["--suite"], said.get("--track", "sharding" if said["--suite"] == "iopddl" else "size")


def main() -> None:
    """Measure what is missing, then print what there is."""
    flags = {word for word in sys.argv[1:] if word.startswith("--")}
    names = [word for word in sys.argv[1:] if word not in flags]
    listed = tomllib.loads((ROOT / "scripts" / "measure.toml").read_text())
    parts = [Part(one["name"], tuple(one["words"]), one.get("alone", False)) for one in listed["run"]]
    whole = {part.name for part in parts}
    chosen = [
        part
        for part in parts
        if not names or any(part.name == name or (name not in whole and part.name.startswith(name)) for name in names)
    ]
    if flags - {"--list", "--replace"} or not chosen:
        sys.exit(__doc__)
    code = 0
    if not flags:
        require_clean()
        for part in chosen:
            if not done(part, listed["inputs"]) and measure(part) not in SOUND:
                code = 1
                break
    if "--replace" in flags:
        replace(parts)
    show(chosen, listed["inputs"])
    sys.exit(code)


def require_clean() -> None:
    """Recorded results come from a clean commit."""
    changed = git("status", "--porcelain", "--", ".", ":!results")
    if changed:
        sys.exit(f"error: the checkout differs from its commit; commit or stash this first:\n{changed}")


def headers() -> dict[Path, Header]:
    """Of every run file."""
    found = {}
    for path in sorted(RESULTS.glob("*.jsonl")):
        if RunName.parse(path.name):
            with path.open() as file:
                found[path] = Header.model_validate(json.loads(file.readline())["header"])
    return found


def newest(part: Part) -> tuple[Path, Header] | None:
    """The newest run of this part from a clean commit."""
    found = [(path, one) for path, one in headers().items() if one.command == part.command and not one.dirty]
    return max(found, key=lambda one: one[0].name, default=None)


def current(part: Part, inputs: list[str]) -> Path | None:
    """The same, if nothing that it depends on has changed since."""
    found = newest(part)
    return found[0] if found and is_current(found[1].commit, inputs) else None


def done(part: Part, inputs: list[str]) -> bool:
    """Whether it needs no measuring: a run is there, or one found that each of its rows was recorded before."""
    tried = [one for one in attempts() if one["part"] == part.name and one["code"] in SOUND]
    return current(part, inputs) is not None or any(is_current(one["commit"], inputs) for one in tried)


def attempts() -> list[dict[str, Any]]:
    """What this checkout has noted of its own."""
    return [json.loads(line) for line in SPENT.read_text().splitlines()] if SPENT.exists() else []


def is_current(commit: str | None, inputs: list[str]) -> bool:
    """Whether a run of today would be of the same harness."""
    if commit is None:
        return False
    command = ["git", "diff", "--quiet", commit, "HEAD", "--", *inputs]
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL, check=False).returncode == 0


def measure(part: Part) -> int:
    """Run it on the whole suite and note what it took. Returns its exit code."""
    print(f"\n{part.name}: harness {' '.join(part.command)}", flush=True)
    program = str(Path(sys.executable).with_name("harness"))
    if fetched := subprocess.call([program, "fetch", part.place[0]], cwd=ROOT, stdout=subprocess.DEVNULL):
        return fetched  # a run would leave out what is not there
    started = time.monotonic()
    before = cpu_of_children()
    child = subprocess.Popen([program, *part.command], cwd=ROOT)
    try:
        code = child.wait()
    except KeyboardInterrupt:  # the harness was interrupted by the same key, and ends in order
        code = child.wait()
    spent = {
        "part": part.name,
        "commit": git("rev-parse", "HEAD"),
        "code": code,
        "wall": round(time.monotonic() - started, 1),
        "cpu": round(cpu_of_children() - before, 1),
    }
    SPENT.parent.mkdir(exist_ok=True)
    with SPENT.open("a") as file:
        file.write(json.dumps(spent) + "\n")
    return code


def cpu_of_children() -> float:
    """Seconds of those that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def replace(parts: list[Part]) -> None:
    """Remove what newer runs stand for."""
    there = {part: newest(part) for part in parts}
    kept = {found[0] for found in there.values() if found}
    done = {part.place for part in parts} - {part.place for part, found in there.items() if found is None}
    single = {part.command for part, found in there.items() if found is not None and not part.alone}
    for path, header in headers().items():
        if path not in kept and (header.command in single or (header.suite, header.track) in done):
            print(f"removed {path.name}")
            path.unlink()
    named = {digest.decode() for path in headers() for digest in DECISIONS.findall(path.read_bytes())}
    for path in (RESULTS / "decisions").iterdir():
        if path.name.partition(".")[0] not in named:
            path.unlink()
    sums = RESULTS / SUMS
    lines = [line for line in sums.read_text().splitlines() if (RESULTS / line[66:]).exists()]
    sums.write_text("".join(f"{line}\n" for line in lines))


def show(parts: list[Part], inputs: list[str]) -> None:
    """A line each: whether it is there, from its beginning to its end, and the CPU time that this checkout noted."""
    spent: dict[str, float] = {}
    for one in attempts():
        spent[one["part"]] = spent.get(one["part"], 0.0) + one["cpu"]
    took = {part.name: lasted(*found) for part in parts if (found := newest(part))}
    width = max(len(part.name) for part in parts)
    print(f"\n{'part':{width}}  {'there':16}  {'took':>8}  {'CPU hours':>9}")
    for part in parts:
        path = current(part, inputs)
        name = None if path is None else RunName.parse(path.name)
        there = "–" if name is None else f"{moment(name):%Y-%m-%d %H:%M}"
        wall = duration(took[part.name]) if part.name in took else "–"
        hours = f"{spent[part.name] / 3600:.2f}" if part.name in spent else "–"
        print(f"{part.name:{width}}  {there:16}  {wall:>8}  {hours:>9}")
    print(f"{sum(took.values()) / 3600:.1f} hours in all", end="")
    print(f"; {sum(spent.values()) / 3600:.2f} CPU hours, as far as this checkout noted them" if spent else "")


def lasted(path: Path, header: Header) -> float:
    """Seconds from a run's beginning to its end, interruptions included."""
    name = RunName.parse(path.name)
    return (moment(name) - datetime.fromisoformat(header.started)).total_seconds() if name else 0.0


def moment(name: RunName) -> datetime:
    """When the run ended."""
    return datetime.strptime(name.time, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)


def git(*words: str) -> str:
    """What git says."""
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
