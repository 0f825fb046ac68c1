"""Programs and policies that the tests of inlining policies make."""

import json
from pathlib import Path

from harness.apply.decisions import Decisions
from harness.base.vocabulary import Level, Target
from harness.freeze import FrozenModule, freeze
from harness.policy import Policy, problem_of
from harness.policy.forms.program import build_program, program_host
from harness.policy.forms.registry import asked_form
from harness.policy.manifest import Manifest
from harness.problems.inlining.features import FEATURES, INTERFACE
from harness.problems.programs.asking import Asked, asked_as
from harness.problems.programs.deciding import decide_twice
from harness.sandbox.bench import Bench
from harness.suite.load import Program
from tests.programs import own_program

__all__ = [
    *(
        "CHEAP_HEURISTIC",
        "CHEAP_PYTHON",
        "CHEAP_TREE",
        "GROWING",
        "HERE",
        "LAYERS",
        "Modules",
        "always",
        "alternating",
        "asked_of",
        "computed",
    ),
    *("cheap_model", "decide", "heuristic_policy", "inliner_policy", "never", "policy_of"),
]

HERE = Path(__file__).parent

CHEAP_HEURISTIC = """
bool getEvolvableAdvice(CallBase &, PolicyContext &Context) {
  return Context.feature(FeatureIndex::cost_estimate) <= 5;
}
"""
CHEAP_PYTHON = "def decide(features): return features['cost_estimate'] <= 5\n"
CHEAP_TREE = json.dumps(
    {
        "schema": 1,
        "features": ["cost_estimate"],
        "trees": [{"nodes": [{"feature": 0, "threshold": 5, "below": 1, "above": 2}, {"value": 1}, {"value": -1}]}],
    }
)
"""One rule in three forms; ``cheap_model`` is the fourth."""


LAYERS = 8
GROWING = "\n".join(
    [
        "#include <stdio.h>",
        "typedef unsigned long Word;",
        'static Word f0(Word x) { printf("%lu\\n", x); return x * 3 + (x >> 5) + x / 7; }',
        *(
            f"static Word f{n}(Word x) {{ return {' + '.join(f'f{n - 1}(x * {m})' for m in (1, 3, n + 4, n + 9))}; }}"
            for n in range(1, LAYERS)
        ),
        f"int main(int argc, char **argv) {{ (void)argv; return f{LAYERS - 1}(argc) & 1; }}",
    ]
)
"""Inlined everywhere it is 4^8 times as large."""


def cheap_model() -> bytes:
    """The rule as a network of one node."""
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("LessOrEqual", ["cost_estimate", "most"], ["inline"])],
        "cheap",
        [helper.make_tensor_value_info("cost_estimate", TensorProto.INT64, [1])],
        [helper.make_tensor_value_info("inline", TensorProto.BOOL, [1])],
        [helper.make_tensor("most", TensorProto.INT64, [1], [5])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    content: bytes = model.SerializeToString()
    return content


class Modules:
    """The made programs, frozen."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self._folder, self._bench = folder, bench
        calls = (HERE / "program.c").read_text()
        throws = (HERE / "exceptions.cc").read_text()
        self.programs: dict[str, Program] = {
            "calls": own_program(folder / "calls", {"main.c": calls}, name="calls", noinline=("never",)),
            "throws": own_program(folder / "throws", {"main.cc": throws}, name="throws", language="c++"),
        }

    def frozen(self, name: str = "calls", target: Target = Target.X86_64, level: Level = Level.OZ) -> FrozenModule:
        """One of them."""
        return freeze(self.programs[name], target, level, self._bench)

    def made(self, name: str, source: str, level: Level = Level.OZ) -> FrozenModule:
        """A C program of one's own."""
        program = own_program(self._folder / name, {"main.c": source}, name=name)
        return freeze(program, Target.X86_64, level, self._bench)


def computed(body: str, bench: Bench, uses: str = "") -> Asked:
    """A policy in C, which is asked with the features in ``feature``; ``uses`` initialises what it needs of them."""
    source = f"""const unsigned char policy_uses[{len(FEATURES)}] = {{{uses}}};
long policy_decide(const long *feature) {{ {body} }}
"""
    return Asked("channel", host=program_host(build_program(source, INTERFACE, "made.c", bench), "made.c"))


def always(bench: Bench) -> Asked:
    """It inlines everything."""
    return computed("return 1;", bench)


def never(bench: Bench) -> Asked:
    """It inlines nothing."""
    return computed("return 0;", bench)


def alternating(bench: Bench) -> Asked:
    """It inlines every other call."""
    return computed("static int asked; return asked++ & 1;", bench)


def policy_of(
    problem: str, form: str, role: str, name: str, content: str | bytes, **values: int | float | str
) -> Policy:
    """A submission of one file."""
    manifest = Manifest.model_validate(
        {
            "name": "made",
            "version": "1",
            "problem": problem,
            "form": form,
            "class": "search",  # other classes have less time to decide, which tests of other limits would meet first
            "budget": 3600.0,
            "deterministic": True,
            "track": "size",
            "targets": ["x86-64", "aarch64"],
            "authors": ["A. Tester"],
            "licence": "MIT",
            "description": "Made by a test.",
            "files": {role: name},
            "values": values,
        }
    )
    return Policy(manifest, Path("made"), {role: content.encode() if isinstance(content, str) else content}, False)


def heuristic_policy(text: str | bytes, **values: int | float | str) -> Policy:
    """A C++ heuristic."""
    return policy_of("inlining", "cpp", "heuristic", "heuristic.cpp", text, **values)


def inliner_policy(role: str, content: str | bytes) -> Policy:
    """A ``policy.py``, a ``tree.json`` or a ``model.onnx``."""
    form, name = {"policy": ("python", "policy.py"), "tree": ("tree", "tree.json"), "model": ("onnx", "model.onnx")}[
        role
    ]
    return policy_of("inlining", form, role, name, content)


def asked_of(policy: Policy, bench: Bench) -> Asked:
    """The policy as the plugin asks it."""
    return asked_as(asked_form(policy).open(policy, INTERFACE, 0, bench))


def decide(policy: Policy, frozen: FrozenModule, bench: Bench, seed: int = 0) -> Decisions:
    """What a run does, without the time between: the policy is checked, then it decides, twice if it is not pure."""
    problem_of(policy.manifest.problem).check(policy, "submission.toml")
    return decide_twice(policy, frozen, seed, bench)
