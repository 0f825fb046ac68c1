"""What to do where a sandbox cannot be set up, from bubblewrap's words and the kernel's settings."""

import re
import shlex
from pathlib import Path

__all__ = ["remedy"]

_SETTINGS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "10000"),
)
"""Path below /proc/sys, the value that forbids, the value that allows."""
_PERSIST = "in a file below /etc/sysctl.d it outlives a restart"
_UNREACHABLE = re.compile(r"Can't find source path (.+): Permission denied")
_TRUST = "or run with --trust if every policy, suite and program is your own"


def remedy(words: str, settings: Path = Path("/proc/sys")) -> str:
    """The hint for a person."""
    if unreachable := _UNREACHABLE.search(words):
        return (
            f"the sandbox's user must be able to reach it: chmod o+rx {shlex.quote(unreachable[1])} and the folders "
            "above it, or install what it holds elsewhere"
        )
    for path, forbids, allows in _SETTINGS:
        try:
            value = (settings / path).read_text().strip()
        except OSError:
            continue
        if value == forbids:
            name = path.replace("/", ".")
            return f"sudo sysctl -w {name}={allows}   (now {value}; {_PERSIST}); {_TRUST}"
    if "proc" in words and "mount" in words.lower():
        return f"in a container, start it with --security-opt systempaths=unconfined; {_TRUST}"
    if "not permitted" in words or "ermission" in words or "Creating new namespace" in words:
        return (
            "user namespaces are forbidden here; in a container, start it with "
            f"--security-opt seccomp=unconfined --security-opt apparmor=unconfined; {_TRUST}"
        )
    return f"`bwrap --unshare-all --ro-bind / / true` shows whether bubblewrap works at all; {_TRUST}"
