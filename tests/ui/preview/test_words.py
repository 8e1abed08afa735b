"""The matching words of a hit are underlined on the page and in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtGui import QTextCharFormat

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import like, pixels, show
from ui.preview.page_view import WORD
from ui.search.live_search import Words

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.preview.panel import Preview

WORDS = Words(((0, 5),), ((12, 18),), ())


def test_words_are_underlined_where_they_stand_on_the_page(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    hit = hits[2]
    show(qtbot, preview, hit)
    preview.show_words(replace(hit, path="/elsewhere.pdf"), WORDS)
    preview.show_words(hit, WORDS)
    pages = preview.pages
    qtbot.waitUntil(lambda: [own for _pieces, own in pages.words] == [True, False])
    (first, _), (second, _) = pages.words
    (one,), (other,) = first[3], second[3]
    passage = pages.marks.passage[3]
    assert one.box.left() < other.box.left()
    assert any(line.box.intersects(one.box) for line in passage)
    assert like(pixels(pages.viewport()), WORD).any()
    preview.show_words(None, None)
    assert pages.words == ()
    assert not like(pixels(pages.viewport()), WORD).any()


def test_words_that_came_before_the_page_are_underlined_on_it(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.show_words(hits[1], WORDS)
    preview.show_hit(hits[1], hits, 1)
    qtbot.waitUntil(lambda: len(preview.pages.words) == 2)


def test_words_of_a_text_are_underlined_too(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    path = tmp_path / "lease.txt"
    path.write_text("Nothing of it here.\n\nThe tenant pays the rent and the landlord the roof.")
    hit = hit_of(path, passages_of(path)[0], format="text")
    preview.show_hit(hit, [hit], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    at = hit.text.index("tenant")
    preview.show_words(hit, Words(((at, at + 6),), (), ()))

    def underlined() -> list[str]:
        return [
            each.cursor.selectedText()
            for each in preview.text.extraSelections()
            if each.format.underlineStyle() is QTextCharFormat.UnderlineStyle.SingleUnderline
        ]

    qtbot.waitUntil(lambda: underlined() == ["tenant"])
    preview.show_words(None, None)
    assert underlined() == []
