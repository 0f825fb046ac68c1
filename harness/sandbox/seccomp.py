"""The system calls that a sandboxed process may not make, as a BPF program for bubblewrap.

A list of what is refused, not of what is allowed: programs of every kind, an emulator and compilers
run under it. Refused is what could reach the kernel's rarely used parts, other processes or new
namespaces; the namespaces themselves keep it from files and network.
"""

import errno
import io
import os
import tempfile
from pathlib import Path

from harness.base.digest import digest_file, digest_of
from harness.base.errors import PrerequisiteError
from harness.base.store import Store

__all__ = ["REFUSED", "filter_program"]

REFUSED = (
    # other processes
    *("ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise"),
    # namespaces and mounts
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen"),
    *("fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at"),
    # the kernel itself
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "syslog"),
    *("add_key", "request_key", "keyctl", "fanotify_init", "lookup_dcookie", "quotactl", "quotactl_fd"),
    *("swapon", "swapoff", "acct", "iopl", "ioperm", "modify_ldt", "vhangup", "nfsservctl", "uselib"),
    # memory that belongs to no process: the guard could not count it
    *("memfd_create", "memfd_secret", "shmget", "msgget", "semget"),
    # the machine's clock and name
    *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sethostname", "setdomainname"),
)
"""System calls that fail with EPERM."""

_NEW_NAMESPACE = 0x7E020000  # every CLONE_NEW… flag that clone takes
_INT = (1 << 32) - 1
"""The bits of an argument that the kernel looks at where it wants a process's number."""
_SCHEDULING = ("sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr")
"""What would hold up the guard, which is process 1 and has the job's user id."""
_UNIX = 1
"""The one family of sockets: others have buffers that grow by themselves, and make the kernel load modules."""
_SOL_SOCKET = 1
_BUFFER_SIZES = (7, 8, 32, 33)
"""SO_SNDBUF, SO_RCVBUF and their FORCE: what waits in a socket belongs to no process either."""


def filter_program(store: Store) -> Path:
    """The program's file, made once per cache. Raises PrerequisiteError without libseccomp."""
    key = digest_of(["seccomp", digest_file(Path(__file__)), os.uname().machine])

    def make(entry: Path) -> None:
        (entry / "filter.bpf").write_bytes(_assemble())

    return store.folder("native", key, make) / "filter.bpf"


def _assemble() -> bytes:
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError):
        raise PrerequisiteError("libseccomp is not installed", hint="apt-get install libseccomp2") from None
    rules = seccomp.SyscallFilter(seccomp.ALLOW)
    unknown = []
    for name in REFUSED:
        try:
            rules.add_rule(seccomp.ERRNO(errno.EPERM), name)  # no rule comes of what only other architectures have
        except (OSError, ValueError):
            unknown.append(name)
    if unknown:
        raise PrerequisiteError(
            f"libseccomp is too old to refuse {', '.join(unknown)}", hint="apt-get install --only-upgrade libseccomp2"
        )
    for bit in (1 << n for n in range(32) if (_NEW_NAMESPACE >> n) & 1):
        rules.add_rule(seccomp.ERRNO(errno.EPERM), "clone", seccomp.Arg(0, seccomp.MASKED_EQ, bit, bit))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags are behind a pointer; libc falls back
    for call in ("socket", "socketpair"):
        rules.add_rule(seccomp.ERRNO(errno.EAFNOSUPPORT), call, seccomp.Arg(0, seccomp.NE, _UNIX))
    for option in _BUFFER_SIZES:
        level, which = seccomp.Arg(1, seccomp.EQ, _SOL_SOCKET), seccomp.Arg(2, seccomp.EQ, option)
        rules.add_rule(seccomp.ERRNO(errno.EPERM), "setsockopt", level, which)
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "prlimit64", seccomp.Arg(0, seccomp.NE, 0))  # another's limits
    for name in _SCHEDULING:
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name, seccomp.Arg(0, seccomp.MASKED_EQ, _INT, 1))
    for name, one in (("setpriority", 0), ("ioprio_set", 1)):  # of one process, of a group's or a user's
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name, seccomp.Arg(1, seccomp.MASKED_EQ, _INT, 1))
        for which in range(one + 1, one + 3):
            rules.add_rule(seccomp.ERRNO(errno.EPERM), name, seccomp.Arg(0, seccomp.MASKED_EQ, _INT, which))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.flush()
        return os.pread(file.fileno(), io.DEFAULT_BUFFER_SIZE * 16, 0)
