"""Finds the statements of each of two documents that the other does not contain.

Every statement of each document is searched in the other, by its sentence vector among all vectors
of the other and by its wording.

A statement counts as contained if the other document has it in nearly the same words, or has a
statement whose cosine with it is above a threshold. The threshold comes from the two documents. For
each statement the nearest different one of its own document is found, except neighbours and
repetitions; 90 % of these cosines are below the threshold. So it is high for texts on a narrow
subject, low for broad ones, and fits the model. Versions of one text are mostly the same word for
word, and their counterparts are much closer; there the threshold lies halfway between. Sentences
too short for a vector of their own are then searched by wording.

Vectors of sentences include their context, title and headings. So even equal sentences seldom have
the cosine 1, and all sentences of a document share a component. Therefore wording is compared as
well, and the mean of each document's vectors is subtracted; without that, no clause of one
trademark licence was found in another.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.answers import Change, Comparison, ComparisonSide, LoneStatement
from indexer.embed.batches import unit_vectors
from indexer.search.alignment import nearest
from indexer.search.compare_statements import (
    ReadStatement,
    Wording,
    new_pieces,
    overlap,
    statements,
)
from indexer.search.similar import SourcePassages, find_source
from indexer.store.values import key_of, keys_of
from indexer.text.differences import differences
from indexer.text.terms import word_spans, words

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.api.types import Span
    from indexer.arrays import Float32s, Int64s, Mask
    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store


# The threshold is this quantile of the cosines of nearest different statements.
QUANTILE = 0.9
# A statement is contained if ``SAME_WORDS`` of it occurs anywhere in the same wording, or if its
# counterpart has ``SHARED_WORDS`` of its words.
SAME_WORDS = 0.8
SHARED_WORDS = 0.7
# Documents are versions of one text if this share of both is in the same wording.
VERSIONS = 0.5
# The counterpart is the one with the most common words among this many closest statements.
CLOSEST = 5
# The threshold is measured on at most this many evenly spread statements of each document.
SAMPLE = 2000
# At this number of statements half of their mean is subtracted.
FEW = 20
# The dimension of vectors of words, which are used until a document has vectors.
WORD_DIMENSIONS = 512


class ComparedDocument(Struct, frozen=True):
    """A document with its statements and their centred unit vectors, float32 (n, dim).

    Without vectors in the store, ``vectors`` is empty until it is replaced by ``word_vectors``.
    """

    place: SourcePassages
    statements: list[ReadStatement]
    vectors: Float32s
    has_vectors: bool = True


def centred(vectors: Float32s) -> Float32s:
    """Unit vectors minus their common component: (n, d) to (n, d).

    The mean of a few vectors is a poor estimate, so less of it is subtracted.
    """
    share = len(vectors) / (len(vectors) + FEW)
    found: Float32s = unit_vectors(vectors - np.float32(share) * vectors.mean(axis=0))
    return found


def word_vectors(said: list[ReadStatement]) -> Float32s:
    """Centred unit vectors of the words of statements, hashed: (n, ``WORD_DIMENSIONS``)."""
    counts = np.zeros((len(said), WORD_DIMENSIONS), np.float32)
    for row, statement in enumerate(said):
        for word in statement.words:
            counts[row, crc32(word.encode("utf-8", "replace")) % WORD_DIMENSIONS] += 1
    return centred(counts) if said else counts


class StatementMatches(Struct, frozen=True):
    """The result of searching the statements of one document in another.

    Attributes:
        partner: Int64 (n,): the counterpart of each: among the closest statements, the one with the
            most common words. -1 if the other document has no statements.
        closest: Int64 (n,): the statement that is closest in meaning; -1 as for ``partner``.
        cosines: Float32 (n,): the cosine of the closest statement.
        same: Bool (n,): whether the other document has it in nearly the same words.
        wording: The wording of the other document.
    """

    partner: Int64s
    closest: Int64s
    cosines: Float32s
    same: Mask
    wording: Wording

    def present(self, threshold: float) -> Mask:
        """Whether the other document contains each statement, bool (n,)."""
        return self.same | (self.cosines >= threshold)


class Comparer(Struct, frozen=True):
    """Compares documents of one library. Thread-safe."""

    catalog: Catalog
    store: Store

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> Comparison:
        """See ``indexer.api.requests.Compare``.

        Raises ``not_a_root`` if the library has no such file, ``not_indexed`` if it has no readable
        text.
        """
        started = time.perf_counter()
        one, other = self._side(first), self._side(second)
        by_words = not (one.has_vectors and other.has_vectors)
        if by_words:
            one, other = (
                replace(side, vectors=word_vectors(side.statements)) for side in (one, other)
            )
        token.check()
        there = match_statements(one, other)
        token.check()
        back = match_statements(other, one)
        token.check()
        cosines = np.concatenate([_different(one), _different(other)])
        threshold = float(np.quantile(cosines, QUANTILE)) if len(cosines) else 1.0
        versions = bool(len(there.same) and len(back.same)) and bool(
            min(there.same.mean(), back.same.mean()) >= VERSIONS
        )
        if versions:
            alike = np.concatenate([each.cosines[each.same] for each in (there, back)])
            threshold = (threshold + float(np.median(alike))) / 2
        changed = _changed(one, other, there, back, threshold)
        return Comparison(
            first=self._describe(one, other, there, threshold, limit, versions=versions),
            second=self._describe(other, one, back, threshold, limit, versions=versions),
            changes=len(changed),
            changed=tuple(
                _change(one.statements[i], other.statements[j], one.place.doc.language)
                for i, j in changed[: limit or None]
            ),
            border=threshold,
            seconds=time.perf_counter() - started,
            by_words=by_words,
        )

    def _side(self, text: str) -> ComparedDocument:
        place, space = find_source(self.catalog, self.store, text), self.catalog.spaces.active()
        whole = keys_of(place.doc.doc, place.doc.passages)
        vectors, _ = self.store.sentence_vectors_of(space.key if space else "", whole)
        said = statements(self.store.texts.iter_passages([place.doc.doc]), place.doc.language)
        meant = np.isin([key_of(place.doc.doc, one.passage) for one in said], place.keys)
        chosen = [said[i] for i in np.flatnonzero(meant)]
        if not len(vectors) or (said and said[-1].row >= len(vectors)):
            return ComparedDocument(place, chosen, np.zeros((0, 0), np.float32), has_vectors=False)
        known = centred(vectors[[one.row for one in said]]) if said else vectors[:0]
        return ComparedDocument(place, chosen, known[meant])

    def _describe(
        self,
        side: ComparedDocument,
        other: ComparedDocument,
        matched: StatementMatches,
        threshold: float,
        limit: int,
        *,
        versions: bool,
    ) -> ComparisonSide:
        """Describe the statements that only one document has, at most ``limit`` of them."""
        alone = []
        for number, present in enumerate(matched.present(threshold).tolist()):
            closest = int(matched.closest[number])
            near = other.statements[closest].statement if closest >= 0 else None
            read, cosine = side.statements[number], float(matched.cosines[number])
            if not present:
                alone.append(LoneStatement.beside(read.statement, near, cosine))
            elif versions:
                pieces = new_pieces(read, matched.wording, side.place.doc.language)
                alone += [LoneStatement.beside(piece, None, threshold) for piece in pieces]
        only = alone
        if limit and len(alone) > limit:
            most = set(np.argsort([one.cosine for one in alone], kind="stable")[:limit].tolist())
            only = [one for number, one in enumerate(alone) if number in most]
        files = self.catalog.files.by_document([side.place.doc.doc])
        file = files[side.place.doc.doc][0]
        return ComparisonSide(
            path=file.path,
            file=file.relative,
            title=side.place.doc.title,
            format=file.format,
            pages=side.place.doc.pages,
            statements=len(side.statements),
            alone=len(alone),
            only=tuple(only),
        )


def _different(side: ComparedDocument) -> Float32s:
    """The cosines of statements to the nearest different one of their document, (m,)."""
    step = max(1, len(side.statements) // SAMPLE)
    chosen = np.arange(0, len(side.statements), step)
    where = np.array([one.passage for one in side.statements], np.int64)
    places, cosines = nearest(
        side.vectors[chosen], side.vectors, CLOSEST, near=(where[chosen], where)
    )
    different = [
        float(found[0])
        for number, near, found in zip(chosen.tolist(), places.tolist(), cosines, strict=True)
        if found[0] > -1.0
        and all(
            overlap(side.statements[number], side.statements[place]) < SHARED_WORDS
            for place in near
        )
    ]
    return np.array(different, np.float32)


def match_statements(one: ComparedDocument, other: ComparedDocument) -> StatementMatches:
    """Search the statements of one document in another."""
    count, wording = len(one.statements), Wording(other.statements)
    places, cosines = nearest(one.vectors, other.vectors, CLOSEST)
    if not places.shape[1]:
        nobody = np.full(count, -1, np.int64)
        return StatementMatches(
            nobody, nobody, np.zeros(count, np.float32), np.zeros(count, np.bool_), wording
        )
    partner = np.zeros(count, np.int64)
    same = np.zeros(count, np.bool_)
    for number, statement in enumerate(one.statements):
        shared = [overlap(statement, other.statements[place]) for place in places[number].tolist()]
        partner[number] = places[number, int(np.argmax(shared))]
        same[number] = max(shared) >= SHARED_WORDS or wording.share(statement) >= SAME_WORDS
    return StatementMatches(partner, places[:, 0], cosines[:, 0], same, wording)


def _changed(
    one: ComparedDocument,
    other: ComparedDocument,
    there: StatementMatches,
    back: StatementMatches,
    threshold: float,
) -> list[tuple[int, int]]:
    """Pairs of mutual counterparts that differ in numbers, names or a negation, in order."""
    changed, known, language = [], back.present(threshold), one.place.doc.language
    for number in np.flatnonzero(there.present(threshold)).tolist():
        partner = int(there.partner[number])
        if int(back.partner[partner]) != number or not known[partner]:
            continue
        mine, theirs = one.statements[number], other.statements[partner]
        # Each must have a number that the other lacks, as one may be a part of a longer sentence.
        numbers = mine.numbers - theirs.numbers and theirs.numbers - mine.numbers
        # In other words, other names and negations may say the same.
        if numbers or (
            overlap(mine, theirs) >= SHARED_WORDS
            and (
                mine.negations != theirs.negations
                or differences(mine.statement.text, theirs.statement.text, language).pairs
            )
        ):
            changed.append((number, partner))
    return changed


def _change(one: ReadStatement, other: ReadStatement, language: str) -> Change:
    first, second = one.statement, other.statement
    found = differences(first.text, second.text, language)
    mine = sorted((*found.first, *_negated(one, other)))
    theirs = sorted((*found.second, *_negated(other, one)))
    return Change(first, second, tuple(mine), tuple(theirs))


def _negated(one: ReadStatement, other: ReadStatement) -> tuple[Span, ...]:
    """The negations of a statement that the other lacks."""
    text, alone = one.statement.text, one.negations - other.negations
    return tuple(span for span in word_spans(text) if alone.intersection(words(text[slice(*span)])))
