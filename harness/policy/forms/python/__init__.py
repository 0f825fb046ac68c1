"""The form ``policy.py``: a Python function in a process of its own, asked over a channel."""
