"""What a metric says where it has no value."""

from collections.abc import Mapping

__all__ = ["NotMeasurableError"]


class NotMeasurableError(Exception):
    """A metric cannot be taken of this cell; the message says why. Its other metrics stand."""

    def __init__(self, why: str, functions: Mapping[str, float] | None = None) -> None:
        super().__init__(why)
        self.functions = functions
        """Where it cannot be told of some functions alone: what each has of it, NaN for these."""
