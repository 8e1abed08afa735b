"""The words of documents' current file names, scored together with their texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import find_sorted
from indexer.catalog.cached import CachedValues
from indexer.catalog.short_words import INITIALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.catalog import Catalog

    Docs = NDArray[np.int32]

_NONE = np.zeros(0, np.int32)
# Words whose documents are kept.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class _Named:
    """The documents that have names.

    Attributes:
        last: The greatest id of a name.
        names: Of each pair of a name and a document, the name, ascending.
        docs: And the document.
        found: The documents by words that were asked for.
    """

    last: int
    names: Docs
    docs: Docs
    found: dict[str, Docs] = field(default_factory=dict)


class NameWords:
    """Documents by the words of their file names. Any thread may ask."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._named = CachedValues[_Named](catalog.db, catalog.db.files_version_read)

    def docs(self, wanted: Sequence[str]) -> Docs:
        """Return the documents with a file whose name holds one of the words, ascending."""
        named = self._current()
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
    ) -> tuple[Docs, NDArray[np.float32]]:
        """Score documents by the query words in their names.

        A word weighs its idf among names, once per name; a document has the score of its best
        name.

        Args:
            wanted: The words.
            initials: Those that may stand for the first letters of a name.

        Returns:
            Documents in ascending order and their scores.
        """
        named = self._current()
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
        """The number of names of files or folders with each word, without those in none."""
        found = self._catalog.short_words.names_with(words)
        return {word: len(names) for word, names in found.items()}

    def _current(self) -> _Named:
        return self._named.get(None, self._read)

    def _read(self) -> _Named:
        links = self._catalog.names.links()
        own = links.depth == 0
        order = np.argsort(links.name[own], kind="stable")
        return _Named(self._catalog.names.last(), links.name[own][order], links.doc[own][order])
