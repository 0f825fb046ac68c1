"""The contest's JSON, plain or gzipped, to an instance. Whatever is wrong with it is one error that says where."""

import json
from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from harness.base.errors import UsageError
from harness.problems.instances.documents import read_json
from harness.problems.instances.domain import Integers
from harness.problems.sharding.instance import Instance, exact_sum

__all__ = ["parse_instance"]

_LARGEST = (1 << 63) - 1
_MOST_USAGE = 1 << 62
"""Of all nodes together, so that a profile of memory cannot overflow."""


def parse_instance(content: bytes, where: str) -> Instance:
    """Read and check an instance. ``where`` names it in errors. Raises UsageError for anything that is not one."""
    return _Reader(where).instance(read_json(content, where))


_WORDS: dict[type, str] = {dict: "an object", list: "a list", str: "text"}


class _Reader:
    """Checks part by part; the first fault ends it."""

    def __init__(self, where: str) -> None:
        self._where = where

    def instance(self, document: Any) -> Instance:
        problem = self._field(document, "problem", dict, "")
        name = self._field(problem, "name", str, "problem.")
        nodes = self._field(problem, "nodes", dict, "problem.")
        edges = self._field(problem, "edges", dict, "problem.")
        limit = problem.get("usage_limit")
        if limit is not None and (not _is_count(limit) or limit > _LARGEST):
            self._fail(f"problem.usage_limit: {_shown(limit)} is not a number of bytes")
        intervals = self._field(nodes, "intervals", list, "problem.nodes.")
        costs = self._field(nodes, "costs", list, "problem.nodes.")
        usages = self._field(nodes, "usages", list, "problem.nodes.")
        joined = self._field(edges, "nodes", list, "problem.edges.")
        edge_costs = self._field(edges, "costs", list, "problem.edges.")
        for field, given in (("costs", costs), ("usages", usages)):
            if len(given) != len(intervals):
                self._fail(f"problem.nodes.{field}: {len(given):,} entries for {len(intervals):,} intervals")
        if len(edge_costs) != len(joined):
            self._fail(f"problem.edges.costs: {len(edge_costs):,} entries for {len(joined):,} edges")
        spans = self._pairs(intervals, "problem.nodes.intervals", _interval_fault)
        node_costs, offsets = self._vectors(costs, "problem.nodes.costs")
        usage, usage_offsets = self._vectors(usages, "problem.nodes.usages")
        self._same(offsets, usage_offsets)
        if len(usage) and exact_sum(np.maximum.reduceat(usage, offsets[:-1])) >= _MOST_USAGE:
            self._fail("problem.nodes.usages: all nodes together can use more bytes than 62 bits hold")
        count = len(intervals)
        ends = self._pairs(joined, "problem.edges.nodes", lambda pair: _edge_fault(pair, count))
        table, edge_offsets = self._vectors(edge_costs, "problem.edges.costs", np.diff(offsets)[ends].prod(axis=1))
        return Instance(name, limit, spans, offsets, node_costs, usage, ends, edge_offsets, table)

    def _field(self, table: Any, key: str, kind: type, prefix: str) -> Any:
        if not isinstance(table, dict):
            self._fail(f"{prefix.rstrip('.') or 'the file'}: not an object with fields")
        if key not in table:
            self._fail(f"{prefix}{key}: this field is missing")
        value = table[key]
        if not isinstance(value, kind):
            self._fail(f"{prefix}{key}: not {_WORDS[kind]}")
        return value

    def _pairs(self, given: Sequence[Any], field: str, fault: Callable[[Sequence[int]], str | None]) -> Integers:
        """[n, 2] of a list of two integers each."""
        for at, pair in enumerate(given):
            if not isinstance(pair, list) or len(pair) != 2:
                self._fail(f"{field}[{at}]: {_shown(pair)} is not a list of two")
            for value in pair:
                if not _is_count(value) or value > _LARGEST:
                    self._fail(f"{field}[{at}]: {_shown(value)} is not an integer from 0 up")
            if wrong := fault(pair):
                self._fail(f"{field}[{at}]: {wrong}")
        return np.array(given, np.int64).reshape(-1, 2)

    def _vectors(self, given: Sequence[Any], field: str, lengths: Integers | None = None) -> tuple[Integers, Integers]:
        """All numbers of a list of lists, and where each list begins. ``lengths``: what each must have."""
        for at, vector in enumerate(given):
            if not isinstance(vector, list) or not vector:
                self._fail(f"{field}[{at}]: {_shown(vector)} is not a list of costs or bytes, one at least")
            if lengths is not None and len(vector) != lengths[at]:
                self._fail(
                    f"{field}[{at}]: {len(vector):,} numbers, not {int(lengths[at]):,}: one for each two strategies"
                )
        offsets = np.zeros(len(given) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, given), np.int64, len(given)), out=offsets[1:])
        if set(map(type, chain.from_iterable(given))) - {int}:
            self._fail_at_number(given, field)
        try:
            values = np.array(array("q", chain.from_iterable(given)))
        except OverflowError:
            self._fail_at_number(given, field)
        if values.min(initial=0) < 0:
            self._fail_at_number(given, field)
        return values, offsets

    def _fail_at_number(self, given: Sequence[Any], field: str) -> NoReturn:
        """Name the number that is not one, now that there is one."""
        for at, vector in enumerate(given):
            for place, value in enumerate(vector):
                if not _is_count(value):
                    self._fail(f"{field}[{at}][{place}]: {_shown(value)} is not an integer from 0 up")
                if value > _LARGEST:
                    self._fail(f"{field}[{at}][{place}]: {_shown(value)} exceeds 64 bits")
        raise AssertionError("all numbers are numbers")

    def _same(self, costs: Integers, usages: Integers) -> None:
        if differing := np.flatnonzero(np.diff(costs) != np.diff(usages)).tolist():
            at = differing[0]
            self._fail(
                f"problem.nodes.usages[{at}]: {int(np.diff(usages)[at])} strategies, and "
                f"{int(np.diff(costs)[at])} in problem.nodes.costs[{at}]"
            )

    def _fail(self, message: str) -> NoReturn:
        raise UsageError(message, where=self._where)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _interval_fault(interval: Sequence[int]) -> str | None:
    start, end = interval
    return f"it ends at {end:,}, before it begins at {start:,}" if end < start else None


def _edge_fault(pair: Sequence[int], count: int) -> str | None:
    beyond = [node for node in pair if node >= count]
    return f"there is no node {beyond[0]:,}: the last is {count - 1:,}" if beyond else None


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value):,}" if value else "an empty list"
    text = "an object" if isinstance(value, dict) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
