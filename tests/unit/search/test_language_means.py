"""Languages are alike to a query, whichever it is in."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.search.fusion import PageEvidence
from indexer.search.score_normalisation import MEANS_SHARE, CosineScale, LanguageMeans, raised

GERMAN, ENGLISH = np.array([1.0, 0.0, 0.0], np.float32), np.array([0.0, 1.0, 0.0], np.float32)
MEANS = LanguageMeans({"de": GERMAN, "en": ENGLISH})
# In German, and about the third direction.
QUERY = np.array([0.6, 0.0, 0.8], np.float32)


def test_what_a_language_lacks_to_the_nearest_is_made_good() -> None:
    missing = MEANS.missing(CosineScale(), QUERY, ["de", "en", "fr"])
    assert missing == pytest.approx([0.0, MEANS_SHARE * 0.6, 0.0])
    nearer = np.array([0.6, 0.3, 0.74], np.float32)
    scaled = MEANS.missing(CosineScale(0.2, 0.5), nearer, ["de", "en"])
    assert scaled == pytest.approx([0.0, MEANS_SHARE * 0.3 / 0.5])


def test_a_library_in_one_language_is_left_as_it_is() -> None:
    alone = LanguageMeans({})
    assert alone.missing(CosineScale(), QUERY, ["de", "en"]).tolist() == [0.0, 0.0]
    assert alone.without(QUERY) is QUERY


def test_what_is_usual_is_that_of_the_language_else_of_the_library() -> None:
    means = LanguageMeans(MEANS.by_language, np.array([0.5, 0.5, 0.0], np.float32))
    assert means.usual(CosineScale(), QUERY, "de") == pytest.approx(0.6)
    assert means.usual(CosineScale(), QUERY, "fr") == pytest.approx(0.3)
    assert LanguageMeans({}).usual(CosineScale(), QUERY, "de") == 0.0


def test_a_search_in_all_languages_prefers_none() -> None:
    found = MEANS.without(QUERY)
    assert np.linalg.norm(found) == pytest.approx(1.0)
    assert found @ GERMAN == pytest.approx(found @ ENGLISH)
    assert found[2] > 0.8


def test_only_similarities_that_are_there_are_raised() -> None:
    one, none = np.array([0.5], np.float32), np.zeros(1, np.float32)
    pages = PageEvidence(one, one, none, none, one)
    found = raised(pages, np.array([0.1], np.float32))
    assert found.pooled == pytest.approx([0.6])
    assert found.sentence == pytest.approx([0.0])
    assert found.share == pytest.approx([0.5])
