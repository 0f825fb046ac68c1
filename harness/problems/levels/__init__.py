"""Problem ``levels``: nothing is decided but clang's own optimisation level. Only baselines are of this kind."""
