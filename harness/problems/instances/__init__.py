"""What problems share whose tasks are instances of something other than a program: solvers, run under a limit of time.

Such a problem gives a ``Domain``: what an instance is, when an assignment is feasible, and what it costs.
"""
