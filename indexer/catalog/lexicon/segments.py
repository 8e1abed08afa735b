"""Postings on disk, in sorted segments that are merged as they accumulate.

Owns the tables of segments and chunks, and their merging. A document is written once; a deleted one
is dropped when its segment is next merged. It must not know words: see
``indexer.catalog.lexicon.vocabulary``.

FTS5 would need a copy of every document to delete one (before SQLite 3.43) and the positions of
every word to count it. A posting here takes three bytes: uint16 document, uint8 count.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog.lexicon import postings as p

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.database import Database

FANOUT = 8  # segments of one size that are merged into one of the next
MAX_DOCS = 32_768  # in a segment; larger ones would not be merged again
DELETED_SHARE = 0.25  # share of deleted documents at which a segment is rewritten
CACHED_POSTINGS = 1 << 17  # of each segment in memory: about a megabyte

# Documents, ascending, and the codes of their counts.
Found = tuple["NDArray[np.int64]", "NDArray[np.uint8]"]


class PostingCache:
    """The most recently read postings of a segment, since queries share most of their words.

    Thread-safe; segments are immutable, so entries stay valid.
    """

    def __init__(self) -> None:
        self._found: dict[int, Found] = {}
        self._postings = 0

    def get(self, term: int) -> Found | None:
        return self._found.get(term)

    def keep(self, term: int, found: Found) -> None:
        if self._postings > CACHED_POSTINGS:
            self._found, self._postings = {}, 0
        self._found[term] = found
        self._postings += len(found[0]) + 1


@dataclass(frozen=True, slots=True)
class Segment:
    """The documents of a segment and their lengths in words."""

    id: int
    base: int
    docs: NDArray[np.int64]
    lengths: NDArray[np.int64]
    cache: PostingCache = field(default_factory=PostingCache)


class Segments:
    """The segments of one lexicon. Segments are immutable, so they are cached once read."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._known: dict[int, Segment] = {}

    def all(self) -> list[Segment]:
        """Return the segments of this thread's transaction."""
        numbers = [row[0] for row in self._db.rows("SELECT id FROM lexicon_segments ORDER BY id")]
        known = self._known
        if self._db.in_write:
            # An uncommitted segment may be rolled back and its id reused, so it is not cached.
            return [known.get(number) or self._load(number) for number in numbers]
        missing = [number for number in numbers if number not in known]
        if missing or len(numbers) < len(known):
            known = {number: known[number] for number in numbers if number in known}
            known |= {number: self._load(number) for number in missing}
            self._known = known
        return [known[number] for number in numbers]

    def deleted(self) -> NDArray[np.int64]:
        """Return the documents that were deleted but are still in a segment."""
        rows = self._db.rows("SELECT doc FROM lexicon_deleted ORDER BY doc")
        return np.fromiter((row[0] for row in rows), np.int64, len(rows))

    def find(self, segment: Segment, term: int) -> Found:
        """Return the documents and codes of a term in a segment."""
        found = segment.cache.get(term)
        if found is None:
            found = self._read(segment, term)
            segment.cache.keep(term, found)
        return found

    def _read(self, segment: Segment, term: int) -> Found:
        chunk = self._db.value(
            "SELECT data FROM lexicon_chunks WHERE segment = ? AND first_term <= ? "
            "ORDER BY first_term DESC LIMIT 1",
            segment.id,
            term,
        )
        if chunk is None:
            return np.zeros(0, np.int64), np.zeros(0, np.uint8)
        docs, codes = p.find(chunk, segment.base, term)
        return docs, codes.copy()  # a view would keep the whole chunk in memory

    def add(
        self, docs: NDArray[np.int64], lengths: NDArray[np.int64], postings: p.Postings
    ) -> None:
        """Write documents as new segments, inside the caller's transaction."""
        order = np.argsort(docs)
        docs, lengths = docs[order], lengths[order]
        while len(docs):
            end = int(np.searchsorted(docs, docs[0] + p.SPAN))
            inside = (postings.doc >= docs[0]) & (postings.doc <= docs[end - 1])
            part = p.Postings(*(column[inside] for column in postings))
            self._write(docs[:end], lengths[:end], iter([part]))
            docs, lengths = docs[end:], lengths[end:]

    def maintain(self) -> None:
        """Merge segments where due, and rewrite those with many deleted documents."""
        deleted = self.deleted()
        for segment in self.all():
            if np.isin(segment.docs, deleted).mean() > DELETED_SHARE:
                self._merge([segment])
        while due := self._due():
            self._merge(due)
        with self._db.write() as connection:
            alive = np.concatenate([s.docs for s in self.all()] or [np.zeros(0, np.int64)])
            gone = [(int(doc),) for doc in deleted[~np.isin(deleted, alive)]]
            connection.executemany("DELETE FROM lexicon_deleted WHERE doc = ?", gone)

    def _due(self) -> list[Segment] | None:
        tiers: dict[int, list[Segment]] = {}
        for segment in self.all():
            tier = len(np.base_repr(max(1, len(segment.docs)), FANOUT))
            tiers.setdefault(tier, []).append(segment)
        for tier in sorted(tiers):
            group = tiers[tier][:FANOUT]
            docs = np.concatenate([segment.docs for segment in group])
            fits = len(docs) <= MAX_DOCS and docs.max() - docs.min() < p.SPAN
            if len(group) == FANOUT and fits:
                return group
        return None

    def _merge(self, group: Sequence[Segment]) -> None:
        deleted = self.deleted()
        docs = np.concatenate([segment.docs for segment in group])
        lengths = np.concatenate([segment.lengths for segment in group])
        alive = ~np.isin(docs, deleted)
        order = np.argsort(docs[alive])
        with self._db.write() as connection:
            runs = [self._chunks(connection, segment) for segment in group]
            merged = p.merge(runs, lambda found: ~np.isin(found, deleted))
            if alive.any():
                self._write(docs[alive][order], lengths[alive][order], merged)
            old = [(segment.id,) for segment in group]
            connection.executemany("DELETE FROM lexicon_chunks WHERE segment = ?", old)
            connection.executemany("DELETE FROM lexicon_segments WHERE id = ?", old)

    def _write(
        self,
        docs: NDArray[np.int64],
        lengths: NDArray[np.int64],
        pieces: Iterator[p.Postings],
    ) -> None:
        base = int(docs[0])
        with self._db.write() as connection:
            segment = connection.execute(
                "INSERT INTO lexicon_segments (base, docs, lengths) VALUES (?, ?, ?) RETURNING id",
                (base, (docs - base).astype("<u2").tobytes(), lengths.astype("<u4").tobytes()),
            ).fetchone()[0]
            rest: p.Postings | None = None
            for piece in pieces:
                joined = piece if rest is None else p.join([rest, piece])
                chunks, rest = p.cut(joined, last=False)
                _insert(connection, segment, base, chunks)
            if rest is not None:
                _insert(connection, segment, base, p.cut(rest, last=True)[0])

    def _chunks(self, connection: sqlite3.Connection, segment: Segment) -> Iterator[p.Postings]:
        after = -1
        while True:
            row = connection.execute(
                "SELECT first_term, data FROM lexicon_chunks WHERE segment = ? "
                "AND first_term > ? ORDER BY first_term LIMIT 1",
                (segment.id, after),
            ).fetchone()
            if row is None:
                return
            after = row[0]
            yield p.decode(row[1], segment.base)

    def _load(self, number: int) -> Segment:
        base, docs, lengths = self._db.rows(
            "SELECT base, docs, lengths FROM lexicon_segments WHERE id = ?", number
        )[0]
        return Segment(
            number,
            base,
            np.frombuffer(docs, "<u2").astype(np.int64) + base,
            np.frombuffer(lengths, "<u4").astype(np.int64),
        )


def _insert(
    connection: sqlite3.Connection, segment: int, base: int, chunks: Sequence[p.Postings]
) -> None:
    connection.executemany(
        "INSERT INTO lexicon_chunks (segment, first_term, data) VALUES (?, ?, ?)",
        [(segment, int(chunk.term[0]), p.encode(chunk, base)) for chunk in chunks],
    )
