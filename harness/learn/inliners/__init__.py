"""Inliners that learn: a worker that compiles many modules under many policies, and trainers that use it."""
