"""The seed of a run's fresh verification."""

from harness.record.journal import Journal
from harness.suite.fresh import draw_seed

__all__ = ["seed_of"]

_SEED = "fresh"


def seed_of(journal: Journal) -> str:
    """The run's seed: drawn when it first starts, the journal's own when it goes on."""
    if _SEED not in journal.notes:
        journal.note(_SEED, draw_seed())
    return str(journal.notes[_SEED])
