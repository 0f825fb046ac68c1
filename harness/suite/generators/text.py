"""English-like text and what is derived from it: word lists, search patterns, a compressed stream.

Not language: the words are real and as frequent as in books, their order means nothing.
"""

import bz2
from collections.abc import Iterator
from random import Random

from harness.suite.generators import generator
from harness.suite.generators._draw import Zipf, at_least, below, between, pick, shuffle

__all__ = ["bzip2", "patterns", "text", "words"]


def _listed(words: str) -> list[str]:
    return words.split()


# Roughly by falling frequency: Zipf's law then gives the usual share of function words.
_FUNCTION_WORDS = _listed(
    """
the of and to a in that it is was he for as with on be his at by had not but from they have her this
which or you she were are we there been one their all an would him has if more when will who so no them
said what up its about into than then out only could other some time these two may do first any my now
such like our over man me even most made after also did many before must through back where much your
way well down should because each just those people how too little good very make world still own see
men work long here get both between life being under never day same another know while last might us
great old year off come since against go came right used take three
"""
)
_CONTENT_WORDS = _listed(
    """
states himself few house use during without again place around however home small found thought went say
part once general high upon school every does got united left number course war until always away
something fact water though less public put thing almost hand enough far took head yet government system
better set told nothing night end why called eyes find going look asked later knew point next city
business give group toward young days let room president side social given present several order
national possible rather second face per among form important often things looked early white case large
big need four within felt along children saw best church ever least power development light family mind
country area members want seemed turned open service problem certain kind began different door help
means sense whole matter line interest above action history street death feet law car half period study
money cannot free air words reason level office question town voice human society age company experience
river music road paper morning evening garden mountain letter winter summer horse ship engine bridge
island window teacher doctor soldier captain village market harvest forest field stone metal silver
golden copper ancient modern simple careful narrow broad quiet heavy gentle sudden distant familiar
ordinary curious strange beautiful electric natural foreign private common separate central western
eastern northern southern particular measure pressure current machine method theory science surface
pattern signal record volume distance weight balance movement direction position strength material
process structure function condition degree purpose effect example knowledge language meaning memory
picture promise property season shadow silence spirit station story student subject success supply
support surprise thousand tradition trouble union value victory vision visitor weather worker writer
yellow yesterday answer believe carry change choose consider continue create describe develop discover
divide explain follow gather happen imagine include increase learn listen notice offer perhaps prepare
produce provide reach receive remain remember repeat report return reveal search settle speak spread
stand suggest travel understand wander whisper wonder
"""
)
_NAMES = _listed(
    """
Alice Benjamin Catherine Daniel Edward Florence George Harriet Isaac Jane London Paris Vienna Oxford
"""
)
_BEFORE = ("re", "un", "over", "under", "out", "fore")
_AFTER = ("s", "ed", "ing", "er", "ly", "ness", "ful", "less", "able", "ward", "ment", "ship")
_VOCABULARY = list(dict.fromkeys(_FUNCTION_WORDS + _CONTENT_WORDS))
_RANKS = Zipf(len(_VOCABULARY), 2.7)
_COLUMNS = 72


def _tokens(random: Random, topics: list[str]) -> Iterator[str]:
    """The words of one sentence, punctuation attached."""
    length = between(random, 4, 14) + below(random, 12)
    quoted = random.random() < 0.08
    previous = ""
    for index in range(length):
        kind = random.random()
        if kind < 0.16:  # a paragraph keeps coming back to its subject, which is what makes text compress
            word = pick(random, topics)
        elif kind < 0.17:
            word = str(between(random, 2, 1999))
        elif kind < 0.185:
            word = pick(random, _NAMES)
        else:
            word = _VOCABULARY[_RANKS.draw(random)]
        if word == previous:
            word = _VOCABULARY[_RANKS.draw(random)]
        previous = word
        if index == 0:
            word = ('"' if quoted else "") + word[:1].upper() + word[1:]
        if index == length - 1:
            end = random.random()
            word += "." if end < 0.9 else "?" if end < 0.96 else "!"
            word += '"' if quoted else ""
        elif random.random() < 0.07:
            word += "," if random.random() < 0.85 else ";"
        yield word


def _paragraph(random: Random) -> Iterator[str]:
    """The lines of one paragraph."""
    topics = [pick(random, _CONTENT_WORDS) for _ in range(6)]
    line = ""
    for _ in range(between(random, 2, 8)):
        for word in _tokens(random, topics):
            if len(line) + 1 + len(word) > _COLUMNS:
                yield line
                line = word
            else:
                line = f"{line} {word}" if line else word
    yield line


def _prose(random: Random, size: int) -> str:
    """Exactly ``size`` characters; the last line is cut, and ends in a newline all the same."""
    at_least("size", size, 1)
    lines: list[str] = []
    length = 0
    while length < size:
        for line in (*_paragraph(random), ""):
            lines.append(line)
            length += len(line) + 1
    return "\n".join(lines)[: size - 1].ljust(size - 1) + "\n"


@generator("text")
def text(random: Random, *, size: int = 40_000) -> bytes:
    """``size`` bytes of ASCII prose: sentences in paragraphs, wrapped at 72 columns, blank lines between."""
    return _prose(random, size).encode("ascii")


@generator("words")
def words(random: Random, *, count: int = 1000) -> bytes:
    """``count`` distinct words of a-z, one a line, in no order; the first few hundred are plain English."""
    plain = list(_VOCABULARY)
    shuffle(random, plain)
    chosen = dict.fromkeys(plain[:count])
    while len(chosen) < count:  # beyond the vocabulary: derivations first, compounds as they run out
        stem = pick(random, _VOCABULARY)
        kind = random.random()
        if kind < 0.5:
            word = stem + pick(random, _AFTER)
        elif kind < 0.7:
            word = pick(random, _BEFORE) + stem
        else:
            word = stem + pick(random, _CONTENT_WORDS)
            word += pick(random, _AFTER) if len(chosen) > 20_000 else ""
        chosen[word] = None
    return "".join(f"{word}\n" for word in chosen).encode("ascii")


def _present(random: Random, lines: list[str]) -> str:
    """A word of at least three letters, or two or three words of one line, as they stand in the text."""
    while True:
        parts = pick(random, lines).split(" ")
        length = 1 if random.random() < 0.6 else between(random, 2, 3)
        first = below(random, len(parts))
        phrase = " ".join(parts[first : first + length]).strip('.,;?!"')
        if len(phrase) >= 3:
            return phrase


def _absent(random: Random, prose: str) -> str:
    """A word with one or more letters changed, so that it looks like the text and is not in it."""
    letters = list(pick(random, _CONTENT_WORDS))
    while "".join(letters) in prose:
        letters[below(random, len(letters))] = chr(97 + below(random, 26))
    return "".join(letters)


@generator("patterns")
def patterns(random: Random, *, count: int = 40, text_seed: int = 1, text_size: int = 40_000) -> bytes:
    """``count`` search patterns, one a line: two thirds occur in the ``text`` of that seed and size."""
    prose = _prose(Random(text_seed), text_size)
    lines = [line for line in prose.splitlines() if line.count(" ") > 2] or ["the quick brown fox"]
    drawn = []
    for _ in range(count):
        drawn.append(_present(random, lines) if random.random() < 0.67 else _absent(random, prose))
    return "".join(f"{pattern}\n" for pattern in drawn).encode("ascii")


@generator("bzip2")
def bzip2(random: Random, *, size: int = 40_000, level: int = 9) -> bytes:
    """A .bz2 stream that holds the ``text`` of the same seed and size, in blocks of ``level`` x 100 kB."""
    return bz2.compress(_prose(random, size).encode("ascii"), level)
