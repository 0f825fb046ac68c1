"""Running one job: in a slot, behind bubblewrap and the guard, with every claim of isolation checked."""

import json
import os
import shutil
import signal
import socket
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from harness.base.errors import PrerequisiteError, UsageError
from harness.base.process import account, find_tool
from harness.base.store import Store
from harness.base.vocabulary import Isolation
from harness.sandbox.bubblewrap import (
    FIRST_FILE,
    LEASH,
    SECCOMP,
    TURNS,
    USAGE,
    bubblewrap_command,
    guard_arguments,
)
from harness.sandbox.cgroups import Group, Meter
from harness.sandbox.collect import collect, count_files
from harness.sandbox.conditions import USUAL_CONDITIONS, Conditions
from harness.sandbox.model import FIRST_GIVEN, SCRATCH, Finished, Job, Left, Limits, Reason
from harness.sandbox.prepare import Prepared, prepare
from harness.sandbox.remedy import remedy
from harness.sandbox.seccomp import filter_program
from harness.sandbox.shown import carried_folders
from harness.sandbox.slots import Slot, SlotDied, SlotLate, is_root, slot
from harness.toolchain import Toolchain
from harness.toolchain.native import native_program

__all__ = ["Facts", "Sandbox", "find_bubblewrap"]

_GRACE = 10.0
"""Seconds that the guard may be late before its slot is killed from outside."""
_MESSAGE = 4096
_NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts")
_CREDENTIALS = struct.Struct("3i")
_NO_CAPABILITY = ["0" * 16, "0" * 16]
_INSIDE_USER = 65534


class _OutOfMemory(SlotDied):
    """The kernel killed the spawner, for want of memory that the job had taken: its files are of no process."""


@dataclass(frozen=True)
class Facts:
    """What a trial showed of the sandbox."""

    namespaces: Mapping[str, int]
    """Kind → inode; each another than the harness's."""
    host_user: int | None
    """User id of the sandbox's processes on the host."""
    start: float
    """Seconds from asking for the sandbox to the job's first instruction, and back."""


class Sandbox:
    """Runs jobs. Safe for several threads.

    With ``Isolation.TRUSTED`` there is no sandbox: limits on time, output and single processes only,
    in a temporary folder, with the rights of the user.
    """

    def __init__(
        self,
        toolchain: Toolchain,
        store: Store,
        isolation: Isolation = Isolation.SANDBOX,
        conditions: Conditions = USUAL_CONDITIONS,
    ) -> None:
        """Build what is needed. Raises PrerequisiteError where something is missing."""
        self.isolation = isolation
        self._conditions = conditions
        self._store = store
        self._guard = native_program("guard", toolchain, store)
        if isolation is Isolation.SANDBOX:
            self._bwrap = find_bubblewrap()
            self._filter = filter_program(store)

    def run(self, job: Job, output: int | None = None) -> Finished:
        """Run the job to its end. Whatever it does, this returns, and none of its processes is left.

        ``output``: a descriptor that takes standard output as it comes, without a limit; it is not collected then.
        Raises PrerequisiteError when the isolation asked for is not there, StoppedError when the user stops the run,
        and UsageError for a command that no kernel would start.
        """
        return self._run(job, output=output)[0]

    def run_with(
        self, job: Job, given: Sequence[int], leash: int | None = None, meter: Meter | None = None
    ) -> Finished:
        """Like ``run``, and the job has these descriptors, numbered from ``FIRST_GIVEN`` on.

        ``leash``: the end to read of a pipe; the job is ended when the other end is closed. All of these descriptors
        are closed here, as soon as the job has its own, or when there is none. ``meter``: tells the job's CPU time.
        """
        return self._run(job, given=given, leash=leash, meter=meter)[0]

    def run_in_turns(self, job: Job, turns: socket.socket, patience: float) -> Finished:
        """Like ``run``, but the job runs only while the socket's other end gives it a turn (``turns.py``).

        Its limit of wall time counts its turns alone; ``patience`` is how many seconds all of it may take.
        """
        return self._run(job, turns, patience)[0]

    def probe(self) -> Facts:
        """Try the sandbox on a program that does nothing. Raises PrerequisiteError where it does not isolate."""
        job = Job("/usr/bin/true", system=True, limits=Limits(wall=20))
        self._run(job)
        started = time.monotonic()
        finished, hello = self._run(job)
        start = time.monotonic() - started - finished.wall
        if not finished.ok:
            raise PrerequisiteError(f"nothing runs in the sandbox: {finished.reason_line()}", hint=remedy(""))
        return Facts(hello["namespaces"], hello["host_user"], start)

    def _run(
        self,
        job: Job,
        turns: socket.socket | None = None,
        patience: float = 0.0,
        output: int | None = None,
        given: Sequence[int] = (),
        leash: int | None = None,
        meter: Meter | None = None,
    ) -> tuple[Finished, Mapping[str, Any]]:
        if fault := job.fault():
            raise UsageError(f"cannot be started: {fault}", where=Path(job.program).name)
        job = self._conditions.of(job).bounded()
        with ExitStack() as stack:
            if turns is not None:
                stack.callback(turns.close)
            handed_over = stack.enter_context(ExitStack())
            for descriptor in (*given, *(() if leash is None else (leash,))):
                handed_over.callback(os.close, descriptor)
            prepared = self._isolated(job, stack) if self.isolation is Isolation.SANDBOX else self._trusted(job, stack)
            if turns is not None:
                prepared.descriptors[TURNS] = turns.fileno()
                prepared = replace(prepared, close_theirs=_both(prepared.close_theirs, turns.close))
            if output is not None:
                prepared.descriptors[1] = output
            if leash is not None:
                prepared.descriptors[LEASH] = leash
            prepared.descriptors.update(enumerate(given, start=FIRST_GIVEN))
            close_theirs = _both(prepared.close_theirs, handed_over.close)
            prepared = replace(prepared, close_theirs=close_theirs, given=len(given))
            prepared = replace(prepared, patience=max(patience, job.limits.wall))
            started = time.monotonic()
            try:
                with slot(trusted=self.isolation is Isolation.TRUSTED) as place:
                    if meter is not None:
                        meter.begin(place.group)
                    return self._run_in(place, prepared, started)
            except _OutOfMemory:
                return _without_report(prepared, Reason.MEMORY, 0, time.monotonic() - started, 0.0), {}
            except SlotDied:
                raise PrerequisiteError("the process that starts sandboxes was killed", hint="run it again") from None
            except SlotLate:
                return _without_report(prepared, Reason.WALL, 0, time.monotonic() - started, 0.0), {}

    def _run_in(self, place: Slot, prepared: Prepared, started: float) -> tuple[Finished, Mapping[str, Any]]:
        limits = prepared.job.limits
        group = place.group
        if group is not None:
            group.limit(limits.memory, limits.processes)
        kills = group.kills() if group is not None else 0
        watch = group is None or not group.limits_memory
        usage = None if group is None else group.cpu_file
        descriptors = prepared.descriptors | ({} if usage is None else {USAGE: usage})
        words = guard_arguments(
            prepared.job,
            prepared.scratch,
            watch_memory=watch,
            turns=TURNS in descriptors,
            usage=usage is not None,
            leash=LEASH in descriptors,
            kept=range(FIRST_GIVEN, FIRST_GIVEN + prepared.given),
        )
        before = None if group is None else group.cpu()
        place.start([*prepared.command, *words], descriptors)
        prepared.close_theirs()
        with ExitStack() as stack:
            hello, scratch = self._hello(place, prepared)
            stack.callback(os.close, scratch)
            if self.isolation is Isolation.SANDBOX:
                _require_isolation(hello)
            answer = _let_go(place, prepared, group, kills)
            after = None if group is None else group.cpu()
            cpu = float(answer["cpu"]) if before is None or after is None else after - before
            account(cpu)
            out_of_memory = group is not None and group.kills() > kills
            report = _receive(prepared.status)[0]
            if not report:
                reason, value = (Reason.MEMORY, 0) if out_of_memory else (Reason.SIGNAL, signal.SIGKILL)
                return _without_report(prepared, reason, value, time.monotonic() - started, cpu), hello
            return self._finished(prepared, json.loads(report), scratch, cpu, out_of_memory), hello

    def _isolated(self, job: Job, stack: ExitStack) -> Prepared:
        carried = carried_folders(is_root())
        command, files = bubblewrap_command(self._bwrap, self._guard, job, carried, self._conditions)
        opened = {SECCOMP: self._filter, **{FIRST_FILE + at: path for at, path in enumerate(files)}}
        return prepare(command, job, opened, SCRATCH, stack)

    def _trusted(self, job: Job, stack: ExitStack) -> Prepared:
        folder = stack.enter_context(self._store.scratch())
        places: dict[str, str] = {}
        for inside, source in job.files.items():
            places[inside] = str(source)
            if inside.startswith(f"{SCRATCH}/"):
                copy = folder / inside.removeprefix(f"{SCRATCH}/")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, copy)
                places[inside] = str(copy)
        seen = replace(
            job,
            program=places.get(job.program, job.program),
            name=job.name or job.program,
            arguments=tuple(places.get(word, word) for word in job.arguments),
        )
        return prepare([*self._conditions.prefix, str(self._guard)], seen, {}, str(folder), stack)

    def _hello(self, place: Slot, prepared: Prepared) -> tuple[dict[str, Any], int]:
        """The guard's first message, and the scratch folder. Where there is none, nothing has run."""
        place.wait_for(prepared.status, _GRACE)
        text, descriptors, user = _receive(prepared.status)
        if not text or len(descriptors) != 1:
            error = place.wait(_GRACE).get("error")
            words = error or _content(prepared.streams[1], _MESSAGE).decode("utf-8", "replace").strip()
            raise PrerequisiteError(f"the sandbox cannot be set up: {words or 'no word why'}", hint=remedy(words))
        return {**json.loads(text), "host_user": user}, descriptors[0]

    def _finished(
        self, prepared: Prepared, report: Mapping[str, Any], scratch: int, total_cpu: float, out_of_memory: bool
    ) -> Finished:
        job, limits = prepared.job, prepared.job.limits
        sizes = [os.fstat(stream).st_size for stream in prepared.streams]
        reason, value = Reason(report["reason"]), int(report["value"])
        if reason in (Reason.EXIT, Reason.SIGNAL):
            by_signal = value if reason is Reason.SIGNAL else None
            cut = by_signal == signal.SIGXFSZ and max(sizes) >= min(limits.output, limits.file_size)
            if max(sizes) > limits.output or cut:
                reason, value = Reason.OUTPUT, 0
            elif by_signal == signal.SIGXCPU:
                reason, value = Reason.CPU, 0
            elif out_of_memory and (by_signal is not None or value != 0):
                reason, value = Reason.MEMORY, 0
        results, refused = collect(scratch, job.results, limits.scratch, limits.files)
        if self.isolation is Isolation.SANDBOX:
            space = os.fstatvfs(scratch)
            files = space.f_files - space.f_ffree - 1
        else:
            files = count_files(scratch, limits.files + 1)
        if reason in (Reason.EXIT, Reason.SIGNAL) and limits.cpu and report["tree_cpu_us"] > limits.cpu * 1e6:
            reason, value = Reason.CPU, 0
        if reason in (Reason.EXIT, Reason.SIGNAL) and files > limits.files:  # faster than the guard could look
            reason, value = Reason.FILES, 0
        stdout, stderr = (_content(stream, limits.output) for stream in prepared.streams)
        return Finished(
            program=job.program,
            reason=reason,
            value=value,
            limits=limits,
            wall=report["wall_ns"] / 1e9,
            cpu=(report["user_us"] + report["system_us"]) / 1e6,
            total_cpu=total_cpu,
            peak_memory=report["peak_memory"],
            preemptions=report["preemptions"],
            stdout=stdout,
            stderr=stderr,
            results=results,
            refused=refused,
            left=Left(report["left"], files, report["free_bytes"]),
        )


def _let_go(place: Slot, prepared: Prepared, group: Group | None, kills: int) -> dict[str, Any]:
    """Let the job start, and wait for the end of everything."""
    with suppress(OSError):  # a guard that has died is reported by its slot
        prepared.status.send(b"g")
    try:
        return place.wait(prepared.patience + _GRACE)
    except SlotDied:
        if group is not None and group.kills() > kills:
            raise _OutOfMemory from None
        raise


def _both(first: Callable[[], None], second: Callable[[], None]) -> Callable[[], None]:
    def call() -> None:
        first()
        second()

    return call


def find_bubblewrap() -> str:
    """Absolute path of ``bwrap``. Raises PrerequisiteError."""
    if found := find_tool("bwrap"):
        return found
    raise PrerequisiteError("bubblewrap is not installed: nothing can be isolated", hint="apt-get install bubblewrap")


def _receive(status: socket.socket) -> tuple[bytes, list[int], int | None]:
    """A message that has come, its descriptors, and the host user that sent it; empty when there is none."""
    space = socket.CMSG_SPACE(4) + socket.CMSG_SPACE(_CREDENTIALS.size)
    try:
        text, ancillary, _, _ = status.recvmsg(_MESSAGE, space, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC)
    except OSError:
        return b"", [], None
    descriptors: list[int] = []
    user = None
    for _, kind, content in ancillary:
        if kind == socket.SCM_RIGHTS:
            descriptors += struct.unpack(f"{len(content) // 4}i", content)
        elif kind == socket.SCM_CREDENTIALS:
            user = _CREDENTIALS.unpack(content)[1]
    return text, descriptors, user


def _require_isolation(hello: Mapping[str, Any]) -> None:
    """Raise PrerequisiteError unless the guard stood where it should: bubblewrap is not taken at its word."""
    own = _own_namespaces()
    shared = [name for name in _NAMESPACES if hello["namespaces"][name] in (0, own[name])]
    faults = {
        f"it shares namespaces with the host ({', '.join(shared)})": bool(shared),
        "its guard is not process 1": hello["pid"] != 1,
        "it has another user inside": hello["uid"] != _INSIDE_USER,
        "it is root on the host": hello["host_user"] in (0, None) and is_root(),
        "it has capabilities": hello["capabilities"] != _NO_CAPABILITY,
        "it may gain privileges": hello["no_new_privileges"] != "1",
        "it has no filter of system calls": hello["seccomp"] != "2",
    }
    if found := [fault for fault, holds in faults.items() if holds]:
        raise PrerequisiteError(f"the sandbox does not isolate: {'; '.join(found)}", hint="reinstall bubblewrap")


@cache
def _own_namespaces() -> Mapping[str, int]:
    """Kind → inode of the harness's own; a process keeps these."""
    return {name: Path("/proc/self/ns", name).stat().st_ino for name in _NAMESPACES}


def _content(descriptor: int, most: int) -> bytes:
    size = min(os.fstat(descriptor).st_size, most)
    return os.pread(descriptor, size, 0) if size else b""


def _without_report(prepared: Prepared, reason: Reason, value: int, wall: float, cpu: float) -> Finished:
    """The guard itself was killed: by the kernel for want of memory, or from outside."""
    limits = prepared.job.limits
    stdout, stderr = (_content(stream, limits.output) for stream in prepared.streams)
    return Finished(
        program=prepared.job.program,
        reason=reason,
        value=value,
        limits=limits,
        wall=wall,
        cpu=cpu,
        total_cpu=cpu,
        peak_memory=0,
        preemptions=0,
        stdout=stdout,
        stderr=stderr,
        results={},
        refused=dict.fromkeys(prepared.job.results, "the sandbox was killed"),
        left=Left(0, 0, 1),
    )
