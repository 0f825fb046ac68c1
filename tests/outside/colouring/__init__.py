"""Colouring a graph with few colours: a problem that another package brings, complete."""
