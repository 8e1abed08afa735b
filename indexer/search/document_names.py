"""Words and vectors of the names of documents' current files, held in memory.

Only new names are read from the catalog.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field

from indexer.arrays import Float32s, Indices, Int32s, Mask, find_sorted
from indexer.catalog.names import INITIALS, NameLinks
from indexer.database import CachedValues
from indexer.store.byte_vectors import ByteVectors

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog


_BATCH = 4096


class OwnedNames(Struct, frozen=True):
    """The names of a space, and the documents that have them.

    Attributes:
        space: The space of the vectors.
        embedded: The result of ``Names.embedded``; None if not all of these could be read.
        names: The ids of names, shape (n,), in the order of their vectors.
        vectors: The vectors of ``names``.
        links: The result of ``Names.links``.
        docs: The m documents that have a name, ascending.
        rows: For each link, in the order of documents, the index of its name; n if it has no
            vector.
        is_folder: For each link, whether its name is a folder's.
        starts: Shape (m,): the first link of each document.
    """

    space: int
    embedded: Int32s | None
    names: Int32s
    vectors: ByteVectors
    links: NameLinks
    docs: Int32s
    rows: Indices
    is_folder: Mask
    starts: Indices

    def best(self, similarity: Float32s, folder_share: float) -> Float32s:
        """The similarity of each document's best name, at least -1; 0 for names without a vector.

        Args:
            similarity: The similarity of each name, (n,).
            folder_share: The weight of a folder's name.
        """
        found = np.append(similarity, np.float32(0.0))[self.rows]
        found[self.is_folder] *= np.float32(folder_share)
        return np.maximum(np.maximum.reduceat(found, self.starts), np.float32(-1.0))


class NameVectors:
    """The vectors of the names of one catalog. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._known: OwnedNames | None = None

    def current(self, space: int) -> OwnedNames | None:
        """The names in a space, None if no document has a name there."""
        embedded, links = self._catalog.names.embedded(space), self._catalog.names.links()
        if not len(embedded) or not len(links.name):
            return None
        with self._lock:
            known = self._known
            if known is not None and known.space != space:
                known = None
            if known is None or known.embedded is not embedded or known.links is not links:
                self._known = known = self._completed(known, space, embedded, links)
        return known

    def _completed(
        self, known: OwnedNames | None, space: int, embedded: Int32s, links: NameLinks
    ) -> OwnedNames | None:
        if known is not None and known.embedded is embedded:
            names, vectors = known.names, known.vectors
        elif (read := self._read(known, space, embedded)) is not None:
            names, vectors = read
        else:
            return None
        order, by_name = np.argsort(links.owner, kind="stable"), np.argsort(names)
        rows = np.full(len(order), len(names), np.intp)
        at, found = find_sorted(names[by_name], links.name[order])
        rows[found] = by_name[at]
        return OwnedNames(
            space=space,
            embedded=embedded if len(names) == len(embedded) else None,
            names=names,
            vectors=vectors,
            links=links,
            docs=links.docs,
            rows=rows,
            is_folder=links.depth[order] > 0,
            starts=np.searchsorted(links.owner[order], np.arange(len(links.docs))),
        )

    def _read(
        self, known: OwnedNames | None, space: int, embedded: Int32s
    ) -> tuple[Int32s, ByteVectors] | None:
        """Read names and vectors; an id always belongs to the same name.

        Names are missing if the caller's transaction began before they were written.
        """
        before = np.empty(0, np.int32) if known is None else known.names
        left, lacking = np.isin(before, embedded), np.setdiff1d(embedded, before)
        names = [before[left]]
        parts = [] if known is None else [known.vectors.kept(left)]
        for start in range(0, len(lacking), _BATCH):
            found, vectors = self._catalog.names.vectors(space, lacking[start : start + _BATCH])
            if len(found):
                names.append(found)
                parts.append(ByteVectors.of(vectors))
        return (np.concatenate(names), ByteVectors.joined(parts)) if parts else None


_NONE = np.zeros(0, np.int32)
# The number of words whose documents are cached.
_KEPT = 4_096


class _Named(Struct, frozen=True):
    """The documents that have names.

    Attributes:
        last: The greatest id of a name.
        names: The name of each pair of a name and a document, ascending.
        docs: The document of each pair.
        found: A cache of documents by word.
    """

    last: int
    names: Int32s
    docs: Int32s
    found: dict[str, Int32s] = field(default_factory=dict)


class NameWords:
    """Documents by the words of their file names. Thread-safe."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._named = CachedValues[_Named](catalog.db, catalog.db.files_version_read)

    def docs(self, wanted: Sequence[str]) -> Int32s:
        """Return the documents with a file whose name has one of the words, ascending."""
        named = self._named.get(None, self._read)
        known = {word: docs for word in wanted if (docs := named.found.get(word)) is not None}
        if new := [word for word in wanted if word not in known]:
            names = self._catalog.short_words.names_with(new)
            for word in new:
                held = np.isin(named.names, names[word]) if word in names else slice(0)
                known[word] = np.unique(named.docs[held])
            if len(named.found) > _KEPT:
                named.found.clear()
            named.found.update(known)
        parts = [docs for docs in known.values() if len(docs)]
        if len(parts) == 1:
            return parts[0]
        return np.unique(np.concatenate(parts)) if parts else _NONE

    def scores(
        self, wanted: Sequence[str], initials: Sequence[str] = ()
    ) -> tuple[Int32s, Float32s]:
        """Score documents by the query words in their names.

        A word counts its idf among names, once per name. A document has the score of its best name.

        Args:
            wanted: The words.
            initials: Words that may be initialisms of a name.

        Returns:
            Documents in ascending order and their scores.
        """
        named = self._named.get(None, self._read)
        asked = [*wanted, *(INITIALS + letters for letters in initials)]
        groups = list(self._catalog.short_words.names_with(dict.fromkeys(asked)).values())
        if not groups:
            return _NONE, np.zeros(0, np.float32)
        counts = [len(names) for names in groups]
        idf = [math.log1p((named.last - count + 0.5) / (count + 0.5)) for count in counts]
        names, at = np.unique(np.concatenate(groups), return_inverse=True)
        values = np.bincount(at, np.repeat(idf, counts)).astype(np.float32)
        of_name, linked = find_sorted(names, named.names)
        docs, place = np.unique(named.docs[linked], return_inverse=True)
        best = np.zeros(len(docs), np.float32)
        np.maximum.at(best, place, values[of_name])
        return docs.astype(np.int32), best

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Count the names with each word, without words that no name has."""
        found = self._catalog.short_words.names_with(words)
        return {word: len(names) for word, names in found.items()}

    def _read(self) -> _Named:
        links = self._catalog.names.links()
        own = links.depth == 0
        order = np.argsort(links.name[own], kind="stable")
        return _Named(self._catalog.names.last(), links.name[own][order], links.doc[own][order])
