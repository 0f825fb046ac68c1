"""``harness schema``."""

import json

from pydantic import BaseModel

from harness.base.errors import UsageError
from harness.policy import Manifest
from harness.policy.forms.tree.model import Tree
from harness.problems.instances.suite import schema_of
from harness.problems.sharding.domain import Sharding
from harness.record.rows import Block, Campaign, Header, History, Row
from harness.suite.model import Suite

__all__ = ["SCHEMAS", "schema"]

SCHEMAS: dict[str, tuple[type[BaseModel], str]] = {
    "suite": (Suite, "suites/NAME/suite.toml"),
    "sharding": (schema_of(Sharding()), "suites/NAME/sharding.toml: a suite of instances"),
    "submission": (Manifest, "submissions/NAME/submission.toml"),
    "tree": (Tree, "tree.json of an inlining policy"),
    "header": (Header, "first line of a run file, under the key `header`"),
    "campaign": (Campaign, "a line of a run file, under the key `campaign`"),
    "block": (Block, "a line of a run file, under the key `block`"),
    "history": (History, "a line of a run file, under the key `history`"),
    "row": (Row, "every other line of a run file"),
}


def schema(name: str | None) -> int:
    """Print one schema, or the list of them."""
    if name is None:
        for known, (_, what) in SCHEMAS.items():
            print(f"{known:<12}{what}")
        return 0
    if name not in SCHEMAS:
        raise UsageError(f"unknown schema {name!r}", hint=f"there are: {', '.join(SCHEMAS)}")
    print(json.dumps(SCHEMAS[name][0].model_json_schema(by_alias=True), indent=2))
    return 0
