"""Words are found in the document that is shown, on its pages and in its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import like, pixels, show
from ui.preview.page_view import FOUND

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.preview.panel import Preview
    from ui.theme import Themes


def find(qtbot: QtBot, preview: Preview, text: str) -> None:
    preview.finder.open_find_bar()
    preview.finding.text.setText(text)
    preview.finding.step_places(0)
    qtbot.waitUntil(lambda: bool(preview.finding.said.text()))


def test_words_are_found_on_all_pages_and_the_search_wraps(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[1])
    first = preview.pages.page
    find(qtbot, preview, hits[2].text.split(".")[0])
    qtbot.waitUntil(lambda: preview.pages.page != first)
    found = preview.pages.page
    assert preview.pages.found
    qtbot.waitUntil(lambda: preview.finding.said.text() == "1 of 1")
    preview.pages.go_to(first)
    preview.finding.step_places(1)  # the only place is found again
    assert preview.pages.page == found
    qtbot.waitUntil(lambda: bool(like(pixels(preview.pages.viewport()), FOUND, 40).any()))
    QTest.keyClick(preview.finding.text, Qt.Key.Key_Escape)
    assert preview.finding.isHidden()
    assert preview.pages.found == ()


def test_all_places_are_counted_and_listed(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[2])
    here, bar = preview.pages.page, preview.finding
    document = preview.pages.document
    assert document is not None
    find(qtbot, preview, "keeper")
    qtbot.waitUntil(lambda: not bar.said.text().endswith("…"))
    total = bar.list.count()
    listed = [bar.list.item(row).text() for row in range(total)]
    pages = [int(text.partition(" · ")[0]) for text in listed]
    assert pages == sorted(pages)
    assert set(pages) == set(range(1, document.count + 1))
    assert all("keeper" in text for text in listed)
    assert bar.list.currentRow() == pages.index(here)
    assert bar.said.text() == f"{pages.index(here) + 1} of {total}"
    bar.list.itemClicked.emit(bar.list.item(0))
    assert (preview.pages.page, bar.said.text()) == (1, f"1 of {total}")
    bar.step_places(-1)
    assert preview.pages.page == document.count
    QTest.keyClick(bar.text, Qt.Key.Key_Escape)
    assert bar.list.count() == 0


def test_words_that_do_not_occur_are_reported(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    find(qtbot, preview, "no such words")
    qtbot.waitUntil(lambda: preview.finding.said.text() == "Not found")


def test_words_are_found_in_a_text(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("The lamp is lit at dusk.\n\nThe keeper mends the\nlamp at noon.\n")
    preview.show_hit(hit_of(path, passages_of(path)[0]), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    find(qtbot, preview, "the LAMP")
    assert preview.finding.said.text() == "1 of 2"
    preview.finding.step_places(1)
    assert preview.finding.said.text() == "2 of 2"
    marked = [each.cursor.selectedText() for each in preview.text.extraSelections()[-2:]]
    assert [" ".join(each.split()).lower() for each in marked] == ["the lamp", "the lamp"]


def test_dark_pages_can_be_switched_on_and_off(
    qtbot: QtBot, preview: Preview, hits: list[Hit], themes: Themes
) -> None:
    themes.apply("dark")
    show(qtbot, preview, hits[0])

    def paper() -> float:
        return float(like(pixels(preview.pages.viewport()), QColor("white")).mean())

    assert paper() > 0.5
    preview.dark_pages.trigger()
    assert paper() < 0.1, "only letters"
    preview.dark_pages.trigger()
    assert paper() > 0.5
