"""What a metric says where it has no value."""

__all__ = ["NotMeasurableError"]


class NotMeasurableError(Exception):
    """A metric cannot be taken of this cell; the message says why. Its other metrics stand."""
