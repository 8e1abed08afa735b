"""The re-ranking pass adds features of the text of leading passages to their scores.

The features are the overlap of headings with the question, the share of its words that stand
together, and the share of digits: the answer to "the margin of 2018" is more often in a table than
in a sentence, and a table has hardly any word of the question. Copies get equal scores.
``indexer.search.fusion`` says what each feature is for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from indexer.search.fusion import WORDS_POWER, Scored, Weights
from indexer.store.values import docs_of
from indexer.text.name_words import last_year
from indexer.text.terms import iter_stems, stems, stop_words, words

if TYPE_CHECKING:
    Occurrence = tuple[int, float]  # number and idf of a word of the question

    from indexer.arrays import Float32s, Indices, Int64s
    from indexer.search.query_terms import QueryTerms, StemWeights
    from indexer.store.store import Store


# Passages of ``NOT_SHORT`` or more characters get no penalty; it is constant below ``SHORTEST``.
NOT_SHORT = 1000
SHORTEST = 50
# Text with this share of digits or more is a table.
TABLE_DIGITS = 0.2
# A question asks for figures if this share of the leading passages are tables. The second is for a
# question with a figure, which alone is little evidence: "who sued us in 2018".
TABLES_LEAD, TABLES_LEAD_FIGURE = 0.4, 0.2
# The weight of words that stand together, relative to BM25, which rises as words repeat.
TOGETHER = 0.7


class RerankEvidence(Struct, frozen=True):
    """The re-ranking evidence for k leading passages; arrays are float32 of shape (k,).

    ``around`` is the sum of the similarities of the whole query to the passages before and after.
    ``heading`` is the share of a heading's words that the question has, 0 to 1. ``length`` is the
    number of characters, and ``figures`` the share of digits among them. ``near`` is the largest
    share of the question's words, by idf, that stand close together. ``same`` (intp) is equal for
    passages of a document with the same text. ``long`` is 0 to 1 by the length of the question, as
    ``near`` needs a long one; ``figure`` says whether the question has a figure.
    """

    around: Float32s
    heading: Float32s
    length: Float32s
    figures: Float32s
    near: Float32s
    same: Indices
    long: float = 0.0
    figure: bool = False


def rerank(scored: Scored, leading: Indices, evidence: RerankEvidence, weights: Weights) -> Scored:
    """Add the re-ranking evidence to the scores of the leading passages.

    Args:
        scored: The scores of n passages.
        leading: Shape (k,): the indices of the leading ones.
        evidence: The evidence of these k passages.
    """
    count = len(scored.words)
    length = np.clip(evidence.length, SHORTEST, NOT_SHORT) / np.float32(NOT_SHORT)
    shortness: Float32s = np.log(length).astype(np.float32)
    tables = np.minimum(evidence.figures / np.float32(TABLE_DIGITS), np.float32(1.0))
    enough = TABLES_LEAD_FIGURE if evidence.figure else TABLES_LEAD
    numeric = len(tables) > 0 and float(tables.mean()) >= enough
    # In a table the question's words are heads of columns and rows and do not stand together.
    long = 0.0 if numeric else evidence.long
    together = weights.words * np.float32(TOGETHER) * evidence.near**WORDS_POWER
    there = scored.words[leading]
    moved = weights.near * long * (together - there)
    reranked = replace(
        scored,
        words=scored.words + _scatter(leading, moved, count),
        around=_scatter(leading, weights.around * evidence.around, count),
        heading=_scatter(leading, weights.heading * evidence.heading, count),
        short=_scatter(leading, weights.short * shortness, count),
        figures=_scatter(leading, weights.figures * tables * numeric, count),
    )
    return _equal_copies(reranked, leading, evidence.same)


def _equal_copies(scored: Scored, leading: Indices, same: Indices) -> Scored:
    """Set the scores of copies among the leading passages to the best of each group."""
    best_first = np.argsort(-scored.total[leading], kind="stable")
    _, first, group = np.unique(same[best_first], return_index=True, return_inverse=True)
    source = np.arange(len(scored.meaning))
    source[leading[best_first]] = leading[best_first[first[group]]]
    return Scored(**{name: values[source] for name, values in asdict(scored).items()})


def _scatter(places: Indices, values: Float32s, count: int) -> Float32s:
    """An array of length ``count`` with values at some indices, 0 elsewhere."""
    spread = np.zeros(count, np.float32)
    spread[places] = values
    return spread


# A passage's own heading and the one above. Higher ones are of chapters and on every page.
NEAREST_HEADINGS = 2
_PERCENT = "%‰"
_DIGITS = b"0123456789"
_FIGURE = re.compile(r"\d")
# Words within this distance stand together; it is about a sentence.
NEAR = 25
# All words of a short question may be in the title of its answer. From ``LONG`` words on, a passage
# with scattered words is seldom more than on topic.
SHORT, LONG = 3, 8


def rerank_evidence(
    store: Store, terms: QueryTerms, keys: Int64s, around: Float32s
) -> RerankEvidence:
    """Read k passages for the re-ranking pass; ``around``, (k,), is part of the evidence."""
    passages = store.texts.passages(keys)
    wanted = frozenset(term.text for term in terms.question_terms)
    weights = terms.stem_weights()
    groups = any(map(_FIGURE.search, weights.by_stem))  # all words written in groups have figures
    long = min(max((weights.words - SHORT) / (LONG - SHORT), 0.0), 1.0)
    heading, length, digits, near = np.zeros((4, len(keys)), np.float32)
    same = np.arange(len(keys))
    first: dict[tuple[int, str], int] = {}
    for at, (key, doc) in enumerate(zip(keys.tolist(), docs_of(keys).tolist(), strict=True)):
        if key in passages:
            found = passages[key]
            heading[at] = heading_share(found.heading_path, wanted, terms.languages)
            length[at] = found.char_end - found.char_start
            digits[at] = digit_share(found.view)
            if long:
                stems_of = iter_stems(found.view, found.language, groups=groups)
                near[at] = share_together(map(weights.by_stem.get, stems_of), weights)
            same[at] = first.setdefault((doc, found.view), at)
    figure = has_figure(terms.question)
    return RerankEvidence(around, heading, length, digits, near, same, long, figure)


def has_figure(question: str) -> bool:
    """Whether a question has a year, a percent sign or a currency sign in it.

    Other digits belong to names, rules and doses.

    >>> has_figure("operating margin of FY2018"), has_figure("who pays in €?")
    (True, True)
    >>> has_figure("may the lease be ended under Rule 22.4?")
    False
    """
    return last_year(question) is not None or any(
        char in _PERCENT or unicodedata.category(char) == "Sc" for char in question
    )


def share_together(stems: Iterable[Occurrence | None], weights: StemWeights) -> float:
    """The largest share of a question's words, by idf, that stand within ``NEAR`` words.

    The stems of a text are given as the index and idf of a word of the question, or None.

    >>> from indexer.search.query_terms import StemWeights
    >>> lease, end = (0, 1.0), (1, 3.0)
    >>> weights = StemWeights({"lease": lease, "end": end}, 2, 4.0)
    >>> share_together([lease, None, end], weights), share_together([end], weights)
    (1.0, 0.75)
    """
    found = [(at, *word) for at, word in enumerate(stems) if word]
    best = inside = 0.0
    first, counts = 0, [0] * weights.words
    for at, number, weight in found:
        if not counts[number]:
            inside += weight
        counts[number] += 1
        while found[first][0] < at - NEAR:
            _, left, lost = found[first]
            counts[left] -= 1
            if not counts[left]:
                inside -= lost
            first += 1
        best = max(best, inside)
    return best / weights.total if weights.total else 0.0


def digit_share(text: str) -> float:
    """The share of digits among the characters of a text, 0 to 1.

    >>> digit_share("Cash 12, 45")
    0.36363636363636365
    """
    written = text.encode(errors="replace")  # a lone surrogate is not a digit
    without = written.translate(None, _DIGITS)
    return (len(written) - len(without)) / len(text) if text else 0.0


def heading_share(path: Sequence[str], wanted: frozenset[str], languages: tuple[str, ...]) -> float:
    """The share of the words of a passage's nearest headings that a question has, 0 to 1.

    A heading is short and summarises the text below it, so the share of the heading counts, and not
    the share of the question.

    >>> wanted = frozenset(["cash", "flow", "statement", "2018"])
    >>> heading_share(["Item 8", "Consolidated Statements of Cash Flows"], wanted, ("en",))
    0.75

    Args:
        path: The headings above a passage; its own is the last.
        wanted: The stems of the question.
        languages: Words are stemmed in these; a word counts if one of its stems is wanted.
    """
    shares = [0.0]
    for heading in path[-NEAREST_HEADINGS:]:
        if content := _content_words(heading, languages):
            found = sum(not wanted.isdisjoint(forms) for forms in content)
            shares.append(found / len(content))
    return max(shares)


@lru_cache(maxsize=4096)
def _content_words(heading: str, languages: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The stems of each word of a heading, without stop words."""
    empty = {word for language in languages for word in stop_words(language)}
    found = [word for word in dict.fromkeys(words(heading)) if word not in empty]
    return tuple(
        frozenset(stem for one in languages or ("",) for stem in stems(word, one).split())
        for word in found
    )
