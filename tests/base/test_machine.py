"""What machine this is: its identity tells apart what times must not be pooled of."""

import os
from pathlib import Path

import pytest

from harness.base.machine import machine, machine_of

ZEN = """processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 17
model name\t: AMD EPYC
stepping\t: 1
microcode\t: 0x1000065
flags\t\t: fpu vme hypervisor lahf_lm

processor\t: 1
vendor_id\t: AuthenticAMD
model name\t: Another
"""
GRAVITON = """processor\t: 0
BogoMIPS\t: 243.75
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
"""


def test_it_is_read_from_what_the_kernel_says() -> None:
    found = machine_of(ZEN, "KVM", 8 << 30)
    assert (found.cpu, found.vendor, found.family, found.model, found.stepping, found.microcode) == (
        "AMD EPYC", "AuthenticAMD", "25", "17", "1", "0x1000065"
    )  # fmt: skip
    assert found.memory == 8 << 30
    assert found.identity == f"AuthenticAMD 25/17/1, under KVM, {found.cores} core{'s' if found.cores > 1 else ''}"


@pytest.mark.parametrize(
    "other",
    [
        machine_of(ZEN.replace("25", "26", 1), "KVM", 1),
        machine_of(ZEN.replace(": 17", ": 1"), "KVM", 1),
        machine_of(ZEN.replace(": 1\n", ": 2\n", 1), "KVM", 1),
        machine_of(ZEN.replace("AuthenticAMD", "HygonGenuine", 1), "KVM", 1),
        machine_of(ZEN, "VMware", 1),
        machine_of(ZEN, None, 1),
        machine_of(ZEN.replace("hypervisor", ""), None, 1),
        machine_of(GRAVITON, None, 1),
    ],
)
def test_another_machine_has_another_identity(other: object) -> None:
    """Though all of them call themselves AMD EPYC."""
    assert other.identity != machine_of(ZEN, "KVM", 1).identity  # type: ignore[attr-defined]


def test_fewer_cores_are_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = machine_of(ZEN, "KVM", 1).identity
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(97)))
    assert machine_of(ZEN, "KVM", 1).identity != whole


def test_an_arm_machine_has_one_too() -> None:
    found = machine_of(GRAVITON, None, 1)
    assert found.identity.startswith("0x41 8/0xd0c/1, bare")


def test_this_one_is_known() -> None:
    assert machine().cpu in Path("/proc/cpuinfo").read_text() or machine().cpu == os.uname().machine
    assert machine().cores == len(os.sched_getaffinity(0))
    assert machine().memory > 1 << 28
