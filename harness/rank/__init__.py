"""Step 7, rank: standings are queries over recorded rows and statistics of what they give, never stored."""

from harness.rank.campaigns import TimedCampaign, campaigns
from harness.rank.compare import Comparison, Versus, compare, versus
from harness.rank.programs import ProgramFigure, programs
from harness.rank.standings import Question, Standing, standings

__all__ = [
    "Comparison",
    "ProgramFigure",
    "Question",
    "Standing",
    "TimedCampaign",
    "Versus",
    "campaigns",
    "compare",
    "programs",
    "standings",
    "versus",
]
