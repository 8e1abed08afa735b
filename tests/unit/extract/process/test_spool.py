"""The spool: pages survive writing and reading, in memory and on disk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import BlockKind
from indexer.extract.base import BlockStyle, RawBlock, RawPage
from indexer.extract.document import Spool

SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
STYLES = st.none() | st.builds(
    BlockStyle, st.sampled_from([6.5, 10.0, 72.25]), st.booleans(), SHARES, SHARES
)
BLOCKS = st.builds(
    lambda **values: RawBlock(**values),  # noqa: PLW0108  # hypothesis would read its hints
    start=st.integers(0, 9),
    end=st.integers(0, 9),
    kind=st.sampled_from(BlockKind),
    level=st.integers(0, 6),
    style=STYLES,
    split_off=st.booleans(),
)
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=50)
PAGES = st.builds(
    lambda number, text, blocks, label, part: RawPage(number, text, blocks, label, part=part),
    st.integers(1, 99),
    TEXTS,
    st.lists(BLOCKS, max_size=4).map(tuple),
    TEXTS,
    part=TEXTS,
)


@pytest.mark.parametrize("in_memory", [1, 1 << 20])
@given(pages=st.lists(PAGES, max_size=5))
def test_pages_can_be_iterated_repeatedly(in_memory: int, pages: list[RawPage]) -> None:
    with Spool(in_memory) as spool:
        for page in pages:
            spool.append(page)
        assert spool.pages == len(pages)
        assert list(spool) == pages
        assert list(spool) == pages
