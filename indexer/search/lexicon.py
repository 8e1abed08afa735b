"""The words of a library, from its documents' texts, titles and names.

Words are folded by ``indexer.text.terms``. A query word may be expanded to a group of other forms,
completions of a prefix, or a corrected typo. BM25 of whole documents scores a group as one word.

The strings at edit distance one from a word are candidates for a correction, if they are in the
vocabulary. Generating them is cheaper than comparing words: a word of eight letters needs about 450
look-ups, whatever the size of the vocabulary.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from indexer.api.lru_cache import SharedCache
from indexer.search.document_names import NameWords
from indexer.store.word_index import DocumentWords, ordered
from indexer.text.sentences import lazy_pattern
from indexer.text.terms import fold, stems_in

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Indices, Int32s
    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store


K1, B = 1.2, 0.75
TITLE_WEIGHT = 3  # a word of the title counts as this many occurrences in the text
NAME_WEIGHT = 3.0  # the same for names
CACHED_COUNTS = 32 << 20  # bytes: some 400 words that each of 10,000 documents has


class _Words(Struct, frozen=True):
    """The words of texts and the counts of words, at a version of the files in the catalog.

    Attributes:
        version: The version of the files.
        texts: The words of texts.
        lengths: The number of words of each document and its title, at least 1; 0 for no document.
        docs: The documents, whose numbers are far apart in a library that was joined from shards.
        counted: The documents with each word in text or title, and how often, for words asked for.
    """

    version: int
    texts: DocumentWords
    lengths: Float32s
    docs: Indices
    counted: SharedCache[str, tuple[Int32s, Float32s]] = field(
        default_factory=lambda: SharedCache(CACHED_COUNTS, lambda held: 2 * held[0].nbytes)
    )


class Lexicon:
    """The words of an open library. Thread-safe."""

    def __init__(self, catalog: Catalog, store: Store) -> None:
        self._catalog = catalog
        self._store = store
        #: The words of documents' names.
        self.names = NameWords(catalog)
        self._words: _Words | None = None

    @contextmanager
    def reading(self) -> Iterator[LexiconReader]:
        """Open a read transaction of the catalog, in which a word is only counted once."""
        with self._catalog.db.read():
            yield LexiconReader(self, self._current())

    # documents

    def df(self, wanted: Sequence[str]) -> dict[str, int]:
        """Count the documents that have each word in their text, title or names."""
        with self.reading() as reading:
            return reading.df(wanted)

    def word_counts(self, words: _Words, group: Sequence[str]) -> Float32s:
        """Count a group of words in every document of ``words``."""
        found = np.zeros(len(words.lengths), np.float32)
        for word in group:
            docs, times = words.counted.get(word, partial(self._count_word, words, word))
            found[docs] += times
        named = self.names.docs(group)
        found[named[named < len(found)]] += NAME_WEIGHT
        found[words.lengths == 0] = 0
        return found

    def _count_word(self, words: _Words, word: str) -> tuple[Int32s, Float32s]:
        """The documents with a word in text or title, and how often; queries share most words."""
        found = np.zeros(len(words.lengths), np.float32)
        docs, times = words.texts.counts(word)
        np.add.at(found, docs, times)
        for doc, count in self._catalog.short_words.titles_with([word]).get(word, {}).items():
            if doc < len(found):
                found[doc] += TITLE_WEIGHT * count
        having = np.flatnonzero(found).astype(np.int32)
        return having, found[having]

    # words

    def expand_prefix(self, prefix: str, limit: int = 32) -> list[tuple[str, int]]:
        """Return words of documents and names that begin with a prefix, most frequent first.

        In languages that join articles or the like to words, words match without these too.
        """
        texts = self._store.words.documents()
        found = dict(texts.beginning(prefix, limit))
        titled = self._catalog.short_words.titles_beginning(prefix, limit)
        found |= self._frequencies(word for word in titled if word not in found)
        if not prefix.isascii():
            behind = texts.words_of_stems([prefix])
            inside = {
                stem: [word for word in those if word.find(stem) > 0]
                for stem, those in behind.items()
            }
            found |= dict(ordered(self._of_any(inside))[:limit])
        for word, files in self._catalog.file_names.by_prefix(prefix, limit):
            found[word] = max(found.get(word, 0), files)
        return ordered(found)[:limit]

    def nearest(
        self, word: str, languages: Sequence[str] = (), limit: int = 3
    ) -> list[tuple[str, int]]:
        """Return possible corrections of an unknown word, the likeliest first.

        There are none for words with digits, words of fewer than four letters, and words that
        occur. Another form of a word, by its stems in ``languages``, can be mistyped too.
        """
        files = self._catalog.file_names
        if not can_be_typo(word) or self.df([word])[word] or files.count(word):
            return []
        if not (word.isascii() or self._has_letters(word, languages)):
            return []
        near = one_edit_away(word)
        found = self._frequencies(near)
        if not word.isascii():
            found |= self._of_stems(near)
            if not found:
                shared = set().union(*(stems_in(other, languages) for other in near))
                found = self._of_stems(set(filter(can_be_typo, shared)))
        for other, count in self.names.frequencies(near).items():
            found[other] = max(found.get(other, 0), count)
        # Few people mistype the first letter.
        ranked = sorted(found.items(), key=lambda i: (i[0][0] != word[0], -i[1], i[0]))
        return ranked[:limit]

    def _has_letters(self, word: str, languages: Sequence[str]) -> bool:
        """Whether any word or stem has the first letter of a possible correction.

        If the library has no word in the script, this needs some dozen look-ups of letters, instead
        of a thousand of strings and their stems.
        """
        letters = letters_around(word)
        # Stems have letters without diacritics, and in a few languages letters of another script.
        stems = stems_in(word, languages)
        letters |= {*map(fold, letters), *(stem[:1] for stem in stems)} - {""}
        return self._store.words.documents().has_beginning(letters) or (
            self._catalog.short_words.has_beginning(letters)
        )

    def forms(self, word: str, languages: Sequence[str]) -> list[str]:
        """Return the words of the library that share a stem with a word, itself first."""
        wanted = stems_in(word, languages)
        found = self._with_stems(wanted)
        return [word, *sorted({other for those in found.values() for other in those} - {word})]

    def behind_clitics(self, phrase: str, languages: Sequence[str]) -> list[str]:
        """Return a phrase in the forms with proclitics that occur in the library.

        Hebrew and Arabic join words like "and" or "in" to the next word.
        """
        first, space, rest = phrase.partition(" ")
        if first.isascii():
            return []
        longer = self.forms(first, languages)[1:]
        return [other + space + rest for other in longer if other.endswith(first)]

    def stems(self, wanted: Collection[str]) -> list[str]:
        """Return the given words that are stems of words of the library."""
        return list(self._of_stems(wanted))

    def ending_with(self, ending: str, limit: int = 8) -> list[tuple[str, int]]:
        """Return the compounds that end with a word, most frequent first."""
        if not ending.isalpha():
            return []
        return self._store.words.documents().ending(ending, limit)

    # within

    def _current(self) -> _Words:
        version, texts = self._catalog.db.files_version_read(), self._store.words.documents()
        words = self._words
        if words is None or words.texts is not texts or words.version < version:
            lengths = texts.lengths.copy()
            docs, of_titles = self._catalog.short_words.title_lengths()
            known = docs < len(lengths)
            lengths[docs[known]] += TITLE_WEIGHT * of_titles[known]
            lengths[texts.lengths == 0] = 0
            self._words = words = _Words(version, texts, lengths, np.flatnonzero(lengths))
        return words

    def _frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Count the documents with each word in text or title, without words that none has."""
        listed = list(words)
        found = self._store.words.documents().frequencies(listed)
        for word, docs in self._catalog.short_words.titles_with(listed).items():
            found[word] = max(found.get(word, 0), len(docs))
        return found

    def _with_stems(self, stems: Iterable[str]) -> dict[str, set[str]]:
        """The words of texts and titles by stem."""
        listed = list(stems)
        texts = self._store.words.documents()
        found = defaultdict(set, texts.words_of_stems(f"{stem}|" for stem in listed))
        for stem, titled in self._catalog.short_words.title_words_of(listed).items():
            found[stem] |= titled
        return found

    def _of_stems(self, stems: Collection[str]) -> dict[str, int]:
        """The document frequency of each stem's most frequent word."""
        return self._of_any(self._with_stems(stems))

    def _of_any(self, groups: Mapping[str, Collection[str]]) -> dict[str, int]:
        """The document frequency of each group's most frequent word, without zeros."""
        counts = self._frequencies({word for group in groups.values() for word in group})
        most = {
            stem: max(counts.get(word, 0) for word in group)
            for stem, group in groups.items()
            if group
        }
        return {stem: count for stem, count in most.items() if count}


class LexiconReader(Struct):
    """One read transaction on the lexicon, which counts each group of words once.

    Valid inside ``Lexicon.reading``, on the thread that opened it.
    """

    _lexicon: Lexicon
    _words: _Words
    _counted: dict[tuple[str, ...], Float32s] = field(default_factory=dict)

    @property
    def names(self) -> NameWords:
        """The words of documents' names."""
        return self._lexicon.names

    @property
    def documents(self) -> int:
        """The number of documents in the library."""
        return len(self._words.docs)

    def counts(self, group: Sequence[str]) -> Float32s:
        """How often a group of words occurs in each document, indexed by document."""
        key = tuple(dict.fromkeys(group))
        if key not in self._counted:
            self._counted[key] = self._lexicon.word_counts(self._words, key)
        return self._counted[key]

    def df(self, wanted: Sequence[str]) -> dict[str, int]:
        """Count the documents that have each word in their text, title or names."""
        docs = self._words.docs
        return {word: int(np.count_nonzero(self.counts([word])[docs])) for word in wanted}

    def occurrences(self, groups: Sequence[Sequence[str]]) -> list[float]:
        """Return the approximate number of occurrences of each group in the whole library."""
        return [float(self.counts(group).sum()) for group in groups]

    def document_scores(
        self, groups: Sequence[Sequence[str]], limit: int = 1000
    ) -> tuple[Int32s, Float32s]:
        """Score whole documents by BM25, their names included.

        Args:
            groups: The words to which each word of the query is expanded.

        Returns:
            Documents with a score above 0 and their scores, best first.
        """
        docs = self._words.docs
        total = len(docs)
        scores = np.zeros(total, np.float32)
        if total == 0:
            return np.zeros(0, np.int32), scores
        first, last = int(docs[0]), int(docs[-1])
        side_by_side = last - first == total - 1  # a slice of an array takes no time
        rows: slice | Indices = slice(first, last + 1) if side_by_side else docs
        length = self._words.lengths[rows]
        norm = K1 * (1 - B + B * length / length.mean())
        for group in groups:
            counts = self.counts(group)[rows]
            there = np.flatnonzero(counts)
            idf = np.log1p((total - len(there) + 0.5) / (len(there) + 0.5))
            found = counts[there]
            scores[there] += idf * found * (K1 + 1) / (found + norm[there])
        best = np.flatnonzero(scores)
        if 0 < limit < len(best):
            found = scores[best]
            best = best[found >= np.partition(found, len(found) - limit)[len(found) - limit]]
        order = np.argsort(-scores[best], kind="stable")[:limit]
        return docs[best[order]].astype(np.int32), scores[best[order]]


MIN_LETTERS = 4  # shorter words have too many neighbours at distance one
MIN_SYLLABLES = 3  # of Korean
MAX_LETTERS = 32

_LATIN = "abcdefghijklmnopqrstuvwxyz"
_BLOCK = 0x80
_HANGUL = lazy_pattern("[\uac00-\ud7a3]+$")
# The jamo of Korean syllables: initial consonants, vowels, final consonants.
_JAMO = "".join(map(chr, (*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
_NO_LETTER = lazy_pattern("[\\d\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def can_be_typo(word: str) -> bool:
    """Whether a word can be corrected: it has only alphabetic letters, and enough of them."""
    if len(word) > MAX_LETTERS or _NO_LETTER.search(word):
        return False
    if _HANGUL.match(word):
        return len(word) >= MIN_SYLLABLES
    return sum(map(str.isalpha, word)) >= MIN_LETTERS


def one_edit_away(word: str) -> set[str]:
    """Return all strings with one letter more, less or replaced, or two neighbours swapped.

    New letters are from the word's own scripts. The word itself is left out.
    """
    if _HANGUL.match(word):
        apart = _edited(unicodedata.normalize("NFD", word), _JAMO)
        return set(filter(_HANGUL.match, (unicodedata.normalize("NFC", one) for one in apart)))
    return _edited(word, _alphabet(word))


def letters_around(word: str) -> set[str]:
    """Return the letters of the strings that ``one_edit_away`` gives."""
    if _HANGUL.match(word):
        return set().union(*one_edit_away(word))
    return {*word, *_alphabet(word)}


def _edited(word: str, letters: str) -> set[str]:
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    found = {head + tail[1:] for head, tail in splits if tail}
    found.update(head + tail[1] + tail[0] + tail[2:] for head, tail in splits if len(tail) > 1)
    found.update(head + letter + tail[1:] for head, tail in splits if tail for letter in letters)
    found.update(head + letter + tail for head, tail in splits for letter in letters)
    found.discard(word)
    return found


def _alphabet(word: str) -> str:
    blocks = {ord(char) // _BLOCK for char in word}
    letters = _LATIN if 0 in blocks or 1 in blocks else ""
    return letters + "".join(map(_letters_in, sorted(blocks - {0})))


@cache
def _letters_in(block: int) -> str:
    chars = (chr(code) for code in range(block * _BLOCK, (block + 1) * _BLOCK))
    # Lower-case or caseless letters, or combining marks.
    return "".join(
        char
        for char in chars
        if unicodedata.category(char) in {"Lo", "Ll", "Lm", "Mn", "Mc"} and char == char.casefold()
    )
