"""Searches: policies that try passes on the program that they are scored on, within a budget.

``client.py`` and ``host.py`` run in the sandbox with the policy; ``relay.py`` stands between it and the session.
"""
