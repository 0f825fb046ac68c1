"""C++ heuristics: their constants, what does not compile, and every way to misbehave in the compiler's own process."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.apply.decisions import Decisions
from harness.base.errors import CellError, UsageError
from harness.base.store import Store
from harness.base.vocabulary import Isolation, Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.policy.forms import compiled
from harness.policy.forms.cpp import build
from harness.policy.forms.cpp.hyperparameters import parse_hyperparameters, require_no_options
from harness.policy.forms.parameters import Hyperparameter, valued
from harness.problems.inlining.ask import asking
from harness.problems.inlining.sites import Site, Who, parse_log, sites_of
from harness.sandbox import MIB, Sandbox, tools
from harness.sandbox.bench import Bench
from harness.toolchain import Toolchain
from tests.problems.faults import with_faults
from tests.problems.inlining.made import HERE, Modules, asked_of, decide, heuristic_policy

PATIENCE = 2.0
"""Seconds that a compilation may take where one is to meet the limit."""
LATE = 10.0
"""Seconds that it may take to say so on a busy machine."""

COUNTS = """
// [hyperparam]: limit, int, -100000, 1000, 5
// [hyperparam]: share, float, 0, 2, 1
bool getEvolvableAdvice(CallBase &CB, PolicyContext &Context) {
  return Context.feature(FeatureIndex::cost_estimate) * share <= limit;
}
"""

MISBEHAVING, MODES = with_faults(HERE / "misbehaving.cpp")


def misbehaving(mode: str) -> Policy:
    """The heuristic with this fault."""
    return heuristic_policy(MISBEHAVING, mode=MODES.index(mode))


@pytest.fixture
def quick(bench: Bench) -> Bench:
    """A workbench that soon loses patience."""
    return replace(bench, compile_timeout=PATIENCE)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compilations get 1 GiB of memory, and 128 MiB of files."""
    monkeypatch.setattr(tools, "GIB", 128 * MIB)
    monkeypatch.setattr(tools._job, "__defaults__", (None, 128 * MIB))


@pytest.fixture(scope="module")
def outside(toolchain: Toolchain, store: Store) -> Sandbox:
    """No sandbox: the control of what is not there inside."""
    return Sandbox(toolchain, store, Isolation.TRUSTED)


def by_policy(decisions: Decisions) -> list[Site]:
    """The call sites that the policy decided."""
    return [site for site in sites_of(decisions.body) if site.who is Who.POLICY]


def failure(policy: Policy, frozen: FrozenModule, bench: Bench) -> CellError:
    """How the policy ends."""
    with pytest.raises(CellError) as raised:
        decide(policy, frozen, bench)
    return raised.value


# -- constants


NAMES = st.from_regex(r"[A-Z][a-z0-9_]{0,9}", fullmatch=True)
BLANKS = st.text(" \t", max_size=3)
INTS = st.integers(-(2**31) + 1, 2**31 - 1)
FLOATS = st.floats(-(2.0**31) + 1, 2.0**31 - 1)


@st.composite
def declared(draw: st.DrawFn) -> list[Hyperparameter]:
    """Hyperparameters of any names, bounds and defaults."""
    found = []
    for line, name in enumerate(draw(st.lists(NAMES, max_size=6, unique=True)), start=1):
        is_int = draw(st.booleans())
        low, default, high = sorted(draw(st.lists(INTS if is_int else FLOATS, min_size=3, max_size=3)))
        found.append(Hyperparameter(name, is_int, low, high, default, 2 * line))
    return found


@given(declared(), st.data())
def test_what_is_declared_is_found(parameters: list[Hyperparameter], data: st.DataObject) -> None:
    def blank() -> str:
        return data.draw(BLANKS)

    lines = []
    for one in parameters:
        words = [one.name, "int" if one.is_int else "float", *(repr(n) for n in (one.low, one.high, one.default))]
        lines.append(f"static int nothing{one.line}; // hyperparam: none")
        text = ",".join(f"{blank()}{word}{blank()}" for word in words)
        lines.append(f"{blank()}//{blank()}[hyperparam]{blank()}:{text}{data.draw(st.sampled_from(['', chr(13)]))}")
    found = parse_hyperparameters("\n".join(lines), "heuristic.cpp")
    assert found == tuple(parameters)
    defaults = {one.name: one.default for one in parameters}
    assert valued(found, {}, "submission.toml") == defaults
    assert valued(found, defaults, "submission.toml") == defaults
    for one in parameters:
        assert one.accepts(one.low) and one.accepts(one.high)
        assert not one.accepts(one.high + 1) and not one.accepts(one.low - 1)
        assert not one.accepts(True) and not one.accepts(str(one.default)) and not one.accepts(float("nan"))
        assert one.accepts(float(one.default)) != one.is_int


@given(st.text(max_size=60) | st.text("abi,nt0159-.: \n", max_size=60).map(lambda text: f"// [hyperparam]{text}"))
def test_any_text_has_hyperparameters_or_an_error_with_its_line(text: str) -> None:
    try:
        found = parse_hyperparameters(text, "heuristic.cpp")
    except UsageError as error:
        assert re.match(r"heuristic\.cpp:\d+\Z", error.where or "")
        return
    assert all(one.low <= one.default <= one.high for one in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limit, int, 0, 9, 5", "not a hyperparameter"),
        (": limit, int, 0, 9", "not a hyperparameter"),
        (": limit, int, 0, 9, 5, 6", "not a hyperparameter"),
        (": limit, long, 0, 9, 5", "not a hyperparameter"),
        (": limit; int; 0; 9; 5", "not a hyperparameter"),
        ("", "not a hyperparameter"),
        (": 2nd, int, 0, 9, 5", "'2nd' cannot be a hyperparameter's name"),
        (": _x, int, 0, 9, 5", "'_x' cannot be a hyperparameter's name"),
        (": a b, int, 0, 9, 5", "'a b' cannot be a hyperparameter's name"),
        (": größe, int, 0, 9, 5", "'größe' cannot be a hyperparameter's name"),
        (f": {'x' * 65}, int, 0, 9, 5", "cannot be a hyperparameter's name"),
        (": return, int, 0, 9, 5", "'return' cannot be a hyperparameter's name"),
        (": static_cast, int, 0, 9, 5", "'static_cast' cannot be a hyperparameter's name"),
        (": llvm, int, 0, 9, 5", "'llvm' cannot be a hyperparameter's name"),
        (": CallBase, int, 0, 9, 5", "'CallBase' cannot be a hyperparameter's name"),
        (": hook, int, 0, 9, 5", "'hook' cannot be a hyperparameter's name"),
        (": , int, 0, 9, 5", "'' cannot be a hyperparameter's name"),
        (": limit, int, 0, 9.5, 5", "'9.5' is no int"),
        (": limit, int, low, 9, 5", "'low' is no int"),
        (": limit, float, 0, 0x9, 5", "'0x9' is no float"),
        (": limit, float, 0, , 5", "'' is no float"),
        (": limit, int, 0, 2147483648, 5", "2147483648 is too large"),
        (": limit, float, -inf, 9, 5", "-inf is too large"),
        (": limit, float, 0, 9, nan", "nan is too large"),
        (": limit, int, 9, 0, 5", "hyperparameter 'limit': low, 9, is above high, 0"),
        (": limit, int, 0, 9, 10", "hyperparameter 'limit': its default, 10, is not within 0 to 9"),
        (": limit, float, 0, 9, -0.5", "hyperparameter 'limit': its default, -0.5, is not within 0.0 to 9.0"),
        (": other, int, 0, 9, 5", "hyperparameter 'other' is declared in line 1 already"),
    ],
)
def test_a_malformed_declaration_is_named_with_its_line(text: str, said: str) -> None:
    file = f"// [hyperparam]: other, int, 0, 1, 0\n\n  // [hyperparam] {text}\nint rest;\n"
    with pytest.raises(UsageError, match=re.escape(said)) as raised:
        decide_nothing(heuristic_policy(file))
    assert raised.value.where == "made/heuristic.cpp:3"


def decide_nothing(policy: Policy) -> None:
    """Check it only."""
    problem_of("inlining").check(policy, "submission.toml")


def test_so_many_hyperparameters_and_no_more() -> None:
    lines = [f"// [hyperparam]: x{n}, int, 0, 9, 5" for n in range(65)]
    assert len(parse_hyperparameters("\n".join(lines[:64]), "heuristic.cpp")) == 64
    with pytest.raises(UsageError, match="more than 64 hyperparameters"):
        parse_hyperparameters("\n".join(lines), "heuristic.cpp")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"limit": 1001}, "values.limit: 1001 is not an int within -100000 to 1000"),
        ({"limit": -100001}, "values.limit: -100001 is not an int within"),
        ({"limit": 5.0}, "values.limit: 5.0 is not an int within"),
        ({"limit": "5"}, "values.limit: '5' is not an int within"),
        ({"share": 2.5}, "values.share: 2.5 is not a number within 0.0 to 2.0"),
        ({"share": "much"}, "values.share: 'much' is not a number within"),
        ({"limits": 5}, "values.limits: there is no such hyperparameter (there are: limit, share)"),
        ({"hook": "regalloc-eviction-of-nothing"}, "values.hook: 'regalloc-eviction-of-nothing' is none; there is:"),
        ({"hook": 1}, "values.hook: 1 is none"),
    ],
)
def test_values_of_the_manifest_keep_to_what_is_declared(values: dict[str, int | float | str], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as raised:
        decide_nothing(heuristic_policy(COUNTS, **values))
    assert raised.value.where == "submission.toml"
    decide_nothing(heuristic_policy(COUNTS, limit=-100000, share=2, hook="inline"))


@pytest.mark.parametrize(
    "text",
    [
        'static cl::opt<int> own("own");',
        'static llvm::cl::opt<bool> own("own");',
        'static cl :: list<int> own("own");',
        'int x = 1; /* not this */ cl::opt<int> own("own");',
        'const char *text = "quoted \\" mark"; cl::opt<int> own("own");',
        "cl::OptionCategory own;",
        "cl\n::opt<int> own;",
    ],
)
def test_llvm_options_of_ones_own_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"cl::(opt|list|OptionCategory): LLVM options are the harness's") as raised:
        decide_nothing(heuristic_policy(f"{COUNTS}{text}\n"))
    assert raised.value.where == f"made/heuristic.cpp:{COUNTS.count(chr(10)) + 1}"
    assert "[hyperparam]" in (raised.value.hint or "")


@pytest.mark.parametrize(
    "text",
    [
        "// it has no cl::opt of its own",
        "/* nor\n * cl::opt here */",
        'const char *why = "no cl::opt<int>";',
        'const char *why = "it\'s \\"cl::opt\\"";',
        "const char quote = '\"'; // cl::opt",
        "int myvcl::option;",
        "x.cl::optional<int>();",
    ],
)
def test_who_only_speaks_of_them_is_not(text: str) -> None:
    require_no_options(f"{COUNTS}{text}\n", "heuristic.cpp")


@pytest.mark.parametrize("content", [b"\xff\xfe", COUNTS.encode() + b"// \x80\n"])
def test_what_is_no_text(content: bytes) -> None:
    with pytest.raises(UsageError, match="not UTF-8 text") as raised:
        decide_nothing(heuristic_policy(content))
    assert raised.value.where == "made/heuristic.cpp"


def test_constants_decide(modules: Modules, bench: Bench) -> None:
    """Each by its value in the manifest, or by its default."""
    frozen = modules.frozen()
    usual, same, high, low, share = (
        [site.inline for site in by_policy(decide(heuristic_policy(COUNTS, **values), frozen, bench))]
        for values in ({}, {"limit": 5}, {"limit": 1000}, {"limit": -100000}, {"share": 0, "limit": 0})
    )
    assert usual == same
    assert any(usual) and not all(usual)
    assert all(high) and all(share) and not any(low)


# -- what does not compile


def broken(text: str, bench: Bench, frozen: FrozenModule) -> str:
    """The message; the outcome is policy-error."""
    error = failure(heuristic_policy(text), frozen, bench)
    assert error.outcome is Outcome.POLICY_ERROR
    assert str(bench.cache) not in error.message
    return error.message


def test_the_compilers_first_messages_are_shown(modules: Modules, bench: Bench) -> None:
    text = COUNTS.replace("return Context", "int x = missing; no; nor; neither;\n  return Context")
    message = broken(text, bench, modules.frozen())
    (line,) = [at for at, words in enumerate(text.splitlines(), start=1) if "missing" in words]
    assert message.startswith(
        f"heuristic.cpp does not compile: heuristic.cpp:{line}:11: use of undeclared identifier 'missing'; "
        f"heuristic.cpp:{line}:20: use of undeclared identifier 'no'; "
    )
    assert re.search(r"; heuristic\.cpp:\d+:24: [^;]*; did you mean 'for'\? \(and \d more errors\)\Z", message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bool getAdvice(CallBase &, PolicyContext &) { return true; }", "undeclared identifier 'getEvolvableAdvice'"),
        ("bool getEvolvableAdvice(CallBase &CB) { return true; }", "no matching function"),
        ('#include "/etc/passwd"\n', "heuristic.cpp:1:10: '/etc/passwd' file not found"),
        ("#include <onnxruntime.h>\n", "heuristic.cpp:1:10: 'onnxruntime.h' file not found"),
        ('#include "heuristic.cpp"\n', "#include nested too deeply"),
        ('asm(".incbin \\"/etc/passwd\\"");' + COUNTS, "Could not find incbin file '/etc/passwd'"),
    ],
)
def test_other_files_that_do_not_compile(text: str, said: str, modules: Modules, bench: Bench) -> None:
    assert said in broken(text, bench, modules.frozen())


def test_what_is_only_missing_when_it_is_loaded(modules: Modules, bench: Bench) -> None:
    text = "int elsewhere();\nbool getEvolvableAdvice(CallBase &, PolicyContext &) { return elsewhere(); }\n"
    assert broken(text, bench, modules.frozen()).startswith("heuristic.cpp: it uses elsewhere: ")


def test_an_option_of_llvms_that_was_hidden_from_the_check(modules: Modules, bench: Bench) -> None:
    text = f'namespace other = llvm::cl;\nstatic other::opt<int> own("inline-threshold");\n{COUNTS}'
    assert "it uses llvm::cl::" in broken(text, bench, modules.frozen())


@pytest.mark.slow
def test_what_takes_for_ever_to_compile(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    decide(heuristic_policy(COUNTS), modules.frozen(), bench)  # LLVM's headers are precompiled once, in their own time
    monkeypatch.setattr(compiled, "SECONDS", 1.5)
    turns = "constexpr long turns(long n) { long x = 0; for (long i = 0; i < 300000; ++i) x ^= i * n; return x; }"
    lines = [turns, *(f"constexpr long x{n} = turns({n});" for n in range(500))]
    started = time.monotonic()
    own = replace(bench, compile_timeout=1.5)
    error = failure(heuristic_policy("\n".join([*lines, COUNTS])), modules.frozen(), own)
    assert error.outcome is Outcome.POLICY_TIMEOUT and error.transient
    assert error.message == "heuristic.cpp does not compile: stopped at its limit of 1.5 s of CPU time"
    assert time.monotonic() - started < 1.5 + LATE


@pytest.mark.slow
def test_it_is_compiled_once(modules: Modules, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all programs, targets, levels and values; and what does not compile is not tried again."""
    compiled: list[str] = []
    genuine = build._compile

    def counting(words: tuple[str, ...], files: dict[str, Path], result: str, on: Bench) -> object:
        compiled.append(result)
        return genuine(words, files, result, on)

    monkeypatch.setattr(build, "_compile", counting)
    text = COUNTS + "// once\n"
    for target in Target:
        for limit in (1, 2):
            decide(heuristic_policy(text, limit=limit), modules.frozen(target=target), bench)
    for _ in range(2):
        broken(f"{text}int x = y;\n", bench, modules.frozen())
    assert compiled == ["policy.so", "policy.so"]


# -- what misbehaves


def test_that_heuristic_is_fine_without_a_fault(modules: Modules, bench: Bench) -> None:
    """Else the tests below would say nothing."""
    decisions = by_policy(decide(misbehaving("Fine"), modules.frozen(), bench))
    assert len(decisions) > 20
    assert {site.inline for site in decisions} == {True, False}


def test_what_never_ends_is_stopped(modules: Modules, quick: Bench) -> None:
    policy = misbehaving("Loops")
    brief = replace(policy, manifest=policy.manifest.model_copy(update={"budget": PATIENCE}))
    started = time.monotonic()
    error = failure(brief, modules.frozen(), quick)
    assert error.outcome is Outcome.POLICY_TIMEOUT and error.transient
    assert (
        error.message
        == f"the policy in the compiler took more CPU time than the {PATIENCE:g} s that its budget gives it"
    )
    assert time.monotonic() - started < PATIENCE + LATE


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("Recurses", "clang: killed by SIGSEGV"),
        ("Crashes", "clang crashed: SIGSEGV"),
        ("Traps", "clang crashed: SIGILL"),
        ("Exits", "opt.bc is "),
        ("Leaves", "opt.bc is "),
        ("KillsAll", "clang: killed by SIGKILL"),
        ("RemovesLog", "decisions.txt is "),
        ("ForgesGarbage", "the policy's process altered the log of decisions: line 3 is neither"),
    ],
)
def test_what_ends_too_early_or_spoils_its_log(mode: str, said: str, modules: Modules, bench: Bench) -> None:
    error = failure(misbehaving(mode), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_ERROR
    assert said in error.message
    assert error.transient == (mode == "KillsAll")
    assert mode != "Traps" or "memory" not in error.message


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("Allocates", r"clang: exit status 1: LLVM ERROR: out of memory"),
        ("TouchesAll", r"clang crashed: SIGSEGV \(it cannot have more than 8192 MiB of memory\)"),
    ],
)
def test_50_gigabytes(mode: str, said: str, modules: Modules, bench: Bench) -> None:
    """The one asks for them and is told; the other does not look whether it got them."""
    error = failure(misbehaving(mode), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_ERROR and not error.transient
    assert re.fullmatch(f"the policy in the compiler: {said}", error.message)


def test_a_full_scratch_folder(modules: Modules, bench: Bench, small: None) -> None:
    error = failure(misbehaving("FillsDisk"), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_ERROR
    assert "scratch folder of 128 MiB is full" in error.message


CONFINED = ["ReadsPasswords", "OpensFiles", "RewritesCode", "ReadsHome", "Connects", "Starts", "StartsEarly", "Maps"]


@pytest.mark.parametrize("mode", [*CONFINED, "WritesHome"])
def test_of_the_machine_there_is_nothing(mode: str, modules: Modules, bench: Bench) -> None:
    """It would inline what it is asked about if it could."""
    decisions = by_policy(decide(misbehaving(mode), modules.frozen(), bench))
    assert decisions and not any(site.inline for site in decisions)


@pytest.mark.parametrize("mode", CONFINED)
def test_the_compiler_confines_itself(mode: str, modules: Modules, bench: Bench, outside: Sandbox) -> None:
    """Nor could it without a sandbox, whatever system call it makes: no program, no process, no file to read."""
    policy = misbehaving(mode)
    done = outside.run(asking(modules.frozen()).job(asked_of(policy, bench), bench))
    decisions = [site for site in sites_of(parse_log(done.results["decisions.txt"].decode())) if site.who is Who.POLICY]
    assert decisions and not any(site.inline for site in decisions)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("AddsNoInline", "is not decided as it was"),
        ("ErasesInstruction", "did more to the module than decide"),
        ("ChangesLinkage", "did more to the module than decide"),
        ("ChangesConstant", "did more to the module than decide"),
        ("Renames", "and the decision is on a call of is_even in renamed"),
        ("SpoilsModule", "did more to the module than decide: what it left cannot be compiled (clang: exit status 1"),
        ("ForgesIllegal", "is not decided as it was"),
        ("ForgesNothing", "and there are no more decisions"),
        ("ForgesOther", ""),
        ("ForgesUnknown", "and the decision is on a call of elsewhere in main"),
    ],
)
def test_who_does_more_than_decide_is_not_replayable(mode: str, said: str, modules: Modules, bench: Bench) -> None:
    error = failure(misbehaving(mode), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.NOT_REPLAYABLE, False)
    assert said in error.message


@pytest.mark.parametrize(
    "mode",
    ["ReadsTime", "ReadsCounter", "ReadsAddress", "ReadsStack", "ReadsRandom", "ReadsDevice", "ReadsProcess"],
)
def test_who_depends_on_more_than_the_module_is_not_replayable(mode: str, modules: Modules, bench: Bench) -> None:
    error = failure(misbehaving(mode), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.NOT_REPLAYABLE, False)
    assert re.match(
        r"the policy decides otherwise when it is asked again \((call site \d+, .* in|one of)", error.message
    )
    assert "time, addresses or chance" in error.message


def test_what_it_says_is_not_taken_for_the_compilers_word(modules: Modules, bench: Bench) -> None:
    """It prints what the plugin would print of a failure."""
    assert decide(misbehaving("Prints"), modules.frozen(), bench) == decide(
        misbehaving("Fine"), modules.frozen(), bench
    )


@pytest.mark.slow
def test_side_by_side(modules: Modules, bench: Bench) -> None:
    """Of several policies and modules at once, fine ones and others, each gets its own decisions."""
    frozen = [modules.frozen(target=target, level=level) for target in Target for level in (Level.OZ, Level.O3)]
    tasks = [(limit, one) for limit in (-100000, 5, 40, 1000) for one in frozen]
    alone = [decide(heuristic_policy(COUNTS, limit=limit), one, bench) for limit, one in tasks]
    assert len({decisions.digest for decisions in alone}) >= 8
    with ThreadPoolExecutor(4) as pool:
        failing = [pool.submit(failure, misbehaving(mode), frozen[0], bench) for mode in ("Exits", "ReadsRandom")]
        together = list(pool.map(lambda task: decide(heuristic_policy(COUNTS, limit=task[0]), task[1], bench), tasks))
    assert together == alone
    assert [one.result().outcome for one in failing] == [Outcome.POLICY_ERROR, Outcome.NOT_REPLAYABLE]


def test_every_fault_is_tried() -> None:
    text = Path(__file__).read_text()
    assert {mode for mode in MODES if f'"{mode}"' not in text} == set()
