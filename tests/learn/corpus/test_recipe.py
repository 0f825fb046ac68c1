"""The recipe that comes with the harness."""

import pytest

from harness.base.errors import UsageError
from harness.base.vocabulary import Origin
from harness.learn.corpus.digests import read_digests
from harness.learn.corpus.recipe import RECIPE, chosen, read_recipe
from harness.suite.load import load_suite, suite_names

GENERIC = {"MIT", "Zlib", "GPL-2.0-or-later"}


def test_no_program_of_a_suite_comes_from_a_package_of_it() -> None:
    sources = [program.source for name in suite_names() for program in load_suite(name).programs]
    taken = {one.package for source in sources if source.origin is Origin.DEBIAN for one in (source, *source.parts)}
    pinned = {source.sha256 for source in sources}
    recipe = read_recipe()
    assert "bzip2" in taken
    assert not taken & recipe.packages.keys()
    assert not pinned & {package.sha256 for package in recipe.packages.values()}


def test_packages_are_many_in_order_and_in_two_splits() -> None:
    packages = read_recipe().packages
    validation = [name for name, package in packages.items() if package.split == "validation"]
    assert len(packages) >= 100
    assert list(packages) == sorted(packages)
    assert 0.08 <= len(validation) / len(packages) <= 0.2
    assert all(package.licence and package.about for package in packages.values())


def test_every_package_has_its_digest() -> None:
    assert read_digests(RECIPE).keys() == read_recipe().packages.keys()


def test_packages_are_chosen_by_name_in_the_order_of_the_recipe() -> None:
    recipe = read_recipe()
    assert chosen(recipe, ["zlib", "lz4"], None) == ["lz4", "zlib"]
    assert chosen(recipe, [], 3) == list(recipe.packages)[:3]
    with pytest.raises(UsageError, match="no package 'zlip'") as caught:
        chosen(recipe, ["zlip"], None)
    assert "did you mean" in str(caught.value)
