"""Explains a passage's similarity to a query: how much each word contributes to the cosine.

For an explanation the model reads the passage again as it did for the index, and the contribution
of each token to the similarity is computed exactly (``indexer.search.alignment``). Tokens are
summed to words with offsets into the canonical text. Attention weights are not used, since they do
not explain similarity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.types import Explanation
from indexer.pipeline.vectors import section_reader
from indexer.query.focus import question
from indexer.query.grammar import parse
from indexer.search.alignment import Alignment, align
from indexer.search.evidence import naming_words
from indexer.search.query_expansion import SHORTEST_PREFIX
from indexer.search.query_terms import QueryTerms, languages_of, prepare_terms
from indexer.text.sentences import is_unspaced
from indexer.text.terms import stems, stop_words, tokens, word_spans, words
from indexer.text.view import make_view

if TYPE_CHECKING:
    from indexer.api.types import Span
    from indexer.arrays import Float32s, Int32s, Int64s
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.embed.batches import EmbedInput
    from indexer.embed.embedder import OnnxEmbedder, TokenStates
    from indexer.embed.factory import ModelsInUse
    from indexer.search.lexicon import Lexicon
    from indexer.store.store import Store
    from indexer.store.values import StoredPassage

# The most code points between two words of a view in the text; running heads are shorter.
_MAX_GAP = 600
# A word is highlighted if its tokens contribute this many standard deviations above the mean.
STANDS_OUT = 1.0


class TokenisedText(Struct, frozen=True):
    """A text with the spans of its words, its tokens' states (n, dim) and their words (n,)."""

    text: str
    spans: list[Span]
    states: Float32s
    owner: Int64s

    @classmethod
    def from_tokens(cls, text: str, tokens: TokenStates) -> Self:
        spans = word_spans(text)
        return cls(text, spans, tokens.states, token_owners(spans, tokens.starts))

    @property
    def words(self) -> list[str]:
        return [self.text[first:last] for first, last in self.spans]

    def shares(self, values: Float32s) -> list[float]:
        """Sum the values of each word's tokens; tokens outside words are left out."""
        owned = self.owner >= 0
        weights = values[owned].astype(np.float64)
        sums: list[float] = np.bincount(self.owner[owned], weights, len(self.spans)).tolist()
        return sums


def describe_match(
    query: TokenisedText,
    passage: TokenisedText,
    text: str,
    language: str,
    terms: QueryTerms,
    phrases: Sequence[str],
) -> Explanation:
    """Decompose a passage's similarity to a query by words.

    Args:
        passage: The view of the passage.
        text: Its canonical text; all places are offsets into it.
        language: The language of the document.
    """
    alignment = align(query.states, passage.states)
    places = find_in_text(text, passage.text, passage.spans)
    shares = passage.shares(alignment.columns)
    common = stop_words(language) or stop_words("en")
    meaningful = [not common.issuperset(words(word)) for word in passage.words]
    outstanding = _outstanding(alignment.columns, passage)
    same = same_words(passage.words, terms, phrases, language)
    shown = [(place, share) for place, share in zip(places, shares, strict=True) if place]
    return Explanation(
        cosine=alignment.total,
        recall=alignment.recall,
        words=tuple((*place, share) for place, share in shown),
        rest=alignment.total - sum(share for _, share in shown),
        query=tuple(zip(query.words, query.shares(alignment.rows), strict=True)),
        marks=_chosen(places, [a and b for a, b in zip(outstanding, meaningful, strict=True)]),
        same=_chosen(places, same),
        pairs=_pairs(alignment, query, passage, common),
    )


def same_words(
    found: Sequence[str], terms: QueryTerms, phrases: Sequence[str], language: str
) -> list[bool]:
    """The words of a passage that match words of a query, in any form.

    Words of a phrase that the passage contains match only inside the phrase. ``found`` are the
    passage's words in order.
    """
    common = stop_words(language) or stop_words("en")
    same = [False] * len(found)
    flat = [(at, word) for at, each in enumerate(found) for word in words(each)]
    for sequence in (*map(words, phrases), *_unknown_words(terms)):
        places = [
            start
            for start in range(len(flat) - len(sequence) + 1)
            if all(flat[start + n][1] == word for n, word in enumerate(sequence))
        ]
        for start in places:
            for at, word in flat[start : start + len(sequence)]:
                same[at] |= word not in common
        common |= frozenset(sequence if places else ())
    wanted = terms.forms(without=common)
    same = [
        known
        or not wanted.isdisjoint(stems(word, language).split())
        or any(one.completed_by(token) for one, _ in terms.question_words for token in tokens(word))
        for known, word in zip(same, found, strict=True)
    ]
    return [
        known or (at > 0 and same[at - 1] and _goes_on(found[at - 1], word, terms))
        for at, (known, word) in enumerate(zip(same, found, strict=True))
    ]


def _goes_on(before: str, word: str, terms: QueryTerms) -> bool:
    """Whether two words are the last of a query whose last word has only one letter so far."""
    if len(terms.question_words) < 2:
        return False
    (first, _), (last, _) = terms.question_words[-2:]
    begun = last.begun and len(last.typed) < SHORTEST_PREFIX
    return begun and word.casefold().startswith(last.typed) and words(before) == [first.word]


def _unknown_words(terms: QueryTerms) -> Iterator[list[str]]:
    """Runs of characters into which the segmenter has split an unknown word."""
    for alone, run in groupby(terms.words, lambda word: len(word) == 1 and is_unspaced(word)):
        together = list(run)
        if alone and len(together) > 1 and "".join(together) in terms.question:
            yield together


def _chosen(places: list[Span | None], flags: list[bool]) -> tuple[Span, ...]:
    return tuple(place for place, flag in zip(places, flags, strict=True) if place and flag)


def _outstanding(columns: Float32s, passage: TokenisedText) -> list[bool]:
    """Words that contribute much per token, as rare words have many tokens and so a large share."""
    inside = columns[passage.owner >= 0]
    if not len(inside):
        return [False] * len(passage.spans)
    counts = passage.shares(np.ones_like(columns))
    border = float(inside.mean() + STANDS_OUT * inside.std())
    pairs = zip(passage.shares(columns), counts, strict=True)
    return [share > border * count for share, count in pairs]


def _pairs(
    alignment: Alignment, query: TokenisedText, passage: TokenisedText, common: frozenset[str]
) -> tuple[tuple[str, str, float], ...]:
    """Pair each content word of the query with the closest word of the passage, closest first."""
    columns = np.flatnonzero(passage.owner >= 0)
    found, pairs = passage.words, []
    for number, word in enumerate(query.words):
        rows = np.flatnonzero(query.owner == number)
        if not len(rows) or not len(columns) or common.issuperset(words(word)):
            continue
        similarity = alignment.cosines[np.ix_(rows, columns)].max(axis=0)
        best = int(np.argmax(similarity))
        pairs.append((word, found[int(passage.owner[columns[best]])], float(similarity[best])))
    return tuple(sorted(pairs, key=lambda pair: -pair[2]))


def token_owners(spans: list[Span], starts: Int32s) -> Int64s:
    """The index of the word that each token belongs to; -1 for none.

    Args:
        spans: Words, ascending.
        starts: The starts of tokens, shape (n,); negative for tokens outside words.
    """
    if not spans:
        return np.full(len(starts), -1, np.int64)
    firsts, lasts = np.array(spans, np.int64).T
    at = np.searchsorted(firsts, starts, side="right") - 1
    inside = (at >= 0) & (starts < lasts[at])
    return np.where(inside, at, -1)


def find_in_text(text: str, view: str, spans: list[Span]) -> list[Span | None]:
    """The spans of a view's words in the canonical text; None for words that are not found.

    A view is folded canonical text without furniture, so its words occur in the text in the same
    order, with gaps for furniture.

    Args:
        text: Canonical text of the passage.
        view: Its view.
        spans: Words in the view, ascending.
    """
    folded = make_view(text)
    found: list[Span | None] = []
    cursor = 0
    for first, last in spans:
        at = folded.text.find(view[first:last], cursor, cursor + _MAX_GAP)
        if at < 0:
            found.append(None)
            continue
        cursor = at + last - first
        found.append((folded.to_canonical(at), folded.to_canonical(cursor - 1) + 1))
    return found


class Explainer(Struct, frozen=True):
    """Explains hits of one library. Thread-safe."""

    catalog: Catalog
    store: Store
    models: ModelsInUse
    lexicon: Lexicon

    def explain_hit(self, text: str, path: Path, start: int) -> Explanation | None:
        """See ``indexer.api.requests.Explain``.

        Raises ``not_a_root`` if the library has no such file, ``not_indexed`` if no passage of the
        file begins there.
        """
        space, doc = self._known(path)
        found = self._read(space, doc, start)
        if found is None:
            raise WorldError("not_indexed", path=str(path))
        passage, read, place = found
        query = parse(text)
        readers = self._readers(space)
        if readers is None or not query.terms:
            return None
        names = naming_words(np.array([doc.doc], np.int32), self.catalog)
        asking = question(query.text, names)
        with self.lexicon.reading() as reading:
            languages = languages_of(self.catalog)
            terms = prepare_terms(query, self.lexicon, reading, languages, passages=1).within(
                asking
            )
        return describe_match(
            TokenisedText.from_tokens(asking, readers[0].query_states(asking)),
            TokenisedText.from_tokens(passage.view, readers[1].passage_states(read, place)),
            passage.text,
            doc.language,
            terms,
            query.phrases,
        )

    def _known(self, path: Path) -> tuple[Space, DocRow]:
        known, space = self.catalog.coverage.document(path), self.catalog.spaces.active()
        if known is None:
            raise WorldError("not_a_root", path=str(path))
        if known[2] is None or space is None:
            raise WorldError("not_indexed", path=str(path))
        return space, known[2]

    def _readers(self, space: Space) -> tuple[OnnxEmbedder, OnnxEmbedder] | None:
        """The embedders of queries and of passages, which are mostly the same.

        None if the model is not available, so that only words are searched.
        """
        try:
            return self.models.query(space.record), self.models.passages(space.record)
        except WorldError:
            return None

    def _read(
        self, space: Space, doc: DocRow, start: int
    ) -> tuple[StoredPassage, list[EmbedInput], int] | None:
        """Read the passage at an offset, the run in which it is embedded, and its index there."""
        reading = section_reader(doc, space)
        for run in reading.runs(self.store.texts.iter_passages([doc.doc])):
            for place, passage in enumerate(run.passages):
                if passage.char_start == start:
                    before = () if run.before is None else (run.before,)
                    read = [reading.input(one) for one in (*before, *run.passages)]
                    return passage, read, place + len(before)
        return None
