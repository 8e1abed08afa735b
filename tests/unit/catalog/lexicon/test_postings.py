from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.catalog.lexicon import postings as p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# (term, doc) → count; documents within one segment's reach
TABLE = st.dictionaries(
    st.tuples(st.integers(0, 50), st.integers(0, p.SPAN - 1)), st.integers(1, 200), max_size=60
)


def _postings(table: dict[tuple[int, int], int], base: int = 0) -> p.Postings:
    terms = np.array([term for term, _ in table], np.int64)
    docs = np.array([doc + base for _, doc in table], np.int64)
    counts = np.array(list(table.values()), np.int64)
    return p.ordered(terms, docs, p.to_codes(counts))


def _table(postings: p.Postings) -> list[tuple[int, int, int]]:
    columns = (column.tolist() for column in postings)
    return list(zip(*columns, strict=True))


@given(st.integers(1, 10_000_000))
def test_counts_are_rounded_by_little(count: int) -> None:
    rounded = p.COUNTS[p.to_codes(np.array([count]))[0]]
    if count < p.EXACT_COUNTS:
        assert rounded == count
    elif count <= p.COUNTS[255]:
        assert abs(rounded - count) <= 0.03 * count + 0.5


def test_rounding_keeps_the_order() -> None:
    assert (np.diff(p.COUNTS) > 0).all()
    codes = p.to_codes(np.arange(1, 100_000))
    assert (np.diff(codes.astype(int)) >= 0).all()


@given(TABLE, st.integers(0, 1 << 30))
def test_a_chunk_is_read_as_it_was_written(table: dict[tuple[int, int], int], base: int) -> None:
    postings = _postings(table, base)
    chunk = p.encode(postings, base)
    assert _table(p.decode(chunk, base)) == _table(postings)
    for term in range(52):
        docs, codes = p.find(chunk, base, term)
        expected = [(doc, code) for t, doc, code in _table(postings) if t == term]
        assert list(zip(docs.tolist(), codes.tolist(), strict=True)) == expected


@given(st.lists(st.integers(1, 3 * p.CHUNK_POSTINGS), max_size=8), st.booleans())
def test_cutting_keeps_terms_whole_and_loses_nothing(lengths: list[int], last: bool) -> None:
    terms = np.repeat(np.arange(len(lengths)), lengths)
    postings = p.Postings(terms, np.arange(len(terms)), np.ones(len(terms), np.uint8))
    chunks, rest = p.cut(postings, last=last)
    assert not (last and len(rest.term))
    rejoined = np.concatenate([*(chunk.doc for chunk in chunks), rest.doc])
    np.testing.assert_array_equal(rejoined, postings.doc)
    seen = Counter(term for chunk in chunks for term in np.unique(chunk.term).tolist())
    assert all(count == 1 for count in seen.values())
    for chunk in chunks[: len(chunks) - last]:
        assert len(chunk.term) >= p.CHUNK_POSTINGS


@given(st.lists(TABLE, min_size=1, max_size=4), st.integers(1, 7), st.sets(st.integers(0, 9)))
def test_merging_is_sorting_what_is_kept(
    tables: list[dict[tuple[int, int], int]], step: int, dead: set[int]
) -> None:
    # No document is in two runs, so each run gets documents of its own.
    runs = [
        _postings({(t, (d % 10) * len(tables) + n): c for (t, d), c in table.items()})
        for n, table in enumerate(tables)
    ]

    def pieces(run: p.Postings) -> Iterator[p.Postings]:
        terms = np.unique(run.term)
        for begin in range(0, len(terms), step):
            inside = np.isin(run.term, terms[begin : begin + step])
            yield p.Postings(run.term[inside], run.doc[inside], run.code[inside])

    def keep(docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~np.isin(docs, list(dead))

    merged = list(p.merge([pieces(run) for run in runs], keep))
    got = [row for piece in merged for row in _table(piece)]
    joined = p.join(runs)
    everything = p.ordered(*joined)
    assert got == [row for row in _table(everything) if row[1] not in dead]
