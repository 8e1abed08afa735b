"""Finding a passage on its pages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.extract.document import PAGE_JOINT
from indexer.render.pdf import Slice, find_text, slices

PAGES = st.lists(st.text("ab \n", max_size=30), min_size=1, max_size=4)


@given(PAGES, st.data())
def test_a_passage_is_found_at_its_offset(pages: list[str], data: st.DataObject) -> None:
    whole = PAGE_JOINT.join(pages)
    start = data.draw(st.integers(0, len(pages[0])))
    end = data.draw(st.integers(start, len(whole)))
    text = whole[start:end]
    found = find_text(pages, text, start)
    if not text:
        assert found is None
    else:
        assert found is not None
        assert found.unique
        assert found.offset == start
        parts = slices(pages, 7, start, end)
        assert PAGE_JOINT.join(pages)[start:end].replace("\n", "") == "".join(
            pages[part.page - 7][part.start : part.end] for part in parts
        ).replace("\n", "")


def test_a_passage_that_occurs_twice_is_not_unique() -> None:
    pages = ["Signed. Then more. Signed.", "Signed."]
    found = find_text(pages, "Signed.")
    assert found is not None
    assert (found.offset, found.unique) == (0, False)
    nearest = find_text(pages, "Signed.", 17)
    assert nearest is not None
    assert (nearest.offset, nearest.unique) == (19, True)


def test_a_passage_begins_on_the_first_page() -> None:
    assert find_text(["one", "two"], "two") is None
    assert find_text(["one", "two"], "one\ntwo") is not None
    assert find_text(["one"], "changed") is None


def test_a_range_is_split_at_page_ends() -> None:
    assert slices(["abc", "", "def"], 4, 1, 7) == [Slice(4, 1, 3), Slice(6, 0, 2)]
