"""An agent that looks at the module before each pass. It runs in the sandbox with numpy, and nothing of the harness."""

from typing import Any

NAMES = (
    *("adce", "break-crit-edges", "constmerge", "correlated-propagation", "deadargelim", "dse", "early-cse"),
    *("functionattrs", "functionattrs", "globaldce", "globalopt", "gvn", "indvars", "inline", "instcombine"),
    *("ipsccp", "jump-threading", "lcssa", "licm", "loop-deletion", "loop-idiom", "loop-reduce", "loop-rotate"),
    *("loop-simplify", "loop-unroll", "loop-unswitch", "lower-expect", "loweratomic", "lowerinvoke", "lowerswitch"),
    *("mem2reg", "memcpyopt", "partial-inliner", "prune-eh", "reassociate", "sccp", "simplifycfg", "sink", "sroa"),
    *("strip", "strip-nondebug", "tailcallelim"),
)
STOP = len(NAMES)
CALLS = 33
"""NumCallInst among the 56 features, which are divided by the number of instructions."""
BEGINNING = ("sroa", "early-cse", "simplifycfg", "instcombine", "globalopt", "ipsccp")
END = ("instcombine", "gvn", "dse", "simplifycfg", "adce", "globaldce")


def decide(features: dict[str, Any]) -> int:
    """The number of the next pass; ``STOP`` ends the episode.

    ``autophase``: 56 numbers; ``histogram``: how often each pass was taken, as a share of all steps; ``progress``: how
    many steps are over, as a share of them.
    """
    step = round(float(features["progress"]) * 45)
    inlines = 1 if features["autophase"][CALLS] > 0.02 else 0
    plan = (*BEGINNING, *["inline"] * inlines, *END)
    return NAMES.index(plan[step]) if step < len(plan) else STOP
