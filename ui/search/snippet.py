"""A passage cut to the few lines around its best sentence, laid out to be painted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from msgspec import Struct
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QTextCharFormat, QTextLayout, QTextOption

from indexer.api.types import Hit, Why
from ui.search.safe_text import Shown, Span, Utf16Map, is_right_to_left, plain

Line = QTextCharFormat.UnderlineStyle
MOST_LINES = 2
_ELLIPSIS = "\u2026"
# Punctuation that is dropped before an ellipsis: "… of two.…".
_STOPS = " .,;:\u2026"
# The share of a snippet that precedes the best sentence if the passage is cut before it.
_LEAD = 0.15
# The most characters by which a cut is moved so that it falls between words.
_WORD = 24
# A text with this many times the characters that fit surely fills all lines, and is not measured.
_SURELY_FULL = 1.5


@dataclass(frozen=True, slots=True)
class Pen:
    """The parameters of line layout; ``width`` in logical pixels."""

    font: QFont
    metrics: QFontMetricsF
    width: float

    room: float = field(init=False)  # how many average characters fit into all lines

    def __post_init__(self) -> None:
        a_line = max(self.width / max(self.metrics.averageCharWidth(), 1), 4)
        object.__setattr__(self, "room", MOST_LINES * a_line)


class Snippet(Struct, frozen=True):
    """A layout to paint, with its text and the marks in it."""

    text: str
    layout: QTextLayout
    marks: tuple[Span, ...]


def text_of(hit: Hit) -> Shown:
    """Return the safe text of a hit with its best sentence, or with the phrases of the query.

    In two lines, more marked sentences would hide the best one. If the best one is a heading, which
    is shown above, the next one is marked.
    """
    if hit.why is Why.PHRASE and hit.marks:
        return plain(hit, hit.marks)
    found = plain(hit, (hit.best, *hit.marks))
    return Shown(found.text, found.spans[:1])


def lines_needed(hit: Hit, pen: Pen) -> int:
    """Return the number of lines of a snippet; quick, as thousands of rows need it."""
    if len(hit.text) > pen.room * _SURELY_FULL:
        return MOST_LINES
    advance = pen.metrics.horizontalAdvance(text_of(hit).text)
    if advance <= pen.width:
        return 1
    lost = min(4 * pen.metrics.averageCharWidth(), pen.width / 2)  # by breaking between words
    return min(ceil(advance / (pen.width - lost)), MOST_LINES)


def make_snippet(
    text: Shown, pen: Pen, lines: int, mark: QColor, mark_text: QColor,
    underlined: Sequence[tuple[Span, Line]] = (),
) -> Snippet:  # fmt: skip
    """Lay a snippet out in at most ``lines`` lines, with ``underlined`` words underlined."""
    room = pen.room * lines / MOST_LINES
    part, moved = _window(text, room)
    form = QTextCharFormat()
    form.setBackground(mark)
    form.setForeground(mark_text)
    layout = _laid_out(part, pen, lines, form)
    fits = Utf16Map(part.text).to_code_points(_end(layout))
    if part.spans and part.spans[0][0] + 1 >= fits:  # long words: the best sentence does not fit
        part, moved = _window(text, room, from_best=True)
        layout = _laid_out(part, pen, lines, form)
        fits = Utf16Map(part.text).to_code_points(_end(layout))
    cut = fits < len(part.text)
    if cut:
        part = _ended(part, layout, pen, lines)
    if cut or underlined:
        words = [((low + moved, high + moved), line) for (low, high), line in underlined]
        layout = _laid_out(part, pen, lines, form, words)
    return Snippet(part.text, layout, part.spans)


def _window(text: Shown, room: float, *, from_best: bool = False) -> tuple[Shown, int]:
    """Return the part of a text to lay out, and by how many characters it moved.

    Its best sentence is near the front.
    """
    best = text.spans[0] if text.spans else (0, 0)
    start = best[0] if from_best else 0
    if not from_best and len(text.text) > room and best[1] > room:
        start = max(0, best[0] - round(room * _LEAD))
        start = min(start, max(0, len(text.text) - round(room * 0.9)), best[0])
        start = _word_start(text.text, start, best[0])
    end = min(len(text.text), start + round(room * 2) + _WORD)
    lead = _ELLIPSIS + " " if start else ""
    moved = len(lead) - start
    spans = ((max(low, start) + moved, min(high, end) + moved) for low, high in text.spans)
    cut = tuple(span for span in spans if span[0] < span[1])
    return Shown(lead + text.text[start:end], cut), moved


def _word_start(text: str, start: int, latest: int) -> int:
    if start == 0 or text[start - 1] == " ":
        return start
    space = text.find(" ", start, min(start + _WORD, latest))
    return space + 1 if space >= 0 else start


def _ended(part: Shown, layout: QTextLayout, pen: Pen, lines: int) -> Shown:
    """Cut a text that needs more lines, and end it with an ellipsis."""
    units = Utf16Map(part.text)
    last = layout.lineAt(lines - 1)
    start = units.to_code_points(last.textStart())
    end = units.to_code_points(last.textStart() + last.textLength())
    room = pen.width - pen.metrics.horizontalAdvance(_ELLIPSIS) - 1
    tail = part.text[start:end].rstrip()
    while tail and pen.metrics.horizontalAdvance(tail) > room:
        words = tail.rpartition(" ")[0]
        tail = words.rstrip() if words else tail[:-1]
    tail = tail.rstrip(_STOPS) or tail
    cut = start + len(tail)
    spans = ((low, min(high, cut)) for low, high in part.spans)
    kept = tuple(span for span in spans if span[0] < span[1])
    return Shown(part.text[:cut] + _ELLIPSIS, kept)


def _laid_out(
    part: Shown, pen: Pen, lines: int, form: QTextCharFormat,
    underlined: Sequence[tuple[Span, Line]] = (),
) -> QTextLayout:  # fmt: skip
    layout = QTextLayout(part.text, pen.font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    right = is_right_to_left(part.text)
    direction = Qt.LayoutDirection.RightToLeft if right else Qt.LayoutDirection.LeftToRight
    option.setTextDirection(direction)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    option.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    units = Utf16Map(part.text)
    formats = [_range(units, span, form) for span in part.spans]
    first = len(_ELLIPSIS) + 1 if part.text.startswith(_ELLIPSIS) else 0
    last = len(part.text) - part.text.endswith(_ELLIPSIS)
    for (low, high), line in underlined:
        if max(low, first) < min(high, last):
            under = QTextCharFormat()
            under.setUnderlineStyle(line)
            formats.append(_range(units, (max(low, first), min(high, last)), under))
    layout.setFormats(formats)
    _break(layout, pen, lines)
    return layout


def _break(layout: QTextLayout, pen: Pen, lines: int) -> None:
    """Break the text into at most ``lines`` lines, a line's height apart."""
    layout.beginLayout()
    for number in range(lines):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(pen.width)
        line.setPosition(QPointF(0, number * ceil(pen.metrics.lineSpacing())))
    layout.endLayout()


def _end(layout: QTextLayout) -> int:
    last = layout.lineAt(layout.lineCount() - 1)
    return last.textStart() + last.textLength()


def _range(units: Utf16Map, span: Span, form: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start = units.to_utf16(span[0])
    made.length = units.to_utf16(span[1]) - made.start
    made.format = form
    return made
