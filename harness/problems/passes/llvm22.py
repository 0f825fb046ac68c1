"""``llvm22``: LLVM 22's own passes as actions, with the parameters that matter to size, and whole pipelines.

``default<Oz>`` is opt's; ``clang-Oz`` is what ``clang -Oz`` runs: as it prints it (``-mllvm -print-pipeline-passes``),
without what is the default of a pass, and without passes for coroutines, sanitizers and remarks. It gives the object
that clang makes, byte for byte.

What is here is allowed by the table of passes, transforms code, and does not wait for marks that no program of the
suites has (guards, matrices, OpenMP, coroutines, instrumentation). Positions never change: another choice is another
table.
"""

__all__ = ["LLVM_22", "NAMED", "WHOLE"]

_MODULE = (
    *("called-value-propagation", "constmerge", "deadargelim", "elim-avail-extern", "global-merge"),
    *("globaldce", "globalopt", "globalsplit", "hotcoldsplit", "inferattrs", "ipsccp", "ipsccp<no-func-spec>"),
    *("iroutliner", "mergefunc", "module-inline", "partial-inliner", "rpo-function-attrs", "scc-oz-module-inliner"),
    *("strip", "strip-dead-prototypes", "strip-nondebug"),
)
_CGSCC = ("argpromotion", "function-attrs", "inline")
_FUNCTION = (
    *("adce", "aggressive-instcombine", "bdce", "break-crit-edges", "callsite-splitting", "consthoist"),
    *("constraint-elimination", "correlated-propagation", "dce", "dfa-jump-threading", "div-rem-pairs", "dse"),
    *("early-cse", "early-cse<memssa>", "expand-memcmp", "flatten-cfg", "float2int", "gvn", "gvn<memoryssa>"),
    *("gvn<no-load-pre>", "gvn<no-pre>", "gvn-hoist", "gvn-sink", "infer-alignment", "instcombine<no-verify-fixpoint>"),
    *("instsimplify", "irce", "jump-threading", "lcssa", "libcalls-shrinkwrap", "load-store-vectorizer"),
    *("loop-data-prefetch", "loop-distribute", "loop-fusion", "loop-load-elim", "loop-simplify", "loop-sink"),
    *("loop-unroll", "loop-unroll<O3>", "loop-unroll<no-runtime;no-partial>", "loop-vectorize", "loop-versioning"),
    *("lower-constant-intrinsics", "lower-expect", "lower-switch", "mem2reg", "memcpyopt", "mergeicmps", "mergereturn"),
    *("mldst-motion", "mldst-motion<split-footer-bb>", "nary-reassociate", "newgvn", "partially-inline-libcalls"),
    *("reassociate", "reg2mem", "sccp", "select-optimize", "separate-const-offset-from-gep"),
    *("separate-const-offset-from-gep<lower-gep>", "simplifycfg", "simplifycfg<forward-switch-cond>"),
    *("simplifycfg<hoist-common-insts>", "simplifycfg<no-speculate-blocks>", "simplifycfg<sink-common-insts>"),
    "simplifycfg<bonus-inst-threshold=1;switch-range-to-icmp;no-keep-loops;hoist-common-insts;sink-common-insts>",
    *("simplifycfg<switch-to-lookup>", "sink", "slp-vectorizer", "slsr", "speculative-execution", "sroa"),
    *("sroa<preserve-cfg>", "tailcallelim", "typepromotion", "unreachableblockelim", "vector-combine"),
    *("function-simplification<O1>", "function-simplification<O3>", "function-simplification<Oz>"),
)
_LOOP = (
    *("canon-freeze", "indvars", "loop-bound-split", "loop-deletion", "loop-flatten", "loop-idiom"),
    *("loop-idiom-vectorize", "loop-instsimplify", "loop-interchange", "loop-predication", "loop-reduce"),
    *("loop-rotate", "loop-rotate<no-header-duplication>", "loop-simplifycfg", "loop-term-fold"),
    *("loop-unroll-and-jam", "loop-unroll-full", "loop-versioning-licm"),
)
_MEMORY_LOOP = (
    *("licm", "licm<no-allowspeculation>", "lnicm", "simple-loop-unswitch"),
    "simple-loop-unswitch<nontrivial>",
)
_PIPELINES = (
    *("default<O1>", "default<O2>", "default<O3>", "default<Os>", "default<Oz>", "lto<O2>", "lto<Os>", "lto<Oz>"),
    *("thinlto<Oz>", "thinlto-pre-link<Oz>"),
)

_SWITCH = "simplifycfg<switch-range-to-icmp>"
_SINK = "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-common-insts;sink-common-insts>"
_TABLES = (
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-arithmetic;switch-to-lookup;no-keep-loops;"
    "hoist-common-insts;sink-common-insts>"
)
_LAST = (
    "simplifycfg<switch-range-to-icmp;switch-to-arithmetic;hoist-loads-stores-with-cond-faulting;"
    "speculate-unpredictables>"
)
_COMBINE = "instcombine<no-verify-fixpoint>"
_SIMPLIFICATION = ",".join(
    (
        *("sroa", "early-cse<memssa>", "jump-threading", "correlated-propagation", _SWITCH, _COMBINE),
        *("aggressive-instcombine", "tailcallelim", _SWITCH, "reassociate", "constraint-elimination"),
        "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,"
        "loop-rotate<no-header-duplication>,licm,simple-loop-unswitch)",
        *(_SWITCH, _COMBINE, "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full)", "sroa", "vector-combine"),
        *("mldst-motion", "gvn", "sccp", "bdce", _COMBINE, "jump-threading", "correlated-propagation", "adce"),
        *("memcpyopt", "dse", "loop-mssa(licm)", _SINK, _COMBINE),
    )
)
_BEFORE_VECTORS = (
    *("float2int", "lower-constant-intrinsics", "loop(loop-rotate<no-header-duplication>,loop-deletion)"),
    *("loop-vectorize<vectorize-forced-only>", "infer-alignment", "loop-load-elim", _COMBINE, _TABLES),
)
_AFTER_VECTORS = (
    *("vector-combine", _COMBINE, "loop-unroll<O2>", "sroa<preserve-cfg>", "infer-alignment", _COMBINE),
    *("loop-mssa(licm)", "alignment-from-assumptions", "loop-sink", "instsimplify", "div-rem-pairs", "tailcallelim"),
    _LAST,
)


def _clang_oz(*vectors: str) -> str:
    """With these passes where clang makes vectors of straight code."""
    return ",".join(
        (
            "inferattrs,function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse)",
            *("ipsccp", "called-value-propagation", "globalopt"),
            f"function<eager-inv>(mem2reg,{_COMBINE},{_SWITCH})",
            *("always-inline", "require<globals-aa>", "function(invalidate<aa>)", "require<profile-summary>"),
            "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,"
            f"function<eager-inv;no-rerun>({_SIMPLIFICATION}),function-attrs,"
            "function(require<should-not-run-function-passes>)))",
            *(
                "deadargelim",
                "globalopt",
                "globaldce",
                "elim-avail-extern",
                "rpo-function-attrs",
                "recompute-globalsaa",
            ),
            f"function<eager-inv>({','.join((*_BEFORE_VECTORS, *vectors, *_AFTER_VECTORS))})",
            *("globaldce", "constmerge", "rel-lookup-table-converter"),
        )
    )


NAMED = {"clang-Oz": _clang_oz("slp-vectorizer"), "clang-Oz<no-slp>": _clang_oz()}
"""Actions that have a name, since their pipelines are long: ``clang -Oz``, and that without vectors of straight code,
which is ``clang -Oz -fno-slp-vectorize`` on most programs, not on all (libquantum has 15 bytes less).
"""

WHOLE = (*_PIPELINES, *NAMED)
"""Actions that are whole pipelines."""

LLVM_22 = (
    *_MODULE,
    *(f"cgscc({name})" for name in _CGSCC),
    *(f"function({name})" for name in _FUNCTION),
    *(f"function(loop({name}))" for name in _LOOP),
    *(f"function(loop-mssa({name}))" for name in _MEMORY_LOOP),
    *_PIPELINES,
    # What means something on modules without exceptions or atomics, and does nothing on others.
    "function(lower-atomic)",
    "function(lower-invoke)",
    *NAMED,
    "rel-lookup-table-converter",
)
"""Pipelines, by position."""
