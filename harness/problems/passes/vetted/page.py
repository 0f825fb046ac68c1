"""The table of passes as a page: ``python -m harness.problems.passes.vetted.page > docs/passes.md``."""

import sys

from harness.problems.passes.vetted import VETTED, PassRecord

__all__ = ["passes_page"]

_HEAD = """# Passes that a list may hold

Every pass that `opt --print-passes` of LLVM 22 lists, and every adaptor that holds passes. A step that is refused ends
the cell as `policy-error`, naming the pass, its line and the reason. A pass or parameter that is not here is refused:
another LLVM's passes have to be looked at first. Why there is such a table: [security](security.md#passes).

Some passes go by where things lie in the compiler's memory, and on some modules that gives another program in each
process: below it says *varies*. Nobody could rebuild such an object. So every list is compiled in two processes, one
with such a pass in eight, half of which lay their memory out otherwise, and where an object differs the cell is
`not-replayable`. What differs in one of a hundred processes is not found so: `harness replay` says it when it does.

This page is made from `harness/problems/passes/vetted/`:
`python -m harness.problems.passes.vetted.page > docs/passes.md`.
"""


def passes_page() -> str:
    """The page's text."""
    records = sorted(VETTED.values(), key=lambda record: record.name)
    parts = [
        ("Allowed", [r for r in records if r.allowed and r.unless is None]),
        ("Decided on the module", [r for r in records if r.unless is not None]),
        ("Refused", [r for r in records if not r.allowed]),
    ]
    lines = [_HEAD]
    for title, chosen in parts:
        lines += [f"## {title}", "", *_table(chosen), ""]
    return "\n".join(lines)


def _table(records: list[PassRecord]) -> list[str]:
    rows = ["| pass | parameters | verdict | reason |", "|---|---|---|---|"]
    for record in records:
        parameters = ", ".join(f"`{name}`" for name in sorted(record.parameters))
        refused = "".join(f"; not `{name}`: {why}" for name, why in sorted(record.refused_parameters.items()))
        rows.append(f"| `{record.name}` | {parameters}{refused} | {_verdict(record)} | {record.reason} |")
    return rows


def _verdict(record: PassRecord) -> str:
    return f"{record.verdict}, varies" if record.varies else record.verdict


if __name__ == "__main__":
    sys.stdout.write(passes_page())
