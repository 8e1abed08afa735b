"""Files of passages that other programs read: tables, Markdown, Word documents and PDF.

Texts come from untrusted documents, so none may become markup or a formula of a spreadsheet.
"""

from __future__ import annotations

import csv
import io
import re
from enum import Enum
from functools import partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtCore import (
    QCoreApplication,
    QSizeF,
    QUrl,
)
from PySide6.QtGui import (
    QFont,
    QImage,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextDocument,
)

from indexer.api.private_files import replacing, write_file
from ui.citations import CitedSource, bibtex, citable, citation, citation_keys, encodable, passage
from ui.desktop import open_path
from ui.document_files import docx_of, drawn_pdf, pdf_of
from ui.ports import Notice, Notices
from ui.search.describe import headings
from ui.search.query_text import link_of
from ui.search.safe_text import is_right_to_left, line, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.api.types import Hit
    from ui.basket.basket import Kept

_COLUMNS = (
    "title", "author", "year", "path", "page", "page_last", "heading", "why", "score",
    "best_sentence", "passage",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNS = re.compile(r"[\\`*_{}\[\]<>#|~$&@]")
# Signs that make a list, a heading or a rule only at the beginning of a line.
_BEGINNING = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))")
_POINT_SIZE = 10.5
_MARGIN_PT = 56.7  # 20 mm
# A sheet is white, whatever the theme.
_STYLE = """
h1 { font-size: 20pt; } h2 { font-size: 13pt; margin-top: 18pt; }
.headings, .cited, .remark { color: #59606a; } .best { background-color: #ffe9a3; }
.passage { margin-left: 12pt; } .note { background-color: #f4f5f6; }
"""


class ExportFormat(Enum):
    """A format of an exported file; the value ends with the file's extension."""

    CSV = "csv"
    BIBTEX = "bib"
    CSL = "csl.json"
    MARKDOWN = "md"
    WORD = "docx"
    PDF = "pdf"
    PAGES = "pages.pdf"

    @property
    def suffix(self) -> str:
        return self.value.rpartition(".")[2]


def export_text(hits: Sequence[Hit], sources: Mapping[str, CitedSource], form: ExportFormat) -> str:
    """Return the content of a table of hits, or of a list of their sources.

    Args:
        sources: The bibliographic data of the documents, by path.
        form: ``CSV`` or ``BIBTEX``.
    """
    if form is ExportFormat.BIBTEX:
        return bibtex(hits, {path: one for path, one in sources.items() if citable(one)})
    out = io.StringIO()
    table = csv.DictWriter(out, _COLUMNS)
    table.writeheader()
    for hit in hits:
        table.writerow({name: _cell(value) for name, value in _row_of(hit, sources).items()})
    return out.getvalue()


def _row_of(hit: Hit, sources: Mapping[str, CitedSource]) -> dict[str, object]:
    source = sources.get(hit.path) or CitedSource.from_hit(hit)
    return {
        "title": source.title,
        "author": source.author,
        "year": source.year,
        "path": encodable(hit.path),
        "page": hit.page,
        "page_last": hit.page_last,
        "heading": " / ".join(map(line, hit.heading_path)),
        "why": hit.why.value,
        "score": round(hit.score, 6),
        "best_sentence": line(hit.text[slice(*hit.best)]),
        "passage": passage(hit),
    }


def _cell(value: object) -> object:
    """Escape a value that a spreadsheet would read as a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


class ReportPicture(Struct, frozen=True):
    """A part of a page as PNG, ``width`` by ``height`` pixels; ``place`` names the page."""

    data: bytes
    width: int
    height: int
    place: str


class ReportEntry(Struct, frozen=True):
    """A passage of a report: its text, its best sentence, its note, its source and its page."""

    title: str
    headings: str
    text: str
    best: tuple[int, int]
    note: str
    cited: str
    key: str  # the key of the source in the bibliography
    link: str
    remark: str  # for example that it is no longer in the library; "" for none
    pictures: tuple[ReportPicture, ...] = ()


class Report(Struct, frozen=True):
    """The entries in their order, and the sources in the order of their first entry."""

    title: str
    sources_title: str
    note_label: str
    link_label: str
    entries: tuple[ReportEntry, ...]
    sources: tuple[tuple[str, str], ...]  # the key, and author, title and year


def tell_written(notices: Notices, path: Path, text: str, error: OSError | None) -> None:
    """Post a notice that a file was written, with a button to open it, or why it was not."""
    if error is None:
        show = partial(open_path, str(path), notices)
        action = QCoreApplication.translate("Export", "Open")
        notices.post(Notice(text, action=action, act=show))
        return
    failed = QCoreApplication.translate("Export", "{file} could not be written: {reason}.")
    reason = error.strerror or str(error)
    notices.post(Notice(failed.format(file=path.name, reason=reason)))


def entries_of(
    kept: Sequence[Kept],
    sources: Mapping[str, CitedSource],
    pictures: Mapping[str, Sequence[ReportPicture]],
    remarks: Mapping[str, str],
) -> tuple[ReportEntry, ...]:
    """Make the entries of a report.

    Args:
        sources: The bibliographic data of the documents, by path.
        pictures: The pictures of the passages, by their keys.
    """
    keys = citation_keys(sources)
    made = []
    for one in kept:
        hit = one.hit
        source = sources.get(hit.path) or CitedSource.from_hit(hit)
        safe = plain(hit, [hit.best])  # without its heading
        made.append(
            ReportEntry(
                title=source.title,
                headings=headings(hit),
                text=safe.text,
                best=safe.spans[0] if safe.spans else (0, 0),
                note="\n".join(map(line, one.note.splitlines())).strip(),
                cited=citation(hit, source),
                key=keys.get(hit.path, ""),
                link=link_of(hit),
                remark=remarks.get(one.key, ""),
                pictures=tuple(pictures.get(one.key, ())),
            )
        )
    return tuple(made)


def sources_of(
    kept: Iterable[Kept], sources: Mapping[str, CitedSource]
) -> tuple[tuple[str, str], ...]:
    """Return the key and the description of each document, in the order of the passages."""
    keys = citation_keys(sources)
    described = {}
    for one in kept:
        source = sources.get(one.hit.path)
        if source is not None:
            parts = (source.author, source.title, source.year)
            described[keys[one.hit.path]] = ", ".join(part for part in parts if part)
    return tuple(described.items())


def write_report(path: Path, form: ExportFormat, report: Report) -> None:
    """Write a report as Markdown, Word document or PDF.

    Raises ``OSError`` if the file, or a picture beside it, cannot be written.
    """
    if form is ExportFormat.MARKDOWN:
        _write_markdown(path, report)
    elif form is ExportFormat.PAGES:
        with replacing(path) as file:
            file.write(pages_of(report))
    else:
        write_document(path, form, report_document(report), report.title)


def write_document(path: Path, form: ExportFormat, document: QTextDocument, title: str) -> None:
    """Write a document as PDF or for Word. Raises ``OSError``."""
    content = (pdf_of if form is ExportFormat.PDF else docx_of)(document, title)
    with replacing(path) as file:
        file.write(content)


def _write_markdown(path: Path, report: Report) -> None:
    """Write the file, and its pictures into a folder beside it."""
    folder = path.with_name(f"{path.stem}-pictures")
    names: dict[int, list[str]] = {}
    for number, entry in enumerate(report.entries, 1):
        for part, picture in enumerate(entry.pictures, 1):
            folder.mkdir(exist_ok=True)
            name = f"{number}-{part}.png"
            with replacing(folder / name) as file:
                file.write(picture.data)
            names.setdefault(number, []).append(f"{folder.name}/{name}")
    write_file(path, markdown_of(report, names))


def markdown_of(report: Report, pictures: dict[int, list[str]]) -> str:
    """Return a report as Markdown; ``pictures`` are paths by the numbers of entries, from 1."""
    parts = [f"# {markdown_escaped(report.title)}"]
    for number, entry in enumerate(report.entries, 1):
        parts += _markdown_entry(number, entry, report, pictures.get(number, []))
    if report.sources:
        lines = [f"- {markdown_escaped(text)} [@{key}]" for key, text in report.sources]
        parts += [f"## {markdown_escaped(report.sources_title)}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _markdown_entry(
    number: int, entry: ReportEntry, report: Report, pictures: list[str]
) -> Iterator[str]:
    yield f"## {number}. {markdown_escaped(entry.title)}"
    if entry.headings:
        # Markdown does not read asterisks as emphasis if the text ends with a punctuation mark.
        yield f"<em>{markdown_escaped(entry.headings)}</em>"
    low, high = entry.best
    before, best, after = entry.text[:low], entry.text[low:high], entry.text[high:]
    marked = f"<mark>{_signs_escaped(best)}</mark>" if best else ""
    yield f"> {markdown_escaped(before)}{marked}{_signs_escaped(after)}"
    link = f" [{markdown_escaped(report.link_label)}]({entry.link})" if entry.link else ""
    yield f"— {markdown_escaped(entry.cited)} [@{entry.key}]{link}"
    if entry.remark:
        yield f"<em>{markdown_escaped(entry.remark)}</em>"
    if entry.note:
        note = "  \n".join(map(markdown_escaped, entry.note.splitlines()))
        yield f"**{markdown_escaped(report.note_label)}** {note}"
    for picture, path in zip(entry.pictures, pictures, strict=True):
        yield f"![{markdown_escaped(picture.place)}](<{path}>)"


def markdown_escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return _BEGINNING.sub(_escape_beginning, _signs_escaped(text))


def _signs_escaped(text: str) -> str:
    return _SIGNS.sub(r"\\\g<0>", text)


def _escape_beginning(found: re.Match[str]) -> str:
    sign = found[2]
    # After a number the next sign needs the backslash, and that is not part of the match.
    return f"{found[1]}\\{sign}" if not sign.isdigit() else f"{found[1]}{sign}\\"


def pages_of(report: Report) -> bytes:
    """Return the pages of all passages as one PDF, each page once. It may run on any thread."""
    pages: dict[tuple[str, str], ReportPicture] = {}
    for entry in report.entries:
        for picture in entry.pictures:
            pages.setdefault((entry.key, picture.place), picture)

    def draw(writer: QPdfWriter) -> None:
        painter = QPainter()
        for picture in pages.values():
            wide, high = picture.width, picture.height
            short = QPageSize(QPageSize.PageSizeId.A4).size(QPageSize.Unit.Point).width()
            scale = short / min(wide, high)
            writer.setPageSize(QPageSize(QSizeF(wide, high) * scale, QPageSize.Unit.Point))
            if painter.isActive():
                writer.newPage()
            else:
                painter.begin(writer)
            painter.drawImage(painter.viewport(), QImage.fromData(picture.data))
        painter.end()

    return drawn_pdf(report.title, draw)


def text_document() -> QTextDocument:
    """Return an empty document with the style of all exports; the caller sets its HTML."""
    document = QTextDocument()
    font = QFont(document.defaultFont())
    font.setPointSizeF(_POINT_SIZE)
    document.setDefaultFont(font)
    document.setDefaultStyleSheet(_STYLE)
    return document


def report_document(report: Report) -> QTextDocument:
    """Return a report as a document."""
    sheet = QPageSize(QPageSize.PageSizeId.A4).size(QPageSize.Unit.Point)
    room = sheet - QSizeF(2 * _MARGIN_PT, 2 * _MARGIN_PT)
    document = text_document()
    for number, entry in enumerate(report.entries):
        for part, picture in enumerate(entry.pictures):
            image = QImage.fromData(picture.data)
            document.addResource(
                QTextDocument.ResourceType.ImageResource, QUrl(_picture_name(number, part)), image
            )
    document.setHtml("".join(_html(report, room)))
    return document


def _html(report: Report, room: QSizeF) -> Iterator[str]:
    yield html_tag("h1", "", report.title)
    for number, entry in enumerate(report.entries):
        yield from _html_entry(number, entry, report, room)
    if report.sources:
        yield html_tag("h2", "", report.sources_title)
        for _key, text in report.sources:
            yield html_tag("p", "", text)


def _html_entry(number: int, entry: ReportEntry, report: Report, room: QSizeF) -> Iterator[str]:
    yield html_tag("h2", "", f"{number + 1}. {entry.title}")
    if entry.headings:
        yield html_tag("p", "headings", entry.headings)
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
        yield html_tag("p", "remark", entry.remark)
    if entry.note:
        yield html_tag("p", "note", f"{report.note_label} {entry.note}")
    for part, picture in enumerate(entry.pictures):
        width, height = _fitted(picture, room)
        yield f"<p><img src='{_picture_name(number, part)}' width='{width}' height='{height}'/></p>"


def html_tag(name: str, kind: str, text: str) -> str:
    """Return an HTML element of a class with an escaped text."""
    shown = escape(text).replace("\n", "<br/>")
    return f"<{name} class='{kind}' dir='{_direction(text)}'>{shown}</{name}>"


def _direction(text: str) -> str:
    return "rtl" if is_right_to_left(text) else "ltr"


def _picture_name(number: int, part: int) -> str:
    return f"picture:{number}-{part}"


def _fitted(picture: ReportPicture, room: QSizeF) -> tuple[int, int]:
    """Return the size of a picture on the page, in the document's own pixels."""
    pixels = QSizeF(picture.width, picture.height)
    scale = min(room.width() / pixels.width(), 0.9 * room.height() / pixels.height())
    return int(pixels.width() * scale), int(pixels.height() * scale)
