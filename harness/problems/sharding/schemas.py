"""The format of a suite's definition."""

from harness.problems.instances.suite import schema_of
from harness.problems.sharding.domain import Sharding

__all__ = ["SCHEMAS"]

SCHEMAS = {"sharding": (schema_of(Sharding()), "suites/NAME/sharding.toml: a suite of instances")}
