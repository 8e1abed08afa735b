"""Patterns are counted before they are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.requests import EstimateIndex, SetPatterns
from tests.ui.library.port import canned_context
from ui.library.cards import PatternsEditor

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


def test_an_invalid_pattern_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[SetPatterns] = lambda _request: ()
    link.answers[EstimateIndex] = lambda _request: WorldError(
        "bad_setting", name="exclude", value="[", reason="it is not closed"
    )
    editor = PatternsEditor(context)
    qtbot.addWidget(editor)
    editor.edit_patterns("/a", "a")
    qtbot.waitUntil(lambda: "not closed" in editor.count.text())
    assert not editor.save.isEnabled()
