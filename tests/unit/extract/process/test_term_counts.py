"""Word counts by distinct pieces equal those of counting every word."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.process.term_counts import MAX_TERMS, TermCounts
from indexer.text import terms

TEXTS = st.lists(st.text(alphabet="ab1é中 ,.-'U$\n", max_size=60), max_size=5)


@given(TEXTS)
def test_the_counts_are_those_of_the_words(texts: list[str]) -> None:
    counting = TermCounts(terms.words)
    expected: Counter[str] = Counter()
    for text in texts:
        flat = text.replace("-\n", "\n")
        counting.add(flat)
        expected.update(terms.words(flat))
    assert counting.counts() == dict(expected)


def test_hyphenated_words_are_joined() -> None:
    counting = TermCounts(str.split)
    counting.add("a lighthou-\nse and a light\nhouse")
    assert counting.counts() == {"a": 2, "lighthouse": 1, "and": 1, "light": 1, "house": 1}


def test_the_number_of_terms_is_bounded() -> None:
    counting = TermCounts(str.split)
    counting.add("often often")
    counting.add(" ".join(f"w{i}" for i in range(MAX_TERMS + 10)))
    counts = counting.counts()
    assert len(counts) <= MAX_TERMS
    assert counts["often"] == 2
