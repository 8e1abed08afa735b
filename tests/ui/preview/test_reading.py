"""A text prepared for display: its parts, and that offsets stay the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QPalette,
    QTextCharFormat,
    QTextCursor,
)

from indexer.api.pages import TextBlock, TextPart
from indexer.api.types import BlockKind
from tests.ui.contrast import contrast
from ui.preview import text_view
from ui.preview.text_view import TextView
from ui.preview.typesetting import HIDDEN, TypesetKind, laid_out
from ui.theme import Themes, current

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

MARKDOWN = "# The lamp\n\nIt is lit.\n\n- One\n- Two\n"


def seen(text: str) -> str:
    return text.replace(HIDDEN, "")


def blocks(text: str, *parts: tuple[str, BlockKind]) -> list[TextBlock]:
    made, at = [], 0
    for part, kind in parts:
        start = text.index(part, at)
        at = start + len(part)
        made.append(TextBlock(start, at, kind, 1 if kind is BlockKind.HEADING else 0))
    return made


MARKED = blocks(
    MARKDOWN, ("# ", BlockKind.FURNITURE), ("The lamp", BlockKind.HEADING),
    ("It is lit.", BlockKind.PARAGRAPH), ("- One", BlockKind.LIST_ITEM),
    ("- Two", BlockKind.LIST_ITEM),
)  # fmt: skip


def test_markup_is_hidden_and_parts_have_kinds() -> None:
    shown, parts = laid_out(MARKDOWN, 0, MARKED)
    assert seen(shown).startswith("The lamp\n")
    assert MARKDOWN[slice(parts[0].start, parts[0].end)] == "The lamp"
    assert [part.kind for part in parts] == [
        TypesetKind.HEADING,
        TypesetKind.PROSE,
        TypesetKind.ITEM,
        TypesetKind.ITEM,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A line that was broken by hand where it was full,\nand goes on.",
         "A line that was broken by hand where it was full, and goes on."),
        ("A line that was broken by hand inside of a long exam-\nple, and goes on.",
         "A line that was broken by hand inside of a long example, and goes on."),
        ("Roses are red,\nviolets are blue.", "Roses are red,\nviolets are blue."),
    ],
)  # fmt: skip
def test_lines_that_were_broken_by_hand_are_rejoined(text: str, expected: str) -> None:
    shown, _ = laid_out(text, 0, [TextBlock(0, len(text), BlockKind.PARAGRAPH)])
    assert seen(shown) == expected


PARAGRAPHS = """The lamp of the lighthouse is lit each evening at dusk and burns
until dawn; the keeper trims its wick twice a night.
He writes the hour of each visit in the book that lies on the desk
beside the stairs, where the inspector who comes in spring finds it
in order."""
POEM = """The lamp is lit and burns till dawn is near,
The keeper wakes,
And hears the gulls that cry from pier to pier,
While water breaks."""


def test_paragraphs_without_a_gap_are_wrapped_once() -> None:
    def lines(text: str) -> list[str]:
        shown, _ = laid_out(text, 0, [TextBlock(0, len(text), BlockKind.PARAGRAPH)])
        assert len(shown) == len(text)
        return shown.replace(HIDDEN, "").split("\n")

    assert [line[:8] for line in lines(PARAGRAPHS)] == ["The lamp", "He write"]
    quoted = "\n".join(f"> {line}" for line in PARAGRAPHS.split("\n"))
    assert [line[:8] for line in lines(quoted)] == ["> The la", "> He wri"]
    assert "burns until dawn" in lines(quoted)[0]
    assert lines(f"{quoted}\nYes.")[-1] == "Yes."
    assert lines(POEM) == POEM.split("\n")


def test_the_cells_of_a_markdown_table_are_separated_by_tabs() -> None:
    text = "| Year | Sales |\n|------|------:|\n| Second year | 7,440 |"
    shown, parts = laid_out(text, 0, [TextBlock(0, len(text), BlockKind.TABLE)])
    assert seen(shown).split("\n") == ["Year\tSales", "", "Second year\t7,440"]
    assert parts[0].kind is TypesetKind.TABLE


def test_lines_of_fields_are_not_joined() -> None:
    text = "From: Ann\nTo: Bob and everybody else who has to do with the roof\nDate: today"
    shown, parts = laid_out(text, 0, [TextBlock(0, len(text), BlockKind.PARAGRAPH)])
    assert shown == text
    assert parts[0].kind is TypesetKind.FIELDS


@given(
    st.text(st.characters() | st.sampled_from("ab |-\n\t")),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.sampled_from(BlockKind))),
    st.integers(0, 20),
)
def test_offsets_stay_the_same(
    text: str, spans: list[tuple[int, int, BlockKind]], offset: int
) -> None:
    found = [TextBlock(offset + start, offset + start + size, kind) for start, size, kind in spans]
    shown, parts = laid_out(text, offset, sorted(found, key=lambda block: block.start))
    assert len(shown) == len(text)
    assert all(
        one == other or (one.isspace() or one in "-|") or other == HIDDEN
        for one, other in zip(text, shown, strict=True)
    )
    assert all(0 <= part.start < part.end <= len(text) for part in parts)


@pytest.fixture
def view(qtbot: QtBot) -> TextView:
    view = TextView()
    qtbot.addWidget(view)
    view.resize(1200, 600)
    with qtbot.waitExposed(view):
        view.show()
    return view


def test_a_mail_shows_its_head_its_lines_and_what_it_quotes_as_such(view: TextView) -> None:
    head, body, quote = "From: Ann\nDate: today", "Regards\nAnn", "> The roof leaks."
    text = f"{head}\n\n{body}\n\n{quote}"
    found = blocks(text, *((part, BlockKind.PARAGRAPH) for part in (head, body, quote)))
    view.show_text(text, TextPart(0, False, tuple(found)))
    muted = current().muted

    def is_muted(words: str) -> bool:
        cursor = QTextCursor(view.document())
        cursor.setPosition(text.index(words) + 1)
        return cursor.charFormat().foreground().color() == muted

    shown = {words: is_muted(words) for words in ("From:", "Ann", "Date:", "Regards", "The roof")}
    assert [words for words, mute in shown.items() if mute] == ["From:", "Date:", "The roof"]
    first = view.document().findBlock(text.index(body))
    assert first.blockFormat().bottomMargin() == 0, "its lines belong together"
    assert first.next().blockFormat().bottomMargin() > 0


def test_the_column_is_narrow_and_its_letters_are_large(view: TextView) -> None:
    text = "The keeper climbs the stairs every evening with the oil for the lamp. " * 20
    view.show_text(text, TextPart(0, False, (TextBlock(0, len(text), BlockKind.PARAGRAPH),)))
    font = view.document().defaultFont()
    assert font.pixelSize() >= 15
    layout = view.document().begin().layout()
    line, letters = layout.lineAt(0), view.toPlainText()
    for number in range(layout.lineCount() - 1):
        one = layout.lineAt(number)
        shown = letters[one.textStart() : one.textStart() + one.textLength()].strip()
        assert 50 < len(shown) <= 72
    height = layout.lineAt(1).y() - line.y()
    assert height >= 1.4 * QFontMetricsF(font).height()


def test_a_font_of_many_scripts_has_no_longer_lines(
    view: TextView, monkeypatch: pytest.MonkeyPatch
) -> None:
    class ManyScripts(QFontMetricsF):
        def averageCharWidth(self) -> float:
            return 2 * super().averageCharWidth()

    monkeypatch.setattr(text_view, "QFontMetricsF", ManyScripts)
    text = "The keeper climbs the stairs every evening with the oil for the lamp. " * 5
    view.show_text(text, TextPart(0, False, (TextBlock(0, len(text), BlockKind.PARAGRAPH),)))
    layout = view.document().begin().layout()
    for number in range(layout.lineCount() - 1):
        assert 50 < layout.lineAt(number).textLength() <= 73  # with the blank at its end


def test_the_last_column_of_a_table_goes_on_below_itself(view: TextView) -> None:
    for cell, hangs in (("fan below the mirror", True), ("a long cell " * 8, False)):
        text = f"{cell}\t12\tsteadier stars and no dew on the secondary mirror, all night long"
        view.show_text(text, TextPart(0, False, (TextBlock(0, len(text), BlockKind.TABLE),)))
        block = view.document().begin()
        last = block.blockFormat().tabPositions()[-1].position
        second = block.layout().lineAt(1)
        assert (second.x() == pytest.approx(block.layout().lineAt(0).x() + last)) == hangs


def test_headings_are_larger_and_programs_of_one_width(view: TextView) -> None:
    code = "def light():\n    return 1"
    text = MARKDOWN + code
    start = len(MARKDOWN)
    marked = (*MARKED, TextBlock(start, len(text), BlockKind.CODE))
    view.show_text(text, TextPart(0, False, marked))
    size = view.document().defaultFont().pixelSize()
    formats = {}
    block = view.document().begin()
    while block.isValid():
        for each in block.textFormats():
            formats[seen(block.text())] = QTextCharFormat(each.format)
        block = block.next()
    assert formats["The lamp"].font().pixelSize() > 1.3 * size
    assert formats["def light():"].font().fixedPitch()
    assert not formats["It is lit."].font().fixedPitch()


def test_what_is_copied_is_what_the_document_says(view: TextView) -> None:
    view.show_text(MARKDOWN, TextPart(0, False, tuple(MARKED)))
    view.mark_passage((12, 22), [(12, 22)])
    view.selectAll()
    view.copy()
    assert " ".join(QGuiApplication.clipboard().text().split()) == " ".join(MARKDOWN.split())
    (marked,) = view.extraSelections()
    assert marked.cursor.selectedText() == "It is lit."


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_the_best_sentence_has_the_one_strong_mark(
    qtbot: QtBot, qapp: QApplication, mode: str
) -> None:
    themes = Themes(qapp)
    themes.apply(mode)
    view = TextView()
    qtbot.addWidget(view)
    text = "The lamp is lit. The wick is trimmed. Oil is poured."
    view.show_text(text, TextPart(0, more=False))
    view.mark_passage((0, len(text)), [(17, 37), (0, 16), (38, 52)])
    grounds = {
        each.cursor.selectedText(): each.format.background().color()
        for each in view.extraSelections()
    }
    best = grounds.pop("The wick is trimmed.")
    (faint,) = {ground.rgb() for ground in grounds.values()}
    base = current().base
    assert contrast(QColor(faint), base) < contrast(best, base)
    assert contrast(QColor(faint), current().text) >= 4.5


@pytest.mark.parametrize(("count", "role"), [(300, "Window"), (2_000, "Base")])
def test_many_parts_are_laid_out_at_once(qtbot: QtBot, count: int, role: str) -> None:
    """A document, honest or not, may have a part for each of its letters."""
    view = TextView()
    qtbot.addWidget(view)
    changes: list[int] = []
    view.document().contentsChange.connect(lambda at, _less, _more: changes.append(at))
    part = TextPart(0, more=False, pages=tuple(range(0, 2 * count, 2)))
    view.show_text("x\n" * count, part)
    assert len(changes) < 100
    assert view.viewport().backgroundRole() == QPalette.ColorRole[role]
