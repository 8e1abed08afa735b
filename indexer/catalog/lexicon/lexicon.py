"""The lexicon: adds the words of documents and answers every query on them.

Words are folded by ``indexer.text.terms``. A query word may be expanded to a group: its other
forms, the completions of a prefix, a corrected typo. A group is scored as one word. Must not know
how the query is parsed.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog.lexicon.file_names import FileNames
from indexer.catalog.lexicon.names import NameWords
from indexer.catalog.lexicon.pending import Pending, PendingDoc
from indexer.catalog.lexicon.postings import COUNTS, ordered
from indexer.catalog.lexicon.scores import LexiconReader, Statistics
from indexer.catalog.lexicon.segments import Segments
from indexer.catalog.lexicon.typos import can_be_typo, one_edit_away
from indexer.catalog.lexicon.vocabulary import Vocabulary
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.database import Database
    from indexer.catalog.names import Names

TITLE_WEIGHT = 3  # occurrences in the text that a word of the title is worth
NAME_WEIGHT = 3.0  # the same for names, added at query time
PENDING_DOCS = 64
CACHED_COUNTS = 16 << 20  # bytes
PENDING_POSTINGS = 400_000


class Lexicon:
    """The words of one library, in the catalog's file."""

    def __init__(self, database: Database, names: Names) -> None:
        self._db = database
        self._vocabulary = Vocabulary(database)
        self._segments = Segments(database)
        self._pending = Pending(database)
        self._names = NameWords(database, names)
        # The catalog's version, and the counts of groups of words in it.
        self._counted: tuple[int, dict[tuple[str, ...], NDArray[np.float32]]] = (-1, {})
        self.files = FileNames(database)

    # writing

    def add(self, doc: int, counts: Mapping[str, int], *, title: str = "", language: str) -> None:
        """Add the words of a document; call it in the transaction of ``finish_passages``.

        Args:
            doc: The document, not yet in the lexicon.
            counts: Its folded words and how often each occurs.
            title: Its title, whose words count more.
            language: ISO 639-1, or "".
        """
        weighted = dict(counts)
        for word in words(title):
            weighted[word] = weighted.get(word, 0) + TITLE_WEIGHT
        with self._db.write():
            self._pending.add(doc, weighted, language)
            docs, postings = self._pending.size()
            if docs >= PENDING_DOCS or postings >= PENDING_POSTINGS:
                self.maintain()

    def maintain(self) -> None:
        """Write pending words to segments and merge segments where due."""
        with self._db.write():
            pending = self._pending.all()
            if pending:
                self._write(pending)
                self._pending.clear()
            self._segments.maintain()

    def _write(self, pending: Sequence[PendingDoc]) -> None:
        found: dict[str, tuple[int, str]] = {}
        for doc in pending:
            for word in doc.words:
                found[word] = found.get(word, (0,))[0] + 1, doc.language
        numbers = self._vocabulary.add(found)
        terms = [
            np.fromiter((numbers[word] for word in doc.words), np.int64, len(doc.words))
            for doc in pending
        ]
        sizes = [len(doc.words) for doc in pending]
        docs = np.array([doc.doc for doc in pending], np.int64)
        postings = ordered(
            np.concatenate(terms),
            np.repeat(docs, sizes),
            np.concatenate([doc.codes for doc in pending]),
        )
        lengths = np.array([doc.length for doc in pending], np.int64)
        self._segments.add(docs, lengths, postings)

    # documents

    def document_scores(
        self,
        groups: Sequence[Sequence[str]],
        docs: NDArray[np.int32] | None = None,
        limit: int = 1000,
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Score whole documents by BM25, their names included.

        Args:
            groups: For each word of the query the words it is expanded to.
            docs: Only these documents, or None for all.
            limit: The most documents to give.

        Returns:
            Documents with a score above 0 and their scores, best first.
        """
        with self.reading() as reading:
            return reading.document_scores(groups, docs, limit)

    def name_scores(
        self, wanted: Sequence[str], initials: Sequence[str] = ()
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Score documents by the query words in their names; see ``NameWords.scores``.

        Returns:
            Documents in ascending order and their scores, sums of idf.
        """
        with self._db.read():
            return self._names.scores(wanted, initials)

    def named(self, wanted: Sequence[str]) -> NDArray[np.int32]:
        """Return the documents with one of some words in their names, ascending."""
        with self._db.read():
            return self._names.docs(wanted)

    def df(self, wanted: Sequence[str]) -> dict[str, int]:
        """Count the documents that have each word in their text, title or names."""
        with self.reading() as reading:
            return reading.df(wanted)

    @contextmanager
    def reading(self) -> Iterator[LexiconReader]:
        """Open a read transaction; words asked for twice are counted once."""
        with self._db.read():
            yield LexiconReader(self, self._statistics())

    def _statistics(self) -> Statistics:
        segments, pending = self._segments.all(), self._pending.all()
        last = max(
            [int(segment.docs[-1]) for segment in segments] + [doc.doc for doc in pending],
            default=-1,
        )
        length = np.zeros(last + 1, np.float32)
        for segment in segments:
            # A document without words counts as a document too.
            length[segment.docs] = np.maximum(segment.lengths, 1)
        deleted = self._segments.deleted()
        length[deleted[deleted <= last]] = 0
        for doc in pending:
            length[doc.doc] = max(doc.length, 1)
        return Statistics(segments, pending, length)

    def documents(self) -> set[int]:
        """Return the documents whose words are known."""
        with self._db.read():
            deleted = set(self._segments.deleted().tolist())
            there = {int(doc) for segment in self._segments.all() for doc in segment.docs}
            return (there - deleted) | {doc.doc for doc in self._pending.all()}

    def mark_deleted(self, docs: Iterable[int]) -> None:
        """Mark documents as deleted whose rows were lost without the trigger that does it."""
        with self._db.write() as connection:
            for doc in docs:
                connection.execute("DELETE FROM lexicon_pending WHERE doc = ?", (doc,))
                connection.execute("INSERT OR IGNORE INTO lexicon_deleted VALUES (?)", (doc,))

    def counts(self, statistics: Statistics, group: tuple[str, ...]) -> NDArray[np.float32]:
        """Count a group of words in every document that is not deleted; do not change the array.

        Cached until the next commit, since queries share most of their words.
        """
        version = self._db.version_read()
        if self._counted[0] < version:
            self._counted = (version, {})
        kept_of, kept = self._counted
        if kept_of != version or self._db.in_write:  # this thread reads another state
            return self._count(statistics, group)
        found = kept.get(group)
        if found is None:
            found = self._count(statistics, group)
            if (len(kept) + 1) * found.nbytes > CACHED_COUNTS:
                kept.clear()
            kept[group] = found
        return found

    def _count(self, statistics: Statistics, group: Sequence[str]) -> NDArray[np.float32]:
        counts = np.zeros(len(statistics.length), np.float32)
        for term in self._vocabulary.ids(group).values():
            for segment in statistics.segments:
                docs, codes = self._segments.find(segment, term)
                counts[docs] += COUNTS[codes]
        for doc in statistics.pending:
            counts[doc.doc] += sum(doc.count(word) for word in group)
        named = self._names.docs(group)
        counts[named[named < len(counts)]] += NAME_WEIGHT
        counts[statistics.length == 0] = 0
        return counts

    # words

    def expand_prefix(self, prefix: str, limit: int = 32) -> list[tuple[str, int]]:
        """Return words of documents and names that begin with a prefix, frequent ones first."""
        with self._db.read():
            found = dict(self._vocabulary.by_prefix(prefix, limit))
            for doc in self._pending.all():
                for word in doc.words:
                    if word.startswith(prefix):
                        found[word] = found.get(word, 0) + 1
            for word, files in self.files.by_prefix(prefix, limit):
                found[word] = max(found.get(word, 0), files)
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))[:limit]

    def nearest(
        self, word: str, languages: Sequence[str] = (), limit: int = 3
    ) -> list[tuple[str, int]]:
        """Return the words that an unknown word may be a typo of, likely ones first.

        None for words of fewer than four letters, with digits, or that occur. The typo may also be
        of another form of a word, by its stems in ``languages``.
        """
        if not can_be_typo(word) or self.df([word])[word] or self.files.counts([word]):
            return []
        with self._db.read():
            found = dict(self._vocabulary.nearest(word, languages))
            near = one_edit_away(word)
            for doc in self._pending.all():
                for other in near & doc.words.keys():
                    found[other] = found.get(other, 0) + 1
            for other, files in self.files.counts(near).items():
                found[other] = max(found.get(other, 0), files)
        # Few people mistype the first letter.
        ranked = sorted(found.items(), key=lambda i: (i[0][0] != word[0], -i[1], i[0]))
        return ranked[:limit]

    def forms(self, word: str, languages: Sequence[str]) -> list[str]:
        """Return the words of the library that share a stem with a word, itself first."""
        return self._vocabulary.forms(word, languages)

    def behind_clitics(self, phrase: str, languages: Sequence[str]) -> list[str]:
        """Return a phrase in the forms with proclitics that occur in the library.

        In Hebrew and Arabic "and", "in" and the like are written together with the next word.
        """
        first, space, rest = phrase.partition(" ")
        if first.isascii():
            return []
        longer = self._vocabulary.forms(first, languages)[1:]
        return [other + space + rest for other in longer if other.endswith(first)]

    def stems(self, wanted: Collection[str]) -> list[str]:
        """Return the given words that are stems of words of the library."""
        return self._vocabulary.stems(wanted)

    def ending_with(self, ending: str, limit: int = 8) -> list[tuple[str, int]]:
        """Return the compounds that end with a word, frequent ones first."""
        if not ending.isalpha():
            return []
        return self._vocabulary.ending_with(ending, limit)
