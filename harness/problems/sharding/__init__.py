"""Sharding instances (IOPDDL): how to split a tensor program over devices, as a problem of its own.

An instance names, for each operation, the ways in which it may be sharded; what each way costs, what two neighbours'
ways cost together, and what memory each takes while it is live. An assignment chooses one way for each operation. Its
cost is a sum; what it must not do is exceed the memory at any moment.
"""
