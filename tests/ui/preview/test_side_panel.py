"""Small pages and headings beside the pages, and facing pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import show

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui.preview.panel import Preview


def images_have_come(preview: Preview) -> bool:
    """Whether every small page in view has ink on it."""
    small = preview.side.thumbnails
    rows = small.rows_in_view()
    return bool(rows) and all(has_ink(preview, row + 1) for row in rows)


def has_ink(preview: Preview, page: int) -> bool:
    image = preview.side.thumbnails.image(page).toImage()
    paper = image.pixel(0, 0)
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    return any(image.pixel(*place) != paper for place in places)


def test_small_pages_lead_to_their_pages_and_follow_them(
    qtbot: QtBot, preview: Preview, hits: list[Hit], canned: Canned
) -> None:
    show(qtbot, preview, hits[0])
    assert preview.side.isHidden()
    qtbot.keyClick(preview, Qt.Key.Key_F7)
    assert preview.side.isVisible()
    assert canned[0].settings["side_panel"]
    small = preview.side.thumbnails
    document = preview.pages.document
    assert document is not None
    assert small.model().rowCount() == document.count
    qtbot.waitUntil(lambda: images_have_come(preview))
    assert small.currentIndex().row() == 0
    qtbot.keyClick(small, Qt.Key.Key_End)
    assert preview.pages.page == document.count
    preview.pages.go_to(2)
    assert small.currentIndex().row() == 1
    assert small.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) == "Page 2"
    qtbot.keyClick(preview, Qt.Key.Key_F7)
    assert preview.side.isHidden()
    assert preview.side.document is None


def test_the_panel_changes_with_the_document(
    qtbot: QtBot, preview: Preview, hits: list[Hit], tmp_path: Path
) -> None:
    preview.bar.side.click()
    assert preview.side.isHidden(), "there are no pages"
    show(qtbot, preview, hits[0])
    assert preview.side.document is preview.pages.document
    text = tmp_path / "a.txt"
    text.write_text("The lamp is lit at dusk.")
    preview.show_hit(hit_of(text, passages_of(text)[0]), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    assert preview.side.isHidden()
    assert preview.side.document is None
    show(qtbot, preview, hits[1])
    assert preview.side.isVisible()
    assert preview.side.thumbnails.currentIndex().row() == preview.pages.page - 1
