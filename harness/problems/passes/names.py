"""Pass names: the 42-action space of the phase-ordering literature and opt's own, in LLVM 22 spelling.

The action space is that of Autophase and of CompilerGym's ``Autophase`` subset; its names are the
legacy pass manager's. Each becomes a pipeline that is valid at module level.
"""

import re
import subprocess
from functools import lru_cache
from pathlib import Path

from harness.base.errors import PrerequisiteError

__all__ = ["GONE", "LEGACY_ACTIONS", "OptPasses", "opt_passes"]


def _function(*names: str) -> dict[str, str]:
    return {name: f"function({name})" for name in names}


def _loop(*names: str) -> dict[str, str]:
    return {name: f"function(loop({name}))" for name in names}


def _module(*names: str) -> dict[str, str]:
    return {name: name for name in names}


LEGACY_ACTIONS: dict[str, str] = {
    **_function("adce", "break-crit-edges", "dse", "early-cse", "gvn", "jump-threading", "lcssa", "loop-simplify"),
    **_function("loop-unroll", "lower-expect", "mem2reg", "memcpyopt", "reassociate", "sccp", "simplifycfg", "sink"),
    **_function("sroa", "tailcallelim"),
    "correlated-propagation": "function(correlated-propagation)",
    "early-cse-memssa": "function(early-cse<memssa>)",
    # Verifying the fixpoint aborts opt on modules frozen at -O0.
    "instcombine": "function(instcombine<no-verify-fixpoint>)",
    "loweratomic": "function(lower-atomic)",
    "lowerinvoke": "function(lower-invoke)",
    "lowerswitch": "function(lower-switch)",
    **_loop("indvars", "loop-deletion", "loop-idiom", "loop-reduce", "loop-rotate"),
    "licm": "function(loop-mssa(licm))",
    "loop-unswitch": "function(loop-mssa(simple-loop-unswitch))",
    "loop-unswitch-nontrivial": "function(loop-mssa(simple-loop-unswitch<nontrivial>))",
    "functionattrs": "cgscc(function-attrs)",
    "inline": "cgscc(inline)",
    **_module("constmerge", "deadargelim", "globaldce", "globalopt", "ipsccp", "partial-inliner"),
    **_module("strip", "strip-nondebug"),
}
"""Legacy action name → LLVM 22 pipeline."""

GONE: dict[str, str] = {
    "prune-eh": "its work moved into function-attrs and simplifycfg",
    "ipconstprop": "removed from LLVM; ipsccp does its work",
}
"""Legacy names without a counterpart, each with the reason. They are dropped, and reported."""

_LEVELS = {
    "Module passes": "module",
    "CGSCC passes": "cgscc",
    "Function passes": "function",
    "LoopNest passes": "loop",
    "Loop passes": "loop",
}
_NEEDS_MEMORY_SSA = {"licm", "lnicm", "simple-loop-unswitch"}
_DEFAULT_PIPELINE = re.compile(r"(default|thinlto-pre-link|thinlto|lto-pre-link|lto)<O[0123sz]>\Z")


class OptPasses:
    """The passes that one ``opt`` knows, with the unit of IR that each works on."""

    def __init__(self, listing: str) -> None:
        self.level: dict[str, str] = {}
        self._exactly: dict[str, str] = {}
        """As listed, parameters included: ``verify`` works on modules, ``verify<loops>`` on functions."""
        current: str | None = None
        for line in listing.splitlines():
            if not line.startswith(" "):
                current = _LEVELS.get(line.rstrip(":").removesuffix(" with params"))
            elif current is not None:
                name = line.strip()
                self._exactly.setdefault(name, current)
                self.level.setdefault(name.split("<")[0].split()[0], current)

    def at_module_level(self, token: str) -> str | None:
        """``token``, one pass or nested pipeline, as a module pipeline; None if opt has no such pass."""
        head = re.split(r"[<(]", token, maxsplit=1)[0]
        if "(" in token:
            return self._nested(head, token)
        if _DEFAULT_PIPELINE.match(token) or head == "require":
            return token
        match self._exactly.get(token) or self.level.get(head):
            case "module":
                return token
            case "loop":
                return f"function({'loop-mssa' if head in _NEEDS_MEMORY_SSA else 'loop'}({token}))"
            case None:
                return None
            case adaptor:
                return f"{adaptor}({token})"

    @staticmethod
    def _nested(head: str, token: str) -> str | None:
        if head in {"module", "cgscc", "function", "coro-cond"}:
            return token
        if head in {"loop", "loop-mssa"}:
            return f"function({token})"
        return f"cgscc({token})" if head == "devirt" else None


@lru_cache(maxsize=4)
def opt_passes(opt: Path) -> OptPasses:
    """What ``opt --print-passes`` lists."""
    done = subprocess.run([opt, "--print-passes"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise PrerequisiteError("opt does not list its passes", where=str(opt), hint="reinstall LLVM 22")
    return OptPasses(done.stdout)
