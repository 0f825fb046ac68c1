"""Sessions: a program of the harness's own in a sandbox, with LLVM and a module in memory, which answers requests; and
what stands between it and a search that may ask it.

``wire.py`` is what goes over the pipes. It runs in the sandbox with a search, too, as ``client.py`` and ``host.py`` do.
"""
