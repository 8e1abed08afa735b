"""The search page over a real engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.requests import Index
from tests.ui.engines import answer
from ui.search.page import SearchPage
from ui.search.query_text import link_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from ui.engine_client import EngineLink
    from ui.ports import Context


def search(qtbot: QtBot, page: SearchPage, text: str) -> list[str]:
    with qtbot.waitSignal(page.live_search.answered):
        page.search(text)
    return [row.hit.file for row in page.results.model.rows if row.is_document]


def test_words_filters_and_links_find_their_documents(
    qtbot: QtBot,
    real_link: EngineLink,
    real_context: Context,
    library_files: Path,
) -> None:
    answer(qtbot, real_link, Index((library_files,)))
    page = SearchPage(real_context)
    qtbot.addWidget(page)
    page.show()
    # With a phrase the answer is good whatever the model finds, so a hit is selected.
    assert search(qtbot, page, 'tenant "the gutters"')[0] == "contracts/lease.txt"
    hit = page.current_hit
    assert hit is not None
    assert "gutters" in hit.text[slice(*hit.best)]
    assert search(qtbot, page, "lamp ext:md") == ["lighthouse.md"]
    assert [chip.text() for chip in page.chips.chips] == ["Type: md"]
    assert search(qtbot, page, "in:contracts the") == ["contracts/lease.txt"]
    with qtbot.waitSignal(page.live_search.answered):
        page.search_inside(hit.path)
    assert [group.path for group in page.results.groups] == [hit.path]
    link = link_of(hit)
    moved = library_files / "moved.txt"
    Path(hit.path).rename(moved)
    answer(qtbot, real_link, Index((library_files,)))
    with qtbot.waitSignal(page.live_search.answered):
        page.search(link)
    assert page.current_hit is not None
    assert page.current_hit.path == str(moved)
    assert page.current_hit.text == hit.text
    page.stop()


def test_recent_documents_follow_a_rename(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> None:
    answer(qtbot, real_link, Index((library_files,)))
    page = SearchPage(real_context)
    qtbot.addWidget(page)
    first, other = library_files / "ice.txt", library_files / "floe.txt"
    page.memory.note_document(str(first))
    page.search("")
    qtbot.waitUntil(lambda: str(first) in page._moved._seen)
    first.rename(other)
    answer(qtbot, real_link, Index((library_files,)))
    page._moved.follow()
    qtbot.waitUntil(lambda: page.memory.documents == (str(other),))
    page.stop()
