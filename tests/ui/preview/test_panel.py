"""The preview with real files, a real render child and a canned engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pymupdf
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtWidgets import QApplication

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import inside, like, pixels, show, wait_for_child, wait_for_page
from tests.unit.extract.pdfs import PROSE, box, save
from ui.preview.marks import bounds
from ui.preview.page_layout import Fit, Zoom
from ui.preview.page_view import OUTLINE, TINT_BEST

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.preview.panel import Preview


def test_a_hit_is_shown_on_its_page_with_its_marks(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.show_hit(hits[2], hits, 2)
    wait_for_page(qtbot, preview)
    assert preview.pages.page == 3
    assert preview.pages.marks.pages() == [3]
    assert preview.bar.page.text() == "3"
    assert preview.bar.total.text() == "of 8"
    assert preview.bar.place.text() == f"Hit 3 of {len(hits)}"
    assert preview.pages.zoom.fit is Fit.WIDTH


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_the_marks_are_painted_where_the_passage_is(
    qtbot: QtBot, preview: Preview, tmp_path: Path, rotation: int, cropped: bool
) -> None:
    def draw(page: Any) -> None:
        box(72, 90, 280, 700, "First column. " + PROSE)(page)
        box(320, 90, 540, 700, "Second column. " + PROSE)(page)
        if cropped:
            page.set_cropbox(pymupdf.Rect(50, 60, 570, 500))
        page.set_rotation(rotation)

    path = save(tmp_path / "a.pdf", draw)
    passage = passages_of(path)[0]
    show(qtbot, preview, hit_of(path, passage, (1,)))
    view = preview.pages
    painted = pixels(view.viewport())
    tinted, lined = like(painted, TINT_BEST), like(painted, OUTLINE)
    assert tinted.sum() > 300
    assert lined.sum() > 300
    (sentence,) = view.marks.sentences
    offset = QPointF(view.offset())
    places = [view.layout_.from_page(1, one.box).translated(-offset) for one in sentence[1]]
    assert not (tinted & ~inside(tinted, [place.adjusted(-2, -2, 2, 2) for place in places])).any()
    around = QRectF()
    for one in view.marks.passage[1]:
        around = around.united(view.layout_.from_page(1, one.box).translated(-offset))
    _rows, columns = lined.nonzero()
    assert not (lined & ~inside(lined, [around.adjusted(-8, -8, 8, 8)])).any()
    # The outline comes near every side of the tinted text.
    assert abs(columns.min() - around.left()) < 8
    assert abs(columns.max() - around.right()) < 8


def test_the_page_is_as_wide_as_its_text(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    path = save(tmp_path / "margins.pdf", box(150, 90, 450, 700, 3 * f"{PROSE} "))
    show(qtbot, preview, hit_of(path, passages_of(path)[0], (1,)))
    view = preview.pages
    around = view.layout_.from_page(1, bounds(view.marks.passage[1]))
    seen = QRectF(view.viewport().rect()).translated(view.offset())
    assert seen.left() <= around.left() < around.right() <= seen.right()
    assert view.layout_.rect(1).width() > seen.width(), "the margins are out of sight"
    assert not view.horizontalScrollBar().isVisible()
    view.set_zoom(Zoom(Fit.PAGE))
    assert view.layout_.rect(1).width() < seen.width()


@pytest.mark.parametrize("turn", [1, 2, 3])
def test_turned_pages_show_the_passage_where_it_is_then(
    qtbot: QtBot, preview: Preview, hits: list[Hit], turn: int
) -> None:
    show(qtbot, preview, hits[2])
    view = preview.pages
    upright = view.layout_.rect(3)
    shown_ratio = upright.width() / upright.height()
    for _ in range(turn):
        preview.turn_right.trigger()
    wait_for_page(qtbot, preview)
    rect = view.layout_.rect(3)
    ratio = rect.width() / rect.height()
    assert ratio == pytest.approx(1 / shown_ratio if turn % 2 else shown_ratio)
    assert view.page == 3
    rows, columns = like(pixels(view.viewport()), TINT_BEST).nonzero()
    assert len(rows) > 300
    offset = QPointF(view.offset())
    (sentence,) = view.marks.sentences
    places = [view.layout_.from_page(3, one.box).translated(-offset) for one in sentence[3]]
    for x, y in list(zip(columns.tolist(), rows.tolist(), strict=True))[::7]:
        assert any(place.adjusted(-2, -2, 2, 2).contains(QPointF(x, y)) for place in places)
    # Dark letters stand on the tint: the image was turned with it.
    first = places[0].toAlignedRect().intersected(view.viewport().rect())
    ink = pixels(view.viewport())[first.top() : first.bottom(), first.left() : first.right()]
    assert (ink.max(axis=2) < 110).any()
    for _ in range(turn):
        preview.turn_left.trigger()
    assert view.layout_.rect(3).size() == upright.size()


def test_another_document_is_not_turned(
    qtbot: QtBot, preview: Preview, hits: list[Hit], tmp_path: Path
) -> None:
    show(qtbot, preview, hits[0])
    preview.pages.turn_by(1)
    preview.show_hit(hits[1], hits, 1)
    qtbot.waitUntil(lambda: preview.pages.marks.pages() == [2])
    assert preview.pages.turn == 1  # the same document stays as it was turned
    path = save(tmp_path / "other.pdf", box(72, 90, 280, 700, PROSE))
    other = hit_of(path, passages_of(path)[0], (1,))
    preview.show_hit(other, [other], 0)
    qtbot.waitUntil(lambda: preview.pages.turn == 0)


def test_the_newest_hit_wins(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    shown: list[int] = []
    preview.loader.marked.connect(lambda marks, _scroll: shown.extend(marks.pages()))
    for hit in hits:
        preview.show_hit(hit, hits, 0)
    wait_for_page(qtbot, preview)
    assert shown == [hits[-1].page]
    assert preview.pages.page == hits[-1].page


def test_hits_of_the_document_one_after_the_other(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    wanted: list[int] = []
    preview.hit_requested.connect(wanted.append)
    preview.show_hit(hits[0], hits, 0)
    wait_for_page(qtbot, preview)
    assert not preview.bar.before.isEnabled()
    qtbot.mouseClick(preview.bar.after, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: preview.pages.marks.pages() == [2])
    qtbot.keyClick(preview, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: preview.pages.marks.pages() == [3])
    assert wanted == [1, 2]
    assert preview.bar.before.isEnabled()


def test_scrolling_goes_on_to_the_next_page(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    preview.pages.setFocus()
    for _ in range(3):
        qtbot.keyClick(preview.pages, Qt.Key.Key_PageDown)
    assert preview.pages.page > 1
    assert preview.bar.page.text() == str(preview.pages.page)
    qtbot.keyClick(preview.pages, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.page == 8
    qtbot.keyClick(preview.pages, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.page == 1


def test_the_passage_stays_in_view_when_the_panel_is_resized(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[4])
    for width in (400, 900, 500):
        preview.resize(width, 600)
        QApplication.processEvents()
        page, place = preview.pages.marks.first() or (0, QRectF())
        shown = preview.pages.layout_.from_page(page, place)
        seen = QRectF(preview.pages.viewport().rect()).translated(preview.pages.offset())
        assert seen.contains(shown.center())
    wait_for_page(qtbot, preview)


def test_neighbours_are_fetched_ahead(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[3])
    view = preview.pages
    document = view.document
    assert document is not None
    last = view.visible_pages().stop
    qtbot.waitUntil(lambda: document.band(last, view.pixel_width(last), 0) is not None)


def test_a_hidden_preview_loads_when_it_is_shown(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.hide()
    preview.show_hit(hits[1], hits, 1)
    wait_for_child(qtbot, preview)
    assert preview.pages.document is None
    preview.show()
    wait_for_page(qtbot, preview)
    assert preview.pages.page == 2


def test_clearing_closes_the_document(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[0])
    preview.clear()
    wait_for_child(qtbot, preview)
    assert preview.shown is preview.message
    assert preview.pages.document is None


def test_a_title_has_no_override_of_direction(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, replace(hits[0], title="<b>x</b>\u202egnp.exe"))
    assert "\u202e" not in preview.bar.title.toolTip()
