"""``harness schema``."""

import json

from pydantic import BaseModel

from harness.base.discovery import PROBLEMS, in_every_folder
from harness.base.errors import UsageError
from harness.policy import Manifest
from harness.policy.forms.tree.model import Tree
from harness.record.rows import Block, Campaign, Header, History, Row
from harness.suite.model import Suite

__all__ = ["schema", "schemas"]

_OWN: dict[str, tuple[type[BaseModel], str]] = {
    "suite": (Suite, "suites/NAME/suite.toml"),
    "submission": (Manifest, "submissions/NAME/submission.toml"),
    "tree": (Tree, "tree.json of a policy"),
    "header": (Header, "first line of a run file, under the key `header`"),
    "campaign": (Campaign, "a line of a run file, under the key `campaign`"),
    "block": (Block, "a line of a run file, under the key `block`"),
    "history": (History, "a line of a run file, under the key `history`"),
    "row": (Row, "every other line of a run file"),
}


def schemas() -> dict[str, tuple[type[BaseModel], str]]:
    """Name → schema and what it is of: the harness's own, and those of problems (``schemas.py`` of their folders)."""
    found = dict(_OWN)
    for module in in_every_folder(PROBLEMS, "schemas"):
        found |= module.SCHEMAS
    return found


def schema(name: str | None) -> int:
    """Print one schema, or the list of them."""
    known = schemas()
    if name is None:
        for one, (_, what) in known.items():
            print(f"{one:<12}{what}")
        return 0
    if name not in known:
        raise UsageError(f"unknown schema {name!r}", hint=f"there are: {', '.join(known)}")
    print(json.dumps(known[name][0].model_json_schema(by_alias=True), indent=2))
    return 0
