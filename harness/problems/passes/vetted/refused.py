"""Passes that a submitted list may not run, each with the reason.

They change what the program means, depend on facts that the harness cannot grant, or do not optimise.
"""

from harness.problems.passes.vetted.record import PassRecord

__all__ = ["REFUSED"]

_REASONS = {
    "it is known to miscompile: what it deduces can be wrong, and a later pass removes code that is needed.": """
    attributor attributor-cgscc attributor-light attributor-light-cgscc
    """,
    "it is a step of another target's control flow and gives wrong outputs, or crashes opt, on ordinary programs.": """
    fix-irreducible structurizecfg unify-loop-exits
    """,
    "it serves the reduction of test cases: it takes code out of its place or out of the module.": """
    extract-blocks loop-extract
    """,
    "it hides symbols, and the frozen module is internalised already: main itself would be removed.": "internalize",
    "it renames functions of other libraries, or symbols that the linker has to find.": "metarenamer rewrite-symbols",
    "it rewrites the module for the comparison of texts, and does not promise to keep what the program means.": """
    normalize
    """,
    (
        "it draws conclusions from a whole program, shared libraries included, of which the module is one part; run in "
        "its place by lto<…>, it has what it needs."
    ): "cross-dso-cfi lowertypetests norecurse-lto-inference simplify-type-tests wholeprogramdevirt",
    "it belongs to links of several modules (ThinLTO, FatLTO): it imports, embeds or marks code for another link.": """
    assign-guid embed-bitcode fatlto-cleanup fatlto-pre-link function-import global-merge-func noinline-nonprevailing
    """,
    (
        "it belongs to code generation, which runs it in its own place; before or between optimisations it is wrong, "
        "crashes opt, or makes code that cannot be generated."
    ): """
    atomic-expand callbr-prepare codegenprepare complex-deinterleaving dwarf-eh-prepare expand-ir-insts expand-variadics
    free-machine-function gc-lowering hardware-loops indirectbr-expand interleaved-access lower-emutls
    lower-global-dtors lower-ifunc replace-with-veclib sjlj-eh-prepare
    """,
    "it lowers exceptions for Windows or WebAssembly: on the harness's targets nothing would catch them.": """
    wasm-eh-prepare win-eh-prepare
    """,
    "it is for a garbage collector's statepoints, which C and C++ do not have.": """
    place-safepoints rewrite-statepoints-for-gc shadow-stack-gc-lowering strip-gc-relocates
    """,
    "it instruments the program: it adds checks or calls of a runtime library.": """
    asan bounds-checking cfguard dfsan hwasan jmc-instrumenter kcfi lower-allow-check memprof memprof-module msan nsan
    rtsan safe-stack sancov-module sanmd-module stack-protector tsan tsan-module tysan
    """,
    "it makes or reads a profile: the program would count its own execution, or be optimised for data of others.": """
    ctx-instr-gen ctx-instr-lower ctx-prof-flatten ctx-prof-flatten-prethinlink insert-gcov-profiling instrprof
    memprof-context-disambiguation memprof-use pgo-force-function-attrs pgo-icall-prom pgo-instr-gen pgo-instr-use
    pgo-memop-opt prof-inject prof-verify pseudo-probe pseudo-probe-update sample-profile
    """,
    "it is for another language or target than the harness's.": """
    declare-runtime-libcalls dxil-upgrade hipstdpar-interpose-alloc hipstdpar-math-fixup
    hipstdpar-select-accelerator-code objc-arc objc-arc-contract objc-arc-expand
    """,
    "it needs a model that stock LLVM is built without.": "inliner-ml-advisor-release",
    "it is an experiment of LLVM's whose output nobody has vouched for yet.": "sandbox-vectorizer",
    "it writes files or opens windows, and optimises nothing.": """
    dot-callgraph dot-cfg dot-cfg-only dot-ddg dot-dom dot-dom-only dot-post-dom dot-post-dom-only view-callgraph
    view-cfg view-cfg-only view-dom view-dom-only view-post-dom view-post-dom-only
    """,
    "it prints what it finds, and optimises nothing.": """
    aa-eval count-visits func-properties-stats helloworld instcount kernel-info lint pa-eval print print-alias-sets
    print-callgraph print-callgraph-sccs print-cfg-sccs print-ir-similarity print-lcg print-lcg-dot print-memderefs
    print-must-be-executed-contexts print-mustexecute print-predicateinfo print-profile-summary print-stack-safety
    """,
    "it is there to test LLVM: it adds false debug information, crashes, or breaks the module.": """
    check-debugify debugify trigger-crash-function trigger-crash-module trigger-verifier-error
    """,
    "it holds passes of code generation, which clang runs in their own place.": "machine-function",
}
"""Why → passes, as opt prints them."""

REFUSED = {name: PassRecord(name, False, reason) for reason, names in _REASONS.items() for name in names.split()}
"""Name → what is known of the pass."""
