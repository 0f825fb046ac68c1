"""Problem ``regalloc``: the register allocator of the generate step."""
