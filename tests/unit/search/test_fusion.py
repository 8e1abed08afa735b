"""The arithmetic of ranking, against plain loops and by its properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from msgspec.structs import replace

from indexer.search.fusion import (
    DEFAULT_WEIGHTS,
    RERANKED,
    DocumentEvidence,
    PageEvidence,
    bm25_shares,
    clarity,
    fuse,
    relative,
    score_documents,
)
from indexer.search.rerank import (
    NOT_SHORT,
    TABLE_DIGITS,
    TABLES_LEAD,
    TABLES_LEAD_FIGURE,
    TOGETHER,
    RerankEvidence,
    rerank,
)

unit = st.floats(0, 1, width=32)
cosine = st.floats(2**-6, 1, width=32)  # 0 is that of a passage without vectors


def some(n: int, elements: st.SearchStrategy[float] = unit) -> st.SearchStrategy[np.ndarray]:
    return arrays(np.float32, n, elements=elements)


@st.composite
def evidence(draw: st.DrawFn) -> tuple[PageEvidence, DocumentEvidence, np.ndarray]:
    n, m = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    pages = PageEvidence(*(draw(some(n, cosine if at < 4 else unit)) for at in range(5)))
    names, name_words, words, years, openings = (draw(some(m)) for _ in range(5))
    documents = DocumentEvidence(names, name_words, words, years, openings, clarity=draw(unit))
    owner = draw(arrays(np.intp, n, elements=st.integers(0, m - 1)))
    return pages, documents, owner


@given(evidence())
def test_the_score_is_the_sum_that_the_docstring_tells(
    given_: tuple[PageEvidence, DocumentEvidence, np.ndarray],
) -> None:
    pages, documents, owner = given_
    w = DEFAULT_WEIGHTS
    scored = fuse(pages, documents, owner, w)
    for i, doc in enumerate(owner):
        whole = w.sentence * pages.sentence[i] + (1 - w.sentence) * pages.pooled[i]
        asked = (
            w.sentence * pages.sentence_question[i] + (1 - w.sentence) * pages.pooled_question[i]
        )
        expected = (
            (1 - w.question) * whole
            + w.question * asked
            + w.words * pages.share[i] ** 2
            + w.name_meaning * documents.name_meaning[doc]
            + w.name_words * documents.name_words[doc]
            + w.opening * documents.opening[doc]
            + w.document_words * documents.clarity * documents.words[doc]
            - w.year * documents.year[doc]
        )
        assert scored.total[i] == pytest.approx(expected, abs=1e-5)


def test_words_count_before_a_passage_is_embedded() -> None:
    # Two that were embedded first have nothing to do with the question, two wait with its words.
    similar = np.array([0.5, 0.3, 0.0, 0.0], np.float32)
    share = np.array([0.0, 0.0, 0.5, 0.1], np.float32)
    none = np.zeros(1, np.float32)
    pages = PageEvidence(similar, similar, similar, similar, share)
    document = DocumentEvidence(none, none, none, none, none, 0.0)
    scored = fuse(pages, document, np.zeros(4, np.intp), DEFAULT_WEIGHTS)
    assert scored.leading().tolist() == [2, 0, 3, 1]
    assert scored.meaning.tolist() == similar.tolist()
    assert scored.unknown == pytest.approx([0.0, 0.0, 0.4, 0.4])


@given(evidence(), st.integers(0, 7), st.sampled_from(["pooled", "sentence", "share"]))
def test_more_evidence_never_scores_less(
    given_: tuple[PageEvidence, DocumentEvidence, np.ndarray], place: int, part: str
) -> None:
    pages, documents, owner = given_
    before = fuse(pages, documents, owner, DEFAULT_WEIGHTS).total
    raised = getattr(pages, part).copy()
    raised[place % len(raised)] += np.float32(0.5)
    after = fuse(replace(pages, **{part: raised}), documents, owner, DEFAULT_WEIGHTS).total
    assert (after >= before).all()


@given(evidence(), st.data())
def test_a_re_ranking_adds_to_leading_passages_alone(
    given_: tuple[PageEvidence, DocumentEvidence, np.ndarray], data: st.DataObject
) -> None:
    pages, documents, owner = given_
    scored = fuse(pages, documents, owner, DEFAULT_WEIGHTS)
    leading = scored.leading()[: data.draw(st.integers(0, len(owner)))]
    k = len(leading)
    read = RerankEvidence(
        data.draw(some(k, cosine)),
        data.draw(some(k)),
        NOT_SHORT * data.draw(some(k)),
        data.draw(some(k)),
        data.draw(some(k)),
        np.arange(k),
        data.draw(unit),
        data.draw(st.booleans()),
    )
    looked = rerank(scored, leading, read, DEFAULT_WEIGHTS)
    added = looked.total - scored.total
    others = np.setdiff1d(np.arange(len(owner)), leading)
    assert (added[others] == 0).all()
    w = DEFAULT_WEIGHTS
    tables = np.minimum(read.figures / TABLE_DIGITS, 1)
    numeric = k > 0 and tables.mean() >= (TABLES_LEAD_FIGURE if read.figure else TABLES_LEAD)
    expected = (
        w.around * read.around
        + w.heading * read.heading
        + w.figures * tables * numeric
        + w.near
        * read.long
        * (not numeric)
        * (w.words * TOGETHER * read.near**2 - scored.words[leading])
        + looked.short[leading]
    )
    assert added[leading] == pytest.approx(expected, abs=1e-5)
    assert (looked.short <= 0).all()


def test_short_text_is_held_against_a_passage_and_long_text_is_no_merit() -> None:
    pages = PageEvidence(*(np.full(3, 0.5, np.float32) for _ in range(5)))
    none = np.zeros(3, np.float32)
    scored = fuse(
        pages, DocumentEvidence(none, none, none, none, none, 0.0), np.arange(3), DEFAULT_WEIGHTS
    )
    lengths = np.array([NOT_SHORT / 4, NOT_SHORT, 9 * NOT_SHORT], np.float32)
    read = RerankEvidence(none, none, lengths, none, none, np.arange(3))
    looked = rerank(scored, np.arange(3), read, DEFAULT_WEIGHTS)
    assert looked.total[0] < looked.total[1] == looked.total[2]


@given(evidence(), st.data())
def test_passages_that_say_the_same_score_as_the_best_of_them(
    given_: tuple[PageEvidence, DocumentEvidence, np.ndarray], data: st.DataObject
) -> None:
    pages, documents, owner = given_
    scored = fuse(pages, documents, owner, DEFAULT_WEIGHTS)
    leading = scored.leading()
    k = len(leading)
    around, heading, length, figures, near = (data.draw(some(k)) for _ in range(5))
    long = data.draw(unit)
    read = RerankEvidence(around, heading, NOT_SHORT * length, figures, near, np.arange(k), long)
    same = data.draw(arrays(np.intp, k, elements=st.integers(0, 3)))
    apart, together = (
        rerank(scored, leading, replace(read, same=groups), DEFAULT_WEIGHTS).total[leading]
        for groups in (np.arange(k), same)
    )
    for group in np.unique(same):
        assert (together[same == group] == apart[same == group].max()).all()


def test_a_query_in_another_language_goes_by_meaning() -> None:
    assert DEFAULT_WEIGHTS.for_coverage(0.5) == DEFAULT_WEIGHTS.for_coverage(1.0) == DEFAULT_WEIGHTS
    none = DEFAULT_WEIGHTS.for_coverage(0.0)
    assert none.around == none.short == none.name_meaning == 0.0
    assert DEFAULT_WEIGHTS.sentence < none.sentence < 1.0
    # Names that both languages have still say which document is meant.
    assert none.name_words == DEFAULT_WEIGHTS.name_words


def test_where_words_alone_rank_minor_features_never_outweigh_few_of_them() -> None:
    share = np.array([0.5, 0.1], np.float32)
    alone = DEFAULT_WEIGHTS.for_words_alone(share)
    assert alone.heading == pytest.approx(DEFAULT_WEIGHTS.heading / 4)
    assert alone.short == pytest.approx(DEFAULT_WEIGHTS.short / 4)
    assert DEFAULT_WEIGHTS.for_words_alone(share[:0]).heading == 0.0


def test_no_more_passages_lead_than_are_worth_a_read() -> None:
    n = 3 * RERANKED
    falling = np.linspace(1, 0, n, dtype=np.float32)
    pages = PageEvidence(*(falling for _ in range(5)))
    none = np.zeros(n, np.float32)
    scored = fuse(
        pages, DocumentEvidence(none, none, none, none, none, 0.0), np.arange(n), DEFAULT_WEIGHTS
    )
    assert scored.leading().tolist() == list(range(RERANKED))


def test_without_clarity_the_words_of_documents_decide_nothing() -> None:
    pages = PageEvidence(*(np.full(2, 0.5, np.float32) for _ in range(5)))
    words = np.array([1.0, 0.2], np.float32)
    none = np.zeros(2, np.float32)
    level = fuse(
        pages, DocumentEvidence(none, none, words, none, none, 0.0), np.arange(2), DEFAULT_WEIGHTS
    )
    clear = fuse(
        pages, DocumentEvidence(none, none, words, none, none, 0.8), np.arange(2), DEFAULT_WEIGHTS
    )
    assert level.total[0] == level.total[1]
    assert clear.total[0] > clear.total[1]


def test_documents_count_for_more_where_the_query_names_one() -> None:
    words, none = np.array([1.0, 0.2], np.float32), np.zeros(2, np.float32)
    unnamed = DocumentEvidence(none, none, words, none, none, 0.8)
    named = replace(unnamed, named=1.0)
    scores = [score_documents(one, DEFAULT_WEIGHTS) for one in (unnamed, named)]
    assert scores[1] == pytest.approx(2 * scores[0])


@given(some(6), st.floats(0, 5))
def test_relative_scores_keep_their_order_and_stay_below_one(
    scores: np.ndarray, floor: float
) -> None:
    found = relative(scores, floor)
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    order = np.argsort(scores, kind="stable")
    assert (np.diff(found[order]) >= 0).all()


def test_relative_scores_below_the_floor_are_no_full_evidence() -> None:
    assert relative(np.array([3.0, 1.5], np.float32), 6.0).tolist() == [0.5, 0.25]
    assert relative(np.zeros(2, np.float32)).tolist() == [0.0, 0.0]
    assert relative(np.array([1e-45, 0.0], np.float32)).tolist() == [0.0, 0.0]
    assert len(relative(np.zeros(0, np.float32))) == 0


def test_shares_are_of_the_ceiling() -> None:
    bm25 = np.array([0.0, 5.0, 30.0], np.float32)
    assert bm25_shares(bm25, 20.0).tolist() == [0.0, 0.25, 1.0]
    assert bm25_shares(bm25, 0.0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([], 0.0), ([3.0], 1.0), ([4.0, 4.0], 0.0), ([1.0, 4.0, 2.0], 0.5), ([0.0, 0.0], 0.0)],
)
def test_clarity_is_the_lead_of_the_best(scores: list[float], expected: float) -> None:
    assert clarity(np.array(scores, np.float32)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("tables", "figure", "numeric"),
    [(1, True, False), (2, True, True), (3, False, False), (4, False, True)],
)
def test_a_question_asks_for_figures_where_tables_lead(
    tables: int, figure: bool, numeric: bool
) -> None:
    # A year alone ("who sued us in 2018") is not enough, and none is needed.
    one, none = np.ones(10, np.float32), np.zeros(10, np.float32)
    digits = TABLE_DIGITS * (np.arange(10) < tables).astype(np.float32)
    scored = fuse(
        PageEvidence(*(one for _ in range(5))),
        DocumentEvidence(none, none, none, none, none, 0.0),
        np.arange(10),
        DEFAULT_WEIGHTS,
    )
    read = RerankEvidence(none, none, one, digits, none, np.arange(10), figure=figure)
    assert rerank(scored, np.arange(10), read, DEFAULT_WEIGHTS).figures.any() == numeric
