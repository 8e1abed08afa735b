"""The positions and sizes of pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from indexer.api.pages import DocumentSource, OpenedPages
from ui.preview.document import ImageKey, PageDocument, cut, image_cache
from ui.preview.page_layout import (
    GAP,
    LARGEST,
    MARGIN,
    SMALLEST,
    STEPS,
    Fit,
    PageLayout,
    Zoom,
    next_step,
    scale_for,
)
from ui.preview.page_view import PageView

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from ui.preview.client import RenderClient

SIZES = st.lists(st.tuples(st.floats(10, 2000), st.floats(10, 2000)), min_size=1, max_size=20)


@given(SIZES, st.floats(0.1, 8))
def test_pages_stand_below_each_other(sizes: list[tuple[float, float]], scale: float) -> None:
    layout = PageLayout(sizes, scale, 500)
    bottom = MARGIN - GAP
    for page, (width, height) in enumerate(sizes, 1):
        rect = layout.rect(page)
        assert rect.top() == pytest.approx(bottom + GAP, rel=1e-9)
        assert (rect.width(), rect.height()) == pytest.approx((width * scale, height * scale))
        assert rect.left() >= MARGIN - 1e-6
        assert layout.page_at(rect.center().y()) == page
        assert page in layout.between(rect.top(), rect.top() + 1)
        place = layout.from_page(page, QRectF(0, 0, width, height))
        assert layout.to_page(page, place.topLeft()).manhattanLength() < 1e-6
        bottom = rect.bottom()
    assert layout.height == pytest.approx(bottom + MARGIN)
    assert layout.page_at(-100) == 1
    assert layout.page_at(layout.height + 100) == len(sizes)


def test_an_empty_layout_works() -> None:
    layout = PageLayout((), 1, 300)
    assert list(layout.between(0, 500)) == []
    assert layout.height == 0


def test_fitting() -> None:
    view = (600 + 2 * MARGIN, 400 + 2 * MARGIN)
    assert scale_for(Zoom(Fit.WIDTH), (600, 800), view, 96 / 72) == 1.0
    assert scale_for(Zoom(Fit.PAGE), (600, 800), view, 96 / 72) == 0.5
    assert scale_for(Zoom(Fit.SCALE, 1.5), (600, 800), view, 96 / 72) == 2.0
    assert scale_for(Zoom(Fit.WIDTH), (1, 1), view, 1.0) == 1.5, "no larger than is read well"
    assert scale_for(Zoom(Fit.SCALE, 9.0), (1, 1), view, 1.0) == LARGEST


def test_zoom_steps_end_at_the_limits() -> None:
    scale, seen = SMALLEST, [SMALLEST]
    while scale < LARGEST:
        scale = next_step(scale, 1)
        seen.append(scale)
    assert tuple(seen) == STEPS
    assert next_step(LARGEST, 1) == LARGEST
    assert next_step(SMALLEST, -1) == SMALLEST
    assert next_step(0.93, -1) == 0.9


@given(st.integers(1, 12_000), st.floats(1, 3000), st.floats(1, 3000))
def test_bands_cover_a_page(width: int, wide: float, high: float) -> None:
    part = cut(width, (wide, high))
    assert part.rows * part.bands >= part.height
    assert part.rows * (part.bands - 1) < part.height
    assert list(part.between(0, 1)) == list(range(part.bands))
    assert list(part.between(-1, 0.0)) == [0]
    # No band is more than a message holds.
    assert part.rows * width * 3 <= 48 * 1024**2


def test_the_cache_keeps_what_was_used_last(qapp: object) -> None:
    from PySide6.QtGui import QPixmap

    from ui.preview.document import Band

    cache = image_cache(room=3 * 4 * 100)
    keys = [ImageKey(Path("a"), "s", page, 10) for page in range(5)]
    for key in keys[:3]:
        cache.put(key, Band(QPixmap(10, 10), 0, 10))
    assert cache.get(keys[0]) is not None
    cache.put(keys[3], Band(QPixmap(10, 10), 0, 10))
    assert [key in cache for key in keys] == [True, False, True, True, False]
    cache.put(keys[0], Band(QPixmap(10, 10), 0, 10))
    assert len(cache) == 3


def test_points_of_a_page(qapp: object) -> None:
    layout = PageLayout([(100, 100)], 2.0, 300)
    assert layout.to_page(1, QPointF(150, MARGIN + 50)) == QPointF(50, 25)


@pytest.mark.parametrize("turn", range(4))
def test_turned_pages_lie_in_the_layout_as_they_are_seen(turn: int) -> None:
    layout = PageLayout([(100.0, 200.0), (300.0, 50.0)], 2.0, 0.0, turn)
    for page, size in ((1, (100.0, 200.0)), (2, (300.0, 50.0))):
        rect = layout.rect(page)
        wide, high = (size[1], size[0]) if turn % 2 else size
        assert (rect.width(), rect.height()) == (2 * wide, 2 * high)
        assert layout.pixel_size(page) == (2 * size[0], 2 * size[1])
        assert layout.from_page(page, QRectF(0, 0, *size)) == rect
        point = QPointF(10.0, 20.0)
        there = layout.transform(page).map(point)
        assert rect.contains(there)
        assert layout.to_page(page, there) == point
        assert layout.part_of(page, rect) == pytest.approx((0.0, 1.0))
    corner = layout.transform(1).map(QPointF(0, 0))  # where the first letter stands
    rect = layout.rect(1)
    wanted = (rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft())[turn]
    assert (corner - wanted).manhattanLength() < 1e-6


def test_pages_of_any_size_can_be_scrolled(client: RenderClient, qtbot: QtBot) -> None:
    """A document says how large its pages are, and a scroll bar has no more than 31 bits."""
    pages = OpenedPages(900, 1, (9.0, 1e7), (), (), outlined=False)
    document = PageDocument(
        DocumentSource(Path("/a.pdf")), "", pages, client, image_cache(), client
    )
    view = PageView()
    qtbot.addWidget(view)
    view.show_document(document, 900)
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum() > 2**30
