"""The page of other programs: what each may see, and the log of what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from msgspec.structs import replace
from PySide6.QtCore import Qt

from indexer.api.requests import GetStatus
from tests.answers import EMPTY
from tests.ui.library.port import Canned, canned_context
from ui.settings_dialog.dialog import DOORS, SettingsDialog

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

CALLS: list[dict[str, Any]] = [
    {"time": "2026-01-02T03:04:05+00:00", "door": "mcp", "who": "an assistant 1.0",
     "what": "search", "query": "who mends the roof", "found": 2},
    {"what": ["no", "text"], "who": "<b>bold</b>"},
]  # fmt: skip


@pytest.fixture
def canned(tmp_path: Path) -> Canned:
    return canned_context(tmp_path)


def test_each_door_sees_what_was_chosen_and_nothing_at_first(canned: Canned, qtbot: QtBot) -> None:
    context, link, _said = canned
    status = structs.replace(
        EMPTY, collections={"Contracts": "in:contracts", "Letters": "in:letters"}
    )
    link.answers[GetStatus] = lambda _request: status
    context.settings.set("serve_collections", ("Gone",))
    read: list[int] = []

    def calls(most: int) -> list[dict[str, Any]]:
        read.append(most)
        return CALLS[:most]

    dialog = SettingsDialog(replace(context, read_calls=calls))
    qtbot.addWidget(dialog)
    dialog.show()
    assert not read, "the log is read when it is shown"
    dialog.show_page(DOORS)
    table = dialog.doors.table
    qtbot.waitUntil(lambda: table.rowCount() == 4)

    def checked() -> dict[tuple[int, int], bool]:
        cells = [(row, column) for row in range(4) for column in range(3)]
        items = {cell: table.item(*cell) for cell in cells}
        return {
            cell: item is not None and item.checkState() == Qt.CheckState.Checked
            for cell, item in items.items()
        }

    assert [cell for cell, on in checked().items() if on] == [(3, 1)], "what is gone can be denied"
    table.setCurrentCell(1, 0)
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert context.settings["mcp_collections"] == ("Contracts",)
    table.setCurrentCell(3, 1)
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert context.settings["serve_collections"] == ()
    context.settings.set("desktop_collections", ("*",))
    whole = table.item(0, 2)
    assert whole is not None
    assert whole.checkState() == Qt.CheckState.Checked
    log = dialog.doors.calls
    assert log.isVisible()
    first, second = log.topLevelItem(0), log.topLevelItem(1)
    assert first is not None
    assert second is not None
    assert first.text(1) == "an assistant 1.0"
    assert first.text(2) == "search who mends the roof"
    assert dialog.rows["door_log"].isVisible()
    assert len(read) == 1


def test_an_empty_log_is_said(canned: Canned, qtbot: QtBot) -> None:
    dialog = SettingsDialog(canned[0])
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.show_page(DOORS)
    assert dialog.doors.no_calls.isVisible()
    assert not dialog.doors.calls.isVisible()
