"""Passes that a submitted list may run: their contract is to keep what the program means, and programs confirm it.

Evidence, of every pass here: alone, before and after ``default<Oz>``, and before a clean-up of early-cse, simplifycfg,
instcombine, gvn, dse, adce, globalopt and globaldce, it keeps the outputs of a C and of a C++ program that throws and
catches (``tests/problems/passes/test_kept_outputs.py``).
"""

from harness.freeze.facts import Fact
from harness.problems.passes.vetted.record import PassRecord

__all__ = ["ALLOWED"]

_LEVELS = "O0;O1;O2;O3;Os;Oz"
_ANALYSES = (
    "aa;access-info;assumptions;basic-aa;block-freq;branch-prob;callgraph;cycles;da;ddg;demanded-bits;domfrontier;"
    "domtree;ephemerals;func-properties;globals-aa;iv-users;last-run-tracking;lazy-value-info;lcg;libcall-lowering-info;"
    "loops;memdep;memoryssa;opt-remark-emit;pass-instrumentation;phi-values;postdomtree;profile-summary;regions;"
    "runtime-libcall-info;scalar-evolution;scev-aa;scoped-noalias-aa;should-not-run-function-passes;"
    "should-run-extra-simple-loop-unswitch;should-run-extra-vector-passes;target-ir;target-lib-info;tbaa;uniformity"
)
_PARAMETERS = {
    "early-cse": "memssa",
    "drop-unnecessary-assumes": "drop-deref",
    "ee-instrument": "post-inline",
    "function-attrs": "skip-non-recursive-function-attrs",
    "gvn": (
        "no-pre;pre;no-load-pre;load-pre;no-split-backedge-load-pre;split-backedge-load-pre;no-memdep;memdep;"
        "no-memoryssa;memoryssa"
    ),
    "inline": "only-mandatory",
    "instcombine": "no-verify-fixpoint;verify-fixpoint;max-iterations=N",
    "ipsccp": "no-func-spec;func-spec",
    "licm": "allowspeculation;no-allowspeculation",
    "lnicm": "allowspeculation;no-allowspeculation",
    "loop-rotate": "no-header-duplication;header-duplication;no-prepare-for-lto;prepare-for-lto",
    "loop-unroll": (
        "O0;O1;O2;O3;full-unroll-max=N;no-partial;partial;no-peeling;peeling;no-profile-peeling;profile-peeling;"
        "no-runtime;runtime;no-upperbound;upperbound"
    ),
    "loop-vectorize": (
        "no-interleave-forced-only;interleave-forced-only;no-vectorize-forced-only;vectorize-forced-only"
    ),
    "mldst-motion": "no-split-footer-bb;split-footer-bb",
    "simple-loop-unswitch": "nontrivial;no-nontrivial;trivial;no-trivial",
    "simplifycfg": (
        "no-speculate-blocks;speculate-blocks;no-simplify-cond-branch;simplify-cond-branch;no-forward-switch-cond;"
        "forward-switch-cond;no-switch-range-to-icmp;switch-range-to-icmp;no-switch-to-arithmetic;switch-to-arithmetic;"
        "no-switch-to-lookup;switch-to-lookup;no-keep-loops;keep-loops;no-hoist-common-insts;hoist-common-insts;"
        "no-hoist-loads-stores-with-cond-faulting;hoist-loads-stores-with-cond-faulting;no-sink-common-insts;"
        "sink-common-insts;no-speculate-unpredictables;speculate-unpredictables;bonus-inst-threshold=N"
    ),
    "speculative-execution": "only-if-divergent-target",
    "sroa": "preserve-cfg;modify-cfg",
    # in no default pipeline
    "global-merge": (
        "group-by-use;ignore-single-use;max-offset=N;merge-const;merge-const-aggressive;no-group-by-use;"
        "no-ignore-single-use;no-merge-const;no-merge-const-aggressive;no-merge-external"
    ),
    "lower-matrix-intrinsics": "minimal",
    "scalarizer": "load-store;no-load-store;variable-insert-extract;no-variable-insert-extract;min-bits=N",
    "separate-const-offset-from-gep": "lower-gep",
    # pipelines, and what is no transformation
    **dict.fromkeys(("default", "thinlto-pre-link", "thinlto", "lto-pre-link", "lto"), _LEVELS),
    "function-simplification": "O1;O2;O3;Os;Oz",
    "require": _ANALYSES,
    "invalidate": f"all;{_ANALYSES}",
    "verify": "cycles;domtree;loops;memoryssa;regions;scalar-evolution",
    # adaptors
    "devirt": "N",
    "function": "eager-inv;no-rerun",
}
_REFUSED_PARAMETERS = {
    "globaldce": {
        "vfe-linkage-unit-visibility": "it assumes that no other library calls virtual functions of the program"
    },
    "global-merge": {"merge-external": "it replaces symbols that the linker has to see by aliases"},
}
_REASONS = {
    "it is a step of LLVM's own default pipelines.": """
    adce aggressive-instcombine alignment-from-assumptions always-inline annotation-remarks annotation2metadata
    argpromotion bdce called-value-propagation callsite-splitting cg-profile chr constmerge constraint-elimination
    correlated-propagation deadargelim div-rem-pairs drop-unnecessary-assumes dse early-cse elim-avail-extern
    extra-simple-loop-unswitch-passes float2int function-attrs globaldce globalopt gvn indvars infer-alignment
    inferattrs inject-tli-mappings inline instcombine instsimplify ipsccp jump-threading libcalls-shrinkwrap licm
    loop-deletion loop-distribute loop-idiom loop-instsimplify loop-load-elim loop-rotate loop-simplifycfg loop-sink
    loop-unroll loop-unroll-full loop-vectorize lower-constant-intrinsics lower-expect mem2reg memcpyopt mldst-motion
    move-auto-init openmp-opt openmp-opt-cgscc reassociate recompute-globalsaa rel-lookup-table-converter
    rpo-function-attrs sccp simple-loop-unswitch simplifycfg slp-vectorizer speculative-execution sroa tailcallelim
    transform-warning vector-combine
    """,
    (
        "it is a step of LLVM's default pipelines that changes nothing without an option or a mark in the source, and "
        "a submission can give neither."
    ): "alloc-token ee-instrument forceattrs memprof-remove-attributes",
    "it is one of LLVM's default pipelines, or a part of one.": """
    default function-simplification lto lto-pre-link thinlto thinlto-pre-link
    """,
    "it is an optimisation of LLVM's that no default pipeline runs; it has to keep what the program means.": """
    assume-builder assume-simplify break-crit-edges canon-freeze canonicalize-aliases consthoist dce dfa-jump-threading
    expand-memcmp expand-reductions flatten-cfg global-merge globalsplit guard-widening gvn-hoist gvn-sink hotcoldsplit
    infer-address-spaces inliner-wrapper inliner-wrapper-no-mandatory-first interleaved-load-combine iroutliner irce
    jump-table-to-switch lcssa lnicm load-store-vectorizer loop-bound-split loop-data-prefetch loop-flatten loop-fusion
    loop-idiom-vectorize loop-interchange loop-predication loop-reduce loop-simplify loop-term-fold loop-unroll-and-jam
    loop-versioning loop-versioning-licm lower-guard-intrinsic lower-matrix-intrinsics lower-switch
    lower-widenable-condition make-guards-explicit mergefunc mergeicmps mergereturn module-inline nary-reassociate
    newgvn openmp-opt-postlink partial-inliner partially-inline-libcalls pre-isel-intrinsic-lowering reg2mem
    scalarize-masked-mem-intrin scalarizer scc-oz-module-inliner select-optimize separate-const-offset-from-gep sink
    slsr typepromotion unreachableblockelim
    """,
    "it changes names, debug information or unused declarations, and no code.": """
    add-discriminators declare-to-assign instnamer name-anon-globals redundant-dbg-inst-elim strip strip-dead-cg-profile
    strip-dead-debug-info strip-dead-prototypes strip-debug-declare strip-nondebug strip-nonlinetable-debuginfo
    """,
    "it computes or checks something and changes nothing.": """
    extra-vector-passes invalidate no-op-cgscc no-op-function no-op-loop no-op-loopnest no-op-module require verify
    """,
    "it holds other passes, each of which is looked at by itself.": """
    cgscc coro-cond devirt function loop loop-mssa module
    """,
}
"""Why → passes, as opt prints them."""
_UNLESS = {
    Fact.COROUTINES: (
        "it lowers coroutines, whose parts must be lowered in the order of LLVM's own pipelines; other modules it "
        "leaves as they are.",
        "coro-annotation-elide coro-cleanup coro-early coro-elide coro-split",
    ),
    Fact.INVOKES: (
        "it turns every invoke into a call, after which no exception is caught.",
        "lower-invoke",
    ),
    Fact.ATOMICS: (
        "it turns atomic instructions into ordinary ones, which threads and signal handlers can tell.",
        "lower-atomic",
    ),
}
"""What a module must not have, why, and passes."""

_VARYING = frozenset({"gvn-hoist", "gvn-sink", "newgvn"})
"""Passes that gave another module in another process, on modules of the suites; the first two also another object."""

ALLOWED = {
    name: PassRecord(
        name,
        True,
        reason,
        unless,
        frozenset(_PARAMETERS.get(name, "").split(";")) - {""},
        _REFUSED_PARAMETERS.get(name, {}),
        name in _VARYING,
    )
    for unless, reason, names in (
        *((None, *group) for group in _REASONS.items()),
        *((unless, *group) for unless, group in _UNLESS.items()),
    )
    for name in names.split()
}
"""Name → what is known of the pass."""
