"""The words of documents' current file names, scored together with their texts.

Owns an in-memory index from words to names; names are immutable, so it only grows. The links from
names to documents are read again whenever files change.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import find_sorted
from indexer.text.name_words import initialisms, joined_neighbours, name_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.catalog.database import Database
    from indexer.catalog.names import NameLinks, Names


class NameWords:
    """Documents by the words of their file names. Thread-safe."""

    def __init__(self, database: Database, names: Names) -> None:
        self._db = database
        self._names = names
        self._lock = threading.Lock()
        self._by_word: dict[str, list[int]] = {}
        self._by_initials: dict[str, list[int]] = {}
        self._last = 0
        self._version: int | None = None  # of the catalog, when the links were read
        self._docs: dict[str, NDArray[np.int32]] = {}  # by word, valid for these links
        self._sorted: tuple[NameLinks, NDArray[np.int32], NDArray[np.int32]] | None = None

    def docs(self, wanted: Sequence[str]) -> NDArray[np.int32]:
        """Return the documents with a file whose name holds one of the words, ascending."""
        with self._lock:
            self._add_new_names()
            self._links()
            there = [word for word in dict.fromkeys(wanted) if word in self._by_word]
            parts = [self._docs_with(word) for word in there]
        parts = [part for part in parts if len(part)]
        if len(parts) == 1:
            return parts[0]
        return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int32)

    def _docs_with(self, word: str) -> NDArray[np.int32]:
        known = self._docs.get(word)
        if known is None:
            names, docs = self._links()
            numbers = np.array(self._by_word.get(word, ()), np.int32)
            known = self._docs[word] = np.unique(docs[np.isin(names, numbers)])
        return known

    def scores(
        self, wanted: Sequence[str], initials: Sequence[str] = ()
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Score documents by the query words in their names.

        A word weighs its idf among names, once per name; a document has the score of its best
        name.

        Args:
            wanted: The words.
            initials: Those that may stand for the first letters of a name.

        Returns:
            Documents in ascending order and their scores.
        """
        with self._lock:
            self._add_new_names()
            names, docs = self._links()
            total = self._last
            scores: dict[int, float] = {}
            groups = [self._by_word.get(word, ()) for word in wanted]
            groups += [self._by_initials.get(letters, ()) for letters in initials]
            for numbers in groups:
                idf = math.log1p((total - len(numbers) + 0.5) / (len(numbers) + 0.5))
                for name in numbers:
                    scores[name] = scores.get(name, 0.0) + idf
        if not scores:
            return np.zeros(0, np.int32), np.zeros(0, np.float32)
        known = np.array(sorted(scores), np.int32)
        values = np.array([scores[name] for name in known.tolist()], np.float32)
        at, named = find_sorted(known, names)
        found, place = np.unique(docs[named], return_inverse=True)
        best = np.zeros(len(found), np.float32)
        np.maximum.at(best, place, values[at])
        return found.astype(np.int32), best

    def _add_new_names(self) -> None:
        version = self._db.version_read()
        if self._version is not None and self._version >= version:
            return
        rows = self._db.rows("SELECT id, text FROM names WHERE id > ? ORDER BY id", self._last)
        for name, text in rows:
            for word in dict.fromkeys((*name_tokens(text), *joined_neighbours(text))):
                self._by_word.setdefault(word, []).append(name)
            for letters in initialisms(text):
                self._by_initials.setdefault(letters, []).append(name)
            self._last = name
        if rows:
            self._docs.clear()
        self._version = version

    def _links(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        links = self._names.links()
        if self._sorted is None or self._sorted[0] is not links:
            own = links.depth == 0
            order = np.argsort(links.name[own], kind="stable")
            self._sorted = links, links.name[own][order], links.doc[own][order]
            self._docs.clear()
        return self._sorted[1], self._sorted[2]
