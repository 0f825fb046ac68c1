"""Pass names against the real opt: the legacy actions, every pass that it lists, and what it refuses."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.base.errors import CellError
from harness.base.vocabulary import Outcome
from harness.problems.passes.fixed import resolve
from harness.problems.passes.names import GONE, LEGACY_ACTIONS
from harness.problems.passes.vetted import VETTED
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain

# The 42 actions of the phase-ordering literature, as the legacy pass manager called them.
ACTIONS = [
    "adce",
    "break-crit-edges",
    "constmerge",
    "correlated-propagation",
    "deadargelim",
    "dse",
    "early-cse",
    "early-cse-memssa",
    "functionattrs",
    "globaldce",
    "globalopt",
    "gvn",
    "indvars",
    "inline",
    "instcombine",
    "ipsccp",
    "jump-threading",
    "lcssa",
    "licm",
    "loop-deletion",
    "loop-idiom",
    "loop-reduce",
    "loop-rotate",
    "loop-simplify",
    "loop-unroll",
    "loop-unswitch",
    "lower-expect",
    "loweratomic",
    "lowerinvoke",
    "lowerswitch",
    "mem2reg",
    "memcpyopt",
    "partial-inliner",
    "prune-eh",
    "reassociate",
    "sccp",
    "simplifycfg",
    "sink",
    "sroa",
    "strip",
    "strip-nondebug",
    "tailcallelim",
]

# Passes that a list may hold and that nobody can use by their bare names.
NOT_BARE = {
    **dict.fromkeys(
        ["default", "function-simplification", "lto", "lto-pre-link", "thinlto", "thinlto-pre-link"],
        "needs a level as parameter",
    ),
    "invalidate": "needs the parameter <all>",
}

SOURCE = """
int table[64], *cursor;
__attribute__((noinline)) static int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) for (int j = 0; j < i; j++) total += cursor ? values[j] * 3 : values[i];
  return total;
}
int main(int argc, char **argv) {
  for (int i = 0; i < 64; i++) table[i] = argc + i;
  switch (argc) { case 1: return sum(table, 64); case 2: return sum(table + 1, 63) / argc; case 5: return 3; }
  return __atomic_load_n(table, __ATOMIC_SEQ_CST);
}
"""


@pytest.fixture(scope="module")
def loops(toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A module with loops, calls, a switch and an atomic, as freeze leaves it."""
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.c").write_text(SOURCE)
    command = [toolchain.tool("clang"), "-Oz", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", "loops.c"]
    subprocess.run(command, cwd=folder, check=True, timeout=60)
    return folder / "loops.bc"


def opt(toolchain: Toolchain, passes: str, module: Path) -> None:
    command = [toolchain.tool("opt"), f"-passes={passes}", "-verify-each", module.name, "-disable-output"]
    done = subprocess.run(command, cwd=module.parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (passes, done.stderr[:500])


def listed(toolchain: Toolchain) -> dict[str, list[str]]:
    """Bare names that lists may hold by the headings of ``opt --print-passes``; one of two units under the first."""
    output = subprocess.run([toolchain.tool("opt"), "--print-passes"], capture_output=True, text=True, timeout=60)
    sections: dict[str, list[str]] = {}
    seen: set[str] = set()
    for block in re.split(r"\n(?=\S)", output.stdout):
        heading, *names = block.splitlines()
        unit = re.fullmatch(r"(Module|CGSCC|Function|LoopNest|Loop) passes( with params)?:", heading)
        for name in (line.strip().split("<")[0] for line in names if unit):
            if name not in seen and VETTED[name].allowed:
                seen.add(name)
                sections.setdefault(unit[1] if unit else "", []).append(name)
    return sections


def body_of(content: bytes, bench: Bench) -> dict[str, list[str]]:
    """What the decisions of a passes.txt hold."""
    return resolve(content, "passes.txt", bench).body


def reason(content: bytes, bench: Bench) -> str:
    """Why a passes.txt is refused."""
    with pytest.raises(CellError) as raised:
        resolve(content, "passes.txt", bench)
    assert raised.value.outcome is Outcome.POLICY_ERROR
    assert "\n" not in raised.value.message
    return raised.value.message


def test_every_legacy_action_is_known_or_reported_as_gone() -> None:
    assert len(ACTIONS) == 42
    assert set(ACTIONS) <= {*LEGACY_ACTIONS, *GONE}


@pytest.mark.parametrize("action", [*LEGACY_ACTIONS, *GONE])
def test_a_legacy_action_runs_on_a_real_module(action: str, toolchain: Toolchain, bench: Bench, loops: Path) -> None:
    body = body_of(f"mem2reg\n-{action}".encode(), bench)
    if action in GONE:
        assert body == {"passes": ["function(mem2reg)"], "dropped": [action]}
        return
    assert body["dropped"] == []
    opt(toolchain, ",".join(["no-op-module", *body["passes"]]), loops)


def test_all_actions_together_are_one_pipeline(toolchain: Toolchain, bench: Bench, loops: Path) -> None:
    body = body_of(" ".join(f"-{action}" for action in ACTIONS).encode(), bench)
    assert body["dropped"] == ["prune-eh"]
    assert len(body["passes"]) == 41
    opt(toolchain, ",".join(body["passes"]), loops)


def test_module_passes_are_taken_as_they_are(toolchain: Toolchain, bench: Bench) -> None:
    names = [name for name in listed(toolchain)["Module"] if name not in NOT_BARE]
    assert len(names) > 40
    passes = body_of("\n".join(["no-op-module", *names]).encode(), bench)["passes"]
    assert passes == ["no-op-module", *(LEGACY_ACTIONS.get(name, name) for name in names)]


@pytest.mark.parametrize(
    ("section", "nesting"),
    [
        ("CGSCC", r"cgscc\({}\)"),
        ("Function", r"function\({}\)"),
        ("LoopNest", r"function\(loop\({}\)\)"),
        ("Loop", r"function\(loop(-mssa)?\({}\)\)"),
    ],
)
def test_other_passes_are_put_at_their_nesting(section: str, nesting: str, toolchain: Toolchain, bench: Bench) -> None:
    names = [name for name in listed(toolchain)[section] if name not in {*NOT_BARE, *LEGACY_ACTIONS}]
    assert len(names) >= 4
    passes = body_of("\n".join(["no-op-module", *names]).encode(), bench)["passes"]
    for name, pipeline in zip(names, passes[1:], strict=True):
        assert re.fullmatch(nesting.format(re.escape(name)), pipeline), (name, pipeline)


def test_loop_passes_run_on_a_real_module(toolchain: Toolchain, bench: Bench, loops: Path) -> None:
    """Some abort on a loop where the list was accepted: those that want MemorySSA."""
    sections = listed(toolchain)
    names = [*sections["Loop"], *sections["LoopNest"]]
    assert {"licm", "lnicm", "simple-loop-unswitch", "loop-rotate", "loop-flatten"} <= set(names)
    for name in names:
        body = body_of(f"mem2reg {name}".encode(), bench)
        opt(toolchain, ",".join(body["passes"]), loops)


@pytest.mark.parametrize("name", NOT_BARE)
def test_what_cannot_be_used_bare_is_a_policy_error(name: str, bench: Bench) -> None:
    assert "opt: " in reason(f"sroa {name}".encode(), bench)


def test_parameters_pipelines_and_nesting_pass_through(bench: Bench) -> None:
    text = (
        b"default<Oz>\nsimplifycfg<bonus-inst-threshold=2>, licm<allowspeculation> function(sroa,loop(loop-rotate))\n"
    )
    text += b"loop-mssa(licm) cgscc(inline) devirt<2>(inline,function-attrs) early-cse<memssa>"
    assert body_of(text, bench)["passes"] == [
        "default<Oz>",
        "function(simplifycfg<bonus-inst-threshold=2>)",
        "function(loop-mssa(licm<allowspeculation>))",
        "function(sroa,loop(loop-rotate))",
        "function(loop-mssa(licm))",
        "cgscc(inline)",
        "cgscc(devirt<2>(inline,function-attrs))",
        "function(early-cse<memssa>)",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"sroa\nmem2rge", "passes.txt line 2: LLVM has no pass 'mem2rge'; did you mean 'mem2reg'?"),
        (b"\n\nloop-unswich", "passes.txt line 3: LLVM has no pass 'loop-unswich'; did you mean 'loop-unswitch'?"),
        (b"qqqqqqqq", "passes.txt line 1: LLVM has no pass 'qqqqqqqq'"),
        (b"sroa\nlop(licm)", "passes.txt line 2: LLVM has no pass 'lop(licm)'; did you mean 'licm'?"),
        (b"repeat<2>(gvn)", "passes.txt line 1: LLVM has no pass 'repeat<2>(gvn)'"),
        (b"", "passes.txt names no pass"),
        (b"# nothing\n\n , \n", "passes.txt names no pass"),
        (b"prune-eh", "passes.txt names no pass"),
        (b"sroa\nfunction(gvn", "passes.txt line 2: '(' is never closed"),
        (b"function(gvn\0)", "passes.txt line 1: the character '\\x00' has no place in a pass list"),
    ],
)
def test_an_unusable_list_is_refused_where_it_is_wrong(content: bytes, message: str, bench: Bench) -> None:
    assert reason(content, bench) == message


def test_what_stands_in_brackets_is_judged_by_opt(bench: Bench) -> None:
    message = reason(b"function(sroa,globaldce)", bench)
    assert message.startswith("passes.txt: opt: exit status 1") and "'globaldce'" in message
    assert "'modify-cfg;preserve-cfg;'" in reason(b"function(sroa<modify-cfg;preserve-cfg;>)", bench)


def test_a_list_longer_than_a_command_line_may_be_is_refused(bench: Bench) -> None:
    short, long = b"sccp\n" * 5_500, b"sccp\n" * 6_700  # each becomes 'function(sccp),'
    assert len(body_of(short, bench)["passes"]) == 5_500
    assert reason(long, bench) == "passes.txt: the pipeline has 100499 characters, 100000 are allowed"
