"""A corpus to learn from: translation units of a hundred packages that no suite's program comes from (docs/corpus.md).

Its modules are compiled and measured, never run and never ranked.
"""
