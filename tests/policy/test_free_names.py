"""Names that a submission may not have, because they stand for something else where policies are named."""

import pytest

from harness.base.errors import UsageError
from harness.base.paths import BASELINES, SUBMISSIONS
from harness.policy import all_policies
from harness.policy.load import find_policy
from harness.policy.names import require_free_name
from harness.problems.instances.published import published_costs
from harness.problems.instances.suite import load_instances, suite_names
from harness.problems.sharding.domain import Sharding

DOMAIN = Sharding()


@pytest.mark.parametrize(
    "name",
    ["XLA", "xla", "team01", "TEAM7", "best-known", "best_known", "oz", "0z", "OZ", "O_z", "o0", "Greedy", "GREEDY",
     "fast_o0", "exact.model", "control", "default", "reference", "published", "best", "all", "x", "size_rules",
     "c1one", "clone.tree"],
)  # fmt: skip
def test_a_name_that_stands_for_something_else_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="name: ") as refused:
        require_free_name(name, "submission.toml")
    assert refused.value.hint or "not a name" in refused.value.message


def test_every_name_of_a_published_row_is_refused() -> None:
    names = {row.who for suite in suite_names(DOMAIN) for row in published_costs(load_instances(DOMAIN, suite))}
    assert len(names) > 5
    for name in names:
        with pytest.raises(UsageError):
            require_free_name(name, "submission.toml")


def test_honest_names_are_free() -> None:
    for name in ["my-policy", "mlgo", "codezero", "rl4real", "teamwork", "best-of-8", "ozone", "fast-sweep"]:
        require_free_name(name, "submission.toml")


def test_what_ships_is_called_rightly() -> None:
    for policy in all_policies():
        if not policy.baseline:
            require_free_name(policy.name, str(policy.folder))


@pytest.mark.parametrize("name", ["../baselines/Oz", "./Oz", str(BASELINES / "Oz"), "Oz/", "", ".", "..", "Oz/../O0"])
def test_a_path_is_not_a_name(name: str) -> None:
    """A forged row names its policy; the page looks up what it says of itself by that name."""
    assert find_policy(name) is None
    assert (BASELINES / "Oz").is_dir()
    assert SUBMISSIONS.is_dir()


def test_a_name_finds_its_policy() -> None:
    found = find_policy("Oz")
    assert found is not None
    assert found.baseline
