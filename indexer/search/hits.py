"""Makes the list of hits from ranked passages.

Files whose name is the query come first, near-duplicates are grouped, and files without text are
found by name. A query of only filters lists documents.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.types import SEARCHABLE_STATES, Also, FileRow, Hit, Match, SearchResult, Span, Why
from indexer.search.passage_hits import (
    NearDuplicates,
    best_sentences,
    name_hit,
    passage_hit,
    printed,
    reason,
    where,
    with_phrases,
)
from indexer.search.query_expansion import clear_language
from indexer.search.query_terms import StemWeights, languages_of
from indexer.store.values import DocSet, Phrase, docs_of, key_of, keys_of
from indexer.text.name_words import alphanumeric_parts

if TYPE_CHECKING:
    from indexer.api.phrases import Note
    from indexer.api.progress import CancelToken
    from indexer.arrays import Float32s, Indices, Int32s, Int64s
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, DocumentFile, Totals
    from indexer.query.grammar import Query
    from indexer.search.candidates import Ranking
    from indexer.search.lexicon import Lexicon
    from indexer.search.narrowing import Narrowing
    from indexer.store.store import Store
    from indexer.store.values import StoredPassage


# The most files that are listed because their name is the query.
CALLED_ROOM = 10
# The number of files found only by name for which a full list leaves room.
NAMED_ROOM = 3
# Code points of a shortened hit: about four lines.
SNIPPET = 320


class HitMaker(Struct, frozen=True):
    """Makes the hits of one query."""

    catalog: Catalog
    store: Store
    query: Query
    narrowing: Narrowing

    def make(
        self, ranking: Ranking, limit: int, token: CancelToken, *, explain: bool,
        words: StemWeights | None = None,
    ) -> tuple[Hit, ...]:  # fmt: skip
        """Make the best hits of a ranking, and group near-duplicates of other documents.

        A passage with the exact phrase is never grouped, as a quote asks for each document.

        ``words`` choose among the similar sentences of a passage. Raises ``Cancelled`` if the token
        was cancelled: thousands of hits take seconds.
        """
        called = self.called(limit)
        shown = {(hit.path, hit.start) for hit in called}
        hits: list[Hit] = []
        halves = (part for term in self.query.terms for part in alphanumeric_parts(term))
        groups = NearDuplicates(frozenset((*self.query.terms, *halves)))
        asked_in = clear_language(self.query.text, self.query.terms)
        candidates, scores, exact = ranking.candidates, ranking.scored.total, ranking.exact
        quoted = 0  # hits with the exact phrase, which precede all others
        for at, passage, places, doc in self._passages(candidates.keys, ranking.order, limit):
            token.check()
            if any((place.path, passage.char_start) in shown for place in places):
                continue
            best = best_sentences(candidates, at, passage, words)
            same = None if exact[at] else groups.join_group(doc.doc, passage.view)
            if same is not None:
                first = same + quoted
                also = Also(**where(passage, places[0], doc, best[0]))
                hits[first] = replace(hits[first], also=(*hits[first].also, also))
                continue
            hit = passage_hit(passage, places, doc, best, words)
            if exact[at]:
                hit = with_phrases(hit, passage, self.query.phrases, printed(hit.format, doc))
            why = Why.PHRASE if exact[at] else reason(ranking.scored, at)
            parts = ranking.explain_score(at) if explain else None
            language = passage.language if why is Why.MEANING and asked_in else ""
            other = language if language != asked_in else ""
            hit = replace(hit, score=float(scores[at]), why=why, explain=parts, language=other)
            hits.append(hit)
            quoted += bool(exact[at])
            if len(hits) == limit:
                break
        named = self._named({hit.path for hit in (*called, *hits)})
        room = max(limit - len(called) - len(named), 0)
        return (*called, *hits[:room], *named)[:limit]

    def called(self, limit: int) -> tuple[Hit, ...]:
        """Return hits on the first passage of files whose name is the query or begins with it.

        A quoted phrase is only searched in documents.
        """
        if self.query.phrases or not self.query.terms:
            return ()
        files = self.catalog.file_names.called(
            self.query.text, min(limit, CALLED_ROOM), open_ended=self.query.last_word_open
        )
        rows = self.catalog.files.files_by_id(files)
        owners = {file: self.catalog.files.doc_of(file) or 0 for file in rows}
        docs = [doc for doc in dict.fromkeys(owners.values()) if doc]
        firsts = {stored.doc: stored for stored in self._firsts(docs)}
        hits: dict[int, Hit | None] = {}  # by document, or by file if it has none
        for file in files:
            first = firsts.get(owners[file])
            key = -file if first is None else first.doc
            hits.setdefault(key, self._called(file, rows[file], first))
        return tuple(hit for hit in hits.values() if hit is not None)

    def _called(self, file: int, row: FileRow, first: StoredPassage | None) -> Hit | None:
        docs = self.narrowing.docs
        if first is None:
            return name_hit(row) if docs is None and row.state not in SEARCHABLE_STATES else None
        doc = first.doc
        places = self.catalog.files.by_document([doc]).get(doc, [])
        places.sort(key=lambda place: place.file != file)
        kept = docs is None or bool(docs.keeps(np.array([doc], np.int32))[0])
        if not places or not kept or not self.narrowing.keeps(first, doc):
            return None
        known = self.catalog.docs.docs_by_id([doc], labels=True)[doc]
        return replace(passage_hit(first, places, known, [-1]), why=Why.NAME)

    def similar(self, keys: Int64s, scores: Float32s, best: Indices, limit: int) -> tuple[Hit, ...]:
        """Make hits of passages that are similar to a source, best first.

        ``best`` has the index of each passage's most similar sentence.
        """
        hits: list[Hit] = []
        for at, passage, places, doc in self._passages(keys, np.arange(len(keys)), limit):
            hit = passage_hit(passage, places, doc, [int(best[at])])
            hits.append(replace(hit, score=float(scores[at]), why=Why.MEANING))
            if len(hits) == limit:
                break
        return tuple(hits)

    def listing(self, limit: int, lexicon: Lexicon) -> tuple[Hit, ...]:
        """Answer a query of only filters with its few passages or the starts of documents."""
        if (few := self.narrowing.keys) is not None:
            found = self._passages(few, np.arange(len(few)), max(limit, 1))
            return tuple(
                passage_hit(passage, places, doc, [0])
                for _, passage, places, doc in islice(found, limit)
            )
        if self.narrowing.docs is None:
            return ()
        known = self.catalog.docs.known()
        docs = self._lacking(known[self.narrowing.docs.keeps(known)], lexicon)[:limit]
        rows = self.catalog.docs.docs_by_id(docs.tolist(), labels=True)
        places = self.catalog.files.by_document(docs)
        return tuple(
            passage_hit(stored, places[stored.doc], rows[stored.doc], [0])
            for stored in self._firsts(docs.tolist())
            if stored.doc in places
        )

    def _lacking(self, docs: Int32s, lexicon: Lexicon) -> Int32s:
        """The documents without excluded phrases and without excluded words, also in names."""
        holding: list[Int32s] = []
        if self.narrowing.words:
            with lexicon.reading() as reading:
                counts = reading.counts(tuple(self.narrowing.words))
            holding.append(np.flatnonzero(counts).astype(np.int32))
        for phrase in self.narrowing.phrases:
            left = DocSet.from_docs(docs.tolist())
            every = self.catalog.spaces.totals().passages
            wanted = Phrase((" ".join(phrase.words),), languages_of(self.catalog))
            holding.append(docs_of(self.store.phrases([wanted], every, left).keys))
        return np.setdiff1d(docs, np.concatenate(holding)) if holding else docs

    def _firsts(self, docs: list[int]) -> Iterator[StoredPassage]:
        begins = (self._begin(doc) for doc in docs)
        keys = np.array([key for key in begins if key is not None], np.int64)
        found = self.store.texts.passages(keys)
        yield from (found[key] for key in keys.tolist() if key in found)

    def _begin(self, doc: int) -> int | None:
        """The first passage of a document, or of the first mail of a mailbox that passes."""
        if doc not in self.narrowing.unsent:
            return key_of(doc, 0)
        row = self.catalog.docs.docs_by_id([doc]).get(doc)
        found = self.store.texts.passages(keys_of(doc, row.passages if row else 0))
        kept = (key for key, passage in found.items() if self.narrowing.keeps(passage, doc))
        return min(kept, default=None)

    def _passages(
        self, candidates: Int64s, order: Indices, limit: int
    ) -> Iterator[tuple[int, StoredPassage, list[DocumentFile], DocRow]]:
        """Yield the candidates that pass the filters, best first, read in batches."""
        for start in range(0, len(order), limit):
            chosen = order[start : start + limit]
            keys = candidates[chosen]
            found = self.store.texts.passages(keys)
            docs = docs_of(keys).tolist()
            places = self.catalog.files.by_document(docs)
            rows = self.catalog.docs.docs_by_id(docs, labels=True)
            for at, key, doc in zip(chosen.tolist(), keys.tolist(), docs, strict=True):
                # A document may have been removed since it was found.
                if key in found and doc in places and self.narrowing.keeps(found[key], doc):
                    yield at, found[key], self._allowed(places[doc]), rows[doc]

    def _allowed(self, places: list[DocumentFile]) -> list[DocumentFile]:
        """The files of a document; those in folders of the query come first."""
        folders = [folder.casefold() for folder in self.query.filters.folders]
        return sorted(
            places, key=lambda place: not any(f in place.path.casefold() for f in folders)
        ) if folders else places  # fmt: skip

    def _named(self, shown: set[str]) -> list[Hit]:
        """Files without text that have every word of the query in their name."""
        if self.narrowing.docs is not None or not self.query.terms:
            return []
        files = self.catalog.file_names.find(
            self.query.terms, 20, prefix_last=self.query.last_word_open
        )
        rows = self.catalog.files.files_by_id(files).values()
        unread = [row for row in rows if row.state not in SEARCHABLE_STATES]
        return [name_hit(row) for row in unread if row.path not in shown][:NAMED_ROOM]


def result(
    query: Query,
    totals: Totals,
    started: float,
    hits: tuple[Hit, ...],
    notes: tuple[Note, ...],
    *,
    full_text: bool,
    match: Match = Match.GOOD,
) -> SearchResult:
    """Make the answer to a query that began at ``started``, by ``time.perf_counter``."""
    return SearchResult(
        hits=hits if full_text else tuple(shorten(hit) for hit in hits),
        notes=(*query.notes, *notes),
        seconds=time.perf_counter() - started,
        embedded_share=totals.embedded_share,
        match=match,
    )


def shorten(hit: Hit) -> Hit:
    """Cut a hit's text to the part around its best sentence, and adapt all offsets."""
    if len(hit.text) <= SNIPPET:
        return hit
    first, last = hit.best
    room = max(0, SNIPPET - (last - first)) // 2
    low = max(0, min(first - room, len(hit.text) - SNIPPET))
    high = min(len(hit.text), max(low + SNIPPET, last))
    # Cut between words; a passage that begins with its best sentence is cut only at the end.
    while 0 < low < first and not hit.text[low - 1].isspace():
        low += 1
    while last < high < len(hit.text) and not hit.text[high].isspace():
        high -= 1

    def kept(spans: Iterable[Span]) -> tuple[Span, ...]:
        return tuple((start - low, end - low) for start, end in spans if low <= start < end <= high)

    return replace(
        hit,
        text=hit.text[low:high],
        best=(first - low, last - low),
        marks=kept(hit.marks),
        left_out=kept(hit.left_out),
    )
