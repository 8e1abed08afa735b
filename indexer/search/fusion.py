"""Computes one score from all evidence for the document that is meant and the page that answers.

The arithmetic of the re-ranking pass is in ``indexer.search.rerank``. The score of a passage is the
sum of:

* *Page evidence.* Meaning is the cosine of the passage (pooled vector and best sentence, MaxSim
  with one query vector) with the whole query and with its question in equal parts. Words are the
  BM25 of the question as a share of the highest possible one, squared: a passage with nearly all
  rare words of a question is likely the answer, one with half of them is seldom more than on topic.
  Words of the likeliest document's name are left out, as they say which document is meant.
  Without vectors, function words of a question have a quarter of their weight, and the weights of
  headings and length shrink with the share of words in the best passage. The substitute for
  meaning is the BM25 of the whole query, divided by that of the best passage, unless the query has
  context. A passage without vectors gets the mean meaning of the others that were found. With 0
  it would rank below any passage that is just less unrelated, while few passages are embedded.
* *Document evidence.* The similarity of file names to the query if one is near, the words of names
  in the query, names of the query in the document's first lines, and the BM25 of whole documents
  without the words of any question, which are most frequent in documents that are written as
  questions. The BM25 is multiplied by its clarity, the lead of the best document over the second,
  as otherwise words common to many would decide, and by the share of the query's words that the
  library has. First lines with a whole name count up to twice, by their own clarity. Words and
  first lines count up to twice again if the query names a document. A document whose name has a
  year, but not the last one of the query, gets a penalty: all of it if the document is older (the
  report of 2018 cannot cover 2020), else half.
* *The re-ranking pass* adds features to the leading passages that cost a read, or are noise for
  most passages. They are the similarity of the passages before and after (answers occur in text on
  their topic), the share of the heading's words in the question (tables are described only there),
  and a penalty for short text, whose vector is near to anything on its topic. If the question asks
  for figures, the share of digits is another. It does if tables lead by its words and meaning; half
  as many tables are enough if it has a year, percentage or sum itself. In any other long question,
  half of the words' weight goes to words that stand together in the passage.
* *Another language.* If most words of a query do not occur in the library, the weights of names,
  neighbours and length are multiplied by the share that does, and the best sentence weighs more.
* *Copies* within a document have the score of the best of them, and the first is listed first.

On contracts and reports, convex fusion of normalised scores or of reciprocal ranks is worse than
vectors alone, because the words that identify the document occur everywhere in it. Squaring the
share and scoring documents separately avoids that, and keeps the gain of words on running text.
`make bench-ranking` measures each part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Indices


# BM25's term weight approaches (k1 + 1) · idf as a term repeats. tantivy has k1 = 1.2.
BM25_CEILING = 2.2
WORDS_POWER = 2
# The number of passages that are re-ranked; more make no difference.
RERANKED = 64
# A name is full evidence from this sum of idf on, as chance matches of one or two words are common
# ("agreement" in a question without a name).
NAME_FLOOR = 10.0
# The same for pairs of neighbouring words in a document's first lines.
OPENING_FLOOR = 6.0
# A query counts as in the library's language from this share of words, by idf, that occur in the
# library. Some forms of words never occur, even in the same language.
FAMILIAR = 0.5
UNFAMILIAR_SENTENCE = 0.2  # added to ``Weights.sentence`` if no word of the query occurs


class Weights(Struct, frozen=True):
    """The parameters of the fusion; one setting serves every library."""

    sentence: float = 0.6  # share of the best sentence in meaning; the pooled vector has the rest
    question: float = 0.5  # share of the question in meaning; the whole query has the rest
    words: float = 1.5
    near: float = 0.5  # share in words for a long question; BM25 has the rest
    around: float = 0.1  # for each of the passages before and after
    heading: float = 0.1
    short: float = 0.05  # for each factor e by which text is shorter than usual
    figures: float = 0.15  # for a table, if the question asks for figures
    name_meaning: float = 0.3
    name_words: float = 0.5
    opening: float = 0.2
    document_words: float = 2.0
    year: float = 0.2  # subtracted if the document's year is before the query's

    def for_coverage(self, coverage: float) -> Weights:
        """The weights for a query if only a share of its words, ``coverage``, is in the library.

        Its answers are probably in another language. Their cosines then vary less, so that minor
        features would outweigh them, and the best sentence is more reliable than the pooled vector.
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
        """The weights if no meaning is known; ``share``, (n,), is the passages' share of the words.

        If even the best passage has few words, headings and length would outweigh the words. So
        their weights shrink with its share.
        """
        most = float(share.max(initial=0.0)) ** WORDS_POWER
        return replace(self, heading=self.heading * most, short=self.short * most)


DEFAULT_WEIGHTS = Weights()


class PageEvidence(Struct, frozen=True):
    """The evidence for each of n passages; every array is float32 of shape (n,).

    The cosines are with the whole query and with its question. ``share`` is the BM25 for the
    question, divided by the highest possible one, 0 to 1. Cosines of a passage without vectors are
    0.
    """

    pooled: Float32s
    pooled_question: Float32s
    sentence: Float32s
    sentence_question: Float32s
    share: Float32s


class DocumentEvidence(Struct, frozen=True):
    """The evidence for each of m documents; arrays are float32 of shape (m,).

    Values are from 0 to 1, except ``opening``, from 0 to 2.

    ``clarity`` is the lead of the library's best document by words over the second best. ``year``
    is 1 if the year in a document's name is before the query's, and less if it is later.
    ``opening`` is for names of the query in the first lines. ``named`` is how much of a name the
    query has.
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
        """The indices of the passages to re-rank, best first."""
        return np.argsort(-self.total, kind="stable")[:RERANKED]


def bm25_shares(bm25: Float32s, ceiling: float) -> Float32s:
    """BM25 scores divided by the highest possible one: (n,) to (n,), 0 to 1."""
    if ceiling <= 0.0:
        return np.zeros_like(bm25)
    found: Float32s = np.clip(bm25 / np.float32(ceiling), 0.0, 1.0, dtype=np.float32)
    return found


def relative(scores: Float32s, floor: float = 0.0) -> Float32s:
    """Scores divided by their maximum, or by the floor if it is larger: (n,) to (n,)."""
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
