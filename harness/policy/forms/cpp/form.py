"""The form ``heuristic.cpp``: a C++ function with tunable constants.

Where the interface has a ``Native`` side, it becomes a library for the process that asks, and sees what that side shows
it; else a program that sees the features alone.
"""

from collections.abc import Mapping

from harness.base.errors import UsageError
from harness.base.remembered import remembered
from harness.policy.forms.asked import AskedForm
from harness.policy.forms.cpp.build import FLAGS, HEURISTIC, build_heuristic, judged_by, wrapper_source
from harness.policy.forms.cpp.features import features_source
from harness.policy.forms.cpp.hyperparameters import parse_hyperparameters, require_no_options
from harness.policy.forms.decider import Decider, Library
from harness.policy.forms.interface import Interface
from harness.policy.forms.parameters import Hyperparameter, Value, valued
from harness.policy.forms.program import build_cpp_program, program_digest, program_host
from harness.policy.policy import Policy
from harness.sandbox.bench import Bench

__all__ = ["FORM", "CppForm"]

_HOOK = "hook"


class CppForm(AskedForm):
    """It takes every tensor, and can give every answer. It keeps a state in variables of its own."""

    def check(self, policy: Policy, interface: Interface, where: str) -> None:
        """Text, well-declared hyperparameters, values within their bounds."""
        values, hook = policy.manifest.values, interface.native.hook if interface.native else ""
        if hook and values.get(_HOOK, hook) != hook:
            raise UsageError(f"values.{_HOOK}: {values[_HOOK]!r} is none; there is: {hook}", where=where)
        name, content = policy.file(self.role)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise UsageError("not UTF-8 text", where=name) from None
        require_no_options(text, name)
        self.values(policy, interface, where)

    def parameters(self, policy: Policy, interface: Interface) -> tuple[Hyperparameter, ...]:
        """Those that the file declares."""
        name, content = policy.file(self.role)
        reserved = interface.native.reserved if interface.native else frozenset(interface.names)
        return parse_hyperparameters(content.decode(errors="replace"), name, reserved)

    def values(self, policy: Policy, interface: Interface, where: str) -> dict[str, Value]:
        """Every constant's value in the manifest, or its default. Raises UsageError for one that it cannot have."""
        hook = interface.native is not None and bool(interface.native.hook)
        given = {name: value for name, value in policy.manifest.values.items() if not (hook and name == _HOOK)}
        return valued(self.parameters(policy, interface), given, where)

    def open(
        self, policy: Policy, interface: Interface, seed: int, bench: Bench, values: Mapping[str, Value] | None = None
    ) -> Decider:
        """The library, or the program with these values in it."""
        parameters, name = self.parameters(policy, interface), policy.manifest.files[self.role]
        content = policy.contents[self.role]
        chosen = values if values is not None else self.values(policy, interface, policy.name)
        if interface.native is not None:
            text = ",".join(f"{key}={value!r}" for key, value in chosen.items())
            return Library(build_heuristic(content, parameters, interface.native, name, bench), text)
        constants = "".join(
            f"static const {'int' if one.is_int else 'double'} {one.name} = {chosen[one.name]!r};\n"
            for one in parameters
        )
        return _host(content, constants, interface, name, bench)

    def key_material(self, interface: Interface) -> list[str]:
        """What is written around the submission's file, and what it is held to."""
        if interface.native is not None:
            return [wrapper_source((), interface.native.entry), *FLAGS, judged_by()]
        return [features_source(interface, "", HEURISTIC), program_digest(interface)]


@remembered(64)
def _host(content: bytes, constants: str, interface: Interface, name: str, bench: Bench) -> Decider:
    source = features_source(interface, constants, HEURISTIC)
    return program_host(build_cpp_program(source, {HEURISTIC: content}, interface, name, bench), name)


FORM = CppForm("heuristic", HEURISTIC, pure=False, fields=frozenset({"values"}))
