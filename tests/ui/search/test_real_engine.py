"""The search page over a real engine in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import Index
from ui.ports import Context
from ui.search.page import SearchPage

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.settings import Settings
    from indexer.api.errors import LecternError
    from tests.ui.conftest import RecordedNotices
    from ui.engine_client import EngineLink


def search(qtbot: QtBot, page: SearchPage, text: str) -> list[str]:
    with qtbot.waitSignal(page.live_search.answered):
        page.search(text)
    return [row.hit.file for row in page.results.model.rows if row.is_document]


def test_from_words_to_what_is_like_it(
    qtbot: QtBot,
    real_link: EngineLink,
    settings: Settings,
    notices: RecordedNotices,
    library_files: Path,
    tmp_path: Path,
) -> None:
    read: list[object] = []
    failed: list[LecternError] = []
    real_link.ask(Index((library_files,)), done=read.append, failed=failed.append)
    qtbot.waitUntil(lambda: bool(read or failed))
    assert not failed
    page = SearchPage(Context(real_link, settings, notices, tmp_path, tmp_path))
    qtbot.addWidget(page)
    page.show()
    assert search(qtbot, page, "tenant gutters")[0] == "contracts/lease.txt"
    hit = page.current_hit
    assert hit is not None
    assert "gutters" in hit.text[slice(*hit.best)]
    assert search(qtbot, page, "lamp ext:md") == ["lighthouse.md"]
    assert [chip.text() for chip in page.chips.chips] == ["Type: md"]
    assert search(qtbot, page, "in:contracts the") == ["contracts/lease.txt"]
    with qtbot.waitSignal(page.live_search.answered):
        page.search_inside(hit.path)
    assert [group.path for group in page.results.groups] == [hit.path]
    page.stop()
