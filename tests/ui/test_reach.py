"""Every part of the window has accessible names, and works enlarged, mirrored and in German."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTranslator
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollBar,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.exceptions import TimeoutError as QtTimeoutError

from indexer.api.phrases import Note
from indexer.api.progress import Step
from tests.answers import running
from tests.ui.contrast import contrast
from tests.ui.program import application
from ui import theme
from ui.application import use_language
from ui.pages import FIRST_RUN, LIBRARY, SEARCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from ui.main_window import MainWindow

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit,
    QTextEdit,
)  # fmt: skip
# Inner parts of Qt's controls, which have names or need none.
LAID_OUT_MS = 5000
PARTS = (QScrollBar, QTabBar, QHeaderView)
INSIDES = (QComboBox, QAbstractSpinBox, QLineEdit, *PARTS)

PLACES = (FIRST_RUN, SEARCH, "results", LIBRARY, "files", "settings", "keys")


# An activity with long texts.
BUSY = {
    "running": running(
        Step.INDEX, files_done=12_345, files_total=67_890, pages=120_000, passages=100,
        seconds=100.0, eta_seconds=40_000.0,
    ),
    "reason": "battery", "pages_per_second": 123.4,
    "embedded_share": 0.62, "pending": 55_545,
    "device_notes": (
        Note("device_failed", {
            "device": "cuda",
            "said": "the driver is older than the oldest that could be used with this version",
        }),
    ),
}  # fmt: skip


def visit(window: MainWindow, places: Iterable[str] = PLACES) -> Iterator[tuple[str, QWidget]]:
    """Show each part of the window in turn, and yield the widget to check."""
    for place in places:
        yield place, go(window, place)
        for each in window.findChildren(QDialog):
            each.reject()


def go(window: MainWindow, place: str) -> QWidget:
    match place:
        case "results":
            window.pages.search_for("the")
            QTest.qWait(300)
        case "files":
            window.pages.show_files()
            QTest.qWait(200)
        case "settings":
            window.dialogs.show_settings()
        case "keys":
            window.dialogs.show_help("keys")
        case _:
            window.pages.show_page(place)
            QTest.qWait(100)
    QTest.qWait(50)
    dialogs = [each for each in window.findChildren(QDialog) if each.isVisible()]
    return dialogs[0] if dialogs else window


@pytest.fixture
def plain(qapp: QApplication) -> Iterator[Callable[[str, int], None]]:
    """Set the language and the scale of text; restore both afterwards."""
    before, font = set(qapp.findChildren(QTranslator)), qapp.font()

    def choose(language: str, percent: int) -> None:
        use_language(qapp, language)
        larger = qapp.font()
        larger.setPointSizeF(font.pointSizeF() * percent / 100)
        qapp.setFont(larger)

    yield choose
    for each in set(qapp.findChildren(QTranslator)) - before:
        qapp.removeTranslator(each)
        each.setParent(None)
    qapp.setFont(font)
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    QLocale.setDefault(QLocale("en_US"))


def controls(root: QWidget) -> list[QWidget]:
    """Return the visible controls, without the inner parts of Qt's own."""
    return [
        each
        for each in root.findChildren(QWidget)
        if isinstance(each, CONTROLS)
        and not isinstance(each, PARTS)
        and not each.objectName().startswith("qt_")
        and not isinstance(each.parent(), INSIDES)
        and not any(kind.inherits("QComboBoxPrivateContainer") for kind in lineage(each))
    ]


def lineage(widget: QWidget) -> Iterator[QWidget]:
    parent: QWidget | None = widget
    while parent is not None:
        yield parent
        parent = parent.parentWidget()


def test_every_control_has_a_name_for_a_screen_reader(window: MainWindow) -> None:
    nameless = []
    for place, root in visit(window):
        for each in controls(root):
            if isinstance(each, QPushButton) and not each.text() and not each.isVisible():
                continue  # it is shown once it has a text, which names it
            name = QAccessible.queryAccessibleInterface(each).text(QAccessible.Text.Name)
            if isinstance(each, QComboBox):  # which Qt names by its choice, but not on Windows
                name = each.accessibleName()
            if not name.strip():
                nameless.append(f"{place}: {described(each)}")
    assert not nameless


def described(widget: QWidget) -> str:
    return " < ".join(type(each).__name__ for each in [*lineage(widget)][:5])


@pytest.mark.parametrize(("language", "percent"), [("en", 200), ("de", 100), ("de", 200)])
def test_no_text_is_cut_off(
    plain: Callable[[str, int], None],
    request: pytest.FixtureRequest,
    qtbot: QtBot,
    language: str,
    percent: int,
) -> None:
    plain(language, percent)
    request.getfixturevalue("engine").activity_now = BUSY
    shown: Program = request.getfixturevalue("shown")
    shown.window.resize(1280, 800)
    cut = []
    for place, root in visit(shown.window):
        qtbot.waitUntil(root.isVisible)
        with suppress(QtTimeoutError):  # texts that came just now are laid out by a later event
            qtbot.waitUntil(partial(fits, root), timeout=LAID_OUT_MS)
        cut += [f"{place}: {described(each)}: {text}" for each, text in cut_off(root)]
        cut += [f"{place}: {texts}" for texts in with_the_same_key(root)]
        assert shown.window.width() == 1280, f"{place} makes the window wider than the screen"
    assert not cut


def fits(root: QWidget) -> bool:
    return next(cut_off(root), None) is None


def cut_off(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Return labels and buttons whose text does not fit."""
    for each in root.findChildren(QWidget):
        if not each.isVisible() or not isinstance(each, QLabel | QAbstractButton | QComboBox):
            continue
        text = each.currentText() if isinstance(each, QComboBox) else each.text()
        if not text or each.property("elides"):
            continue
        wanted = each.minimumSizeHint() if isinstance(each, QLabel) else each.sizeHint()
        width, height = wanted.width(), wanted.height()
        if isinstance(each, QLabel) and each.wordWrap():
            width, height = 0, each.heightForWidth(each.width())
        if each.width() < width or each.height() < height:
            yield each, f"{text!r} has {each.width()}x{each.height()} of {width}x{height}"


def with_the_same_key(root: QWidget) -> Iterator[list[str]]:
    """Return the texts of visible buttons, tabs and labels that one key with Alt reaches."""
    labels = [each for each in root.findChildren(QLabel) if each.buddy() is not None]
    parts: list[QLabel | QAbstractButton] = [*root.findChildren(QAbstractButton), *labels]
    texts = [each.text() for each in parts if each.isVisible()]
    for tabs in root.findChildren(QTabBar):
        if tabs.isVisible():
            texts += [tabs.tabText(at) for at in range(tabs.count())]
    by_key: dict[str, list[str]] = {}
    for text in texts:
        if found := re.search(r"&(\w)", text.replace("&&", "")):
            by_key.setdefault(found[1].lower(), []).append(text)
    yield from (same for same in by_key.values() if len(same) > 1)


def test_from_right_to_left_every_text_begins_at_the_right(
    qapp: QApplication, plain: Callable[[str, int], None], request: pytest.FixtureRequest
) -> None:
    plain("en", 100)
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    request.getfixturevalue("engine").activity_now = BUSY
    shown: Program = request.getfixturevalue("shown")
    wrong = []
    for place, root in visit(shown.window):
        for each in root.findChildren(QLabel):
            if not each.isVisible() or each.width() <= each.sizeHint().width():
                continue  # there is no other side
            side = each.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute
            if each.text() and side not in (right, Qt.AlignmentFlag.AlignHCenter):
                wrong.append(f"{place}: {described(each)}: {each.text()!r}")
    assert not wrong


def test_labels_can_be_read_after_a_live_change_of_the_theme(
    request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    request.getfixturevalue("engine").activity_now = BUSY
    shown: Program = request.getfixturevalue("shown")
    shown.settings.set("theme", "light")
    for _ in visit(shown.window):  # every part is made in the light theme
        pass
    faint = []
    try:
        for mode in ("dark", "light"):
            shown.settings.set("theme", mode)
            qtbot.waitUntil(lambda mode=mode: theme.current().dark == (mode == "dark"))  # type: ignore[misc]  # bound now
            for place, root in visit(shown.window):
                faint += [f"{mode}, {place}: {each}" for each in too_faint(root)]
    finally:
        shown.settings.set("theme", "light")
    assert not faint


def too_faint(root: QWidget) -> Iterator[str]:
    """Find labels whose letters have too little contrast with what is behind them."""
    for each in root.findChildren(QLabel):
        if each.isVisible() and each.isEnabled() and each.text():
            palette = each.palette()
            ratio = contrast(
                palette.color(each.foregroundRole()), palette.color(each.backgroundRole())
            )
            if ratio < 4.5:
                yield f"{described(each)}: {each.text()!r} has {ratio:.2f}"


def test_a_right_to_left_window_is_mirrored(window: MainWindow) -> None:
    app = application()
    app.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    try:
        for _place, root in visit(window):
            assert not root.grab().isNull()
        window.pages.show_page(SEARCH)
        QTest.qWait(50)
        pane = window.pages.search
        assert window.rail.geometry().center().x() > window.pages.geometry().center().x()
        assert pane.left.x() > pane.preview.x()
    finally:
        app.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


class Flashes(QObject):
    """Records top-level windows that are shown by mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.seen.append(type(watched).__name__)
        return False


def test_no_widget_is_shown_as_a_window_by_mistake(window: MainWindow) -> None:
    flashes = Flashes()
    application().installEventFilter(flashes)
    try:
        assert len([*visit(window, PLACES[:-2])]) == len(PLACES) - 2
    finally:
        application().removeEventFilter(flashes)
    assert flashes.seen == []
