"""What an estimate says of the files that would be added."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.answers import FormatEstimate
from indexer.api.errors import WorldError
from indexer.api.formats import FORMATS
from indexer.api.requests import EstimateIndex
from tests.answers import NOTHING
from tests.ui.library.port import canned_context, fact
from ui.library.cards import EstimateCard
from ui.words import amounts

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot


def test_an_estimate_waits_for_the_engine(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    card = EstimateCard(context)
    qtbot.addWidget(card)
    card.estimate_paths(["/a"])
    qtbot.waitUntil(lambda: "engine is starting" in card.note.text())
    link.answers[EstimateIndex] = lambda _request: NOTHING
    link.connected.emit()
    qtbot.waitUntil(lambda: "nothing in it" in card.note.text())
    assert not card.start.isEnabled()


def test_an_estimate_says_what_is_known_and_what_is_new(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    card = EstimateCard(context)
    qtbot.addWidget(card)
    link.answers[EstimateIndex] = lambda _request: replace(NOTHING, known=7)
    card.estimate_paths(["/a", "/b", "/c", "/d"])
    qtbot.waitUntil(card.start.isEnabled)
    assert card.note.text() == "Everything in it has been read already."
    assert fact(card.facts, "Known already:") == amounts.files(7)
    names = [known.name for known in FORMATS[:7]]
    kinds = {name: FormatEstimate(n, n) for n, name in enumerate(names, 1)}
    skipped = {"empty": 2, "excluded": 1}
    new = replace(NOTHING, files=28, formats=kinds, measured=True, left_out=skipped)
    link.answers[EstimateIndex] = lambda _request: new
    card.estimate_paths(["/a"])
    qtbot.waitUntil(card.start.isEnabled)
    assert card.note.text() == ""  # the time is no guess
    assert fact(card.facts, "Kinds:").endswith("…")
    assert fact(card.facts, "Kinds:").count("·") == 6
    assert fact(card.facts, "Skipped:") == "2 empty file(s) · Left out by a rule:\u00a01"


def test_an_estimate_says_what_is_wrong(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[EstimateIndex] = lambda _request: WorldError("path_missing", path="/a")
    card = EstimateCard(context)
    qtbot.addWidget(card)
    card.estimate_paths(["/a"])
    qtbot.waitUntil(lambda: "nothing at /a" in card.note.text())
