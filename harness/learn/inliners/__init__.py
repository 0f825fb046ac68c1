"""Inliners that learn: a worker that compiles many modules under many policies, and trainers that use it."""

import os

# Matrices are small: more threads of a library take ten times as long for them, and as many cores from the workers.
# It is read when numpy is imported, which comes after this.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
