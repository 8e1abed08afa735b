"""What resembles a document, a page or a passage: the answer to ``like:``.

Owns the operator's values (a path, ``path#page=N``, ``path#start-end``), the vector that stands for
them, and the choice of hits. It searches by meaning alone; words beside the operator
move the vector. It must not know how other queries are answered.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.api.requests import Order
from indexer.api.types import HitExplanation, SearchResult
from indexer.catalog.coverage import CoverageFilter
from indexer.search.hits import HitMaker, shorten
from indexer.search.narrowing import narrow
from indexer.search.similar_documents import PASSAGES_A_DOCUMENT, rank_documents
from indexer.search.similar_sentences import Sentences, aligned
from indexer.store import DocSet, docs_of, key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.api.progress import CancelToken
    from indexer.api.types import FileRow, Hit
    from indexer.catalog import Catalog, DocRow, Space
    from indexer.embed.models_in_use import ModelsInUse
    from indexer.query.grammar import Query
    from indexer.search.narrowing import Narrowing
    from indexer.store import Store

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]

_PLACE = re.compile(r"(?P<path>.+?)(?:#page=(?P<page>\d+)|#(?P<start>\d+)-(?P<end>\d+))?")
# Passages retrieved for each hit that is wanted: one document has many that are similar.
WIDE = 10
# Documents that are compared as a whole, unless more hits are wanted.
DOCUMENTS = 30
# The weight of the source; the words beside the operator have the rest.
SOURCE_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class SourcePassages:
    """A document, and the passages of it that are meant; all of them when ``whole``."""

    doc: DocRow
    keys: Keys
    whole: bool


@dataclass(frozen=True, slots=True)
class _Matches:
    """What resembles a place, best first, and the sentence of each that does most."""

    maker: HitMaker
    space: Space
    place: SourcePassages
    keys: Keys
    scores: Floats
    best: NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Similar:
    """Finds what resembles something in one library. Any number of threads may ask."""

    catalog: Catalog
    store: Store
    models: ModelsInUse

    def search(
        self, query: Query, *, limit: int, token: CancelToken, explain: bool, full_text: bool
    ) -> SearchResult:
        """Answer a query whose filters name something to be like; see ``Search``.

        Explained hits say in ``aligned`` which sentence of the source each of theirs resembles
        (``similar_sentences.aligned``).
        """
        started = time.perf_counter()
        totals = self.catalog.spaces.totals()
        hits: tuple[Hit, ...] = ()
        notes = query.notes
        try:
            found = self._find(query, limit, token)
            hits = found.maker.similar(found.keys, found.scores, found.best, limit)
            if explain:
                hits = self._explained(found, hits)
        except WorldError as error:
            # Whoever types a path has not finished it for most of the time.
            notes = (*notes, error.note())
        return SearchResult(
            hits=hits if full_text else tuple(shorten(hit) for hit in hits),
            notes=notes,
            seconds=time.perf_counter() - started,
            understood=totals.embedded / totals.passages if totals.passages else 1.0,
        )

    def _find(self, query: Query, limit: int, token: CancelToken) -> _Matches:
        space = self.catalog.spaces.active()
        place = find_source(self.catalog, self.store, query.filters.like)
        vector = None if space is None else self._vector(space, place, query)
        if space is None or vector is None:
            raise WorldError("not_indexed", path=query.filters.like)
        token.check()
        narrowing = narrow(query, self.catalog)
        maker = HitMaker(self.catalog, self.store, query, narrowing)
        docs = _others(place.doc.doc, narrowing) if place.whole else narrowing.docs
        found = self.store.knn(space.key, vector, WIDE * limit + len(place.keys), docs)
        others = ~np.isin(found.keys, place.keys)
        keys, scores = found.keys[others], found.scores[others]
        token.check()
        if place.whole:
            keys, scores = self._documents(space, place, keys, scores, query, limit)
        token.check()
        return _Matches(maker, space, place, keys, scores, self._best(space, keys, vector))

    def _documents(
        self,
        space: Space,
        place: SourcePassages,
        keys: Keys,
        scores: Floats,
        query: Query,
        limit: int,
    ) -> tuple[Keys, Floats]:
        """The documents that passages were found of, each by few passages."""
        if query.terms:  # which passage is meant, the words beside the operator say
            few = _few_of_each(keys)
            return keys[few], scores[few]
        docs = list(dict.fromkeys(docs_of(keys).tolist()))[: max(DOCUMENTS, limit)]
        rows = self.catalog.docs.get(docs)
        passages = {doc: rows[doc].passages for doc in docs if doc in rows}
        return rank_documents(self.store, space.key, place.keys, passages)

    def _explained(self, found: _Matches, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Align hits with what they resemble."""
        places = {
            (row["doc"], row["char_start"]): key
            for key, row in self.store.passages_of(found.keys, ("doc", "char_start")).items()
        }
        source = Sentences.read(self.store, found.space.key, found.place.keys)
        explained = []
        for hit in hits:
            known = self.catalog.coverage.document(Path(hit.path))
            doc = known[2].doc if known and known[2] else -1
            keys = np.array([places.get((doc, hit.start), -1)], np.int64)
            there = Sentences.read(self.store, found.space.key, keys)
            explanation = HitExplanation(aligned=aligned(there, 0, source))
            explained.append(replace(hit, explain=explanation))
        return tuple(explained)

    def _vector(self, space: Space, place: SourcePassages, query: Query) -> Floats | None:
        """What stands for a place: the mean of its passages, drawn towards the words beside it."""
        vectors = self.store.vectors_of(space.key, place.keys)
        mean = _unit(vectors.sum(axis=0)) if vectors.size else None
        if mean is None or not query.terms:
            return mean
        words = self.models.query(space.record).encode_query(query.text)
        return _unit(SOURCE_SHARE * mean + (1.0 - SOURCE_SHARE) * words)

    def _best(self, space: Space, keys: Keys, vector: Floats) -> NDArray[np.intp]:
        """The sentence of each passage that is most like the vector."""
        flat, offsets = self.store.sentence_vectors_of(space.key, keys)
        if not flat.size:
            return np.zeros(len(keys), np.intp)
        scores = flat @ vector
        return np.array(
            [
                int(np.argmax(scores[first:last])) if last > first else 0
                for first, last in pairwise(offsets.tolist())
            ],
            np.intp,
        )


def find_source(catalog: Catalog, store: Store, text: str) -> SourcePassages:
    """Find what is meant: a file by its path, or by the end of it, and which part of it.

    Raises:
        WorldError: ``not_a_root``, if the library has no such file; ``not_indexed``, if
            nothing of it could be read.
    """
    doc, rest = _document(catalog, text)
    keys = np.array([key_of(doc.doc, ordinal) for ordinal in range(doc.passages)], np.int64)
    if rest is None:
        return SourcePassages(doc, keys, whole=True)
    columns = ("page_first", "page_last", "char_start", "char_end")
    rows = store.passages_of(keys, columns)
    first, last, low, high = (
        (rest[0], rest[0], "page_first", "page_last")
        if len(rest) == 1
        else (rest[0], rest[1] - 1, "char_start", "char_end")
    )
    # A page ends with itself, a stretch before its end.
    ends = 0 if len(rest) == 1 else 1
    meant = [k for k, row in rows.items() if row[low] <= last and row[high] - ends >= first]
    return SourcePassages(doc, np.array(sorted(meant), np.int64), whole=False)


def _document(catalog: Catalog, text: str) -> tuple[DocRow, tuple[int, ...] | None]:
    """The document that is named, and the page or the stretch that follows the name."""
    candidates: list[tuple[str, tuple[int, ...] | None]] = [(text, None)]
    if match := _PLACE.fullmatch(text):
        numbers = tuple(int(n) for n in (match["page"], match["start"], match["end"]) if n)
        # A file's own name may end like this.
        candidates.append((match["path"], numbers or None))
    for path, rest in candidates:
        known = catalog.coverage.document(Path(path).expanduser()) or _by_end(catalog, path)
        if known is not None:
            if known[2] is None or not known[2].passages:
                raise WorldError("not_indexed", path=path)
            return known[2], rest
    raise WorldError("not_a_root", path=text)


def _by_end(catalog: Catalog, path: str) -> tuple[FileRow, str, DocRow | None] | None:
    """The first file whose path ends with these components."""
    end = path.replace(os.sep, "/").strip("/").casefold()
    if not end:
        return None
    for row in catalog.coverage.page(CoverageFilter(text=end), Order.PATH, 0, 100):
        whole = "/" + row.path.replace(os.sep, "/").casefold()
        if whole.endswith("/" + end):
            return catalog.coverage.document(row.path)
    return None


def _others(doc: int, narrowing: Narrowing) -> DocSet:
    """What may answer, without the document itself."""
    docs = narrowing.docs
    if docs is None:
        return DocSet.from_docs([doc], allowed=False)
    if docs.allowed:
        return DocSet.from_docs([one for one in docs.docs.tolist() if one != doc])
    return DocSet.from_docs([*docs.docs.tolist(), doc], allowed=False)


def _few_of_each(keys: Keys) -> NDArray[np.intp]:
    """The best passages of each document, in the order of the documents' best."""
    places: dict[int, list[int]] = {}
    for at, doc in enumerate(docs_of(keys).tolist()):
        places.setdefault(doc, []).append(at)
    chosen = [at for mine in places.values() for at in mine[:PASSAGES_A_DOCUMENT]]
    return np.array(chosen, np.intp)


def _unit(vector: Floats) -> Floats | None:
    length = float(np.linalg.norm(vector))
    return (vector / np.float32(length)).astype(np.float32) if length else None
