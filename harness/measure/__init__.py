"""Step 5, measure: metrics of a verified cell. A metric is one file in ``harness/measure/metrics``."""

from harness.measure.registry import Metric, Subject, all_metrics, choose_metrics

__all__ = ["Metric", "Subject", "all_metrics", "choose_metrics"]
