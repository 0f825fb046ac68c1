"""Becoming an ordinary user, for tests that root runs: what works for root must work without its rights.

The repository and the user's own folder may lie where only root can go, so the user finds them elsewhere, in a mount
namespace of its own. The interpreter stays where it is, since it looks for its libraries there. Where only root can go
there, too, the namespace has nothing else in that place.
"""

import os
import sys
import sysconfig
from pathlib import Path

from tests.drive import ROOT

__all__ = ["HERE", "as_ordinary_user", "is_root", "let_others_reach"]

USER = 12345
HERE = Path("/mnt/harness")
"""Where the ordinary user finds the repository."""
_HOME = Path("/mnt/home")
_SCRIPT = """
mount -t tmpfs tmpfs /mnt && mkdir /mnt/harness /mnt/python /mnt/home &&
mount --bind "$1" /mnt/harness && mount --bind "$2" /mnt/python && mount --bind "$3" /mnt/home && cd /mnt/home &&
prefix=$2 && user=$4 && shift 4 &&
if ! setpriv --reuid "$user" --regid "$user" --clear-groups test -x "$prefix/bin"; then
  mount -t tmpfs -o mode=755 tmpfs "/$(echo "$prefix" | cut -d/ -f2)" && (umask 022 && mkdir -p "$prefix") &&
  mount --bind /mnt/python "$prefix"
fi &&
exec setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps -all --bounding-set -all -- env -i "$@"
"""


def is_root() -> bool:
    """Whether the tests run as root."""
    return os.geteuid() == 0


def let_others_reach(path: Path) -> None:
    """Let everyone pass through the folders above: pytest's temporary ones are for its user alone."""
    for folder in path.parents:
        status = folder.stat()
        if status.st_uid == os.geteuid() and not status.st_mode & 0o001:
            folder.chmod(status.st_mode | 0o001)


def as_ordinary_user(home: Path, *words: str | Path, **environment: str) -> list[str]:
    """The command that runs Python with these arguments as a user whose only folder is ``home``.

    Cache (``cache``), results (``results``) and temporary files go there. Only root can become somebody else.
    """
    home.mkdir(parents=True, exist_ok=True)
    os.chown(home, USER, USER)
    packages = Path(sysconfig.get_path("purelib")).relative_to(ROOT)
    variables = {
        "HOME": str(_HOME),
        "HARNESS_CACHE": str(_HOME / "cache"),
        "HARNESS_RESULTS": str(_HOME / "results"),
        "HARNESS_BUILDS": str(_HOME / "builds"),
        "TMPDIR": str(_HOME),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": f"{HERE}:{HERE / packages}",
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    python = Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return [
        *("unshare", "--mount", "--propagation", "private", "sh", "-c", _SCRIPT, "sh"),
        *(str(ROOT), sys.base_prefix, str(home), str(USER)),
        *(f"{name}={value}" for name, value in variables.items()),
        str(python),
        *(str(word) for word in words),
    ]
