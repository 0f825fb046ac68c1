"""Seeds that a run draws: nobody could know them before, and its header records them."""

import secrets

from harness.record.journal import Journal

__all__ = ["draw_seed", "seed_of"]

_SEED_BYTES = 16


def draw_seed() -> str:
    """A new seed: 128 random bits, in hexadecimal."""
    return secrets.token_hex(_SEED_BYTES)


def seed_of(journal: Journal, what: str = "fresh") -> str:
    """The run's seed of this: drawn when it first starts, the journal's own when it goes on."""
    if what not in journal.notes:
        journal.note(what, draw_seed())
    return str(journal.notes[what])
