"""How tables and numbers look on all pages: ratios with four decimals, quantities with thousands separators."""

from harness.base.text import printable

__all__ = ["ABSENT", "day", "exactly", "interval", "plain", "quantity", "ratio", "sentence", "short"]

ABSENT = "–"
_SHORT = 12
_HUGE, _TINY = 1e4, 1e-3
_EXACT = 2**53
_MARKUP = frozenset(r"\`*_{}[]()#+!|<>$~:")


def ratio(value: float | None) -> str:
    """``0.9980``; what is ten thousand and more, ``3.83e+06``; what is less than a thousandth, ``3.83e-14``."""
    return ABSENT if value is None else _four(value)


def _four(value: float) -> str:
    return f"{value:.4f}" if _TINY <= value < _HUGE or value == 0 else f"{value:.2e}"


def interval(low: float | None, high: float | None) -> str:
    """``0.9917 – 1.0043``."""
    return ABSENT if low is None or high is None else f"{_four(low)} – {_four(high)}"


def quantity(value: float | None) -> str:
    """``43,915``; what is no whole number, or too large for an exact one, with six significant digits."""
    if value is None:
        return ABSENT
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < _EXACT else f"{value:,.6g}"


def short(digest: str | None) -> str:
    """The first twelve digits: enough to tell two objects apart."""
    return digest[:_SHORT] if digest else ABSENT


def day(moment: str) -> str:
    """``2026-11-21 10:31`` of an ISO 8601 moment in UTC."""
    return moment[:16].replace("T", " ")


def plain(text: str) -> str:
    """Text for a place that reads Markdown, to be shown as it is: what a policy prints is no markup.

    A line feed would begin another paragraph, and end what quotes the text: it becomes visible, as all that is not to
    be seen does.
    """
    return "".join(f"\\{c}" if c in _MARKUP else c for c in printable(text, lines=False))


def sentence(text: str) -> str:
    """As ``plain``, beginning with a capital; the other letters stay: names are among them."""
    return plain(text[:1].upper() + text[1:])


def exactly(text: str) -> str:
    """The same as code, in which not even an address becomes a link. Backquotes, which would end it, become others."""
    return f"`{printable(text, lines=False).replace('`', 'ˋ')}`"
