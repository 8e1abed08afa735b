"""The basket as PDF, set and paged by Qt. It must not know widgets, so it may run on any thread."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF, QUrl
from PySide6.QtGui import QFont, QImage, QPageLayout, QPageSize, QPdfWriter, QTextDocument

from ui.search.safe_text import is_right_to_left

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ui.basket.report import Entry, Picture, Report

_POINT_SIZE = 10.5
# 20 mm.
_MARGIN_PT = 56.7
_DPI = 300
# Print is black on white, whatever the theme.
_STYLE = """
h1 { font-size: 20pt; } h2 { font-size: 13pt; margin-top: 18pt; }
.headings, .cited, .remark { color: #59606a; } .best { background-color: #ffe9a3; }
.passage { margin-left: 12pt; } .note { background-color: #f4f5f6; }
"""


def bytes_of(report: Report) -> bytes:
    """Return the content of the file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DPI)
    writer.setTitle(report.title)
    writer.setCreator("Lectern")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF())  # Qt prints a document with margins of its own
    document = QTextDocument()
    sheet = writer.pageLayout().fullRect(QPageLayout.Unit.Point).size()
    room = sheet - QSizeF(2 * _MARGIN_PT, 2 * _MARGIN_PT)
    _fill(document, report, room)
    document.print_(writer)
    buffer.close()
    return bytes(data.data())


def _fill(document: QTextDocument, report: Report, room: QSizeF) -> None:
    font = QFont(document.defaultFont())
    font.setPointSizeF(_POINT_SIZE)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    for number, entry in enumerate(report.entries):
        for part, picture in enumerate(entry.pictures):
            image = QImage.fromData(picture.data)
            document.addResource(
                QTextDocument.ResourceType.ImageResource, QUrl(_name(number, part)), image
            )
    document.setHtml("".join(_html(report, room)))


def _html(report: Report, room: QSizeF) -> Iterator[str]:
    yield _tag("h1", "", report.title)
    for number, entry in enumerate(report.entries):
        yield from _entry(number, entry, report, room)
    if report.sources:
        yield _tag("h2", "", report.sources_title)
        for _key, text in report.sources:
            yield _tag("p", "", text)


def _entry(number: int, entry: Entry, report: Report, room: QSizeF) -> Iterator[str]:
    yield _tag("h2", "", f"{number + 1}. {entry.title}")
    if entry.headings:
        yield _tag("p", "headings", entry.headings)
    low, high = entry.best
    marked = (
        f"{escape(entry.text[:low])}<span class='best'>{escape(entry.text[low:high])}</span>"
        f"{escape(entry.text[high:])}"
    )
    yield f"<p class='passage' dir='{_direction(entry.text)}'>{marked}</p>"
    link = ""
    if entry.link:
        link = f" · <a href='{escape(entry.link)}'>{escape(report.link_label)}</a>"
    yield f"<p class='cited' dir='{_direction(entry.cited)}'>— {escape(entry.cited)}{link}</p>"
    if entry.remark:
        yield _tag("p", "remark", entry.remark)
    if entry.note:
        yield _tag("p", "note", f"{report.note_label} {entry.note}")
    for part, picture in enumerate(entry.pictures):
        width, height = _fitted(picture, room)
        yield f"<p><img src='{_name(number, part)}' width='{width}' height='{height}'/></p>"


def _tag(name: str, kind: str, text: str) -> str:
    shown = escape(text).replace("\n", "<br/>")
    return f"<{name} class='{kind}' dir='{_direction(text)}'>{shown}</{name}>"


def _direction(text: str) -> str:
    return "rtl" if is_right_to_left(text) else "ltr"


def _name(number: int, part: int) -> str:
    return f"picture:{number}-{part}"


def _fitted(picture: Picture, room: QSizeF) -> tuple[int, int]:
    """Return the size of a picture on the page, in the document's own pixels."""
    pixels = QSizeF(picture.width, picture.height)
    scale = min(room.width() / pixels.width(), 0.9 * room.height() / pixels.height())
    return int(pixels.width() * scale), int(pixels.height() * scale)
