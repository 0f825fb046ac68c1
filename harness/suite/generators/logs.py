"""Log files of web servers, in the common log format: what scripting languages are used on."""

from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import Zipf, at_least, between, pick
from harness.suite.generators.structures import addresses
from harness.suite.generators.text import words

__all__ = ["weblog"]

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ENDINGS = (".html", ".html", ".html", ".png", ".css", ".js", "/", "/", ".pdf")
_ANSWERS = (200,) * 14 + (304,) * 3 + (404, 404, 301, 500)


@generator("weblog")
def weblog(random: Random, *, lines: int = 1000, repeat: int = 1) -> bytes:
    """``lines`` requests within one month: a few visitors and pages are asked for most.

    All of it comes ``repeat`` times, one after the other.
    """
    at_least("lines", lines, 1)
    at_least("repeat", repeat, 1)
    visitors = addresses(random, count=200).decode("ascii").split()
    parts = words(random, count=120).decode("ascii").split()
    pages = []
    for _ in range(300):
        depth = between(random, 1, 3)
        path = "/".join(pick(random, parts) for _ in range(depth)) + pick(random, _ENDINGS)
        query = f"?{pick(random, parts)}={between(random, 1, 999)}" if random.random() < 0.15 else ""
        pages.append(f"/{path}{query}")
    visits, asked = Zipf(len(visitors), 3.0), Zipf(len(pages), 2.0)
    month, year = pick(random, _MONTHS), between(random, 1996, 2024)
    gap = 27.0 * 86_400 / lines
    clock = 0.0
    out = []
    for _ in range(lines):
        clock += 2.0 * gap * random.random() if clock < 27.5 * 86_400 else 0.0
        second = int(clock)
        day, hour, minute = second // 86_400 + 1, second // 3600 % 24, second // 60 % 60
        stamp = f"{day:02}/{month}/{year}:{hour:02}:{minute:02}:{second % 60:02}"
        verb = "GET" if random.random() < 0.93 else "POST"
        answer = pick(random, _ANSWERS)
        size = "-" if answer == 304 else str(between(random, 200, 60_000))
        out.append(
            f"{visitors[visits.draw(random)]} - - [{stamp} +0000] "
            f'"{verb} {pages[asked.draw(random)]} HTTP/1.0" {answer} {size}\n'
        )
    return "".join(out).encode("ascii") * repeat
