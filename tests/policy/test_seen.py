"""What a manifest says that the policy has seen: a slip of the pen must not claim nothing in silence."""

import pytest

from harness.base.errors import UsageError
from harness.policy.seen import require_known


@pytest.mark.parametrize(
    "entry",
    [
        "cbench:train", "cbench:test", "cbench/bzip2", "iopddl:train", "iopddl/A",
        "a corpus of kernels", "ComPile", "my-suite:train", "my-suite/prog", "linux/kernel",
    ],
)  # fmt: skip
def test_what_is_there_and_what_is_not_ours(entry: str) -> None:
    require_known([entry], "submission.toml")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("cbenhc:train", "did you mean cbench:train?"),
        ("CBENCH/bzip2", "did you mean cbench/bzip2?"),
        ("cbench:trian", "there are: train, test"),
        ("cbench/adpmc", "did you mean cbench/adpcm?"),
        ("cbench/nothing-like-it", "there are: "),
        ("cbench", "write cbench:train"),
    ],
)
def test_what_is_meant_for_a_suite_and_names_nothing_of_it(entry: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        require_known(["cbench:train", entry], "submission.toml")
    assert raised.value.where == "submission.toml"
    assert repr(entry) in raised.value.message and said in str(raised.value.hint)
