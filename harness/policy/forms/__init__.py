"""The forms in which a policy can be written, for whatever problem: a model, a tree, Python, C++."""
