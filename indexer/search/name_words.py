"""The words of documents' current file names, scored together with their texts.

Owns what words of names count, and their way to documents: the links from names to documents are
read again whenever files change. It must not know how words are packed (``catalog_words``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.arrays import find_sorted
from indexer.catalog.cached import CachedValues
from indexer.search.catalog_words import CatalogWords
from indexer.store.document_counting import count_tokens
from indexer.store.document_words import DocumentWords
from indexer.text.name_words import initialisms, joined_neighbours, name_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.catalog import Catalog
    from indexer.store.document_counts import Part

    Docs = NDArray[np.int32]

_NONE = np.zeros(0, np.int32)
# Of the first letters of a name, which are no word of it.
_INITIALS = "="
# Words whose documents are kept, of those that were asked for last.
_KEPT = 4_096


@dataclass(frozen=True, slots=True)
class _Named:
    """The names that there are, and the documents that have them.

    Attributes:
        last: The greatest id of a name.
        words: Of all names.
        names: Of each pair of a name and a document, the name, ascending.
        docs: And the document.
        found: The documents by words that were asked for.
    """

    last: int
    words: DocumentWords
    names: Docs
    docs: Docs
    found: dict[str, Docs] = field(default_factory=dict)


class NameWords:
    """Documents by the words of their file names. Any thread may ask."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._texts = CatalogWords(catalog.packed_words, "names", catalog.names.newer, _count)
        self._named = CachedValues[_Named](catalog.db, catalog.db.files_version_read)

    def docs(self, wanted: Sequence[str]) -> Docs:
        """Return the documents with a file whose name holds one of the words, ascending."""
        named = self._current()
        known = {word: docs for word in wanted if (docs := named.found.get(word)) is not None}
        if new := [word for word in wanted if word not in known]:
            names = named.words.documents(new)
            for word in new:
                known[word] = _NONE
                if word in names:  # seldom
                    known[word] = np.unique(named.docs[np.isin(named.names, names[word])])
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
        asked = [*wanted, *(_INITIALS + letters for letters in initials)]
        found = named.words.documents(asked)
        groups = [found[word] for word in asked if word in found]
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

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """The number of names of files or folders with each word, without those in none."""
        return self._current().words.frequencies(words)

    def has_beginning(self, prefixes: Iterable[str]) -> bool:
        """Whether a word of a name has one of some prefixes."""
        return self._current().words.has_beginning(prefixes)

    def save(self) -> bool:
        """Keep the words for the next run, if enough are new; for the thread that writes."""
        return self._texts.save(self._catalog.names.known())

    def _current(self) -> _Named:
        return self._named.get(None, self._read)

    def _read(self) -> _Named:
        known, links = self._catalog.names.known(), self._catalog.names.links()
        own = links.depth == 0
        order = np.argsort(links.name[own], kind="stable")
        return _Named(
            int(known[-1]) if len(known) else 0,
            DocumentWords.of_parts(known, self._texts.parts()),
            links.name[own][order],
            links.doc[own][order],
        )


def _count(names: Mapping[int, str]) -> Part:
    return count_tokens({name: _tokens(text) for name, text in names.items()})


def _tokens(name: str) -> Sequence[str]:
    plain = dict.fromkeys((*name_tokens(name), *joined_neighbours(name)))
    return [*plain, *(_INITIALS + letters for letters in initialisms(name))]
