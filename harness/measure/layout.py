"""Where the bytes of an object are: in which functions, and in which sections.

Nothing is lost on the way: the functions' bytes and those between them are ``size.text``, the sections' are
``size.alloc``.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from harness.toolchain.elf import SHF_ALLOC, SHF_EXECINSTR, SHT_NOBITS, Section, sections, symbols

__all__ = ["TEXT", "Change", "Comparison", "Layout", "changes", "layout_of"]

TEXT = ".text"
"""All executable sections."""
_FAMILIES = (".rodata", ".data.rel.ro", ".data", ".eh_frame", ".gcc_except_table", ".init_array", ".fini_array")


@dataclass(frozen=True)
class Layout:
    """An object's bytes."""

    functions: Mapping[str, int]
    """Symbol → bytes of its code. What several symbols name is the first one's in the symbol table's order."""
    between: int
    """Bytes of executable sections that no function has: padding, tables."""
    sections: Mapping[str, int]
    """Section → bytes that are loaded. Sections of one purpose (``.rodata``, ``.rodata.str1.1``) are one."""

    @property
    def text(self) -> int:
        """``size.text``."""
        return sum(self.functions.values()) + self.between

    @property
    def alloc(self) -> int:
        """``size.alloc``."""
        return sum(self.sections.values())


@dataclass(frozen=True, slots=True)
class Change:
    """Bytes of one function or section in two objects; None: it is not there."""

    name: str
    before: int | None
    after: int | None

    @property
    def delta(self) -> int:
        """Bytes more in the second."""
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True)
class Comparison:
    """Two objects' bytes: a negative change is one that the second saves."""

    before: Layout
    after: Layout

    @cached_property
    def functions(self) -> list[Change]:
        """Functions that are not equally large, the largest change first."""
        return [row for row in changes(self.before.functions, self.after.functions) if row.before != row.after]

    @property
    def sections(self) -> list[Change]:
        """Every section that is loaded."""
        return changes(self.before.sections, self.after.sections)

    @property
    def between(self) -> Change:
        """Of executable sections, what no function has."""
        return Change("between functions", self.before.between, self.after.between)

    @cached_property
    def moved(self) -> Counter[str]:
        """Symbol → bytes more; 0 for all others."""
        return Counter({row.name: row.delta for row in self.functions})


def layout_of(path: Path) -> Layout:
    """The bytes of an ELF64 object. Raises UsageError when it is none."""
    found = sections(path)
    executable = {index: s.size for index, s in enumerate(found) if s.flags & SHF_EXECINSTR and s.type != SHT_NOBITS}
    functions: Counter[str] = Counter()
    reached = dict.fromkeys(executable, 0)
    code = [symbol for symbol in symbols(path) if symbol.is_function and symbol.section in executable]
    for one in sorted(code, key=lambda symbol: symbol.value):
        end = one.value + one.size
        own = max(0, min(end, executable[one.section]) - max(one.value, reached[one.section]))
        reached[one.section] = max(reached[one.section], end)
        if own:
            functions[one.name] += own
    loaded: Counter[str] = Counter()
    for section_ in found:
        if section_.flags & SHF_ALLOC and section_.type != SHT_NOBITS:
            loaded[_family(section_)] += section_.size
    return Layout(dict(functions), sum(executable.values()) - sum(functions.values()), dict(loaded))


def changes(before: Mapping[str, int], after: Mapping[str, int]) -> list[Change]:
    """Everything in either, the largest change first, then by name."""
    rows = [Change(name, before.get(name), after.get(name)) for name in {**before, **after}]
    return sorted(rows, key=lambda row: (-abs(row.delta), row.name))


def _family(section: Section) -> str:
    if section.flags & SHF_EXECINSTR:
        return TEXT
    for family in _FAMILIES:
        if section.name == family or section.name.startswith(f"{family}."):
            return family
    return section.name
