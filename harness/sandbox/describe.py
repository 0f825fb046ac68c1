"""What the sandbox of this machine enforces, and by what: for ``harness doctor`` and run headers."""

import subprocess
from dataclasses import dataclass

from harness.base.vocabulary import Isolation
from harness.sandbox.cgroups import find_controller
from harness.sandbox.run import Sandbox, find_bubblewrap
from harness.sandbox.seccomp import REFUSED

__all__ = ["Enforced", "describe", "enforcement"]


@dataclass(frozen=True, slots=True)
class Enforced:
    """One thing that is limited or forbidden."""

    what: str
    how: str


def describe(sandbox: Sandbox) -> str:
    """One line, for a run's header."""
    if sandbox.isolation is Isolation.TRUSTED:
        return "none (--trust): limits on time, memory of each process and output"
    controller = find_controller()
    groups = str(controller) if controller else "limits of each process and a watch"
    return f"{_bubblewrap_version()}, seccomp, {groups}"


def enforcement(sandbox: Sandbox) -> list[Enforced]:
    """Every limit and what holds it here, after a trial. Raises PrerequisiteError where nothing isolates."""
    facts = sandbox.probe()
    controller = find_controller()
    kinds = controller.parents if controller else {}
    groups = f"control group, version {controller.version}" if controller else ""
    counted = f" ({groups})" if controller and (controller.version == 2 or "cpuacct" in kinds) else ""
    watch = "watched every 2 to 50 ms"
    names = ", ".join(sorted(facts.namespaces))
    return [
        Enforced("isolation", f"namespaces of its own: {names}; starts in {facts.start * 1000:.0f} ms"),
        Enforced("user", f"{facts.host_user} on the host, no capability, no way to gain one"),
        Enforced("files", "an empty world, read-only but for a scratch folder in memory; copies of inputs"),
        Enforced("network", "none: an empty network namespace"),
        Enforced("system calls", f"seccomp filter, {len(REFUSED)} refused by name; sockets but Unix ones"),
        Enforced("memory", groups if "memory" in kinds else f"sum over its processes, {watch}"),
        Enforced("processes", f"{groups} and RLIMIT_NPROC" if "pids" in kinds else "RLIMIT_NPROC"),
        Enforced("time", f"wall and CPU time of all its processes{counted}, {watch}; RLIMIT_CPU"),
        Enforced("cores", "affinity, which a filter keeps a job from changing"),
        Enforced("disk", f"scratch folder of fixed size; RLIMIT_FSIZE; number of files, {watch}"),
        Enforced("orphans", "die with process 1 of their namespace, which dies with the harness"),
    ]


def _bubblewrap_version() -> str:
    done = subprocess.run([find_bubblewrap(), "--version"], capture_output=True, text=True, timeout=20, check=False)
    return done.stdout.strip() or "bubblewrap"
