"""Step 5, measure: metrics of a verified cell. A metric is one file in ``harness/measure/metrics``."""

from harness.measure.compiling import Compilation
from harness.measure.evidence import Evidence, Need, Took
from harness.measure.missing import NotMeasurableError
from harness.measure.registry import (
    ALL,
    PROGRAM_TRACKS,
    Breakdown,
    Direction,
    Metric,
    Subject,
    all_metrics,
    choose_metrics,
    current,
    find_metric,
    labelled,
    metrics_of,
    seen,
    seen_in,
)

__all__ = [
    "ALL",
    "PROGRAM_TRACKS",
    "Breakdown",
    "Compilation",
    "Direction",
    "Evidence",
    "Metric",
    "Need",
    "NotMeasurableError",
    "Subject",
    "Took",
    "all_metrics",
    "choose_metrics",
    "current",
    "find_metric",
    "labelled",
    "metrics_of",
    "seen",
    "seen_in",
]
