"""Options of the verbs that say something about inlining policies alone."""

from harness.base.options import Option

__all__ = ["OPTIONS"]

OPTIONS = {
    "run": (
        Option("log_features", "Also write features, decision and reward of each call site, as Parquet.", bool, False),
    )
}
"""Verb → its options."""
