"""The schema of ``submission.toml``, the same for baselines and submissions."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Strict, model_validator

from harness.base.upgrade import former_kind
from harness.base.vocabulary import PolicyClass, Target
from harness.suite.fields import Line, Prose, RelativePath, Value

__all__ = ["SEARCH_SEEDS", "Manifest", "Training", "policy_name"]

Link = Annotated[Line, Field(pattern=r"^https?://[!-~]+$")]
"""An address of the web."""

SEARCH_SEEDS = 5
"""Seeds that a policy of class ``search`` has at least."""
LONGEST_SEARCH = 3600.0
"""CPU seconds that a search of one program may have: a stranger's word must not hold the machine for a day."""
MOST_SEEDS = 256
"""Seeds that any policy has at most, and files."""


def policy_name(value: str) -> str:
    """The name, if a policy may be called so. Raises ValueError."""
    import re

    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", value):
        raise ValueError(f"{value!r} is not a name: use up to 64 letters, digits, '.', '_' and '-'")
    return value


def _distinct(values: tuple[int, ...]) -> tuple[int, ...]:
    if not values or len(set(values)) < len(values):
        raise ValueError("at least one is needed, and none twice")
    if len(values) > MOST_SEEDS:
        raise ValueError(f"at most {MOST_SEEDS}, since each is a cell of its own")
    return values


class Training(BaseModel):
    """What it took to make a policy that learnt. Nothing of it changes what the policy decides."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, defer_build=True)

    compilations: Annotated[int, Strict(), Field(ge=0)] | None = None
    """Of modules."""
    cpu_hours: Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)] | None = None
    """Of these compilations."""
    corpus: Annotated[str, Field(pattern="[0-9a-f]{64}")] | None = None
    """Digest of the corpus that it learnt from, as ``harness corpus show`` prints it."""
    seed: Annotated[int, Strict(), Field(ge=0, lt=1 << 63)] | None = None
    """Of the training."""
    curve: RelativePath | None = None
    """A file of its folder with the learning curve, a line for each step (``harness.policy.curve``)."""


class Manifest(BaseModel):
    """What a policy says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False, defer_build=True)

    name: Annotated[str, AfterValidator(policy_name)]
    """The policy's name on the leaderboard; its folder is called the same."""
    version: Annotated[Line, Field(max_length=64)]
    """Another one whenever it decides differently."""
    problem: Line
    """What it decides: the name of a folder in ``harness/problems``."""
    form: Line
    """How it is written: one of the problem's forms."""
    question: Line = ""
    """What it is asked, of a problem that asks several questions; its first, where nothing is said."""
    policy_class: PolicyClass = Field(alias="class")
    """How it decides: ``fixed``, ``zero-shot`` or ``search``."""
    track: Line
    """What it optimises for. Any metric can be taken of any policy; the track says which one ranks."""
    targets: tuple[Target, ...] = Field(min_length=1)
    """Where it can be used; elsewhere its cells are ``unsupported``."""
    authors: tuple[Line, ...] = Field(min_length=1, max_length=100)
    """Names of people, for the leaderboard."""
    licence: Line
    """An SPDX expression."""
    description: Prose
    """One paragraph: what it does and where it comes from."""
    links: tuple[Link, ...] = Field(default=(), max_length=100)
    """Papers, repositories."""
    trained_on: tuple[Line, ...] = Field(default=(), max_length=1000)
    """What it has seen while it was made: ``SUITE/BENCHMARK`` or ``SUITE:train``, or free words."""
    training: Training | None = None
    """Of a policy that learnt: what that took."""
    files: dict[Line, RelativePath] = Field(default={}, max_length=MOST_SEEDS)
    """The policy's files by role, relative to its folder."""
    values: dict[Line, Value] = Field(default={}, max_length=100)
    """Hyperparameter values."""
    seeds: Annotated[tuple[Annotated[int, Strict(), Field(ge=0, lt=1 << 63)], ...], AfterValidator(_distinct)] = (0,)
    """One cell each."""
    budget: Annotated[float, Strict(), Field(gt=0, le=LONGEST_SEARCH, allow_inf_nan=False)] | None = None
    """``search``: CPU seconds for each benchmark and seed."""
    deterministic: Annotated[bool, Strict()] = False
    """``search``: it finds the same whenever it is asked. It has one seed, and is asked twice."""
    ceiling: bool = False
    """``search``: the best that is known of each program, found on those that it is scored on. Never ranked."""

    @model_validator(mode="after")
    def _search_is_repeated(self) -> Self:
        if self.policy_class is PolicyClass.SEARCH:
            if self.deterministic and len(self.seeds) > 1:
                raise ValueError("seeds: a deterministic search has one: every seed would be the same search")
            if not self.deterministic and len(self.seeds) < SEARCH_SEEDS:
                raise ValueError(
                    f"seeds: a policy of class 'search' needs at least {SEARCH_SEEDS}, and has {len(self.seeds)}: "
                    "one search may have been lucky; or it says deterministic = true"
                )
            if self.ceiling and not self.trained_on:
                raise ValueError("trained_on: a ceiling names the programs that its decisions were found on")
            if self.budget is None:
                raise ValueError("budget: a policy of class 'search' says how many seconds each of its searches took")
        return self

    def digest_fields(self) -> dict[str, Any]:
        """What makes two versions different policies; a new description does not."""
        kind = former_kind(self.problem, self.form)
        fields = {"kind": kind, "class": self.policy_class.value, "values": self.values, "budget": self.budget}
        asked = {"question": self.question} if self.question else {}
        return fields | asked | ({"deterministic": True} if self.deterministic else {})
