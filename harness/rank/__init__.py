"""Step 7, rank: standings are queries over recorded rows, never stored."""

from harness.rank.compare import Comparison, compare
from harness.rank.programs import ProgramFigure, programs
from harness.rank.standings import Question, Standing, standings

__all__ = ["Comparison", "ProgramFigure", "Question", "Standing", "compare", "programs", "standings"]
