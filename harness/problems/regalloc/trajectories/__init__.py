"""Trajectories of register allocation: what a policy saw of functions and live ranges, and what became of them."""
