"""Trying the harness itself on this machine: what its verdicts are worth here."""
