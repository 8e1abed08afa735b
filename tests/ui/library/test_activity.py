"""The activity page: its texts and bars, smoothed, and no requests while it is hidden."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from indexer.api.answers import FileList
from indexer.api.phrases import Note
from indexer.api.progress import Progress, Step
from indexer.api.requests import GetStatus, Index, ListFiles
from indexer.api.status import LanguageStatus
from tests.answers import EMPTY, IDLE, root, running
from tests.ui.contrast import contrast
from tests.ui.library.port import CannedLink, canned_context, make_row
from ui import theme
from ui.engine_client import ActivityFeed
from ui.library.activity import LEAST_READ, ActivityPanel, LastRead
from ui.library.current_work import Smooth, work_facts, work_headline
from ui.library.page_parts import TonesBar, light_tone
from ui.search.labels import Link
from ui.widgets import ElidedLabel
from ui.words import amounts, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from indexer.api.status import Activity, Status
    from tests.fake_engine import FakeEngine
    from ui.ports import Context

BUSY = replace(
    IDLE,
    running=running(
        Step.INDEX, files_done=4, files_total=10, eta_seconds=200.0, current="/a/b.pdf"
    ),
    reason="battery", pages_per_second=30.0, embedded_share=0.5, set_aside=2,
    device_notes=(Note("device_absent", {"device": "cuda"}),),
)  # fmt: skip
LIBRARY = replace(
    EMPTY,
    files={"indexed": 7, "needs_password": 2},
    roots=(root("/docs", 9, states={"indexed": 7, "needs_password": 2}),),
)


@pytest.mark.parametrize(
    ("done", "embedded", "pending", "share"),
    [(0, 0, 0, 0.0), (5, 0, 0, 0.5), (10, 27, 73, 0.27), (5, 50, 50, 0.25), (10, 100, 0, 1.0)],
)
def test_the_bar_is_full_when_all_is_embedded(
    done: int, embedded: int, pending: int, share: float
) -> None:
    progress = Progress(
        Step.INDEX, files_done=done, files_total=10, passages=embedded, passages_pending=pending
    )
    assert progress.share == pytest.approx(share)


@pytest.fixture
def panel(qtbot: QtBot, context: Context) -> Iterator[ActivityPanel]:
    panel = ActivityPanel(context)
    feed = ActivityFeed(context.link, panel)
    feed.changed.connect(panel.show_activity)
    qtbot.addWidget(panel)
    panel.resize(800, 600)
    panel.show()
    yield panel
    feed.close()
    panel.hide()


def _canned(
    qtbot: QtBot, folder: Path, activity: Activity, status: Status = LIBRARY
) -> tuple[ActivityPanel, CannedLink]:
    context, link, _said = canned_context(folder)
    link.answers[GetStatus] = lambda _request: status
    panel = ActivityPanel(context)
    qtbot.addWidget(panel)
    panel.resize(800, 600)
    panel.show()
    panel.show_activity(activity)
    return panel, link


def test_the_current_activity_is_shown(qtbot: QtBot, tmp_path: Path) -> None:
    panel, _link = _canned(qtbot, tmp_path, BUSY)
    assert panel.work.headline.text() == "Reading: 4 of 10 files"
    assert panel.work.reason.text() == "Slower: on battery"
    assert panel.work.bar.read == 0.4
    assert panel.work.bar.value() == 0  # nothing is understood yet
    assert panel.work.current.text() == "/a/b.pdf"
    assert panel.work.facts.value("Pace:").startswith("30 pages")
    assert panel.work.facts.value("Time left:").startswith("about 4 ")
    assert panel.work.facts.value("Meaning search:").startswith("50 %")
    assert (
        panel.work.facts.value("Device:") == "CPU (cuda is not part of the installed ONNX Runtime)"
    )
    with qtbot.waitSignal(panel.files_requested) as wanted:
        panel.work.show_aside.click()
    assert wanted.args == ["failed"]
    panel.hide()


def test_states_and_headline_agree(qtbot: QtBot, tmp_path: Path) -> None:
    status = replace(LIBRARY, files={"queued": 10, "empty": 1})
    panel, _link = _canned(qtbot, tmp_path, BUSY, status)
    qtbot.waitUntil(lambda: _states(panel) == ["6 Waiting", "1 Empty"])
    reading = running(Step.INDEX, files_done=9, files_total=10)
    panel.show_activity(replace(BUSY, running=reading))
    assert _states(panel) == ["1 Waiting", "1 Empty"]
    panel.show_activity(replace(BUSY, running=running(Step.SCAN)))
    assert _states(panel) == ["10 Waiting", "1 Empty"]
    panel.hide()


def _states(panel: ActivityPanel) -> list[str]:
    return [link.text() for link in panel.states.links.values()]


def test_the_read_and_the_embedded_share_have_two_tones(qtbot: QtBot, tmp_path: Path) -> None:
    working = running(
        Step.INDEX, files_done=6, files_total=10, passages=25, passages_pending=75, eta_seconds=61.0
    )
    panel, _link = _canned(qtbot, tmp_path, replace(BUSY, running=working))
    bar = panel.work.bar
    assert bar.read == 0.6
    assert bar.value() == 0.15 * bar.maximum()
    image, middle = bar.grab().toImage(), bar.height() // 2
    at = (0.1, 0.4, 0.8)
    shades = [image.pixelColor(round(bar.width() * share), middle).name() for share in at]
    wanted = (theme.current().accent, light_tone(), theme.current().base)
    assert shades == [colour.name() for colour in wanted]
    panel.hide()


def test_nothing_is_shown_as_understood_before_it_is_written(qtbot: QtBot, tmp_path: Path) -> None:
    embedded = running(Step.INDEX, files_done=8, files_total=10, passages=37)
    panel, _link = _canned(qtbot, tmp_path, replace(BUSY, running=embedded, embedded_share=0.0))
    assert (panel.work.bar.read, panel.work.bar.value()) == (0.8, 0)
    panel.show_activity(replace(BUSY, running=embedded, embedded_share=1.0))
    assert panel.work.bar.value() == 0.8 * panel.work.bar.maximum()
    panel.hide()


def test_hiding_a_line_moves_no_other(qtbot: QtBot, tmp_path: Path) -> None:
    panel, _link = _canned(qtbot, tmp_path, BUSY)
    panel.resize(800, 1000)
    qtbot.waitUntil(panel.states.isVisible)
    parts = (panel.work.bar, panel.work.facts, panel.work.headline)

    def places() -> list[int]:
        for _ in range(5):  # a layout may need several rounds
            QApplication.processEvents()
        return [part.mapTo(panel, QPoint()).y() for part in parts]

    before = places()
    panel.show_activity(replace(BUSY, reason=""))
    assert places() == before
    panel.show_activity(IDLE)
    assert places() == before
    panel.hide()


def test_the_files_of_the_library_are_shown_by_state(qtbot: QtBot, tmp_path: Path) -> None:
    panel, link = _canned(qtbot, tmp_path, BUSY)
    qtbot.waitUntil(panel.states.isVisible)
    assert [each.text() for each in panel.states.links.values()] == [
        "7 Ready",
        "2 Needs a password",
    ]
    with qtbot.waitSignal(panel.files_requested) as wanted:
        panel.states.links["needs_password"].actions()[0].trigger()  # of its menu
    assert wanted.args == ["needs_password"]
    share = panel.folders.findChildren(TonesBar)[0]
    assert (share.read, share.value()) == (1.0, share.maximum()), "nothing waits"
    folder = panel.folders.findChildren(Link)[0]
    assert [each.text() for each in folder.actions()] == ["Show files", "Open folder", "Copy path"]
    with qtbot.waitSignal(panel.folder_requested) as wanted:
        folder.click()
    assert wanted.args == ["/docs"]
    with qtbot.waitSignal(panel.files_requested) as wanted:
        QTest.mouseClick(
            panel.states.bar, Qt.MouseButton.LeftButton, pos=panel.states.bar.rect().center()
        )
    assert wanted.args == ["indexed"]
    panel.show_activity(BUSY)
    panel.hide()
    panel.show_activity(replace(BUSY, changes=9))
    assert link.kinds() == [GetStatus, ListFiles], "nothing has changed, and then nobody looks"


def test_each_state_has_its_colour_and_its_meaning_below_the_bar(
    qtbot: QtBot, tmp_path: Path
) -> None:
    panel, _link = _canned(qtbot, tmp_path, BUSY)
    qtbot.waitUntil(panel.states.isVisible)
    QApplication.processEvents()
    image, link = panel.states.grab().toImage(), panel.states.links["needs_password"]
    middle = link.mapTo(panel.states, link.rect().center()).y()
    swatch = image.pixelColor(4, middle)
    assert swatch == theme.current().warning
    bar = panel.states.bar
    assert bar.grab().toImage().pixelColor(round(0.9 * bar.width()), bar.height() // 2) == swatch
    told = {each.text() for each in panel.states.findChildren(ElidedLabel)}
    assert told == {names.state_help("indexed"), names.state_help("needs_password")}
    panel.hide()


def test_a_small_library_fills_most_of_the_page(qtbot: QtBot, tmp_path: Path) -> None:
    holds = replace(
        LIBRARY, documents=7, pages=54, passages=123, model="tiny", bytes=4_200_000,
        languages=(LanguageStatus("de", 2), LanguageStatus("en", 5), LanguageStatus("", 1)),
    )  # fmt: skip
    panel, link = _canned(qtbot, tmp_path, IDLE, holds)
    files = tuple(make_row(number, pages=3) for number in range(7))
    link.answers[ListFiles] = lambda _request: FileList(files, len(files))
    panel.resize(1195, 768)  # beside the rail of a window of 1280 by 800
    panel.show_activity(replace(IDLE, changes=1))
    panel.timer.timeout.emit()
    qtbot.waitUntil(lambda: panel.last.isVisible() and panel.holdings.isVisible())
    QApplication.processEvents()
    amount = (amounts.documents(7), amounts.pages(54), amounts.hits(123))
    assert panel.holdings.value("Text:") == " · ".join(amount)
    assert panel.holdings.value("Languages:") == "\u2068English\u2069 5 · \u2068Deutsch\u2069 2"
    assert panel.holdings.value("Model:") == "tiny"
    assert panel.holdings.value("Index:").startswith("4.2 MB on the disk")
    for half in (panel.holdings, panel.last):
        end = half.mapTo(panel, half.rect().bottomLeft()).y()
        assert 0.5 * panel.height() < end < panel.height()
    panel.hide()


def test_indexing_is_paused_and_resumed(
    panel: ActivityPanel, qtbot: QtBot, engine: FakeEngine
) -> None:
    qtbot.waitUntil(panel.work.pause.isEnabled)
    panel.work.pause.click()
    qtbot.waitUntil(lambda: engine.paused)
    qtbot.waitUntil(lambda: panel.work.headline.text() == "Paused")
    assert panel.work.pause.text() == "&Go on"
    assert panel.work.reason.isHidden(), "the headline has said so"
    panel.work.pause.click()
    qtbot.waitUntil(lambda: not engine.paused)


def test_a_chosen_speed_is_stored(
    panel: ActivityPanel, qtbot: QtBot, engine: FakeEngine, context: Context
) -> None:
    qtbot.waitUntil(panel.work.speed.isEnabled)
    assert panel.work.speed.speed == "normal"
    panel.work.speed.buttons["slow"].click()
    qtbot.waitUntil(lambda: engine.speed == "slow")
    assert context.settings["speed"] == "slow"
    qtbot.waitUntil(lambda: "Hardly noticeable" in panel.work.speed.hint.text())


def test_a_missing_engine_is_reported(qtbot: QtBot, tmp_path: Path) -> None:
    panel, link = _canned(qtbot, tmp_path, BUSY)
    link.is_connected = False
    panel.show_activity(None)
    assert panel.work.headline.text() == "The engine is starting…"
    assert not panel.work.pause.isEnabled()
    chosen = panel.work.speed.buttons["normal"]
    behind = chosen.grab().toImage().pixelColor(chosen.width() // 2, 3)
    assert contrast(theme.current().muted, behind) >= 3, "its text is muted"
    panel.hide()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "Everything is up to date"),
        ({"paused": True}, "Paused"),
        ({"running": running(Step.SCAN)}, "Looking for new and changed files"),
        ({"pending": 3}, amounts.waiting(3)),
        ({"running": running(Step.MAINTAIN, files_total=5)}, "Tidying up the library"),
    ],
)
def test_headlines(change: dict[str, Any], said: str) -> None:
    assert work_headline(replace(IDLE, **change)) == said


def test_nothing_is_shown_before_the_first_answer() -> None:
    scanning = replace(IDLE, running=running(Step.SCAN), device="", device_notes=())
    shown = dict(work_facts(scanning, Smooth()))
    assert shown["Time left:"] == "…"
    assert shown["Device:"] == "chosen when reading starts"
    known = dict(work_facts(replace(scanning, device="cuda"), Smooth()))
    assert known["Device:"] == "CUDA"


def test_rates_are_smoothed() -> None:
    smooth = Smooth()
    assert smooth.follow("pages", 100.0) == 100
    calm = smooth.follow("pages", 150.0)
    assert 100 < calm < 125
    assert smooth.follow("pages", 1000.0) == 1000, "a jump is news"
    assert smooth.follow("pages", 0.0) == 0
    assert smooth.follow("pages", 50.0) == 50
    rows = dict(work_facts(IDLE, smooth))
    assert rows["Meaning search:"].startswith("ready")
    assert "Pace:" not in rows


def test_the_bar_is_not_full_while_folders_are_scanned(qtbot: QtBot, tmp_path: Path) -> None:
    scanning = replace(BUSY, running=running(Step.SCAN), embedded_share=0.2)
    panel, _link = _canned(qtbot, tmp_path, scanning)
    assert panel.work.bar.value() == 0.2 * panel.work.bar.maximum()
    qtbot.waitUntil(panel.states.isVisible)
    panel.show_activity(replace(IDLE, pending=7, embedded_share=1.0))
    assert (panel.work.bar.read, panel.work.bar.value()) == (0.5, 0.5 * panel.work.bar.maximum())
    panel.hide()


def test_what_was_read_last_fills_the_height(qtbot: QtBot) -> None:
    last = LastRead()
    qtbot.addWidget(last)
    last.show_files([make_row(number) for number in range(30)])
    counts = []
    for height, columns in ((0, 1), (400, 1), (400, 2), (2000, 2)):
        last.fit(height, columns)
        QApplication.processEvents()
        counts.append(sum(link.isVisibleTo(last) for link in last.findChildren(Link)))
    assert counts[0] == LEAST_READ < counts[1] < counts[2] <= counts[3] == 30


def test_from_right_to_left_every_text_begins_at_the_right(qtbot: QtBot, tmp_path: Path) -> None:
    panel, _link = _canned(qtbot, tmp_path, BUSY)
    panel.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    qtbot.waitUntil(panel.states.isVisible)
    labels = [each for each in panel.findChildren(QLabel) if each.text() and each.isVisible()]
    legend = panel.work.legend.findChildren(QLabel)
    assert len(labels) > len(legend)
    for label in labels:
        assert label in legend or label.alignment() & Qt.AlignmentFlag.AlignRight, label.text()
    panel.hide()


def test_a_link_with_room_is_not_elided(qtbot: QtBot) -> None:
    for text in ("tides.html", "eml-01.eml", "observatory-notes.md", "8 Waiting", "1 Empty"):
        link = Link(text, "")
        room = link.sizeHint().width() - 2
        assert link.fontMetrics().elidedText(text, link.elide, room) == text


def test_long_names_do_not_widen_the_page(
    qtbot: QtBot, panel: ActivityPanel, engine: FakeEngine, library_files: Path
) -> None:
    (library_files / f"{'a rather long name ' * 9}.txt").write_text("The lamp.")
    narrow = panel.minimumSizeHint().width()
    engine.call(Index((library_files,)))
    engine.changes += 1
    qtbot.waitUntil(panel.last.isVisible)
    link = max(panel.last.findChildren(Link), key=lambda each: len(each.text()))
    assert link.minimumSizeHint().width() < link.sizeHint().width() / 3
    assert panel.last.minimumSizeHint().width() < 40 * panel.fontMetrics().averageCharWidth()
    assert panel.minimumSizeHint().width() == narrow


def test_an_empty_library_is_not_said_to_be_understood(
    qtbot: QtBot, panel: ActivityPanel, engine: FakeEngine, library_files: Path
) -> None:
    qtbot.waitUntil(lambda: panel.work.headline.text() == "There is nothing in the library yet")
    assert "Choose folders" in panel.work.reason.text()
    assert not panel.work.bar.isVisible()
    assert not panel.work.facts.isVisible()
    engine.call(Index((library_files,)))
    engine.changes += 1
    qtbot.waitUntil(panel.work.bar.isVisible)
    assert panel.work.headline.text() == "Everything is up to date"


def test_the_page_uses_the_width_and_names_what_was_read_last(
    qtbot: QtBot, context: Context, engine: FakeEngine, library_files: Path
) -> None:
    panel = ActivityPanel(context)
    qtbot.addWidget(panel)
    feed = ActivityFeed(context.link, panel)
    feed.changed.connect(panel.show_activity)
    engine.call(Index((library_files,)))
    panel.resize(1200, 700)
    panel.show()
    qtbot.waitUntil(panel.last.isVisible)
    for width in (1200, 2400):
        panel.resize(width, 700)
        QApplication.processEvents()
        for left in (panel.work, panel.states, panel.holdings):
            assert left.mapTo(panel, QPoint()).x() < width // 8
            assert left.width() > 0.4 * width
        for right in (panel.folders, panel.last):
            assert right.mapTo(panel, QPoint()).x() > width // 2
            assert right.width() > 0.4 * width
    opened: list[str] = []
    panel.document_requested.connect(opened.append)
    links = panel.last.findChildren(Link)
    links[0].click()
    assert opened == [links[0].target]
    assert Path(opened[0]).parent.is_relative_to(library_files)
    panel.resize(600, 700)
    QApplication.processEvents()
    assert panel.last.mapTo(panel, QPoint()).x() == panel.work.headline.mapTo(panel, QPoint()).x()
    feed.close()
    panel.hide()
