"""What machine this is: times of one are never taken for another's."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Machine", "identity_of", "machine", "machine_of"]

_CPUINFO = Path("/proc/cpuinfo")
_MEMINFO = Path("/proc/meminfo")
_HYPERVISORS = (Path("/sys/hypervisor/type"), Path("/sys/class/dmi/id/product_name"))
_ARM = {"vendor": "CPU implementer", "family": "CPU architecture", "model": "CPU part", "stepping": "CPU revision"}
_X86 = {"vendor": "vendor_id", "family": "cpu family", "model": "model", "stepping": "stepping"}
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, as its kernel describes it."""

    cpu: str
    """The CPU's name. Of a virtual machine it may be that of a whole family."""
    vendor: str
    family: str
    model: str
    stepping: str
    microcode: str | None
    """None where the kernel does not say."""
    hypervisor: str | None
    """What it runs under: ``unnamed`` where the kernel does not say what; None: nothing."""
    cores: int
    """That this process may use."""
    memory: int
    """Bytes."""

    @property
    def identity(self) -> str:
        """Times are pooled, and taken as known, only between runs with the same."""
        return identity_of(self.vendor, self.family, self.model, self.stepping, self.hypervisor, self.cores)


def identity_of(vendor: str, family: str, model: str, stepping: str, hypervisor: str | None, cores: int) -> str:
    """``GenuineIntel 6/143/8, kvm, 2 cores``."""
    under = f"under {hypervisor}" if hypervisor else "bare"
    return f"{vendor} {family}/{model}/{stepping}, {under}, {cores} core{'s' if cores != 1 else ''}"


@cache
def machine() -> Machine:
    """This one."""
    return machine_of(_CPUINFO.read_text(), _named_hypervisor(), _memory(_MEMINFO.read_text()))


def machine_of(cpuinfo: str, hypervisor: str | None, memory: int) -> Machine:
    """From the text of ``/proc/cpuinfo``; ``hypervisor``: its name, if the machine says one."""
    said = _first(cpuinfo)
    names = _X86 if "vendor_id" in said else _ARM
    virtual = "hypervisor" in said.get("flags", "").split()
    return Machine(
        cpu=said.get("model name") or said.get("Model") or os.uname().machine,
        **{field: said.get(name, "unknown")[:_LONGEST] for field, name in names.items()},
        microcode=said.get("microcode"),
        hypervisor=(hypervisor or "unnamed") if virtual else hypervisor,
        cores=len(os.sched_getaffinity(0)),
        memory=memory,
    )


def _first(cpuinfo: str) -> Mapping[str, str]:
    """What is said of each processor, of the first that says it."""
    said: dict[str, str] = {}
    for line in cpuinfo.splitlines():
        name, colon, value = line.partition(":")
        if colon and value.strip():
            said.setdefault(name.strip(), value.strip())
    return said


def _named_hypervisor() -> str | None:
    for path in _HYPERVISORS:
        try:
            name = path.read_text().strip()
        except OSError:
            continue
        if name and path == _HYPERVISORS[0]:
            return name[:_LONGEST]
        if any(word in name for word in ("KVM", "VMware", "VirtualBox", "Virtual Machine", "HVM", "QEMU")):
            return name[:_LONGEST]
    return None


def _memory(meminfo: str) -> int:
    """Bytes, from the text of ``/proc/meminfo``."""
    kibibytes = next((line.split()[1] for line in meminfo.splitlines() if line.startswith("MemTotal:")), "0")
    return 1024 * int(kibibytes)
