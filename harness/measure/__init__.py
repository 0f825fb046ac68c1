"""Step 5, measure: metrics of a verified cell. A metric is one file in ``harness/measure/metrics``."""

from harness.measure.evidence import Evidence, Need, NotMeasurableError
from harness.measure.registry import (
    ALL,
    PROGRAM_TRACKS,
    Breakdown,
    Metric,
    Subject,
    all_metrics,
    choose_metrics,
    find_metric,
    metrics_of,
)

__all__ = [
    "ALL",
    "PROGRAM_TRACKS",
    "Breakdown",
    "Evidence",
    "Metric",
    "Need",
    "NotMeasurableError",
    "Subject",
    "all_metrics",
    "choose_metrics",
    "find_metric",
    "metrics_of",
]
