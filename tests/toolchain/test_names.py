"""Symbols as the sources write them."""

from harness.toolchain import Toolchain
from harness.toolchain.names import as_written


def test_names_are_without_parameters_where_that_is_enough(toolchain: Toolchain) -> None:
    one, other, alone, plain = "_ZN3Box3putEi", "_ZN3Box3putEd", "_ZNK3Box4sizeEv", "main"
    names = as_written([one, other, alone, plain, alone, "_Z"], toolchain)
    assert names == {one: "Box::put(int)", other: "Box::put(double)", alone: "Box::size", plain: plain, "_Z": "_Z"}


def test_more_names_than_a_command_line_is_given_at_once(toolchain: Toolchain) -> None:
    symbols = [f"_Z{len(name)}{name}v" for name in (f"f{number}" for number in range(2500))]
    assert list(as_written(symbols, toolchain).values()) == [f"f{number}" for number in range(2500)]


def test_nothing_is_nothing(toolchain: Toolchain) -> None:
    assert as_written([], toolchain) == {}
