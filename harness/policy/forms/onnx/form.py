"""The form ``model.onnx``: a neural network, translated to C that only computes."""

from collections.abc import Mapping

from harness.base.remembered import remembered
from harness.policy.forms.decider import Decider
from harness.policy.forms.interface import Interface
from harness.policy.forms.onnx.source import model_source, translator_digest
from harness.policy.forms.parameters import Value, WithoutValues
from harness.policy.forms.program import build_program, program_digest, program_host
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["FORM", "OnnxForm"]


class OnnxForm(WithoutValues):
    """See ``harness.policy.forms.registry.Form``."""

    role = "model"
    usual = "model.onnx"
    is_pure = True
    fields: frozenset[str] = frozenset()

    def supports(self, interface: Interface) -> str | None:
        """A network takes every tensor, and its output can be every decision. Only the sandbox looks at the file."""
        return None

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """Nothing: only the sandbox looks at the file."""

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """The program of the network's C."""
        return _host(policy.contents[self.role], policy.manifest.files[self.role], interface, bench)

    def key_material(self, interface: Interface) -> list[str]:
        """The translation, and the program around it."""
        return [translator_digest(), program_digest(interface)]


@remembered(64)
def _host(content: bytes, name: str, interface: Interface, bench: Bench) -> Decider:
    source = model_source(content, name, interface, bench)
    return program_host(build_program(source, interface, name, bench), name)


FORM = OnnxForm()
