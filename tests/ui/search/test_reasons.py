"""The matching words of a hit: requested when they are shown, and drawn in its snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF
from PySide6.QtTest import QTest

from indexer.api.requests import Explain, Index
from indexer.api.types import Explanation
from tests.ui.engines import answer
from tests.ui.library.port import CannedLink
from tests.ui.search.hits import hit
from tests.ui.search.pages import search
from ui.search.delegate import underlined
from ui.search.describe import pairs, words_spoken
from ui.search.live_search import Reasons, Words
from ui.search.page import SearchPage
from ui.search.safe_text import shown
from ui.search.snippet import Line, Pen, make_snippet

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QTextLayout
    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit, Span
    from ui.engine_client import EngineLink
    from ui.ports import Context

TEXT = "The rent rises with the index. Deposits stay where they are."
FOUND = Explanation(
    cosine=0.6, recall=0.7, words=(), rest=0.0, query=(),
    marks=((4, 8), (9, 14)), same=((4, 8),),
    pairs=(("rent", "rent", 1.0), ("increase", "rises", 0.7)),
)  # fmt: skip
WORDS = Words.from_explanation(FOUND, TEXT)


def lines(layout: QTextLayout) -> list[tuple[Span, Line]]:
    return [
        ((each.start, each.start + each.length), each.format.underlineStyle())
        for each in layout.formats()
        if each.format.underlineStyle() is not Line.NoUnderline
    ]


def test_own_and_similar_words_are_separated() -> None:
    one = hit(text=TEXT)
    assert Words(((4, 8),), ((9, 14),), (("increase", "rises"),)) == WORDS
    assert pairs(WORDS) == "increase \u2248 rises"
    assert words_spoken(one, WORDS) == "Your words: rent. Close in meaning: rises"
    assert words_spoken(one, Words((), (), ())) == "No single word counts much"


@pytest.mark.usefixtures("qapp")
def test_words_are_underlined_where_the_snippet_has_them() -> None:
    font = QFont()
    pen = Pen(font, QFontMetricsF(font), 400)
    drawn = underlined(hit(text=TEXT), WORDS)
    assert drawn == [((4, 8), Line.SingleUnderline), ((9, 14), Line.DotLine)]
    yellow, black = QColor("yellow"), QColor("black")
    whole = make_snippet(shown(TEXT), pen, 3, yellow, black, drawn)
    assert lines(whole.layout) == drawn
    before = "Something else comes first. " * 40
    far = [((len(before) + low, len(before) + high), line) for (low, high), line in drawn]
    span = (len(before), len(before) + 30)
    cut = make_snippet(shown(before + TEXT, [span]), pen, 3, yellow, black, far)
    assert [cut.text[low:high] for (low, high), _line in lines(cut.layout)] == ["rent", "rises"]
    out_of_sight = make_snippet(shown(before + TEXT), pen, 3, yellow, black, far)
    assert lines(out_of_sight.layout) == []


def test_the_newest_hit_wins(qtbot: QtBot) -> None:
    link = CannedLink()
    link.answers[Explain] = lambda _request: FOUND
    link.holding = {Explain}
    reasons = Reasons(link, link)
    told: list[tuple[Hit | None, Words | None]] = []
    reasons.shown.connect(lambda one, words: told.append((one, words)))
    first, second = hit(text=TEXT), hit("/docs/other.txt", text=TEXT)
    reasons.select(first, "rent")
    assert link.asked == []  # nobody wants to see them
    reasons.toggle_words()
    reasons.select(second, "rent")
    reasons.select(second, "rent")  # the same answer came again
    assert len(link.asked) == 2
    assert link.cancelled == [1]
    link.release()
    qtbot.waitUntil(lambda: told[-1] == (second, WORDS))
    assert (first, WORDS) not in told
    reasons.toggle_words()
    assert told[-1] == (None, None)
    reasons.select(hit(text="", start=0), "lease")  # found by its name
    assert told[-1] == (None, None)


def test_a_real_engine_tells_the_words_at_a_key(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> None:
    answer(qtbot, real_link, Index((library_files,)))
    page = SearchPage(real_context)
    qtbot.addWidget(page)
    page.resize(700, 500)
    with qtbot.waitExposed(page):
        page.show()
    search(qtbot, page, "tenant gutters")
    view = page.results.view

    def told() -> str:
        explained, one = view.results.explained, page.current_hit
        if explained is None or one is None:
            return ""
        return words_spoken(one, explained[1])

    QTest.keyClick(page.bar.box, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: "tenant" in told() and "gutters" in told())
    QTest.keyClick(page.bar.box, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert told() == ""
    page.stop()
