"""What differs from machine to machine and from day to day, and must make no difference to what runs in a sandbox."""

import platform
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from harness.base.process import find_tool
from harness.sandbox.model import Job

__all__ = ["USUAL_CONDITIONS", "Conditions", "clock_library"]

_PLACES = ("/usr/lib/*/faketime", "/usr/lib/faketime", "/usr/local/lib/faketime")
_LIBRARY = "libfaketime.so.1"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Of all jobs of one sandbox."""

    hostname: str = "sandbox"
    environment: tuple[tuple[str, str], ...] = ()
    """Names and values; what a job says itself comes before it, and one that is ``unvaried`` has none of them."""
    fixed_addresses: bool = False
    """Whether memory lies where it always lies: no randomised layout of the address space."""
    ahead: int = 0
    """Seconds by which the clocks of jobs of the harness's Python are ahead, if ``clock_library`` is there."""

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before the command that starts a sandbox."""
        setarch = find_tool("setarch") if self.fixed_addresses else None
        return (setarch, platform.machine(), "--addr-no-randomize") if setarch else ()

    def of(self, job: Job) -> Job:
        """The job under them."""
        environment = {**({} if job.unvaried else dict(self.environment)), **job.environment}
        library = clock_library() if self.ahead and Path(job.program) == Path(sys.executable).resolve() else None
        if library is not None:
            environment |= {"LD_PRELOAD": str(library), "FAKETIME": f"+{self.ahead}s", "FAKETIME_DISABLE_SHM": "1"}
            job = replace(job, folders=(*job.folders, library))
        return replace(job, environment=environment)


USUAL_CONDITIONS = Conditions()


@lru_cache(maxsize=1)
def clock_library() -> Path | None:
    """libfaketime, which shows a process another time; None where it is not installed."""
    found = (path for place in _PLACES for path in sorted(Path("/").glob(f"{place.removeprefix('/')}/{_LIBRARY}")))
    return next(found, None)
