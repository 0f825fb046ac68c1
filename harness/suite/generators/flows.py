"""Minimum-cost flow problems in the DIMACS format: timetables to be run with few vehicles, transshipment."""

from bisect import bisect_left
from math import isqrt
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import Zipf, at_least, below, between, pick, shuffle

__all__ = ["timetable", "transshipment"]

_Point = tuple[int, int]
_SPEED = 8
_TURN = 3
_LONGEST_WAIT = 240
_VEHICLE = 4000


def _distance(a: _Point, b: _Point) -> int:
    return isqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]))


def _points(random: Random, count: int, size: int) -> list[_Point]:
    return [(below(random, size), below(random, size)) for _ in range(count)]


def _departure(random: Random) -> int:
    """A minute of the day: a third of the trips each in the morning's peak, the afternoon's, and all day long."""
    part = random.random()
    if part < 0.33:
        return between(random, 360, 470) + between(random, 0, 90)
    if part < 0.66:
        return between(random, 900, 1020) + between(random, 0, 120)
    return between(random, 300, 1380)


@generator("timetable")
def timetable(random: Random, *, trips: int = 400, links: int = 12, stations: int = 40, lines: int = 24) -> bytes:
    """Vehicle scheduling: every trip of a timetable is to be run, by vehicles that leave a depot and return.

    Nodes 1 and 2 are the depot, nodes 3 + 2i and 4 + 2i the ends of trip i, joined by an arc that
    must carry one vehicle. After a trip a vehicle may run empty to one of about ``links`` trips that
    begin soon, or to the depot. A vehicle costs much, and running empty and waiting a little.
    """
    at_least("trips", trips, 1)
    at_least("stations", stations, 2)
    at_least("lines", lines, 1)
    places = _points(random, stations, 400)
    depot = between(random, 150, 250), between(random, 150, 250)
    routes = []
    for _ in range(lines):
        start = below(random, stations)
        end = (start + 1 + below(random, stations - 1)) % stations
        headway = pick(random, (5, 10, 10, 15, 20))
        routes.append((places[start], places[end], headway, below(random, headway)))
    popular = Zipf(lines, 3.0)
    table = []
    for _ in range(trips):
        start_at, end_at, headway, offset = routes[popular.draw(random)]
        if random.random() < 0.5:
            start_at, end_at = end_at, start_at
        time = _departure(random) // headway * headway + offset
        table.append((time, time + 5 + _distance(start_at, end_at) // (_SPEED // 2), start_at, end_at))
    table.sort()
    times = [row[0] for row in table]
    arcs = [f"a 1 2 0 {trips} 0"]
    for trip, (_, end, start_at, end_at) in enumerate(table):
        first, last = 3 + 2 * trip, 4 + 2 * trip
        arcs.append(f"a 1 {first} 0 1 {_VEHICLE + 4 * _distance(depot, start_at)}")
        arcs.append(f"a {first} {last} 1 1 0")
        arcs.append(f"a {last} 2 0 1 {4 * _distance(depot, end_at)}")
        found = 0
        for other in range(bisect_left(times, end + _TURN), trips):
            time, _, place, _ = table[other]
            if found == links or time - end > _LONGEST_WAIT:
                break
            way = _distance(end_at, place)
            if end + _TURN + way // _SPEED <= time:
                found += 1
                arcs.append(f"a {last} {3 + 2 * other} 0 1 {5 * way + 2 * (time - end) + below(random, 20)}")
    head = [f"c {trips} trips", f"p min {2 * trips + 2} {len(arcs)}", f"n 1 {trips}", f"n 2 {-trips}"]
    return ("\n".join([*head, *arcs]) + "\n").encode("ascii")


@generator("transshipment")
def transshipment(random: Random, *, nodes: int = 500, arcs: int = 4000, units: int = 5000) -> bytes:
    """Goods go from an eighth of the nodes to another eighth, through a network whose arcs join near nodes mostly.

    Of the arcs, about one in twenty goes far, cheaply and with much room; one in thirty must carry
    something; one in fifty pays. A ring through all nodes, dear and wide enough for everything,
    makes it feasible.
    """
    at_least("nodes", nodes, 16)
    at_least("arcs", arcs, nodes)
    at_least("units", units, 1)
    places = _points(random, nodes, 1000)
    order = list(range(nodes))
    shuffle(random, order)
    ends = nodes // 8
    supply = [0] * nodes
    for _ in range(units):
        supply[order[below(random, ends)]] += 1
        supply[order[ends + below(random, ends)]] -= 1
    lines = []
    total = units
    room = 2 + 6 * units // nodes
    for _ in range(arcs - nodes):
        tail = below(random, nodes)
        far = random.random() < 0.05
        heads = [(tail + 1 + below(random, nodes - 1)) % nodes for _ in range(1 if far else 5)]
        way, head = min((_distance(places[tail], places[head]), head) for head in heads)
        capacity = between(random, 1, 8 * room if far else room)
        cost = way // 2 if far else way + below(random, 100)
        low = 0
        kind = random.random()
        if kind < 0.03:
            low = between(random, 1, 1 + capacity // 4)
        elif kind < 0.05:
            cost = -cost // 8
        total += low
        lines.append(f"a {tail + 1} {head + 1} {low} {capacity} {cost}")
    for tail, head in zip(order, order[1:] + order[:1], strict=True):
        lines.append(f"a {tail + 1} {head + 1} 0 {total} {2000 + _distance(places[tail], places[head])}")
    named = [f"n {node + 1} {amount}" for node, amount in enumerate(supply) if amount]
    return ("\n".join([f"p min {nodes} {arcs}", *named, *lines]) + "\n").encode("ascii")
