"""Protein families: a profile hidden Markov model and proteins that hold members of the family.

Both are made from a family's consensus, which a parameter names, so that they go together whatever
their seeds are. Amino acids are as frequent as in Swiss-Prot.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import at_least, below, between, pick

__all__ = ["profile", "protein"]

_LETTERS = "ACDEFGHIKLMNPQRSTVWY"
_PARTS = (825, 137, 545, 675, 386, 707, 227, 596, 584, 966, 242, 406, 470, 393, 553, 656, 534, 687, 108, 292)
_BOUNDS = list(accumulate(_PARTS))
# Groups of amino acids that replace each other.
_GROUPS = ("ILMV", "FWY", "DENQ", "KRH", "AGST", "CP")
_LIKE = {letter: group for group in _GROUPS for letter in group}


def _residue(random: Random) -> str:
    return _LETTERS[min(bisect_right(_BOUNDS, random.random() * _BOUNDS[-1]), 19)]


def _consensus(family: int, length: int) -> str:
    random = Random(1_000_003 * family + length)
    return "".join(_residue(random) for _ in range(length))


def _logarithm(x: float) -> float:
    """ln x for x of 0 … 1, by the series of artanh after halvings are counted."""
    halvings = 0
    while x < 0.75:
        x *= 2.0
        halvings += 1
    z = (x - 1.0) / (x + 1.0)
    square = z * z
    term, total = z, 0.0
    for n in range(1, 40, 2):
        total += term / n
        term *= square
    return 2.0 * total - halvings * 0.6931471805599453


def _scores(parts: Sequence[float]) -> str:
    """Probabilities in the ratio of ``parts``, as HMMER writes them: their negative logarithms."""
    total = sum(parts)
    return "  ".join(f"{abs(_logarithm(part / total)):.5f}" if part else "      *" for part in parts)


def _emissions(random: Random, letter: str) -> list[float]:
    """Mostly the consensus' residue, some of its kin, and a little of all."""
    strength = 0.15 + 0.75 * random.random()
    parts = [(1.0 - strength) * part / _BOUNDS[-1] for part in _PARTS]
    parts[_LETTERS.index(letter)] += 0.75 * strength
    for kin in _LIKE[letter]:
        parts[_LETTERS.index(kin)] += 0.25 * strength / len(_LIKE[letter])
    return parts


@generator("profile")
def profile(random: Random, *, length: int = 100, family: int = 1) -> bytes:
    """A profile of the family, of ``length`` match states, in HMMER's ASCII format (3/f)."""
    at_least("length", length, 5)
    consensus = _consensus(family, length)
    lines = [
        "HMMER3/f [3.3.2 | Nov 2020]",
        f"NAME  family{family}",
        f"LENG  {length}",
        "ALPH  amino",
        "RF    no",
        "MM    no",
        "CONS  yes",
        "CS    no",
        "MAP   yes",
        "NSEQ  40",
        "EFFN  8.000000",
        "STATS LOCAL MSV      -10.0000  0.70000",
        "STATS LOCAL VITERBI  -11.0000  0.70000",
        "STATS LOCAL FORWARD   -4.5000  0.70000",
        "HMM   " + "".join(f"{letter:>9}" for letter in _LETTERS),
        "      " + "".join(f"{name:>9}" for name in ("m->m", "m->i", "m->d", "i->m", "i->i", "d->m", "d->d")),
    ]
    background = _scores([float(part) for part in _PARTS])
    lines += [f"  COMPO   {background}", f"          {background}"]
    for node in range(length + 1):
        last = node == length
        if node:
            letter = consensus[node - 1]
            shown = letter if random.random() < 0.7 else letter.lower()
            lines.append(f"{node:>7}   {_scores(_emissions(random, letter))}{node:>7} {shown} - - -")
            lines.append(f"          {background}")
        insert, delete = 0.005 + 0.02 * random.random(), 0.005 + 0.02 * random.random()
        match = _scores([1.0 - insert, insert, 0.0] if last else [1.0 - insert - delete, insert, delete])
        stay = _scores([0.4 + 0.3 * random.random(), 0.4])
        leave = _scores([1.0, 0.0]) if last or not node else _scores([0.5 + 0.3 * random.random(), 0.35])
        lines.append(f"          {match}  {stay}  {leave}")
    return "".join(f"{line}\n" for line in (*lines, "//")).encode("ascii")


def _member(random: Random, consensus: str) -> str:
    """The consensus after evolution: residues replaced (often by kin), left out and put in."""
    out = []
    rate = 0.2 + 0.4 * random.random()
    place = 0
    while place < len(consensus):
        letter = consensus[place]
        draw = random.random()
        if draw < 0.012:
            place += between(random, 1, 6)
            continue
        if draw < 0.024:
            out += [_residue(random) for _ in range(between(random, 1, 8))]
        if random.random() < rate:
            letter = pick(random, _LIKE[letter]) if random.random() < 0.5 else _residue(random)
        out.append(letter)
        place += 1
    return "".join(out)


@generator("protein")
def protein(random: Random, *, length: int = 400, domains: int = 2, model: int = 100, family: int = 1) -> bytes:
    """One protein of at least ``length`` residues in FASTA format.

    It holds ``domains`` members of the family whose profile has ``model`` match states.
    """
    at_least("length", length, 1)
    at_least("domains", domains, 0)
    at_least("model", model, 5)
    consensus = _consensus(family, model)
    members = [_member(random, consensus) for _ in range(domains)]
    free = max(length - sum(map(len, members)), domains + 1)
    cuts = sorted(below(random, free + 1) for _ in range(domains))
    gaps = [end - start for start, end in zip([0, *cuts], [*cuts, free], strict=True)]
    parts = []
    for gap, member in zip(gaps, [*members, ""], strict=True):
        parts += ["".join(_residue(random) for _ in range(gap)), member]
    residues = "".join(parts)
    rows = [residues[place : place + 60] for place in range(0, len(residues), 60)]
    return "".join(f"{line}\n" for line in (f">protein{family} {domains} domains", *rows)).encode("ascii")
