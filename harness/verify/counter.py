"""A trial of the counter on a program whose counts are known, before anything is counted with it.

QEMU's interface for plugins changes between its versions; ``native/count`` is written for version 1 of it.
"""

from harness.base.digest import digest_of
from harness.base.errors import CellError, PrerequisiteError
from harness.base.process import WAITING, Limits, run
from harness.base.vocabulary import Target
from harness.basic_blocks.counts import Counts
from harness.sandbox.bench import Bench
from harness.suite.model import Workload
from harness.suite.workloads import ReadyWorkload
from harness.toolchain import TARGETS
from harness.toolchain.native import native_digest
from harness.verify.execute import observe
from harness.verify.verify import counting_runner

__all__ = ["require_counter"]

_SECONDS = 60.0
"""CPU seconds to build the program."""
_TURNS = 1000
_KNOWN = {"instructions": 4 * _TURNS + 4, "loads": _TURNS, "stores": _TURNS}
_SOURCE = {
    Target.X86_64: f"""
        .globl _start
        _start: movl ${_TURNS}, %ecx
        1:  movq (%rsp), %rax
            movq %rax, -8(%rsp)
            decl %ecx
            jne 1b
            movl $231, %eax
            xorl %edi, %edi
            syscall
        """,
    Target.AARCH64: f"""
        .globl _start
        _start: mov x1, #{_TURNS}
        1:  ldr x0, [sp]
            str x0, [sp, #-8]
            subs x1, x1, #1
            b.ne 1b
            mov x8, #94
            mov x0, #0
            svc #0
        """,
}


def require_counter(target: Target, bench: Bench) -> None:
    """Raise PrerequisiteError where the target's programs cannot be counted exactly. Tried once a toolchain."""
    key = digest_of(["counter", native_digest("count"), bench.toolchain.runtime_fingerprint(target)])
    area = bench.area("counter")
    if bench.store.get(area, key):
        return
    found = _count(target, bench)
    if found != _KNOWN:
        emulator = TARGETS[target].counter
        raise PrerequisiteError(
            f"{target.value} programs cannot be counted: {emulator} gives {found}, and {_KNOWN} is right",
            hint="counting needs the plugin interface of QEMU 7.2 (Debian 12); metrics without executions can still be "
            "taken: name them with --metric",
        )
    bench.store.put(area, key, True)


def _count(target: Target, bench: Bench) -> dict[str, int] | str:
    with bench.store.scratch() as folder:
        (folder / "known.s").write_text(_SOURCE[target])
        flags = [f"--target={TARGETS[target].triple}", "-nostdlib", "-static", "-fuse-ld=lld"]
        command = [bench.toolchain.tool("clang"), *flags, "known.s", "-o", "known"]
        built = run(command, cwd=folder, limits=Limits(wall=WAITING * _SECONDS, cpu=_SECONDS))
        if not built.ok:
            bench.store.require_space(built.stderr)
            return built.reason()
        try:
            runner = counting_runner(target, bench)
            ready = ReadyWorkload(Workload(name="known"), {}, None)
            content = observe(folder / "known", ready, runner, bench.sandbox).counts
            counts = Counts.parse(content or b"")
        except CellError as error:
            return error.message
        except ValueError:
            return "no counts"
    return counts.incomplete or dict(counts.total)
