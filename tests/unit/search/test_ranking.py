"""The ranking without one of its passages."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.search.candidates import CandidateEvidence, Ranking
from indexer.search.fusion import DEFAULT_WEIGHTS, DocumentEvidence, PageEvidence, Scored
from indexer.store.values import docs_of, key_of

# Two documents with passages 0 to 2 and 0; the best first in each.
KEYS = [key_of(1, 0), key_of(1, 1), key_of(1, 2), key_of(2, 0)]
SCORES = [0.4, 0.9, 0.3, 0.8]


def ranking(keys: list[int], scores: list[float]) -> Ranking:
    none = np.zeros(len(keys), np.float32)
    docs, owner = np.unique(docs_of(np.array(keys)), return_inverse=True)
    parts = dict.fromkeys(Scored.__struct_fields__, none)
    named = np.zeros(len(docs), np.float32)
    words = np.linspace(1.0, 0.5, len(docs), dtype=np.float32)
    return Ranking(
        CandidateEvidence(
            np.array(keys, np.int64), PageEvidence(none, none, none, none, none),
            np.zeros(len(keys), np.intp), none, np.arange(len(keys) + 1, dtype=np.int64),
        ),
        DocumentEvidence(
            name_meaning=named, name_words=named, words=words, year=named, opening=named,
            clarity=0.6,
        ), owner,
        Scored(**{**parts, "meaning": np.array(scores, np.float32)}),
        DEFAULT_WEIGHTS, None, none, {},
    )  # fmt: skip


def order(one: Ranking) -> list[int]:
    return [KEYS[at] for at in one.order.tolist() if np.isfinite(one.scored.total[at])]


def test_the_clarity_of_a_passage_is_that_of_its_document() -> None:
    found = ranking(KEYS, SCORES)
    assert found.clarity_of(0) == pytest.approx(0.6)
    assert found.clarity_of(3) == pytest.approx(0.3)
