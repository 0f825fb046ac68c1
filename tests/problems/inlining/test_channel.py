"""policy.py: what it answers decides, and whatever else it does, the compiler ends in time with a reason."""

import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import pytest

from harness.apply import compile_plan
from harness.apply.decisions import Decisions
from harness.base.errors import CellError, UsageError
from harness.base.vocabulary import Level, Outcome, Target
from harness.freeze import FrozenModule
from harness.policy import Policy, problem_of
from harness.policy.forms.python import form as channel
from harness.problems.inlining.ask import DEFAULT, TRIED, ask, asking
from harness.problems.inlining.features import FEATURES, INTERFACE, STATIC_FEATURES
from harness.problems.inlining.sites import Site, Who, sites_of
from harness.problems.programs.asking import Asked, host_job
from harness.sandbox import Finished
from harness.sandbox.bench import Bench
from harness.sandbox.pair import READ, WRITE, run_joined
from tests.problems.inlining.made import (
    CHEAP_HEURISTIC,
    CHEAP_PYTHON,
    CHEAP_TREE,
    Modules,
    cheap_model,
    decide,
    heuristic_policy,
    inliner_policy,
)
from tests.sandbox.jobs import all_gone, named

LATE = 10.0
"""Seconds that a verdict may take beyond its limit on a busy machine."""
STARTS = 10.0
"""Seconds that the first answer may take (``native/inline/channel.cpp``)."""

COUNTING = """
import os, signal, struct, sys, time
asked = 0
def decide(features):
    global asked
    asked += 1
    return act(features)
"""
"""What most policies below begin with: they differ in what they do when they are asked."""


def python(text: str) -> Policy:
    """A policy of this text."""
    return inliner_policy("policy", dedent(text))


def acting(text: str) -> Policy:
    """One that does this in ``act``; ``asked`` is how often it was asked, ``ANSWERS`` the descriptor."""
    return python(f"{COUNTING}ANSWERS = int(sys.argv[2])\ndef act(features):\n" + re.sub("(?m)^", "    ", dedent(text)))


def failure(policy: Policy, frozen: FrozenModule, bench: Bench) -> CellError:
    """How the policy ends."""
    with pytest.raises(CellError) as raised:
        decide(policy, frozen, bench)
    return raised.value


def hosted(policy: Path, frozen: FrozenModule, bench: Bench) -> Finished:
    """How the policy's own sandbox ends when the module is compiled, as a search's module is: trials are allowed."""
    host = channel.python_host(policy, "policy.py", 0, INTERFACE)
    options = (f"-inline-policy-channel-from={READ}", f"-inline-policy-channel-to={WRITE}")
    compiler = asking(frozen).job(Asked("channel", options=TRIED, host=host), bench, options)
    return run_joined(bench.sandbox, compiler, host_job(host, compiler.limits.wall))[1]


def asked_sites(decisions: Decisions) -> list[Site]:
    """The call sites that it was asked about."""
    return [site for site in sites_of(decisions.body) if site.who in (Who.POLICY, Who.REPLACED)]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer has a third of a second."""
    monkeypatch.setattr(channel, "REPLY_SECONDS", 0.3)


# -- what it is asked and answers


def test_it_decides_each_call_by_its_features(modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    decisions = decide(python(CHEAP_PYTHON), frozen, bench)
    assert {site.inline for site in asked_sites(decisions)} == {True, False}
    assert {site.who for site in asked_sites(decisions)} == {Who.POLICY}
    assert decisions == decide(heuristic_policy(CHEAP_HEURISTIC), frozen, bench)


def test_it_gets_every_feature_by_its_name(modules: Modules, bench: Bench) -> None:
    """Those that the table of features has, in LLVM's order, as integers."""
    frozen = modules.frozen(level=Level.O3)
    text = f"""
        import json, sys
        NAMES = {list(FEATURES)!r}
        def decide(features):
            assert list(features) == NAMES and all(type(value) is int for value in features.values())
            print(json.dumps(list(features.values())[:{len(STATIC_FEATURES)}]), file=sys.stderr, flush=True)
            return LLVMS.pop(0)
    """
    llvms = ask(DEFAULT, frozen, bench, features=True)
    numbers = memoryview(llvms.features).cast("q").tolist()
    width = len(STATIC_FEATURES) + 3
    rows = [numbers[at : at + width] for at in range(0, len(numbers), width)]
    given = f"{dedent(text)}LLVMS = {[row[-2] for row in rows]}\n"
    with bench.store.scratch() as folder:
        (folder / "policy.py").write_text(given)
        done = hosted(folder / "policy.py", frozen, bench)
    shown = [json.loads(line) for line in done.stderr.decode().splitlines()]
    assert shown == [row[1:-2] for row in rows]
    assert done.ok


@pytest.mark.parametrize(
    "answer",
    ["True", "1", "1.0", "numpy.bool_(True)", "numpy.int64(1)", "numpy.float32(1)", "type('B', (int,), {})(1)"],
)
def test_what_is_equal_to_1_is_yes(answer: str, modules: Modules, bench: Bench) -> None:
    """Also shows that numpy is there."""
    policy = python(f"import numpy\ndef decide(features): return {answer}\n")
    decisions = asked_sites(decide(policy, modules.frozen(), bench))
    assert decisions and all(site.inline and site.who is Who.POLICY for site in decisions)


def test_numpy_computes(modules: Modules, bench: Bench) -> None:
    policy = """
        import numpy as np
        weights = np.zeros(1000)
        weights[29] = 1.0
        def decide(features):
            return bool(weights[: len(features)] @ np.array(list(features.values()), dtype=float) <= 5.0)
    """
    assert decide(python(policy), modules.frozen(), bench) == decide(python(CHEAP_PYTHON), modules.frozen(), bench)


def test_the_seed_is_given_to_start(modules: Modules, bench: Bench) -> None:
    policy = python(
        """
        import random
        def start(seed):
            global chance
            chance = random.Random(seed)
        def decide(features):
            return chance.random() < 0.5
        """
    )
    frozen = modules.frozen()
    first, again, other, large = (decide(policy, frozen, bench, seed=seed) for seed in (1, 1, 2, (1 << 63) - 1))
    assert first == again
    assert len({decisions.digest for decisions in (first, other, large)}) == 3


def test_a_slow_start_is_fine(modules: Modules, bench: Bench, impatient: None) -> None:
    """Models have to be loaded."""
    slow = decide(python(f"import time\ntime.sleep(0.8)\n{CHEAP_PYTHON}"), modules.frozen(), bench)
    assert slow == decide(python(CHEAP_PYTHON), modules.frozen(), bench)


def test_what_it_prints_is_not_an_answer(modules: Modules, bench: Bench) -> None:
    policy = acting(
        """
        print("not-replayable: or so" * 1000)
        sys.stdout.buffer.write(struct.pack("=2q", asked, 1) * 100)
        print("inline plugin: the channel is given up: bad", file=sys.stderr, flush=True)
        os.system("echo inline plugin: the channel is given up: bad >&2")
        return features["cost_estimate"] <= 5
        """
    )
    assert decide(policy, modules.frozen(), bench) == decide(python(CHEAP_PYTHON), modules.frozen(), bench)


# -- what it may not be


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("def decide(features):\nreturn 1\n", "not Python: expected an indented block", ":2"),
        ("decide = lambda f: (\n", "not Python: '(' was never closed", ":1"),
        ("\0", "not Python: source code string cannot contain null bytes", ""),
        (b"def decide(f): return '\xff'\n", "not Python: ", ""),
        ("", "defines no function decide", ""),
        ("def decided(features): return True\n", "defines no function decide", ""),
        ("class Policy:\n    def decide(self, features): return True\n", "defines no function decide", ""),
        ("-" * 100_000 + "1\n", "Python's parser cannot read it: it takes more than 1,536 MiB of memory", ""),
    ],
)
def test_what_is_no_policy_is_refused_before_anything_runs(text: str | bytes, said: str, line: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as raised:
        problem_of("inlining").check(inliner_policy("policy", text), "submission.toml")
    assert (raised.value.where or "").startswith(f"made/policy.py{line}")


@pytest.mark.parametrize(
    "text",
    [
        "def decide(f): return 1",
        "decide = max",
        "from operator import truth as decide",
        "@print\ndef decide(f): return 1",
    ],
)
def test_decide_may_be_defined_in_any_way(text: str) -> None:
    problem_of("inlining").check(python(text), "submission.toml")


# -- how it dies


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "raise ValueError('no such model')\ndef decide(f): ...\n",
            "ended with exit status 1: line 1: ValueError: no such model",
        ),
        ("import onnxruntime_of_mine\ndef decide(f): ...\n", "No module named 'onnxruntime_of_mine'"),
        (
            "def decide(f): ...\ndel decide\n",
            "ended with exit status 1: there is no function decide(features)",
        ),
        ("decide = 5\n", "ended with exit status 1: there is no function decide(features)"),
        ("def decide(): return True\n", "takes 0 positional arguments but 1 was given"),
        ("def decide(f): return True\ndef start(): ...\n", "start() takes 0 positional arguments but 1 was given"),
        ("def decide(f): return decide(f)\n", "RecursionError: maximum recursion depth exceeded"),
        ("def decide(f): return f['cost']\n", "ended with exit status 1: line 1: KeyError: 'cost'"),
        (
            "blob = bytearray(50 << 30)\ndef decide(f): ...\n",
            "ended with exit status 1: line 1: MemoryError",
        ),
        ("import os\nos._exit(0)\ndef decide(f): ...\n", "policy.py ended with exit status 0"),
        ("import sys\nsys.exit('enough')\ndef decide(f): ...\n", "policy.py ended with exit status 1: enough"),
        ("open('/etc/passwd')\ndef decide(f): ...\n", "No such file or directory: '/etc/passwd'"),
        ("import socket; socket.socket()\ndef decide(f): ...\n", "ended with exit status 1: "),
    ],
)
def test_it_dies_at_the_start(text: str, said: str, modules: Modules, bench: Bench) -> None:
    error = failure(python(text), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert error.message.startswith("policy.py ended with exit status ") and said in error.message


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (
            "raise RuntimeError('the fifth')",
            "policy.py ended with exit status 1: line 10: RuntimeError: the fifth",
        ),
        ("os._exit(0)", "policy.py ended with exit status 0"),
        ("os._exit(7)", "policy.py ended with exit status 7"),
        ("os.abort()", "policy.py was killed by SIGABRT"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "policy.py was killed by SIGKILL"),
        ("os.close(ANSWERS)", "policy.py ended with exit status 1: OSError: [Errno 9] Bad file descriptor"),
        ("os.closerange(0, 99); time.sleep(3600)", "policy.py closed the channel to the compiler"),
        ("os.close(int(sys.argv[1]))", "policy.py ended with exit status 1: OSError: [Errno 9] Bad file descriptor"),
    ],
)
def test_it_dies_at_the_fifth_question(act: str, said: str, modules: Modules, bench: Bench) -> None:
    error = failure(acting(f"if asked == 5: {act}\nreturn True"), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert error.message == said


# -- what it answers


@pytest.mark.parametrize(
    "answer", ["None", "'yes'", "2", "-1", "float('nan')", "[True]", "1 << 70", "numpy.array([1, 0])"]
)
def test_three_answers_that_are_none(answer: str, modules: Modules, bench: Bench) -> None:
    imported = "import numpy\n" if "numpy" in answer else ""
    error = failure(python(f"{imported}def decide(features): return {answer}\n"), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.POLICY_ERROR, False)
    assert error.message.startswith("policy.py gave 3 answers that could not be used: decide returned ")
    assert error.message.endswith(": it must be True or False")


@pytest.mark.parametrize(
    "act",
    [
        "os.write(ANSWERS, os.urandom(1000))",
        "os.write(ANSWERS, struct.pack('=2q', asked, 7))",
        "os.write(ANSWERS, struct.pack('=2q', asked, -1))",
        "os.write(ANSWERS, struct.pack('=2q', asked + 1, 1))",
        "os.write(ANSWERS, struct.pack('=2q', 1 << 62, 1))",
        "os.write(ANSWERS, struct.pack('=2q', -1, 1))",
        "os.write(ANSWERS, b'yes')",
        "os.write(ANSWERS, b'{\"inline\": true}\\n')",
        "os.write(ANSWERS, bytes(1 << 14))",
        "while True: os.write(ANSWERS, bytes(1 << 16))",
    ],
)
def test_garbage_in_the_channel(act: str, modules: Modules, bench: Bench, impatient: None) -> None:
    """Of what comes behind the compiler's back nothing counts, or it is an answer that cannot be used."""
    started = time.monotonic()
    error = failure(acting(f"{act}\nreturn True"), modules.frozen(), bench)
    assert error.outcome in (Outcome.POLICY_ERROR, Outcome.POLICY_TIMEOUT)
    assert re.match("policy.py (gave 3 answers that could not be used|did not answer within 0.3 s)", error.message)
    assert time.monotonic() - started < LATE


@pytest.mark.parametrize("act", ["return None", "return 'what?'", "os.write(ANSWERS, struct.pack('=2q', asked, 7))"])
def test_two_unusable_answers_are_replaced_by_llvms(act: str, modules: Modules, bench: Bench) -> None:
    frozen = modules.frozen()
    decisions = decide(acting(f"if asked in (3, 6): {act}\nreturn False"), frozen, bench)
    found = asked_sites(decisions)
    assert [at for at, site in enumerate(found, start=1) if site.who is Who.REPLACED] == [3, 6]
    text = f"if asked in (3, 6): {act}\nreturn True"
    llvms = {
        (site.caller, site.callee, site.ordinal): site.inline for site in sites_of(ask(DEFAULT, frozen, bench).body)
    }
    for site in (found[2], asked_sites(decide(acting(text), frozen, bench))[2]):
        assert site.inline == llvms[site.caller, site.callee, site.ordinal]
    compile_plan(frozen, problem_of(decisions.problem).plan(decisions, frozen.target), bench)


def identity(site: Site) -> tuple[str, str, int]:
    """What it has in every series that begins as this one does."""
    return site.caller, site.callee, site.ordinal


def test_the_third_ends_it(modules: Modules, bench: Bench) -> None:
    error = failure(acting("return None if asked in (3, 6, 9) else False"), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_ERROR
    assert error.message.startswith("policy.py gave 3 answers that could not be used: decide returned None")


def test_late_answers_are_not_taken_for_the_next(modules: Modules, bench: Bench, impatient: None) -> None:
    """One is late and says yes; it comes together with that of the next question, which counts."""
    frozen = modules.frozen()
    found = asked_sites(decide(acting("if asked == 4: time.sleep(0.5)\nreturn asked == 4"), frozen, bench))
    replaced = [at for at, site in enumerate(found, start=1) if site.who is Who.REPLACED]
    assert replaced and replaced[0] == 4 and len(replaced) <= 2
    assert not any(site.inline for site in found if site.who is Who.POLICY)


# -- what never ends


@pytest.mark.parametrize(
    "act",
    [
        "if asked > 3: time.sleep(3600)",
        "while asked > 3: pass",
        "if asked > 3: os.kill(os.getpid(), signal.SIGSTOP)",
        "if asked > 3: os.write(ANSWERS, b'1234567'); time.sleep(3600)",
    ],
)
def test_it_stops_answering(act: str, modules: Modules, bench: Bench, impatient: None) -> None:
    started = time.monotonic()
    error = failure(acting(f"{act}\nreturn True"), modules.frozen(), bench)
    assert error.outcome is Outcome.POLICY_TIMEOUT
    assert error.message == "policy.py did not answer within 0.3 s"
    assert time.monotonic() - started < 3 * 0.3 + LATE


@pytest.mark.parametrize("text", ["import time\ntime.sleep(3600)\ndef decide(f): ...", "while True: pass\ndecide = 1"])
def test_it_never_starts(text: str, modules: Modules, bench: Bench) -> None:
    started = time.monotonic()
    error = failure(python(text), modules.frozen(), replace(bench, compile_timeout=3.0))
    assert error.outcome is Outcome.POLICY_TIMEOUT
    assert re.search(r"took longer than 2\.7 s for its answers|stopped at its limit of 3 s", error.message)
    assert time.monotonic() - started < 3 + LATE


@pytest.mark.slow
def test_it_never_starts_and_there_is_time(modules: Modules, bench: Bench) -> None:
    started = time.monotonic()
    error = failure(python("import time\ntime.sleep(3600)\ndef decide(f): ..."), modules.frozen(), bench)
    assert (error.outcome, error.message) == (Outcome.POLICY_TIMEOUT, "policy.py did not answer within 1 s")
    assert STARTS < time.monotonic() - started < STARTS + 2 + LATE


def test_each_answer_is_in_time_and_all_are_not(modules: Modules, bench: Bench) -> None:
    started = time.monotonic()
    error = failure(acting("time.sleep(0.3)\nreturn True"), modules.frozen(), replace(bench, compile_timeout=2.0))
    assert error.outcome is Outcome.POLICY_TIMEOUT
    assert re.search(r"took longer than 1\.8 s for its answers|stopped at its limit of 2 s", error.message)
    assert time.monotonic() - started < 2 + LATE


# -- what it does to others


@pytest.mark.parametrize(
    "act",
    [
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(os.getppid(), signal.SIGSTOP)",
        "[os.kill(int(n), 9) for n in os.listdir('/proc') if n.isdigit() and int(n) != os.getpid()]",
        "for name in filter(os.path.isfile, os.listdir('.')): os.unlink(name)",
        "open('decisions.txt', 'w').write('all of them')",
        "os.rename('policy.py', 'opt.bc')",
    ],
)
def test_it_attacks_what_was_beside_it_once(act: str, modules: Modules, bench: Bench) -> None:
    """Beside it there is nothing: it decides as if it had done nothing."""
    text = f"if asked == 2:\n    {act}\nreturn features['cost_estimate'] <= 5"
    assert decide(acting(text), modules.frozen(), bench) == decide(python(CHEAP_PYTHON), modules.frozen(), bench)


def test_what_it_leaves_running_ends_with_it(modules: Modules, bench: Bench) -> None:
    mark = f"3601.{os.getpid()}"
    policy = f"""
        import os, sys, time
        if os.fork() == 0:
            os.setsid()
            os.closerange(3, 99)
            os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", "import time; time.sleep(3600)", "{mark}"])
    """
    frozen = modules.frozen()
    with bench.store.scratch() as folder:
        (folder / "policy.py").write_text(dedent(policy) + CHEAP_PYTHON)
        done = hosted(folder / "policy.py", frozen, bench)
    assert done.ok and done.left.processes == 1
    assert decide(python(dedent(policy) + CHEAP_PYTHON), frozen, bench) == decide(python(CHEAP_PYTHON), frozen, bench)
    assert all_gone(named(mark))


@pytest.mark.parametrize(
    "text",
    [
        "import random\ndef decide(f): return random.random() < 0.5",
        "def decide(f): return hash(str(f)) & 1",
        "import time\ndef decide(f): return time.perf_counter_ns() >> 3 & 1 == time.perf_counter_ns() >> 4 & 1",
        "import os\ndef decide(f): return os.urandom(1)[0] & 1",
        "def decide(f): return hash((id(f), *f.values())) & 1",  # another bit at every site, wherever f lies
    ],
)
def test_who_depends_on_more_than_the_module_is_not_replayable(text: str, modules: Modules, bench: Bench) -> None:
    error = failure(python(text + "\n"), modules.frozen(), bench)
    assert (error.outcome, error.transient) == (Outcome.NOT_REPLAYABLE, False)
    assert "the policy decides otherwise when it is asked again" in error.message


# -- the same decisions, whoever takes them


def test_every_form_of_one_rule_gives_one_object(modules: Modules, bench: Bench) -> None:
    forms = [
        python(CHEAP_PYTHON),
        inliner_policy("tree", CHEAP_TREE),
        inliner_policy("model", cheap_model()),
        heuristic_policy(CHEAP_HEURISTIC),
    ]
    for name, target, level in (("calls", Target.X86_64, Level.OZ), ("throws", Target.AARCH64, Level.O3)):
        frozen = modules.frozen(name, target, level)
        found = [decide(form, frozen, bench) for form in forms]
        assert found[1:] == found[:-1]
        assert {site.inline for site in asked_sites(found[0])} == {True, False}
