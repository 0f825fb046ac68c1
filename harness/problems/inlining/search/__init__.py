"""Searches: policies that try decisions on the program that they are scored on, within a budget.

``client.py``, ``host.py`` and ``wire.py`` run in the sandbox with the policy; ``relay.py`` stands between it and the
session, which is a program that compiles.
"""
