"""Step 5, measure: metrics of a verified cell. A metric is one file in ``harness/measure/metrics``."""

from harness.measure.evidence import Evidence, Need, NotMeasurableError, Took
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
