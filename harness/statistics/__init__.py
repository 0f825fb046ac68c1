"""Statistics of paired log-ratios: what a campaign, a suite and a ranking may claim. Pure functions on numpy arrays.

Every value is a natural logarithm of a ratio, reference over policy: above 0 the policy is better.
"""

from harness.statistics.campaigns import between
from harness.statistics.flips import Chance, Table, equivalence_p, family, pair_chance
from harness.statistics.multiple import holm
from harness.statistics.normal import normal_quantile
from harness.statistics.paired import (
    FLOOR,
    MIN_PAIRS,
    SEQUENTIAL,
    Effect,
    Verdict,
    by_layout,
    hodges_lehmann,
    hodges_lehmann_interval,
    identical,
    is_narrow,
    median_interval,
    paired_effect,
    verdict,
)
from harness.statistics.power import items_needed, minimum_detectable_effect
from harness.statistics.signed_rank import signed_rank_p
from harness.statistics.student import t_quantile
from harness.statistics.suite import SuiteEffect, suite_effect

__all__ = [
    "FLOOR",
    "MIN_PAIRS",
    "SEQUENTIAL",
    "Chance",
    "Effect",
    "SuiteEffect",
    "Table",
    "Verdict",
    "between",
    "by_layout",
    "equivalence_p",
    "family",
    "hodges_lehmann",
    "hodges_lehmann_interval",
    "holm",
    "identical",
    "is_narrow",
    "items_needed",
    "median_interval",
    "minimum_detectable_effect",
    "normal_quantile",
    "pair_chance",
    "paired_effect",
    "signed_rank_p",
    "suite_effect",
    "t_quantile",
    "verdict",
]
