"""Documents whose words are not in a segment yet.

Owns the rows of pending documents and their decoded form: a document is searchable at once, while
segments are written for many documents together.
"""

from __future__ import annotations

import threading
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog.lexicon.postings import COUNTS, to_codes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indexer.catalog.database import Database


@dataclass(frozen=True, slots=True)
class PendingDoc:
    """The words of one document: ``codes[words[w]]`` is the rounded count of ``w``."""

    doc: int
    language: str
    length: int
    words: Mapping[str, int]
    codes: NDArray[np.uint8]

    def count(self, word: str) -> float:
        """Return how often the document has a word, rounded as in a segment."""
        at = self.words.get(word)
        return 0.0 if at is None else float(COUNTS[self.codes[at]])


class Pending:
    """The pending documents of one lexicon. Thread-safe; rows are immutable, hence cached."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._lock = threading.Lock()
        self._known: dict[int, PendingDoc] = {}

    def add(self, doc: int, counts: Mapping[str, int], language: str) -> None:
        """Store the words of a document, inside the caller's transaction."""
        codes = to_codes(np.fromiter(counts.values(), np.int64, len(counts)))
        packed = zlib.compress("\n".join(counts).encode() + b"\0" + codes.tobytes(), 1)
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO lexicon_pending (doc, language, length, terms, data) "
                "VALUES (?, ?, ?, ?, ?)",
                (doc, language, sum(counts.values()), len(counts), packed),
            )

    def size(self) -> tuple[int, int]:
        """Count the documents and their postings."""
        row = self._db.rows("SELECT count(*), coalesce(sum(terms), 0) FROM lexicon_pending")[0]
        return row[0], row[1]

    def all(self) -> list[PendingDoc]:
        """Return the pending documents of this thread's transaction."""
        docs = [row[0] for row in self._db.rows("SELECT doc FROM lexicon_pending ORDER BY doc")]
        if self._db.in_write:
            # Uncommitted rows may be rolled back, so they are not cached.
            return [self._known.get(doc) or self._load(doc) for doc in docs]
        with self._lock:
            known = {doc: self._known[doc] for doc in docs if doc in self._known}
            for doc in docs:
                if doc not in known:
                    known[doc] = self._load(doc)
            self._known = known
        return [known[doc] for doc in docs]

    def clear(self) -> None:
        """Delete all rows, in the transaction that wrote them into a segment."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM lexicon_pending")

    def _load(self, doc: int) -> PendingDoc:
        language, length, data = self._db.rows(
            "SELECT language, length, data FROM lexicon_pending WHERE doc = ?", doc
        )[0]
        text, _, codes = zlib.decompress(data).partition(b"\0")
        words = text.decode().split("\n") if text else []
        places = {word: at for at, word in enumerate(words)}
        return PendingDoc(doc, language, length, places, np.frombuffer(codes, np.uint8))
