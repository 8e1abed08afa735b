"""One score from all evidence: which document is meant, and which of its pages answers.

The arithmetic of the re-ranking pass is in ``indexer.search.rerank``. The score of a passage is the
sum of:

* *Page evidence.* Meaning is the cosine of the passage (pooled vector and best sentence, MaxSim
  with one query vector) to the whole query and to its question in equal parts. Words are the BM25
  of the question as a share of what a passage could reach at all, squared: a passage with nearly
  all rare words of a question is likely the answer, one with half of them is seldom more than on
  topic. Words of the likeliest document's name are left out: they say which document is meant.
  Without vectors the function words of a question count a quarter, and headings and length the
  less the fewer of its words the best passage has; for meaning stands the BM25 of the whole query,
  over that of the best passage, unless a part of the query says where to look.
  A passage that is not embedded yet gets the mean meaning of the others that were found: with none
  at all, it would rank below what is only least far from the question among the first embedded.
* *Document evidence.* The similarity of file names to the query if one is near, the words of names
  in the query, names of the query in the document's first lines, and the BM25 of whole documents,
  without the words that any question has, which stand in documents written as questions most. The
  last counts by its clarity, the lead of the best document over the second: without a lead, words
  common to many would decide; and by how much of the query the library has words for. First lines
  with all of a name count up to twice by their own clarity. Both, words and first lines, count up
  to twice again if the query names a document. A document whose name has a year, but not the last
  one of the query, gets a penalty: the whole if it is older (the report of 2018 cannot cover 2020),
  else half.
* *The re-ranking pass* over the leading passages adds features that cost a read, or are noise for
  most passages: the similarity of the passages before and after (answers occur in text on their
  topic), the share of the heading's words in the question (tables are described only there), a
  penalty for short text, whose vector is near to anything on its topic, and, if the question asks
  for figures, the share of digits: it does if tables lead for its words and meaning, half as many
  being enough where it has a year, percentage or sum itself. In any other long question, half of
  the words' weight goes to those that stand together in the passage.
* *Another language.* If most words of a query do not occur in the library, the weights of names,
  neighbours and length are multiplied by the share that does, and the best sentence weighs more.
* *Copies* within a document score as the best of them, and the first is listed first.

Convex fusion of normalised scores or of reciprocal ranks does worse on contracts and reports than
vectors alone, because the words that identify the document occur all over it; squaring the share
and scoring documents separately avoids that, and keeps the gain of words on running text.
`make bench-ranking` prints what each part is worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Indices


# BM25's term weight approaches (k1 + 1) · idf as a term repeats; with k1 = 1.2, as LanceDB has it.
BM25_CEILING = 2.2
WORDS_POWER = 2
# Passages that are re-ranked; more change nothing.
RERANKED = 64
# The sum of idf at which a name is full evidence: chance matches of one or two words are common
# ("agreement" in a question without a name).
NAME_FLOOR = 10.0
# The same for pairs of neighbouring words where a document begins.
OPENING_FLOOR = 6.0
# The share of a query's words in the library, by idf, from which the query counts as being in its
# language; some forms of its own words do not occur in it either.
FAMILIAR = 0.5
UNFAMILIAR_SENTENCE = 0.2  # added to ``Weights.sentence`` if no word of the query occurs


class Weights(Struct, frozen=True):
    """The parameters of the fusion; one setting serves every library."""

    sentence: float = 0.6  # of the best sentence within meaning; the pooled vector has the rest
    question: float = 0.5  # of the question within meaning; the whole query has the rest
    words: float = 1.5
    near: float = 0.5  # of a long question within words; BM25 has the rest
    around: float = 0.1  # of the passages before and after, each
    heading: float = 0.1
    short: float = 0.05  # for each e-fold that text is shorter than usual
    figures: float = 0.15  # of a table of figures, where figures are asked for
    name_meaning: float = 0.3
    name_words: float = 0.5
    opening: float = 0.2
    document_words: float = 2.0
    year: float = 0.2  # taken off a document of a year before the one that is asked for

    def for_coverage(self, coverage: float) -> Weights:
        """The weights for a query only a share of whose words occurs in the library.

        Its passages are probably in another language. Their cosines then have a smaller spread, so
        that minor features would outweigh them, and the best sentence is more reliable than the
        pooled vector.
        """
        share = min(coverage / FAMILIAR, 1.0)
        return replace(
            self,
            sentence=self.sentence + UNFAMILIAR_SENTENCE * (1.0 - share),
            around=self.around * share,
            short=self.short * share,
            name_meaning=self.name_meaning * share,
        )

    def for_words_alone(self, share: Float32s) -> Weights:
        """The weights where no meaning is known, by what passages reach of the words, (n,).

        Where the best has few of them, headings and length would outweigh words, which are all
        there is, so these count as much less as it reaches less.
        """
        most = float(share.max(initial=0.0)) ** WORDS_POWER
        return replace(self, heading=self.heading * most, short=self.short * most)


DEFAULT_WEIGHTS = Weights()


class PageEvidence(Struct, frozen=True):
    """The evidence for each of n passages; every array is float32 of shape (n,).

    The cosines are to the whole query and to its question; ``share`` is the passage's BM25 for
    the question over the most any passage could reach, 0 to 1; ``around`` is the sum of the
    cosines of the passages before and after to the whole query. Those of a passage that has no
    vectors yet are 0.
    """

    pooled: Float32s
    pooled_question: Float32s
    sentence: Float32s
    sentence_question: Float32s
    share: Float32s
    around: Float32s


class DocumentEvidence(Struct, frozen=True):
    """The evidence for each of m documents; arrays are float32 of shape (m,).

    They are from 0 to 1, but for ``opening``, which is up to 2.

    ``clarity`` is the lead of the best document by words over the second best of the library;
    ``year`` is 1 for a document whose name has a year before the one that is asked for, less for a
    later one; ``opening`` is for names of the query in the first lines; ``named`` is how much of a
    name the query has.
    """

    name_meaning: Float32s
    name_words: Float32s
    words: Float32s
    year: Float32s
    opening: Float32s
    clarity: float
    named: float = 0.0


class Scored(Struct, frozen=True):
    """The parts of the scores of n passages, float32 of shape (n,), and their sum.

    ``short`` is 0 or below; it, ``around``, ``heading`` and ``figures`` are 0 before re-ranking.
    ``unknown`` stands for the meaning of passages that have no vectors.
    """

    meaning: Float32s
    unknown: Float32s
    words: Float32s
    document: Float32s
    around: Float32s
    heading: Float32s
    short: Float32s
    figures: Float32s

    @property
    def total(self) -> Float32s:
        first = self.meaning + self.unknown + self.words + self.document
        return first + self.around + self.heading + self.short + self.figures

    def leading(self) -> Indices:
        """Which passages are re-ranked, best first."""
        return np.argsort(-self.total, kind="stable")[:RERANKED]


def bm25_shares(bm25: Float32s, ceiling: float) -> Float32s:
    """BM25 scores as shares of the most the query's terms can give: (n,) to (n,), 0 to 1."""
    if ceiling <= 0.0:
        return np.zeros_like(bm25)
    found: Float32s = np.clip(bm25 / np.float32(ceiling), 0.0, 1.0, dtype=np.float32)
    return found


def relative(scores: Float32s, floor: float = 0.0) -> Float32s:
    """Scores over their maximum, or over the floor where that is larger: (n,) to (n,)."""
    if not len(scores):
        return scores
    top = max(float(scores.max()), floor)
    if np.float32(top) <= np.finfo(np.float32).tiny:
        return np.zeros_like(scores)
    found: Float32s = np.clip(scores / np.float32(top), 0.0, 1.0, dtype=np.float32)
    return found


def clarity(scores: Float32s) -> float:
    """How far the best score leads the second: 0 (not at all) to 1 (there is no second)."""
    if not len(scores):
        return 0.0
    if len(scores) == 1:
        return 1.0
    at = int(scores.argmax())
    best, others = scores[at], (scores[:at], scores[at + 1 :])
    second = max(part.max() for part in others if len(part))
    return float(1.0 - second / best) if best > 0.0 else 0.0


def score_documents(documents: DocumentEvidence, weights: Weights) -> Float32s:
    """The part of the score that a document gives to all its passages: float32 (m,)."""
    score: Float32s = (
        weights.name_meaning * documents.name_meaning
        + weights.name_words * documents.name_words
        + weights.opening * (1 + documents.named) * documents.opening
        + weights.document_words * documents.clarity * (1 + documents.named) * documents.words
        - weights.year * documents.year
    ).astype(np.float32)
    return score


def fuse(
    pages: PageEvidence, documents: DocumentEvidence, owner: Indices, weights: Weights
) -> Scored:
    """Score all passages; ``rerank.rerank`` adds the evidence of the leading ones.

    Args:
        pages: Evidence of n passages.
        documents: Evidence of m documents.
        owner: Shape (n,): the index of each passage's document among the m.
    """
    whole = weights.sentence * pages.sentence + (1 - weights.sentence) * pages.pooled
    asked = (
        weights.sentence * pages.sentence_question + (1 - weights.sentence) * pages.pooled_question
    )
    meaning = weights.question * asked + (1 - weights.question) * whole
    words = weights.words * pages.share**WORDS_POWER
    embedded = (pages.pooled != 0.0) | (pages.sentence != 0.0)
    usual = meaning[embedded].mean() if embedded.any() else 0.0
    none = np.zeros(len(owner), np.float32)
    return Scored(
        meaning=meaning.astype(np.float32),
        unknown=np.where(embedded, 0.0, usual).astype(np.float32),
        words=words.astype(np.float32),
        document=score_documents(documents, weights)[owner],
        around=none,
        heading=none,
        short=none,
        figures=none,
    )
