"""The forms, and the one door to them. Each is known by being in a folder beside this: ``FORM`` of its ``form.py``."""

from collections.abc import Mapping
from functools import cache

from harness.base.discovery import in_every_folder
from harness.base.errors import UsageError
from harness.policy.forms.asked import AskedForm
from harness.policy.forms.interface import Interface
from harness.policy.policy import Policy

__all__ = ["all_forms", "asked_form", "checked_form"]


@cache
def all_forms() -> Mapping[str, AskedForm]:
    """Folder → form."""
    package = str(__package__)
    return {module.__name__.split(".")[-2]: module.FORM for module in in_every_folder(package, "form")}


def asked_form(policy: Policy) -> AskedForm:
    """The form that a policy's manifest names, which ``checked_form`` has taken."""
    return all_forms()[policy.manifest.form]


def checked_form(policy: Policy, interface: Interface, where: str) -> AskedForm:
    """The policy's form. Raises UsageError, naming the field or the place, for a file that cannot answer.

    ``where``: the manifest's path, for messages.
    """
    name = policy.manifest.form
    if name not in all_forms():
        raise UsageError(f"form: unknown form {name!r}; there are: {', '.join(all_forms())}", where=where)
    form = asked_form(policy)
    if (reason := form.supports(interface)) is not None:
        raise UsageError(f"form: {reason}", where=where)
    if policy.manifest.files.keys() != {form.role}:
        raise UsageError(f'files: a policy of form {name!r} has one file, {form.role} = "{form.file}"', where=where)
    form.check(policy, interface, where)
    return form
