"""Form ``heuristic.cpp``: one C++ file with a decision function, and its tunable constants."""
