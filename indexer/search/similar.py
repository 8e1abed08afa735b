"""Finds passages and documents similar to a document, a page or a passage.

``like:`` searches only by vectors, and other words of the query shift the vector of the source.
Whole documents are compared passage by passage, not by one mean vector. A source is a path or the
end of one, ``path#page=N`` or ``path#start-end``.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.requests import Order
from indexer.api.types import AlignedSentence, HitExplanation, SourceSentence
from indexer.arrays import Float32s, Indices, Int64s, segment_max
from indexer.catalog.coverage import CoverageFilter
from indexer.embed.batches import unit_vectors
from indexer.search.alignment import nearest
from indexer.search.hits import HitMaker, result
from indexer.search.narrowing import Narrowing, narrow
from indexer.search.passage_hits import page_of, spans_of
from indexer.store.values import DocSet, docs_of, keys_of

if TYPE_CHECKING:
    from indexer.api.phrases import Note
    from indexer.api.progress import CancelToken
    from indexer.api.types import FileRow, Hit, SearchResult
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.embed.factory import ModelsInUse
    from indexer.query.grammar import Query
    from indexer.store.store import Store


class Sentences(Struct, frozen=True):
    """The sentences of some passages, in the order of the passages.

    ``vectors`` is float32 (m, dim), ``offsets`` int64 (n + 1,). Passage ``i``, with the key
    ``keys[i]``, has the rows ``offsets[i]`` to ``offsets[i + 1]``.
    """

    store: Store
    keys: Int64s
    vectors: Float32s
    offsets: Int64s

    @classmethod
    def read_sentences(cls, store: Store, space: str, keys: Int64s) -> Self:
        return cls(store, keys, *store.sentence_vectors_of(space, keys))

    def source_sentence(self, row: int) -> SourceSentence:
        """Return the place and the text of a sentence."""
        at = int(np.searchsorted(self.offsets, row, side="right")) - 1
        key = int(self.keys[at])
        passage = self.store.texts.passages(self.keys[at : at + 1])[key]
        sentence = row - int(self.offsets[at])
        first, last = spans_of(passage)[sentence]
        start = passage.char_start
        return SourceSentence(
            page_of(passage, sentence), start + first, start + last, passage.text[first:last]
        )


def align_sentences(found: Sentences, source: Sentences) -> tuple[AlignedSentence, ...]:
    """Align the sentences of a hit with a source, most similar first.

    Returns:
        Each sentence of the hit, with the most similar one of the source.
    """
    places, cosines = nearest(found.vectors, source.vectors, 1)
    passage = found.store.texts.passages(found.keys).get(int(found.keys[0]))
    if passage is None or not places.size:
        return ()
    pairs = [
        AlignedSentence(first, last, float(cosine), source.source_sentence(row))
        for (first, last), row, cosine in zip(
            spans_of(passage), places[:, 0].tolist(), cosines[:, 0], strict=True
        )
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.cosine))


_PLACE = re.compile(r"(?P<path>.+?)(?:#page=(?P<page>\d+)|#(?P<start>\d+)-(?P<end>\d+))?")


class SourcePassages(Struct, frozen=True):
    """A document, and the passages of it that the source names; all of them if ``whole``."""

    doc: DocRow
    keys: Int64s
    whole: bool


def find_source(catalog: Catalog, store: Store, text: str) -> SourcePassages:
    """Find a file by its path or the end of it, and the passages of the part that is named.

    Raises ``not_a_root`` if the library has no such file, ``not_indexed`` if it has no text.
    """
    doc, rest = _document(catalog, text)
    keys = keys_of(doc.doc, doc.passages)
    if rest is None:
        return SourcePassages(doc, keys, whole=True)
    first, last = rest[0], rest[-1]
    # A page number is inclusive, the end of a range exclusive.
    meant = [
        key
        for key, row in store.texts.passages(keys).items()
        if (
            row.page_first <= first <= row.page_last
            if len(rest) == 1
            else row.char_start < last and row.char_end > first
        )
    ]
    return SourcePassages(doc, np.array(sorted(meant), np.int64), whole=False)


def _document(catalog: Catalog, text: str) -> tuple[DocRow, tuple[int, ...] | None]:
    """The document, and the page or range that follows its name."""
    candidates: list[tuple[str, tuple[int, ...] | None]] = [(text, None)]
    if match := _PLACE.fullmatch(text):
        numbers = tuple(int(n) for n in (match["page"], match["start"], match["end"]) if n)
        # "#…" may also be part of the file's name.
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


# Passages retrieved per hit, as one document has many similar ones.
WIDE = 10
# The number of documents that are compared as a whole, unless more hits are wanted.
DOCUMENTS = 30
# The number of evenly spread passages of a document that are compared.
SAMPLE = 300
# The number of passages shown of each document that is similar as a whole.
PASSAGES_A_DOCUMENT = 2
# The weight of the source; other words of the query have the rest.
SOURCE_SHARE = 0.6


class _Matches(Struct, frozen=True):
    """Similar passages, best first, and the index of each one's most similar sentence."""

    maker: HitMaker
    space: Space
    place: SourcePassages
    keys: Int64s
    scores: Float32s
    best: Indices


class Similar(Struct, frozen=True):
    """Searches one library for similar passages. Thread-safe."""

    catalog: Catalog
    store: Store
    models: ModelsInUse

    def search_similar(
        self, query: Query, *, limit: int, token: CancelToken, explain: bool, full_text: bool
    ) -> SearchResult:
        """Answer a query with ``like:``; see ``Search``.

        In explained hits ``aligned`` has the most similar sentence of the source for each sentence.
        """
        started = time.perf_counter()
        totals = self.catalog.spaces.totals()
        hits: tuple[Hit, ...] = ()
        notes: tuple[Note, ...] = ()
        try:
            found = self._find(query, limit, token)
            hits = found.maker.similar(found.keys, found.scores, found.best, limit)
            if explain:
                hits = self._explained(found, hits)
        except WorldError as error:
            # An incomplete path that is being typed is not an error.
            notes = (error.note(),)
        return result(query, totals, started, hits, notes, full_text=full_text)

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
        if place.whole and query.terms:  # words choose passages, not documents
            few = _few_of_each(keys)
            keys, scores = keys[few], scores[few]
        elif place.whole:
            similar = list(dict.fromkeys(docs_of(keys).tolist()))[: max(DOCUMENTS, limit)]
            rows = self.catalog.docs.docs_by_id(similar)
            passages = {doc: rows[doc].passages for doc in similar if doc in rows}
            keys, scores = rank_documents(self.store, space.key, place.keys, passages)
        token.check()
        return _Matches(maker, space, place, keys, scores, self._best(space, keys, vector))

    def _explained(self, found: _Matches, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """Align the sentences of hits with those of the source."""
        places = {
            (row.doc, row.char_start): key
            for key, row in self.store.texts.passages(found.keys).items()
        }
        source = Sentences.read_sentences(self.store, found.space.key, found.place.keys)
        explained = []
        for hit in hits:
            known = self.catalog.coverage.document(Path(hit.path))
            doc = known[2].doc if known and known[2] else -1
            keys = np.array([places.get((doc, hit.start), -1)], np.int64)
            there = Sentences.read_sentences(self.store, found.space.key, keys)
            explanation = HitExplanation(aligned=align_sentences(there, source))
            explained.append(replace(hit, explain=explanation))
        return tuple(explained)

    def _vector(self, space: Space, place: SourcePassages, query: Query) -> Float32s | None:
        """The query vector: the mean of the source's passages, shifted towards the words."""
        vectors = self.store.vectors_of(space.key, place.keys)
        vector = unit_vectors(vectors.sum(axis=0))
        if query.terms and vector.any():
            words = self.models.query(space.record).encode_query(query.text)
            vector = unit_vectors(SOURCE_SHARE * vector + (1.0 - SOURCE_SHARE) * words)
        return vector if vector.any() else None

    def _best(self, space: Space, keys: Int64s, vector: Float32s) -> Indices:
        """The sentence of each passage that is most similar to the vector."""
        flat, offsets = self.store.sentence_vectors_of(space.key, keys)
        if not flat.size:
            return np.zeros(len(keys), np.intp)
        return segment_max(flat @ vector, offsets)[1]


def _others(doc: int, narrowing: Narrowing) -> DocSet:
    """The documents that match the filters, without the source's own."""
    docs = narrowing.docs
    if docs is None:
        return DocSet.from_docs([doc], allowed=False)
    if docs.allowed:
        return DocSet.from_docs([one for one in docs.docs.tolist() if one != doc])
    return DocSet.from_docs([*docs.docs.tolist(), doc], allowed=False)


def _few_of_each(keys: Int64s) -> Indices:
    """A few best passages of each document, in the order of each document's best one."""
    places: dict[int, list[int]] = {}
    for at, doc in enumerate(docs_of(keys).tolist()):
        places.setdefault(doc, []).append(at)
    chosen = [at for mine in places.values() for at in mine[:PASSAGES_A_DOCUMENT]]
    return np.array(chosen, np.intp)


def rank_documents(
    store: Store, space: str, source: Int64s, passages: Mapping[int, int]
) -> tuple[Int64s, Float32s]:
    """Order documents by their similarity to a source, each with its most similar passages.

    The similarity is the mean of the best cosines of the source's passages in the document and of
    the document's passages in the source. So a book that contains all of a leaflet is half similar
    to it.

    Args:
        passages: The number of passages of each document.

    Returns:
        Keys of passages, and the similarities of their documents, most similar first.
    """
    mine = store.vectors_of(space, _spread(source))
    ranked: list[tuple[float, int, list[int]]] = []
    for doc, count in passages.items():
        theirs = _spread(keys_of(doc, count))
        matrix = store.vectors_of(space, theirs) @ mine.T
        if matrix.size:
            best = matrix.max(axis=1)
            score = float(best.mean() + matrix.max(axis=0).mean()) / 2
            showing = np.argsort(-best, kind="stable")[:PASSAGES_A_DOCUMENT]
            ranked.append((score, doc, theirs[showing].tolist()))
    ranked.sort(key=lambda one: (-one[0], one[1]))
    keys = [key for _, _, shown in ranked for key in shown]
    scores = [score for score, _, shown in ranked for _ in shown]
    return np.array(keys, np.int64), np.array(scores, np.float32)


def _spread(keys: Int64s) -> Int64s:
    """At most ``SAMPLE`` of the keys, evenly spread."""
    if len(keys) <= SAMPLE:
        return keys
    return keys[np.linspace(0, len(keys) - 1, SAMPLE).astype(np.intp)]
