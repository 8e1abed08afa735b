"""One notice at a time; its button acts once, and its callbacks report how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QWidget

from ui.ports import Notice
from ui.window_parts import NoticeBar

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def bar(qtbot: QtBot) -> NoticeBar:
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.move(400, 400)  # away from the mouse, under which a notice stays
    return bar


def press(bar: NoticeBar, kind: type[QPushButton | QToolButton], qtbot: QtBot) -> None:
    qtbot.mouseClick(bar.findChild(kind), Qt.MouseButton.LeftButton)


def test_a_notice_is_shown_and_expires(bar: NoticeBar, qtbot: QtBot) -> None:
    heard: list[str] = []
    bar.post(Notice("Saved.", seconds=0.05, expired=lambda: heard.append("expired")))
    assert bar.text == "Saved."
    qtbot.waitUntil(lambda: heard == ["expired"])
    assert bar.text == ""
    assert bar.isHidden()


def test_its_button_acts_once(bar: NoticeBar, qtbot: QtBot) -> None:
    heard: list[str] = []
    bar.post(
        Notice(
            "Removed.",
            action="Show",
            act=lambda: heard.append("acted"),
            expired=lambda: heard.append("expired"),
            seconds=0,
        )
    )
    press(bar, QPushButton, qtbot)
    assert heard == ["acted"]
    assert bar.isHidden()
    bar.dismiss()
    assert heard == ["acted"]


def test_what_can_be_undone_is_undone_by_its_button_or_key(qtbot: QtBot) -> None:
    window = QWidget()
    bar = NoticeBar()
    bar.float_over(window)
    qtbot.addWidget(window)
    window.resize(600, 400)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    heard: list[str] = []

    def tell() -> None:
        bar.post(Notice("Removed.", undo=lambda: heard.append("undone"), seconds=0))

    tell()
    assert [button.text() for button in bar.findChildren(QPushButton)] == ["Undo"]
    press(bar, QPushButton, qtbot)
    tell()
    for _ in range(2):
        QTest.keySequence(window, QKeySequence(QKeySequence.StandardKey.Undo))
    assert heard == ["undone", "undone"]
    assert bar.isHidden()
    tell()
    bar.dismiss()
    QTest.keySequence(window, QKeySequence(QKeySequence.StandardKey.Undo))
    assert heard == ["undone"] * 3, "the key does it without a notice, too"
    bar.dismiss()
    heard.pop()
    bar.post(Notice("Crashed.", action="Show", act=lambda: heard.append("shown"), seconds=0))
    QTest.keySequence(window, QKeySequence(QKeySequence.StandardKey.Undo))
    assert heard == ["undone", "undone"]
    bar.dismiss()


def test_what_was_done_before_is_undone_after_its_notice_has_gone(bar: NoticeBar) -> None:
    heard: list[str] = []
    for name in ("one", "two"):
        undo, expired = f"undo {name}", f"{name} is over"
        bar.post(
            Notice(
                f"{name}.",
                undo=lambda undo=undo: heard.append(undo),  # type: ignore[misc]  # bound now
                expired=lambda expired=expired: heard.append(expired),  # type: ignore[misc]  # bound now
                seconds=0,
            )
        )
    assert heard == ["one is over"]
    bar.undo()  # that of the notice, which does not count as expired
    assert (bar.text, heard) == ("", ["one is over", "undo two"])
    bar.undo()
    assert heard[-1] == "undo one"
    assert bar.text == "Undone: one."
    bar.undo()
    assert heard[-1] == "undo one", "there is nothing left"
    bar.dismiss()


def test_another_page_is_not_covered_by_a_notice_that_passes(qtbot: QtBot) -> None:
    page = QWidget()
    bar = NoticeBar()
    bar.float_over(page)
    qtbot.addWidget(page)
    page.show()
    heard: list[str] = []
    bar.post(
        Notice(
            "Added.",
            undo=lambda: heard.append("undone"),
            expired=lambda: heard.append("expired"),
            seconds=60,
        )
    )
    bar.leave_page()
    assert (bar.text, heard) == ("", [])
    bar.undo()
    assert (bar.text, heard) == ("Undone: Added.", ["undone"])
    bar.post(Notice("Something went wrong.", seconds=0))
    bar.leave_page()
    assert bar.text == "Something went wrong."
    bar.dismiss()


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Escape])
def test_the_focus_returns_to_where_it_was(qtbot: QtBot, key: Qt.Key) -> None:
    window = QWidget()
    field, other = QLineEdit(window), QLineEdit(window)
    bar = NoticeBar(window)
    bar.move(400, 400)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    other.setFocus()
    field.setFocus()
    bar.post(Notice("Removed.", undo=lambda: None, seconds=0))
    undo = bar.findChild(QPushButton)
    assert undo is not None
    undo.setFocus()
    qtbot.keyClick(undo, key)
    assert bar.isHidden()
    assert field.hasFocus()


def test_another_notice_takes_its_place(bar: NoticeBar, qtbot: QtBot) -> None:
    heard: list[str] = []
    bar.post(Notice("One.", expired=lambda: heard.append("one")))
    bar.post(Notice("Two.", expired=lambda: heard.append("two")))
    assert (bar.text, heard) == ("Two.", ["one"])
    press(bar, QToolButton, qtbot)
    assert (bar.text, heard) == ("", ["one", "two"])


def test_an_expired_notice_may_post_another(bar: NoticeBar) -> None:
    bar.post(Notice("One.", expired=lambda: bar.post(Notice("It is done.", seconds=0))))
    bar.dismiss()
    assert bar.text == "It is done."
    bar.dismiss()


def test_names_of_files_are_no_markup(bar: NoticeBar) -> None:
    bar.post(Notice("<b>bold</b>.pdf", seconds=0))
    assert bar.text == "<b>bold</b>.pdf"
    assert "bold</b>" in bar.text
    bar.dismiss()
