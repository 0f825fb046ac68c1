"""Step 5, measure: metrics of a verified cell. A metric is one file in ``harness/measure/metrics``."""

from harness.measure.evidence import Evidence, Need, NotMeasurableError
from harness.measure.registry import ALL, Breakdown, Metric, Subject, all_metrics, choose_metrics, find_metric

__all__ = [
    "ALL",
    "Breakdown",
    "Evidence",
    "Metric",
    "Need",
    "NotMeasurableError",
    "Subject",
    "all_metrics",
    "choose_metrics",
    "find_metric",
]
