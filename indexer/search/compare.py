"""What each of two documents says that the other does not.

Owns the comparison: every statement of one is looked for in the other, by its sentence vector
against all of the other's and by its wording, in both directions. It must not know how vectors are
stored or results are shown.

A statement counts as said in the other document if it stands there in nearly the same words, or if
the other has one that is closer to it in meaning than different statements of one document are to
each other. How close that is, the two documents tell themselves: for each statement the nearest
other one of its own document is found, out of its neighbourhood and without repetitions, and all
but the closest tenth of these lie below the border. So the border is high between texts of one
narrow subject and low between broad ones, and moves with the model; no cosine is written down here.

Vectors of sentences take in what stands around them, title and headings too: even equal sentences
seldom have the cosine 1, and all sentences of one document are alike for what they have in common.
So wording is looked at as well, and the mean of each document's vectors is taken off first; without
that, no clause of one trademark licence was found in another.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.errors import WorldError
from indexer.embed.pooling import unit
from indexer.search.alignment import nearest
from indexer.search.compare_statements import Statement, Wording, overlap, statements
from indexer.search.similar import find_place
from indexer.store import key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.api.progress import CancelToken
    from indexer.catalog import Catalog
    from indexer.search.similar import Place
    from indexer.store import Store

    Floats = NDArray[np.float32]
    Places = NDArray[np.int64]

# Of the nearest different statements of one document, so many are less alike than the border.
BELOW = 0.9
# A statement is said if so much of it stands anywhere in the same words, or if it shares so many
# words with its counterpart.
SAME_WORDS = 0.8
SHARED_WORDS = 0.7
# Candidates of which the one with the most common words is the counterpart.
CLOSEST = 5
# The border is settled on so many statements of each document, evenly spread.
SAMPLE = 2000
# With so many statements, half of what they have in common is taken off.
FEW = 20


@dataclass(frozen=True, slots=True)
class Side:
    """One document, its statements and their centred unit vectors, float32 (n, dim)."""

    place: Place
    said: list[Statement]
    vectors: Floats


def centred(vectors: Floats) -> Floats:
    """Unit vectors without what all of them share: (n, d) to (n, d).

    Of a few vectors the mean is hardly known, so less of it goes.
    """
    share = len(vectors) / (len(vectors) + FEW)
    found: Floats = unit(vectors - np.float32(share) * vectors.mean(axis=0))
    return found


@dataclass(frozen=True, slots=True)
class Matched:
    """The statements of one document looked for in another.

    Attributes:
        partner: Int64 (n,): the counterpart of each, if the other document says it: of those that
            are close, the one with the most common words; -1 where it states nothing at all.
        closest: Int64 (n,): the one that is closest in meaning; -1 likewise.
        cosines: Float32 (n,): how alike that one is.
        said: Bool (n,): whether the other document says it.
    """

    partner: Places
    closest: Places
    cosines: Floats
    said: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparer:
    """Compares documents of one library. Any number of threads may ask."""

    catalog: Catalog
    store: Store

    def compare(self, first: str, second: str, *, limit: int, token: CancelToken) -> dict[str, Any]:
        """See ``indexer.api.contract.EngineApi.compare``.

        Raises:
            WorldError: ``not_a_root``, if the library has no such file; ``not_indexed``, if
                it has no vectors of it.
        """
        started = time.perf_counter()
        one, other = self._side(first), self._side(second)
        token.check()
        border = find_border(one, other)
        token.check()
        there = match(one, other, border)
        token.check()
        back = match(other, one, border)
        changed = _changed(one, other, there, back)
        return {
            "border": border,
            "first": self._told(one, other, there, limit),
            "second": self._told(other, one, back, limit),
            "changed": [
                {"first": one.said[i].to_json(), "second": other.said[j].to_json()}
                for i, j in changed[: limit or None]
            ],
            "changes": len(changed),
            "seconds": time.perf_counter() - started,
        }

    def _side(self, text: str) -> Side:
        place, space = find_place(self.catalog, self.store, text), self.catalog.spaces.active()
        if space is None:
            raise WorldError("not_indexed", path=text)
        whole = np.array([key_of(place.doc.doc, one) for one in range(place.doc.passages)])
        vectors, _ = self.store.sentence_vectors_of(space.key, whole)
        said = statements(self.store.iter_passages([place.doc.doc]), place.doc.language)
        if not len(vectors) or (said and said[-1].row >= len(vectors)):
            raise WorldError("not_indexed", path=text)
        known = centred(vectors[[one.row for one in said]]) if said else vectors[:0]
        meant = np.isin([key_of(place.doc.doc, one.passage) for one in said], place.keys)
        return Side(place, [said[i] for i in np.flatnonzero(meant)], known[meant])

    def _told(self, side: Side, other: Side, matched: Matched, limit: int) -> dict[str, Any]:
        """What one document says alone, by pages; the most different if there is too much."""
        alone = np.flatnonzero(~matched.said)
        shown = alone
        if limit and len(alone) > limit:
            shown = np.sort(alone[np.argsort(matched.cosines[alone], kind="stable")[:limit]])
        only = []
        for number in shown.tolist():
            closest = int(matched.closest[number])
            near = other.said[closest].to_json() if closest >= 0 else None
            cosine = float(matched.cosines[number])
            only.append({**side.said[number].to_json(), "near": near, "cosine": cosine})
        files = self.catalog.files.places([side.place.doc.doc])
        file = files[side.place.doc.doc][0]
        return {
            "path": file.path,
            "file": file.relative,
            "title": side.place.doc.title,
            "format": file.format,
            "pages": side.place.doc.pages,
            "statements": len(side.said),
            "alone": len(alone),
            "only": only,
        }


def find_border(one: Side, other: Side) -> float:
    """The cosine from which statements of two documents count as the same; see above."""
    cosines = np.concatenate([_different(one), _different(other)])
    return float(np.quantile(cosines, BELOW)) if len(cosines) else 1.0


def _different(side: Side) -> Floats:
    """How alike statements are to the nearest other statement of their document, (m,)."""
    step = max(1, len(side.said) // SAMPLE)
    chosen = np.arange(0, len(side.said), step)
    where = np.array([one.passage for one in side.said], np.int64)
    places, cosines = nearest(
        side.vectors[chosen], side.vectors, CLOSEST, near=(where[chosen], where)
    )
    different = [
        float(found[0])
        for number, near, found in zip(chosen.tolist(), places.tolist(), cosines, strict=True)
        if found[0] > -1.0
        and all(overlap(side.said[number], side.said[place]) < SHARED_WORDS for place in near)
    ]
    return np.array(different, np.float32)


def match(one: Side, other: Side, border: float) -> Matched:
    """Look for the statements of one document in another."""
    count = len(one.said)
    places, cosines = nearest(one.vectors, other.vectors, CLOSEST)
    if not places.shape[1]:
        nobody = np.full(count, -1, np.int64)
        return Matched(nobody, nobody, np.zeros(count, np.float32), np.zeros(count, np.bool_))
    wording = Wording(other.said)
    partner = np.zeros(count, np.int64)
    same = np.zeros(count, np.bool_)
    for number, statement in enumerate(one.said):
        shared = [overlap(statement, other.said[place]) for place in places[number].tolist()]
        partner[number] = places[number, int(np.argmax(shared))]
        same[number] = max(shared) >= SHARED_WORDS or wording.share(statement) >= SAME_WORDS
    return Matched(partner, places[:, 0], cosines[:, 0], same | (cosines[:, 0] >= border))


def _changed(one: Side, other: Side, there: Matched, back: Matched) -> list[tuple[int, int]]:
    """Counterparts of each other that differ in numbers or in a negation, in order."""
    changed = []
    for number in np.flatnonzero(there.said).tolist():
        partner = int(there.partner[number])
        if int(back.partner[partner]) != number or not back.said[partner]:
            continue
        if _differ(one.said[number], other.said[partner]):
            changed.append((number, partner))
    return changed


def _differ(one: Statement, other: Statement) -> bool:
    # Each must have something that the other lacks: either may be a part of a longer sentence.
    if one.numbers - other.numbers and other.numbers - one.numbers:
        return True
    return one.negations != other.negations and overlap(one, other) >= SHARED_WORDS
