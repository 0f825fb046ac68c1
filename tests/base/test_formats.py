"""Numbers as all pages print them."""

from harness.base.formats import interval, ratio
from harness.rank.contest import percent


def test_no_ratio_is_printed_as_nothing() -> None:
    assert [ratio(0.998), ratio(0.0016), ratio(3.4e-14), ratio(3.83e6)] == ["0.9980", "0.0016", "3.40e-14", "3.83e+06"]
    assert interval(0.00001, 1.5) == "1.00e-05 – 1.5000"
    assert ratio(0.0) == "0.0000"


def test_a_difference_has_no_more_digits_than_it_is_known_to() -> None:
    assert [percent(0.0084), percent(0.12), percent(9.99), percent(95127.59)] == [
        "0.84 %",
        "12 %",
        "999 %",
        "9.5e+06 %",
    ]
