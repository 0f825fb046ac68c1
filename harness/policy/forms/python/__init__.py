"""The form ``policy.py``: a Python function in a process of its own, asked over a channel by the compiler."""

from harness.policy.forms.python.ask import ask_python
from harness.policy.forms.python.check import check_python

__all__ = ["ask_python", "check_python"]
