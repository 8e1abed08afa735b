"""Words that stand side by side: which terms the index has of them, and whether a text has them.

That no phrase is lost rests on this: if a ``WordSequence.is_in`` a text, its words are neighbours
in the ``sequence`` of the text but for marks of footnotes, a stem of each set of
``WordSequence.terms`` is among the ``stems`` of the text, in the order of the words and with few
others between, and its words of scripts without spaces are among ``unspaced_words`` of the text,
those next to each other as neighbours.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.text.sentences import UNSPACED, is_unspaced
from indexer.text.stemmers import has_stemmer, stems_of
from indexer.text.terms import MAX_LENGTH, UNMARKED, fold, sequence, without_note_marks

if TYPE_CHECKING:
    from collections.abc import Iterable

# Characters of scripts without spaces, and what NFKC makes such characters of.
_PERHAPS_UNSPACED = re.compile(
    f"[{UNSPACED}\u2e9f-\u2fd5\u3038-\u303a\u3192-\u33fe\uff66-\uff9f\U0001f200-\U0001f251]"
)
# Characters other than these may be folded to ASCII letters or digits.
_NEVER_ASCII = (
    "\xa0-\xa9\xab-\xb1\xb4-\xb8\xbb\xbf\u0391-\u03a1\u03a3-\u03c9\u0400-\u052f\u05d0-\u05ea"
    "\u0621-\u064a\u2010-\u2027\u202f-\u205e\u20ac\u2190-\u22ff\u2500-\u27bf\u3001-\u303f"
    "\u3041-\u30ff\u4e00-\u9fff\uf0a7\uf0b7\ufffd"
)
_PERHAPS_ASCII = re.compile(f"[^\x00-\x7f{_NEVER_ASCII}]")
_LOWER = bytes(range(256)).lower()
_NO_WORD = bytes(code for code in range(256) if not chr(code).isalnum() or code > 127)
_SIGNS = re.compile("[^a-z0-9]+")


class WordSequence:
    """Words side by side, as ``sequence`` has them; there is at least one.

    Args:
        words: The words.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._joined = f" {' '.join(self.words)} "
        self._letters: re.Pattern[bytes] | None = None
        self._plainly: re.Pattern[str] | None = None
        if self._joined.isascii() and max(map(len, self.words)) < MAX_LENGTH:
            # The ending of "john's" is no word.
            bare = (_SIGNS.sub("", word).encode() for word in self.words)
            self._letters = re.compile(b"s?".join(bare))
            if all(map(str.isalnum, self.words)):
                first, *others = self.words
                before = rf"{first}(?<![^\s(“\"]{first})"
                self._plainly = re.compile(
                    "\\s+".join((before, *others)) + r"(?=[.,;:)”\"]*(?:\s|\Z))"
                )

    def terms(self, languages: Iterable[str]) -> list[frozenset[str]]:
        """Sets of stems; any text with these words has one of each.

        Words of scripts without spaces have none: where they end depends on what is around them.
        Nor have words of which a stemmer leaves nothing.

        Args:
            languages: All that the text may be in; see ``stems``.
        """
        spoken = tuple(languages)
        spaced = (word for word in dict.fromkeys(self.words) if not is_unspaced(word))
        return [terms for word in spaced if "" not in (terms := _any_form(word, spoken))]

    def is_in(self, text: str) -> bool:
        """Whether a text has these words side by side."""
        if text.isascii() and not self._joined.isascii():
            return False
        if self._plainly is not None and self._plainly.search(text.lower()):
            return True  # with nothing but white space between
        # Most texts are ASCII but for punctuation: their letters tell in a tenth of the time.
        if self._letters is not None and (text.isascii() or not _PERHAPS_ASCII.search(text)):
            letters = text.encode("ascii", "ignore").translate(_LOWER, _NO_WORD)
            if not self._letters.search(letters):
                return False
        if self._joined in f" {' '.join(sequence(text))} ":
            return True
        bare = without_note_marks(text)
        return bare != text and self._joined in f" {' '.join(sequence(bare))} "


def unspaced_words(text: str) -> list[str]:
    """The words of a text's ``sequence`` in scripts without spaces: single characters."""
    if text.isascii() or not _PERHAPS_UNSPACED.search(text):
        return []
    return list(filter(is_unspaced, sequence(text)))


def _any_form(word: str, languages: tuple[str, ...]) -> frozenset[str]:
    """Terms of which a text in any of some languages has one if it has a folded word."""
    stemmed = [stems_of(word, one) for one in languages if has_stemmer(word, one)]
    return frozenset({word, UNMARKED + word, *(max(map(fold, one), key=len) for one in stemmed)})
