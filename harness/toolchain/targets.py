"""The two targets: triples, baseline CPUs, how their programs are linked and run."""

from dataclasses import dataclass

from harness.base.vocabulary import Target

__all__ = ["TARGETS", "TargetSpec"]


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """What the steps need to know about a target."""

    triple: str
    cpu: tuple[str, ...]
    """The baseline CPU, fixed so that results do not depend on the machine's own."""
    emulator: str | None
    """The command that runs its programs, or None for native ones."""
    counter: str
    """The emulator that counts what its programs execute."""
    model: str
    """The CPU whose scheduling model llvm-mca uses unless another is asked for."""
    libc: tuple[str, ...]
    """Where its static C library is; its digest is part of the fingerprint."""
    packages: str
    """Debian packages that provide the emulator and the C library."""


TARGETS: dict[Target, TargetSpec] = {
    Target.X86_64: TargetSpec(
        triple="x86_64-linux-gnu",
        cpu=("-march=x86-64",),
        emulator=None,
        counter="qemu-x86_64",
        model="skylake-avx512",
        libc=("/usr/lib/x86_64-linux-gnu/libc.a", "/usr/lib64/libc.a"),
        packages="libc6-dev g++ qemu-user",
    ),
    Target.AARCH64: TargetSpec(
        triple="aarch64-linux-gnu",
        cpu=("-march=armv8-a",),
        emulator="qemu-aarch64",
        counter="qemu-aarch64",
        model="neoverse-n1",
        libc=("/usr/aarch64-linux-gnu/lib/libc.a",),
        packages="qemu-user gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross",
    ),
}
