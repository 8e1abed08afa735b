"""Finds passages of the library that say the same as a piece of a document.

Sentences that share most of the words come first, then those that are close in meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.answers import Parallel
from indexer.api.errors import WorldError
from indexer.embed.batches import unit_vectors
from indexer.query.grammar import parse
from indexer.search.compare_statements import dice
from indexer.search.hits import HitMaker
from indexer.search.narrowing import narrow
from indexer.search.passage_hits import spans_of
from indexer.search.similar import Sentences, SourcePassages, find_source
from indexer.text.differences import Differences, differences
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.api.requests import FindElsewhere
    from indexer.api.types import Hit
    from indexer.arrays import Float32s, Int64s
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.factory import ModelsInUse
    from indexer.store.store import Store


# The number of passages whose sentences are compared with the source's.
CANDIDATES = 300
# A sentence is meant if this share of its words is selected, or if the selection lies inside it.
MEANT = 0.6
# Two sentences say the same if they share this many of their words.
SAME = 0.5
# Sentences with less than this share of the highest cosine are not shown, unless they say the same.
NEAR = 0.6
# Only this many first sentences of a long selection are compared.
MOST_SENTENCES = 40


class _Source(Struct, frozen=True):
    """The selected sentences: their texts, and their unit vectors, float32 (m, dim)."""

    place: SourcePassages
    texts: list[str]
    vectors: Float32s


class _Compared(NamedTuple):
    """A sentence of a passage, and the most similar sentence of the source."""

    score: float
    key: int
    sentence: int  # of the passage
    mine: int  # of the source
    cosine: float
    same: bool


class Elsewhere(Struct, frozen=True):
    """Searches one library. Thread-safe."""

    catalog: Catalog
    store: Store
    models: ModelsInUse

    def find_restatements(self, request: FindElsewhere, token: CancelToken) -> tuple[Parallel, ...]:
        """See ``indexer.api.requests.FindElsewhere``.

        Raises ``not_a_root`` if the library has no such file, ``not_indexed`` if that has no
        vectors.
        """
        space = self.catalog.spaces.active()
        if space is None or not words(request.text):
            raise WorldError("not_indexed", path=str(request.path))
        source = self._source(request, space)
        token.check()
        mean = unit_vectors(source.vectors.mean(axis=0, keepdims=True))[0]
        found = self.store.knn(space.key, mean, CANDIDATES + len(source.place.keys), None)
        keys = found.keys[~np.isin(found.keys, source.place.keys)]
        token.check()
        ranked = sorted(self._compared(space, source, keys), reverse=True)
        closest = max((one.cosine for one in ranked), default=0.0)
        near = [one for one in ranked if one.same or one.cosine >= NEAR * closest]
        return self._described(source, near[: request.limit])

    def _source(self, request: FindElsewhere, space: Space) -> _Source:
        """The sentences that a selection means, or the selected text if it means none."""
        part = f"#page={request.page}" if request.page else f"#{request.start}-{request.end}"
        place = find_source(self.catalog, self.store, f"{request.path}{part}")
        here = Sentences.read_sentences(self.store, space.key, place.keys)
        said = words(request.text)
        rows: list[int] = []
        texts: list[str] = []
        keys: set[int] = set()
        for row in range(len(here.vectors)):
            sentence = here.source_sentence(row)
            if _is_meant(words(sentence.text), said) and len(rows) < MOST_SENTENCES:
                rows.append(row)
                texts.append(sentence.text)
                keys.add(int(here.keys[np.searchsorted(here.offsets, row, side="right") - 1]))
        if not rows:
            vector = self.models.query(space.record).encode_query(request.text)
            return _Source(replace(place, keys=place.keys[:0]), [request.text], vector[None])
        meant = np.array(sorted(keys), np.int64)
        return _Source(replace(place, keys=meant), texts, here.vectors[rows])

    def _compared(self, space: Space, source: _Source, keys: Int64s) -> Iterator[_Compared]:
        """Compare passages with the source."""
        flat, offsets = self.store.sentence_vectors_of(space.key, keys)
        if not flat.size:
            return
        cosines = flat @ source.vectors.T
        passages = self.store.texts.passages(keys)
        known = [set(words(text)) for text in source.texts]
        for key, (low, high) in zip(keys.tolist(), pairwise(offsets.tolist()), strict=True):
            spans = spans_of(passages[key]) if key in passages else []
            compared = []
            for number, (start, end) in enumerate(spans[: high - low]):
                said = set(words(passages[key].text[start:end]))
                shared = np.array([dice(said, each) for each in known])
                same = bool(shared.max() >= SAME)
                mine = int((shared if same else cosines[low + number]).argmax())
                cosine = float(cosines[low + number, mine])
                score = cosine + same * float(shared[mine])
                compared.append(_Compared(score, key, number, mine, cosine, same))
            # The passage may have a sentence that says the same for each sentence of the source.
            twins: dict[int, _Compared] = {}
            for one in sorted(compared):
                if one.same:
                    twins[one.mine] = one
            yield from twins.values() or ([max(compared)] if compared else [])

    def _described(self, source: _Source, ranked: list[_Compared]) -> tuple[Parallel, ...]:
        query = parse("")
        maker = HitMaker(self.catalog, self.store, query, narrow(query, self.catalog))
        made = []
        for one in ranked:
            key, score = np.array([one.key], np.int64), np.array([one.cosine], np.float32)
            hits = maker.similar(key, score, np.array([one.sentence], np.intp), 1)
            made += [_parallel(hit, source, one) for hit in hits]
        return tuple(made)


def _parallel(hit: Hit, source: _Source, one: _Compared) -> Parallel:
    start, end = hit.best
    text = source.texts[one.mine]
    found = Differences()  # in sentences that are merely close, most values differ
    if one.same:
        found = differences(text, hit.text[start:end], source.place.doc.language)
    marks = tuple((start + low, start + high) for low, high in found.second)
    return Parallel(hit, text, one.cosine, one.same, marks, found.pairs)


def _is_meant(sentence: list[str], said: list[str]) -> bool:
    """Whether a selection has most of a sentence, or lies inside it."""
    shared = len(set(sentence) & set(said))
    return (
        shared >= MEANT * len(set(sentence)) or f" {' '.join(said)} " in f" {' '.join(sentence)} "
    )
