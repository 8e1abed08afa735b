"""The headings beside the pages, of a document that has some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
from PySide6.QtCore import Qt

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import show

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui.preview.panel import Preview


def test_the_panel_changes_with_the_document(
    qtbot: QtBot, preview: Preview, hits: list[Hit], canned: Canned, tmp_path: Path
) -> None:
    qtbot.keyClick(preview, Qt.Key.Key_F7)
    assert canned[0].settings["side_panel"]
    assert preview.side.isHidden(), "there are no pages"
    show(qtbot, preview, hits[0])
    assert preview.side.isHidden(), "the document has no headings"
    assert preview.bar.side.isHidden(), "it would do nothing"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "A lamp is lit at dusk.")
    document.set_toc([[1, "One", 1]])
    document.save(tmp_path / "a.pdf")
    show(qtbot, preview, hit_of(tmp_path / "a.pdf", passages_of(tmp_path / "a.pdf")[0]))
    qtbot.waitUntil(preview.side.isVisible)
    qtbot.waitUntil(lambda: preview.side.currentIndex().data() == "One")
    text = tmp_path / "a.txt"
    text.write_text("The lamp is lit at dusk.")
    preview.show_hit(hit_of(text, passages_of(text)[0]), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    assert preview.side.isHidden()
    assert preview.side.document is None
