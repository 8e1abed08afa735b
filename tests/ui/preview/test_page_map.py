"""The map beside the pages: what it shows, its keys and its mouse."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from indexer.api.requests import Index, MapPages, Search
from tests.ui.engines import answer
from tests.ui.menus import entries
from tests.ui.preview.made import tale
from tests.ui.preview.seen import like, pixels, show, wait_for_page
from ui import theme
from ui.preview.loader import Evidence
from ui.preview.page_layout import PageLayout
from ui.preview.page_scroller import PageMap, map_rows
from ui.preview.panel import Preview

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui.engine_client import EngineLink
    from ui.ports import Context

# The tale has eight pages.
SHARES = (0.0, 0.6, 0.0, 0.0, 1.0, 0.2, 0.0, 0.5)


@pytest.fixture
def strip(qtbot: QtBot, canned: Canned, preview: Preview, hits: list[Hit]) -> PageMap:
    canned[1].answers[MapPages] = lambda _request: SHARES
    show_asked(qtbot, preview, hits[0])
    return preview.pages.map


def show_asked(qtbot: QtBot, preview: Preview, hit: Hit, query: str = "night") -> None:
    preview.show_hit(hit, [hit], 0, query)
    wait_for_page(qtbot, preview)
    qtbot.waitUntil(lambda: preview.pages.map.closeness == SHARES)
    QApplication.processEvents()


def test_each_pixel_row_shows_the_closest_page_it_covers() -> None:
    layout = PageLayout([(100.0, 100.0)] * 600, 1.0, 100.0)
    rows = map_rows(layout, [float(page == 300) for page in range(1, 601)], 200)
    assert len(rows) == 200
    assert 1 <= sum(rows) <= 2
    assert rows[99] == 1.0 or rows[100] == 1.0


def test_close_pages_are_painted_darker(strip: PageMap, preview: Preview) -> None:
    assert strip.isVisible()
    assert strip.geometry().left() == preview.pages.viewport().geometry().right() + 1
    full = like(pixels(strip), theme.current().accent, 2).any(axis=1).nonzero()[0] / strip.height()
    assert 4 / 8 - 0.02 < full.min() < full.max() < 5 / 8 + 0.02
    assert strip.accessibleName() == "Map of the document"
    assert strip.accessibleDescription() == "Pages close to what you ask: 5, 2, 8"


def test_a_click_goes_to_the_page(strip: PageMap, preview: Preview) -> None:
    at = QPoint(strip.width() // 2, round(strip.height() * 4.5 / 8))
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at)
    assert preview.pages.page == 5


def test_keys_go_from_one_close_page_to_the_next(strip: PageMap, preview: Preview) -> None:
    strip.setFocus()
    for key, page in (
        (Qt.Key.Key_Down, 2), (Qt.Key.Key_Down, 5), (Qt.Key.Key_End, 8), (Qt.Key.Key_Down, 8),
        (Qt.Key.Key_Up, 5), (Qt.Key.Key_Home, 2),
    ):  # fmt: skip
        QTest.keyClick(strip, key)
        assert preview.pages.page == page
    QTest.keyClick(preview, Qt.Key.Key_PageDown, Qt.KeyboardModifier.AltModifier)
    assert preview.pages.page == 5
    entries(strip)["Previous close page"].trigger()
    assert preview.pages.page == 2
    assert not {"Next close page"} & set(entries(preview.pages.viewport()))


def test_in_a_right_to_left_layout_the_map_is_beside_the_scroll_bar(
    strip: PageMap, preview: Preview
) -> None:
    preview.pages.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    QApplication.processEvents()
    assert strip.geometry().right() + 1 == preview.pages.viewport().geometry().left()


def test_without_a_query_the_map_is_hidden(
    qtbot: QtBot, canned: Canned, strip: PageMap, preview: Preview, hits: list[Hit]
) -> None:
    wide = preview.pages.viewport().width()
    canned[1].answers[MapPages] = lambda _request: ()
    preview.show_hit(hits[0], hits, 0, "another")
    qtbot.waitUntil(lambda: not strip.isVisible())
    assert preview.pages.viewport().width() > wide
    preview.clear()
    show(qtbot, preview, hits[0])
    assert not strip.isVisible()


def test_while_somebody_types_only_the_last_query_is_mapped(qtbot: QtBot, canned: Canned) -> None:
    link, parent = canned[1], QObject()
    evidence = Evidence(link, parent)
    for query in ("n", "ni", "night"):
        evidence.ask_map(query, "/tale.pdf")
    qtbot.waitUntil(lambda: bool(link.asked))
    assert link.asked == [MapPages("night", Path("/tale.pdf"))]
    evidence.forget_map()


def test_a_real_engine_maps_the_document_that_is_shown(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, tmp_path: Path
) -> None:
    path = tale(tmp_path / "documents.pdf")
    answer(qtbot, real_link, Index((path,)))
    hit = answer(qtbot, real_link, Search("night 25")).hits[0]
    preview = Preview(real_context)
    qtbot.addWidget(preview)
    preview.resize(700, 900)
    preview.show()
    preview.show_hit(hit, [hit], 0, "night 25")
    qtbot.waitUntil(lambda: len(preview.pages.map.closeness) == 8)
    assert preview.pages.map.closeness[4] == 1.0
    preview.close()
