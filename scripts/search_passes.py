"""Find a pass list that is smaller than -Oz on a suite's train split, by greedy insertion.

Starts from ``default<Oz>``, or from nothing; tries every candidate pass at the end (and before
``default<Oz>``), keeps the best, and goes on until nothing helps by more than ``--gain``. The score
is the geometric mean of size.alloc of clang -Oz over that of the list, on the frozen modules of the
train split; a list that makes opt fail on any program is out. Outputs are not checked here:
``harness run`` does that.

usage: python scripts/search_passes.py --start oz --target x86-64 --out submissions/NAME/passes.txt
"""

import argparse
import math
import os
import sys
from functools import partial
from pathlib import Path

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.apply.reference import reference_object
from harness.base.errors import CellError
from harness.base.vocabulary import Level, Split, Target
from harness.freeze import freeze
from harness.problems.passes.names import LEGACY_ACTIONS
from harness.problems.programs.problems import plan_of
from harness.run.engines import local_engine
from harness.sandbox.bench import Bench, open_bench
from harness.suite.load import Program, choose, load_suite
from harness.toolchain.elf import SHF_ALLOC, SHT_NOBITS, sections

MODERN = """
mergefunc iroutliner constmerge globaldce globalopt deadargelim ipsccp argpromotion
called-value-propagation elim-avail-extern strip-dead-prototypes rpo-function-attrs
function(adce) function(bdce) function(dse) function(gvn) function(newgvn)
function(early-cse<memssa>) function(instcombine<no-verify-fixpoint>) function(jump-threading) function(sink)
function(gvn-sink) function(gvn-hoist) function(mldst-motion<split-footer-bb>) function(reassociate) function(sccp)
function(nary-reassociate) function(separate-const-offset-from-gep) function(aggressive-instcombine)
function(constraint-elimination) function(correlated-propagation) function(consthoist) function(div-rem-pairs)
function(loop(loop-rotate)) function(loop(indvars)) function(loop(loop-deletion)) function(loop-mssa(licm))
function(simplifycfg<sink-common-insts;hoist-common-insts>) function(simplifycfg<no-switch-to-lookup>)
function(sroa<modify-cfg>) function(tailcallelim) function(mergeicmps) function(memcpyopt)
function(loop(loop-reduce)) function(lower-switch) function(flatten-cfg) cgscc(inline) cgscc(function-attrs)
"""


def main() -> None:
    """Search, and write the best list so far after each step."""
    options = _options()
    target = Target(options.target)
    bench = open_bench()
    suite = load_suite(options.suite)
    programs = choose(suite, options.benchmark) if options.benchmark else suite.programs
    programs = tuple(p for p in programs if p.benchmark.split is Split.TRAIN)
    reference = {p.id: size(reference_object(p, Level.OZ, target, bench)[0]) for p in programs}
    candidates = sorted(set(LEGACY_ACTIONS.values())) if options.candidates == "legacy" else MODERN.split()
    chosen = ["default<Oz>"] if options.start == "oz" else []
    engine = local_engine(len(os.sched_getaffinity(0)))
    best, tried = -math.inf, 0
    while len(chosen) < options.length:
        lists = [[*chosen, candidate] for candidate in candidates]
        if options.start == "oz":
            lists += [[candidate, *chosen] for candidate in candidates]
        task = partial(score, programs=programs, target=target, reference=reference, bench=bench)
        scored = sorted(((done.value or -math.inf, done.task) for done in engine.run(task, lists)), reverse=True)
        tried += len(scored)
        gain, found = scored[0][0] - best, scored[0][1]
        if gain < math.log1p(options.gain):
            break
        best, chosen = scored[0][0], found
        print(f"{tried:5d} tried, {math.exp(best):.5f}: {' '.join(chosen)}", file=sys.stderr, flush=True)
        options.out.write_text("\n".join(chosen) + "\n")


def score(
    passes: list[str], programs: tuple[Program, ...], target: Target, reference: dict[str, int], bench: Bench
) -> float | None:
    """Mean log-ratio over the programs; None when opt fails on one."""
    total = 0.0
    decisions = Decisions("passes", Level.OZ, {"passes": passes, "dropped": []})
    plan = plan_of(decisions, target)
    for program in programs:
        frozen = freeze(program, target, Level.OZ, bench)
        try:
            built = compile_plan(frozen, plan, bench)
        except CellError:
            return None
        total += math.log(reference[program.id] / size(built.object))
    return total / len(programs)


def size(path: Path) -> int:
    """size.alloc of an object."""
    return sum(s.size for s in sections(path) if s.flags & SHF_ALLOC and s.type != SHT_NOBITS)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", default="cbench")
    parser.add_argument("--benchmark", nargs="*", default=[], help="only these of the train split")
    parser.add_argument("--target", default="x86-64", choices=list(Target))
    parser.add_argument("--start", default="oz", choices=["oz", "nothing"])
    parser.add_argument("--candidates", default="modern", choices=["modern", "legacy"])
    parser.add_argument("--length", type=int, default=45)
    parser.add_argument("--gain", type=float, default=0.0002, help="least gain that is worth a pass")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
