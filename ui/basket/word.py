"""The basket as a Word document: a package of XML with its pictures.

Owns the few parts that a document needs, so that the window needs no library that reads and writes
office files. Every text is escaped. Pure; it must not know files.
"""

from __future__ import annotations

import re
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from ui.search.safe_text import is_right_to_left

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ui.basket.report import Entry, Picture, Report

_OFFICE = "http://schemas.openxmlformats.org"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_RELATED = f"{_OFFICE}/officeDocument/2006/relationships"
_PACKAGE = f"{_OFFICE}/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TYPES = (
    f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="png" ContentType="image/png"/>'
    f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/>'
    f'<Override PartName="/word/styles.xml" ContentType="{_MAIN}.styles+xml"/></Types>'
)
_ROOT = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_RELATED}/officeDocument" Target="word/document.xml"/>'
    "</Relationships>"
)
_NAMESPACES = (
    f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main" xmlns:r="{_RELATED}" '
    f'xmlns:wp="{_OFFICE}/drawingml/2006/wordprocessingDrawing" '
    f'xmlns:a="{_OFFICE}/drawingml/2006/main" xmlns:pic="{_OFFICE}/drawingml/2006/picture"'
)
# Sizes are half points, distances twentieths of a point.
_STYLES: dict[str, tuple[str, str]] = {
    "Normal": ("", ""),
    "Title": ("", '<w:sz w:val="40"/><w:szCs w:val="40"/>'),
    "Heading 1": (
        '<w:keepNext/><w:spacing w:before="360"/><w:outlineLvl w:val="0"/>',
        '<w:b/><w:bCs/><w:sz w:val="26"/><w:szCs w:val="26"/>',
    ),
    "Quote": ('<w:ind w:left="360"/>', ""),
    "Source": ("", '<w:color w:val="59606A"/>'),
    "Note": ('<w:shd w:val="clear" w:color="auto" w:fill="F4F5F6"/>', ""),
}
_USUAL = ' w:default="1"'
# English Metric Units: 914,400 an inch. The room between the margins of an A4 page, 20 mm each.
_EMU_A_MM = 36_000
_WIDE, _HIGH = 170 * _EMU_A_MM, 240 * _EMU_A_MM
_PAGE = (
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" '
    'w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr>'
)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def bytes_of(report: Report) -> bytes:
    """Return the content of the file."""
    pictures = [picture for entry in report.entries for picture in entry.pictures]
    links = [entry.link for entry in report.entries if entry.link]
    related = [
        f'<Relationship Id="p{number}" Type="{_RELATED}/image" Target="media/{number}.png"/>'
        for number in range(1, len(pictures) + 1)
    ]
    related += [
        f'<Relationship Id="l{number}" Type="{_RELATED}/hyperlink" '
        f'Target="{escape(link)}" TargetMode="External"/>'
        for number, link in enumerate(links, 1)
    ]
    related.append(f'<Relationship Id="s1" Type="{_RELATED}/styles" Target="styles.xml"/>')
    made = BytesIO()
    with ZipFile(made, "w", ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", _TYPES)
        package.writestr("_rels/.rels", _ROOT)
        package.writestr("word/document.xml", _document(report))
        package.writestr("word/styles.xml", _styles())
        package.writestr(
            "word/_rels/document.xml.rels",
            f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{"".join(related)}'
            "</Relationships>",
        )
        for number, picture in enumerate(pictures, 1):
            package.writestr(f"word/media/{number}.png", picture.data)
    return made.getvalue()


def _styles() -> str:
    made = [
        f'<w:style w:type="paragraph"{_USUAL if name == "Normal" else ""} '
        f'w:styleId="{name.replace(" ", "")}">'
        f'<w:name w:val="{name.lower() if name.startswith("Heading") else name}"/>'
        f"<w:pPr>{paragraph}</w:pPr><w:rPr>{run}</w:rPr></w:style>"
        for name, (paragraph, run) in _STYLES.items()
    ]
    usual = (
        '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" '
        'w:cs="Arial"/><w:sz w:val="22"/><w:szCs w:val="22"/></w:rPr>'
        '</w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120"/></w:pPr></w:pPrDefault>'
        "</w:docDefaults>"
    )
    return f"{_HEAD}<w:styles {_NAMESPACES}>{usual}{''.join(made)}</w:styles>"


def _document(report: Report) -> str:
    body = "".join(_body(report))
    return f"{_HEAD}<w:document {_NAMESPACES}><w:body>{body}{_PAGE}</w:body></w:document>"


def _body(report: Report) -> Iterator[str]:
    yield _paragraph("Title", report.title)
    pictures = links = 0
    for number, entry in enumerate(report.entries, 1):
        links += bool(entry.link)
        yield from _entry(number, entry, report, links)
        for picture in entry.pictures:
            pictures += 1
            yield f"<w:p><w:r>{_drawing(pictures, picture)}</w:r></w:p>"
    if report.sources:
        yield _paragraph("Heading1", report.sources_title)
        for _key, text in report.sources:
            yield _paragraph("", text)


def _entry(number: int, entry: Entry, report: Report, link: int) -> Iterator[str]:
    yield _paragraph("Heading1", f"{number}. {entry.title}")
    if entry.headings:
        yield _paragraph("Source", entry.headings)
    low, high = entry.best
    runs = (
        _run(entry.text[:low]),
        _run(entry.text[low:high], '<w:shd w:val="clear" w:color="auto" w:fill="FFE9A3"/>'),
        _run(entry.text[high:]),
    )
    yield _paragraph("Quote", entry.text, "".join(runs))
    cited = _run(f"— {entry.cited}", right_to_left=is_right_to_left(entry.cited))
    if entry.link:
        look = '<w:color w:val="1D5FA8"/><w:u w:val="single"/>'
        cited += _run(" · ")
        cited += f'<w:hyperlink r:id="l{link}">{_run(report.link_label, look)}</w:hyperlink>'
    yield _paragraph("Source", entry.cited, cited)
    if entry.remark:
        yield _paragraph("Source", entry.remark)
    if entry.note:
        yield _paragraph("Note", f"{report.note_label} {entry.note}")


def _paragraph(style: str, text: str, runs: str = "") -> str:
    """Return a paragraph of a text, or of runs that hold it."""
    right = is_right_to_left(text)
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    form = f"<w:pPr>{named}{'<w:bidi/>' if right else ''}</w:pPr>"
    return f"<w:p>{form}{runs or _run(text, right_to_left=right)}</w:p>"


def _run(text: str, look: str = "", *, right_to_left: bool | None = None) -> str:
    if not text:
        return ""
    right = is_right_to_left(text) if right_to_left is None else right_to_left
    lines = [
        f'<w:t xml:space="preserve">{escape(_NOT_XML.sub("", line))}</w:t>'
        for line in text.split("\n")
    ]
    form = f"<w:rPr>{look}{'<w:rtl/>' if right else ''}</w:rPr>"
    return f"<w:r>{form}{'<w:br/>'.join(lines)}</w:r>"


def _drawing(number: int, picture: Picture) -> str:
    scale = min(_WIDE / picture.width, _HIGH / picture.height)
    size = f'cx="{round(picture.width * scale)}" cy="{round(picture.height * scale)}"'
    named = f'id="{number}" name="{number}.png" descr="{escape(_NOT_XML.sub("", picture.place))}"'
    uri = f"{_OFFICE}/drawingml/2006/picture"
    return (
        f'<w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent {size}/>'
        f'<wp:docPr {named}/><a:graphic><a:graphicData uri="{uri}"><pic:pic><pic:nvPicPr>'
        f"<pic:cNvPr {named}/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>"
        f'<a:blip r:embed="p{number}"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill>'
        f'<pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext {size}/></a:xfrm>'
        '<a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>'
        "</a:graphic></wp:inline></w:drawing>"
    )
