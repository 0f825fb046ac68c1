"""``harness schema``."""

import ast
import inspect
import json
import textwrap
from itertools import pairwise
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

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
    print(json.dumps(known[name][0].model_json_schema(by_alias=True, schema_generator=_Described), indent=2))
    return 0


class _Described(GenerateJsonSchema):
    """With what stands below each field in the source. Read only now: help must be instant."""

    def model_schema(self, schema: Any) -> dict[str, Any]:
        """A model's schema, each property described."""
        made = super().model_schema(schema)
        model: type[BaseModel] = schema["cls"]
        said = {field: text for base in reversed(model.__mro__) for field, text in _below_fields(base).items()}
        for field, info in model.model_fields.items():
            described = made.get("properties", {}).get(info.alias or field)
            if described is not None and field in said:
                described.setdefault("description", said[field])
        return made


def _below_fields(model: type) -> dict[str, str]:
    """Field → the text below it, of the fields that this class itself has."""
    if not issubclass(model, BaseModel) or model is BaseModel:
        return {}
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    except (OSError, TypeError, SyntaxError, ValueError):  # made while running
        return {}
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
    }
