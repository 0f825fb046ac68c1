"""Print the packages of the corpus as a table: docs/corpus.md shows it.

usage: .venv/bin/python scripts/corpus.py
"""

from harness.learn.corpus.digests import read_digests
from harness.learn.corpus.recipe import RECIPE, read_recipe
from harness.learn.corpus.show import table_of_packages


def main() -> None:
    """A row for each, with the units that are recorded of it."""
    counts = {name: one.units for name, one in read_digests(RECIPE).items()}
    print(table_of_packages(read_recipe(), counts))


if __name__ == "__main__":
    main()
