"""Offsets in code points and in Qt's UTF-16 units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from ui.search.safe_text import Utf16Map, for_qt

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("\r\n\t\f\v\x00\x1f\u2028\u2029\u0301\ufdd0\ufffc\U0001f56f\U00020000e"),
    ),
    max_size=60,
)


@given(TEXTS, st.data())
def test_offsets_convert_both_ways(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    units = Utf16Map(text)
    assert units.to_utf16(place) == len(text[:place].encode("utf-16-le")) // 2
    assert units.to_code_points(units.to_utf16(place)) == place


def test_the_second_half_of_a_pair_belongs_to_its_character() -> None:
    assert [Utf16Map("a🕯b").to_code_points(unit) for unit in range(5)] == [0, 1, 1, 2, 3]


def test_for_qt_keeps_offsets(qtbot: QtBot) -> None:
    edit = QPlainTextEdit()
    qtbot.addWidget(edit)

    @given(TEXTS)
    def check(text: str) -> None:
        shown = for_qt(text)
        assert len(shown) == len(text)
        edit.setPlainText(shown)
        units = Utf16Map(text)
        assert edit.document().characterCount() - 1 == units.to_utf16(len(text))
        for place, character in enumerate(shown):
            cursor = QTextCursor(edit.document())
            cursor.setPosition(units.to_utf16(place))
            cursor.setPosition(units.to_utf16(place + 1), QTextCursor.MoveMode.KeepAnchor)
            expected = "\u2029" if character == "\n" else character
            assert cursor.selectedText() == expected

    check()
