"""The table of passes as a page: ``python -m harness.problems.passes.vetted.page > docs/passes.md``."""

import sys

from harness.problems.passes.vetted import VETTED, PassRecord

__all__ = ["passes_page"]

_HEAD = """# Passes that a list may hold

Every pass that `opt --print-passes` of LLVM 22 lists, and every adaptor that holds passes. A step that is refused ends
the cell as `policy-error`, naming the pass, its line and the reason. A pass or parameter that is not here is refused:
another LLVM's passes have to be looked at first. Why there is such a table: [security](security.md#passes).

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
        rows.append(f"| `{record.name}` | {parameters}{refused} | {record.verdict} | {record.reason} |")
    return rows


if __name__ == "__main__":
    sys.stdout.write(passes_page())
