"""Hits as people see them: where they stand, which sentence is best, and why they are there.

Owns the making of ``Hit`` values from ranked passages, the grouping of near-duplicates, the list of
files for a query of filters alone, and files found by name of which nothing could be read. It must
not rank.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.types import SEARCHABLE_STATES, Also, Hit, SearchResult, Why
from indexer.search.near_duplicates import NearDuplicates
from indexer.search.query_language import clear_language
from indexer.store.values import docs_of
from indexer.text.name_words import alphanumeric_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.api.phrases import Note
    from indexer.api.types import FileRow
    from indexer.catalog import Catalog, DocRow, DocumentFile, Totals
    from indexer.query.grammar import Query
    from indexer.search.candidates import CandidateEvidence
    from indexer.search.fusion import Scored
    from indexer.search.narrowing import Narrowing
    from indexer.search.ranking import Ranking
    from indexer.store.store import Store

    Keys = NDArray[np.int64]

COLUMNS = (
    "text", "view", "page_first", "page_last", "char_start", "char_end", "heading_path",
    "text_starts", "language",
)  # fmt: skip
# Files found by name alone that a list always has room for.
NAMED_ROOM = 3
# Code points of a shortened hit: about four lines.
SNIPPET = 320
# Sentences that are marked beside the best one: so many in all, if they are nearly as good.
MARKS = 3
NEARLY = 0.85
# From here words or meaning are a reason for a hit: a third of the attainable BM25, squared and
# weighted, and a cosine that unrelated text seldom reaches.
WORDS_FROM = 0.2
MEANING_FROM = 0.35


@dataclass(frozen=True, slots=True)
class HitMaker:
    """Makes the hits of one query."""

    catalog: Catalog
    store: Store
    query: Query
    narrowing: Narrowing

    def make(self, ranking: Ranking, limit: int, *, explain: bool) -> tuple[Hit, ...]:
        """Make the best hits of a ranking, near-duplicates of other documents grouped."""
        hits: list[Hit] = []
        groups = NearDuplicates(self._query_words())
        asked_in = clear_language(self.query.text, self.query.terms)
        candidates, scores, exact = ranking.candidates, ranking.scored.total, ranking.exact
        for at, passage, places, doc in self._passages(candidates.keys, ranking.order, limit):
            same = groups.add(doc.doc, passage["view"])
            if same is not None:
                also = (*hits[same].also, Also(**_where(passage, places[0], doc)))
                hits[same] = replace(hits[same], also=also)
                continue
            hit = _hit(passage, places, doc, _best(candidates, at))
            why = Why.PHRASE if exact[at] else _why(ranking.scored, at)
            parts = ranking.explain(at) if explain else None
            language = passage["language"] if why is Why.MEANING and asked_in else ""
            other = language if language != asked_in else ""
            score = float(scores[at])
            hits.append(replace(hit, score=score, why=why, explain=parts, language=other))
            if len(hits) == limit:
                break
        named = self._named({hit.path for hit in hits})
        return tuple(hits[: max(limit - len(named), 0)] + named)[:limit]

    def _query_words(self) -> frozenset[str]:
        """The words of the query, and the parts of those that mix letters and digits."""
        parts = (part for term in self.query.terms for part in alphanumeric_parts(term))
        return frozenset((*self.query.terms, *parts))

    def similar(
        self, keys: Keys, scores: NDArray[np.float32], best: NDArray[np.intp], limit: int
    ) -> tuple[Hit, ...]:
        """Make hits of passages that resemble something, best first.

        Args:
            keys: The passages.
            scores: How much they do.
            best: The sentence of each that does most, as its index there.
            limit: How many hits are wanted.
        """
        hits: list[Hit] = []
        for at, passage, places, doc in self._passages(keys, np.arange(len(keys)), limit):
            hit = _hit(passage, places, doc, [int(best[at])])
            hits.append(replace(hit, score=float(scores[at]), why=Why.MEANING))
            if len(hits) == limit:
                break
        return tuple(hits)

    def listing(self, limit: int) -> tuple[Hit, ...]:
        """Answer a query that has filters and no words: the beginnings of the documents."""
        if self.narrowing.docs is None:
            return ()
        known = self.catalog.docs.known()
        docs = known[self.narrowing.docs.keeps(known)][:limit]
        rows, places = self.catalog.docs.get(docs.tolist()), self.catalog.files.by_document(docs)
        hits = []
        for stored in self._firsts(docs.tolist()):
            doc = int(stored["doc"])
            if doc in places:
                hits.append(_hit(stored, places[doc], rows[doc], [0]))
        return tuple(hits)

    def _firsts(self, docs: list[int]) -> Iterator[dict[str, Any]]:
        keys = np.array([doc << 20 for doc in docs], np.int64)
        found = self.store.passages_of(keys, ("doc", *COLUMNS))
        yield from (found[key] for key in keys.tolist() if key in found)

    def _passages(
        self, candidates: Keys, order: NDArray[np.intp], limit: int
    ) -> Iterator[tuple[int, dict[str, Any], list[DocumentFile], DocRow]]:
        """The candidates that may answer, best first, read a listful at a time."""
        for start in range(0, len(order), limit):
            chosen = order[start : start + limit]
            keys = candidates[chosen]
            found = self.store.passages_of(keys, COLUMNS)
            docs = docs_of(keys).tolist()
            places, rows = self.catalog.files.by_document(docs), self.catalog.docs.get(docs)
            for at, key, doc in zip(chosen.tolist(), keys.tolist(), docs, strict=True):
                # A document may have been removed since it was found.
                if key in found and doc in places and self.narrowing.keeps(found[key]):
                    yield at, found[key], self._allowed(places[doc]), rows[doc]

    def _allowed(self, places: list[DocumentFile]) -> list[DocumentFile]:
        """The places of a document, those in folders of the query first."""
        folders = [folder.casefold() for folder in self.query.filters.folders]
        return sorted(
            places, key=lambda place: not any(f in place.path.casefold() for f in folders)
        ) if folders else places  # fmt: skip

    def _named(self, shown: set[str]) -> list[Hit]:
        """Files with every word of the query in their name, of which nothing was read."""
        if self.narrowing.docs is not None or not self.query.terms:
            return []
        files = self.catalog.lexicon.files.find(
            self.query.terms, 20, prefix_last=self.query.last_word_open
        )
        rows = self.catalog.files.get(files).values()
        unread = [row for row in rows if row.state not in SEARCHABLE_STATES]
        return [_name_hit(row) for row in unread if row.path not in shown][:NAMED_ROOM]


def result(
    query: Query,
    totals: Totals,
    started: float,
    hits: tuple[Hit, ...],
    notes: tuple[Note, ...],
    *,
    full_text: bool,
    good: bool = True,
) -> SearchResult:
    """The answer to a query that was begun at ``started``, by ``time.perf_counter``."""
    return SearchResult(
        hits=hits if full_text else tuple(shorten(hit) for hit in hits),
        notes=(*query.notes, *notes),
        seconds=time.perf_counter() - started,
        embedded_share=totals.embedded / totals.passages if totals.passages else 1.0,
        good=good,
    )


def shorten(hit: Hit) -> Hit:
    """Cut a hit's text to the part around its best sentence; ``best`` and ``marks`` follow."""
    if len(hit.text) <= SNIPPET:
        return hit
    first, last = hit.best
    room = max(0, SNIPPET - (last - first)) // 2
    low = max(0, min(first - room, len(hit.text) - SNIPPET))
    high = min(len(hit.text), max(low + SNIPPET, last))
    # Words stay whole; a passage that begins with its best sentence is cut at the end alone.
    while 0 < low < first and not hit.text[low - 1].isspace():
        low += 1
    while last < high < len(hit.text) and not hit.text[high].isspace():
        high -= 1
    marks = tuple(
        (start - low, end - low) for start, end in hit.marks if low <= start < end <= high
    )
    return replace(hit, text=hit.text[low:high], best=(first - low, last - low), marks=marks)


def _best(evidence: CandidateEvidence, at: int) -> list[int]:
    """The best sentence of a passage, and those nearly as similar to the question."""
    best = int(evidence.best[at])
    if not len(evidence.offsets):
        return [best]
    scores = evidence.sentences[evidence.offsets[at] : evidence.offsets[at + 1]]
    order = np.argsort(-scores, kind="stable")[:MARKS]
    near = [int(one) for one in order if scores[one] >= NEARLY * scores[order[0]] > 0.0]
    return [best, *(one for one in near if one != best)]


def _hit(passage: dict[str, Any], places: list[DocumentFile], doc: DocRow, best: list[int]) -> Hit:
    place = places[0]
    spans = list(dict.fromkeys(_sentence(passage, one) for one in best))
    return Hit(
        root=place.root,
        score=0.0,
        text=passage["text"],
        heading_path=tuple(passage["heading_path"]),
        why=Why.WORDS,
        best=spans[0],
        state=place.state,
        other_paths=tuple(other.path for other in places[1:]),
        marks=tuple(spans),
        author=doc.author,
        format=place.format,
        modified_ns=place.mtime_ns,
        **_where(passage, place, doc),
    )


def _where(passage: dict[str, Any], place: DocumentFile, doc: DocRow) -> dict[str, Any]:
    """Say where a passage stands, in the fields that ``Hit`` and ``Also`` share."""
    return {
        "path": place.path,
        "file": place.relative,
        "title": doc.title or place.relative.rpartition("/")[2],
        "page": passage["page_first"],
        "page_last": passage["page_last"],
        "start": passage["char_start"],
        "end": passage["char_end"],
    }


def _sentence(passage: dict[str, Any], number: int) -> tuple[int, int]:
    """Where a sentence of a passage stands in its text, without the space around it."""
    text = passage["text"]
    starts = [*passage["text_starts"], len(text)]
    number = min(number, len(starts) - 2)
    first, last = (starts[number], starts[number + 1]) if number >= 0 else (0, len(text))
    sentence = text[first:last]
    first += len(sentence) - len(sentence.lstrip())
    return first, first + len(sentence.strip())


def _name_hit(row: FileRow) -> Hit:
    return Hit(
        path=row.path,
        root=row.root,
        file=row.file,
        title=row.file.rpartition("/")[2],
        page=1,
        page_last=1,
        start=0,
        end=0,
        score=0.0,
        text="",
        heading_path=(),
        why=Why.NAME,
        state=row.state,
        modified_ns=row.mtime_ns,
    )


def _why(scored: Scored, at: int) -> Why:
    words, meaning = float(scored.words[at]), float(scored.meaning[at])
    if words >= WORDS_FROM and meaning >= MEANING_FROM:
        return Why.BOTH
    return Why.WORDS if words >= WORDS_FROM or meaning <= 0.0 else Why.MEANING
