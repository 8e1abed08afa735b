"""A small valid file of every format, made by hand: what tests read and what fuzzing spoils."""

from __future__ import annotations

import functools
import io
import json
import struct
import zipfile
from typing import TYPE_CHECKING

from tests.fuzz.ole import ole_file
from tests.mails import forwarded, mail, part

if TYPE_CHECKING:
    from collections.abc import Mapping

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:t="t">'
    "<dc:title>{title}</dc:title><dc:creator>Mina Harker</dc:creator>"
    "<t:created>2021-05-06T07:08:09Z</t:created></cp:coreProperties>"
)
SENTENCE = "The lamp burns all night above the quiet harbour."


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    """A zip file of the given parts, the first of them not packed if it is the mimetype."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            method = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            info = zipfile.ZipInfo(name, (2021, 1, 1, 0, 0, 0))
            file.writestr(info, content, compress_type=method)
    return data.getvalue()


def relations(*targets: tuple[str, str]) -> str:
    """A relations part: pairs of kind and target, numbered r1, r2, …"""
    rows = "".join(
        f'<Relationship Id="r{i}" Type="{_R}/{kind}" Target="{target}"/>'
        for i, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{rows}</Relationships>'


def docx(body: str = "", more: Mapping[str, str] | None = None) -> bytes:
    """A Word document with the given body; ``more`` adds parts, by their kind of relation."""
    more = more or {}
    body = body or f"<w:p><w:r><w:t>{SENTENCE}</w:t></w:r></w:p>"
    return zipped({
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "word/document.xml"),
                                 ("core-properties", "docProps/core.xml")),
        "docProps/core.xml": _CORE.format(title="Nights at the Harbour"),
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(*((kind, f"{kind}.xml") for kind in more)),
        **{f"word/{kind}.xml": content.replace(">", f" {_W}>", 1)
           for kind, content in more.items()},
    })  # fmt: skip


def slide(*shapes: tuple[str, str]) -> str:
    """A slide of shapes: the type of each placeholder, "-" for none, and its text."""
    made = "".join(
        "<p:sp><p:nvSpPr><p:nvPr>"
        + ("" if kind == "-" else f'<p:ph type="{kind}"/>')
        + "</p:nvPr></p:nvSpPr><p:txBody>"
        + "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
        + "</p:txBody></p:sp>"
        for kind, text in shapes
    )
    return f"<p:sld {_P} {_A}><p:cSld><p:spTree>{made}</p:spTree></p:cSld></p:sld>"


def pptx(slides: list[str] | None = None, notes: str = "") -> bytes:
    """A presentation; ``notes`` belong to the first slide."""
    slides = slides or [slide(("title", "Oil"), ("body", SENTENCE))]
    listed = "".join(f'<p:sldId id="{255 + i}" r:id="r{i}"/>' for i in range(1, len(slides) + 1))
    parts = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation {_P} xmlns:r="{_R}"><p:sldIdLst>{listed}'
        "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *(("slide", f"slides/slide{i}.xml") for i in range(1, len(slides) + 1))
        ),
        **{f"ppt/slides/slide{i}.xml": content for i, content in enumerate(slides, 1)},
    }
    if notes:
        parts["ppt/slides/_rels/slide1.xml.rels"] = relations(("notesSlide", "../notes/n1.xml"))
        parts["ppt/notes/n1.xml"] = slide(("sldImg", ""), ("body", notes), ("sldNum", "1"))
    return zipped(parts)


def xlsx(sheets: Mapping[str, str] | None = None, strings: str = "", styles: str = "") -> bytes:
    """A workbook: the rows of each sheet by its name, the shared strings, the styles."""
    row = f'<row><c t="inlineStr"><is><t>{SENTENCE}</t></is></c><c><v>12.5</v></c></row>'
    sheets = sheets or {"Budget": row}
    listed = "".join(
        f'<sheet name="{name.partition("!")[0]}" sheetId="{i}" r:id="r{i}"'
        f' state="{name.partition("!")[2] or "visible"}"/>'
        for i, name in enumerate(sheets, 1)
    )
    kinds = [("worksheet", f"worksheets/sheet{i}.xml") for i in range(1, len(sheets) + 1)]
    return zipped({
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {_S} xmlns:r="{_R}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            *kinds, ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")
        ),
        "xl/sharedStrings.xml": f"<sst {_S}>{strings}</sst>",
        "xl/styles.xml": f"<styleSheet {_S}>{styles}</styleSheet>",
        **{f"xl/worksheets/sheet{i}.xml": f"<worksheet {_S}><sheetData>{rows}</sheetData>"
           "</worksheet>" for i, rows in enumerate(sheets.values(), 1)},
    })  # fmt: skip


_ODF_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
        "presentation": "presentation", "meta": "meta", "manifest": "manifest",
    }.items()
)  # fmt: skip


def odf(kind: str, body: str, styles: str = "", manifest: str = "") -> bytes:
    """An OpenDocument file: ``kind`` is text, presentation or spreadsheet."""
    dublin = 'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    return zipped({
        "mimetype": f"application/vnd.oasis.opendocument.{kind}",
        "META-INF/manifest.xml": f"<manifest:manifest {_ODF_NAMES}>{manifest}</manifest:manifest>",
        "meta.xml": f"<office:document-meta {_ODF_NAMES} {dublin}><office:meta><dc:title>Of Lamps"
        "</dc:title><meta:initial-creator>Mina Harker</meta:initial-creator>"
        "<meta:creation-date>2020-02-03T04:05:06</meta:creation-date></office:meta>"
        "</office:document-meta>",
        "content.xml": f"<office:document-content {_ODF_NAMES} {dublin}><office:automatic-styles>"
        f"{styles}</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>",
    })  # fmt: skip


def odt(body: str = "", styles: str = "") -> bytes:
    return odf("text", body or f"<text:p>{SENTENCE}</text:p>", styles)


def odp(body: str = "") -> bytes:
    frame = (
        '<draw:frame presentation:class="title"><draw:text-box><text:p>Oil</text:p></draw:text-box>'
    )
    other = f"<draw:frame><draw:text-box><text:p>{SENTENCE}</text:p></draw:text-box></draw:frame>"
    return odf("presentation", body or f"<draw:page>{frame}</draw:frame>{other}</draw:page>")


def ods(body: str = "") -> bytes:
    cells = f"<table:table-cell><text:p>{SENTENCE}</text:p></table:table-cell>"
    row = f"<table:table-row>{cells}</table:table-row>"
    return odf("spreadsheet", body or f'<table:table table:name="Oil">{row}</table:table>')


def epub(chapters: Mapping[str, str] | None = None, more: Mapping[str, str] | None = None) -> bytes:
    """A book: the body of each chapter by the name of its file; "nav.xhtml" lists the contents."""
    chapters = chapters or {"one.xhtml": f"<h1>Chapter One</h1><p>{SENTENCE}</p>"}
    items = "".join(
        f'<item id="c{i}" href="{name}" media-type="application/xhtml+xml"/>'
        for i, name in enumerate(chapters)
    )
    order = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    links = "".join(
        f'<li><a href="{name}">Chapter {i}</a></li>' for i, name in enumerate(chapters, 1)
    )
    return zipped({
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="c"><rootfiles><rootfile '
        'full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": '<package xmlns="p" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        "<dc:title>The Keeper</dc:title><dc:creator>Mina Harker</dc:creator>"
        "<dc:date>1897-05-26</dc:date></metadata><manifest>"
        '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        f"{items}</manifest><spine>{order}</spine></package>",
        "OPS/nav.xhtml": '<html xmlns:epub="e"><body><nav epub:type="toc"><ol>'
        f"{links}</ol></nav></body></html>",
        **{f"OPS/{name}": f"<html><body>{body}</body></html>" for name, body in chapters.items()},
        **(more or {}),
    })  # fmt: skip


RTF = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}}"
    rb"{\stylesheet{\s0 Normal;}{\s1 heading 1;}{\s15 Title;}}"
    rb"{\info{\title Of Lamps}{\author Mina Harker}{\creatim\yr2019\mo3\dy4}}"
    rb"\pard\s15 Of Lamps\par\pard\s1 Oil\par\pard Caf\'e9 \u8211? " + SENTENCE.encode()
    + rb"{\footnote A note below.}{\deleted struck out}{\v hidden}\par"
    rb"\trowd\pard\intbl Year\cell Oil\cell\row\trowd\pard\intbl 1890\cell 12\cell\row"
    rb"\pard{\f1 \'cb\'e0\'ec\'ef\'e0}\par{\*\unknown gone}{\pict 0102030405}}"
)  # fmt: skip

EML = (
    "From: =?utf-8?q?Mina_H=C3=A4rker?= <mina@example.org>\r\nTo: Jonathan <jon@example.org>\r\n"
    "Subject: =?utf-8?b?TMOkbXBjaGVu?=\r\nDate: Mon, 3 May 2021 10:20:30 +0200\r\n"
    "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=XX\r\n\r\n--XX\r\n"
    "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    f"Dear Jonathan,\r\n\r\n{SENTENCE} It is gr=C3=BCn.\r\n--XX\r\n"
    'Content-Type: application/pdf; name="bill.pdf"\r\nContent-Disposition: attachment; '
    'filename="bill.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\nJVBERi0xLjQK\r\n--XX--\r\n'
).encode()

MBOX = (
    b"From mina@example.org Mon May  3 10:20:30 2021\nFrom: mina@example.org\nSubject: First\n\n"
    + SENTENCE.encode()
    + b"\n>From here it goes on.\n\nFrom jon@example.org Tue May  4 10:20:30 2021\n"
    b"From: jon@example.org\nSubject: Second\n\nThe second mail has other words.\n"
)

NOTEBOOK = json.dumps({
    "nbformat": 4,
    "metadata": {"title": "Measured Lamps", "authors": [{"name": "Mina Harker"}]},
    "cells": [
        {"cell_type": "markdown", "source": ["# Oil\n", "\n", SENTENCE]},
        {"cell_type": "code", "source": "burn(12)", "outputs": [
            {"output_type": "stream", "text": ["burnt 12\n"]},
            {"output_type": "display_data", "data": {"image/png": "A", "text/plain": "<Fig>"}},
        ]},
    ],
}).encode()  # fmt: skip

TEX = rf"""\documentclass{{article}} % a comment with \section{{none}}
\title{{On \emph{{Lamps}}}}\author{{Mina Harker}}\date{{2021-05-06}}
\begin{{document}}\maketitle
\section{{Oil}}\label{{sec:oil}}
{SENTENCE} Schr\"odinger's caf\'e costs 5\% more\footnote{{A note below.}} when $\alpha \leq 2$.

\begin{{itemize}}\item First point \item[Second] point\end{{itemize}}
\begin{{tabular}}{{l|r}}Year & Oil \\ 1890 & 12\end{{tabular}}
\begin{{verbatim}}
raw % text {{
\end{{verbatim}}
\end{{document}}
""".encode()

CODE = b'''"""Lamps."""

class Lamp:
    """Burns oil."""

    def burn(self, litres: int) -> None:
        # Slowly, all night.
        self.left -= litres
'''

CSV = b"Name;Year;Oil\n" + b"".join(
    f'"Lamp {n}; the {n}th";{1880 + n};{n * 3}\n'.encode() for n in range(30)
)


def msg() -> bytes:
    """A mail as Outlook saves it, with an attachment and a mail inside."""
    sent = struct.pack("<LLQ", 0x00390040, 6, 132_500_000_000_000_000)

    def wide(text: str) -> bytes:
        return text.encode("utf-16-le")

    return ole_file(
        {
            "__properties_version1.0": bytes(32) + sent,
            "__substg1.0_0037001F": wide("Of lamps"),
            "__substg1.0_0C1A001F": wide("Mina Harker"),
            "__substg1.0_5D01001F": wide("mina@example.org"),
            "__substg1.0_0E04001F": wide("Jonathan"),
            "__substg1.0_1000001F": wide(f"Dear Jonathan,\r\n\r\n{SENTENCE}"),
            "__attach_version1.0_#00000000": {"__substg1.0_3707001F": wide("bill.pdf")},
            "__attach_version1.0_#00000001": {
                "__substg1.0_3701000D": {
                    "__properties_version1.0": bytes(24),
                    "__substg1.0_0037001F": wide("The inner mail"),
                    "__substg1.0_1000001F": wide("Words inside."),
                }
            },
        }
    )


def post() -> bytes:
    """A mail to which a document, an archive and a mail with a table are attached."""
    inner = mail(part("a.xlsx", xlsx()), part("a.rtf", RTF), subject="Inner", border="c")
    return mail(
        part("a.docx", docx()), part("a.zip", zipped({"a.txt": SENTENCE})), forwarded(inner)
    )


SUBTITLES = b"""1
00:01:02,500 --> 00:01:04,000
<i>The lamp burns all night</i>

2
00:01:04,100 --> 00:01:06,000
above the quiet harbour.
"""

CARDS = """BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:H=C3=A4rker;Mina;;Dr.;
item1.EMAIL;TYPE=HOME:mina@example.org
ADR;TYPE=HOME:;;4 Quay Lane;Whitby;;YO21;England
PHOTO;ENCODING=BASE64:/9j/4AAQSkZJRgABAQ
 AAAQABAAD/2wBDAAMCAgMC
NOTE:Keeps the lamp\\, always.\\nThe lamp burns all ni
 ght above the quiet harbour.
END:VCARD
BEGIN:VCALENDAR
BEGIN:VEVENT
SUMMARY:Oil delivery
DTSTART:20240501T090000Z
LOCATION:The quay
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
""".replace("\\\\", "\\").encode()

BIBTEX = rb"""@string{ph = "Pharology"}
@article{harker1897, title = {On {L}amps and Schr{\"o}dinger's Caf\'e},
  author = "Harker, Mina and Seward, John", year = 1897, journal = ph # " Letters",
  abstract = {The lamp burns all night above the quiet harbour.}}
@book{open, title = {Never closed
@misc{last, title = {The last one}}
"""

RIS = b"""TY  - JOUR
AU  - Harker, Mina
TI  - Lamps of the harbour
PY  - 1897
AB  - The lamp burns all night
  above the quiet harbour.
ER  -
"""

CHAT = """[28.02.24, 21:10:11] Mina: The lamp burns all night
above the quiet harbour.
[01.03.24, 08:01:00] \u200eJon: Who lit it?
""".encode()

RECORDS = json.dumps([
    {"title": "Night watch", "textContent": SENTENCE, "userEditedTimestampUsec": 1709280000000000,
     "id": "a81c9e", "labels": [{"name": "Harbour"}]},
    {"sender_name": "Mina", "timestamp_ms": 1709280000000, "content": "gr\u00c3\u00bcne Lampen"},
    {"version": "1.2.3", "url": "https://example.org/a?b"},
]).encode()  # fmt: skip

OUTLINE = f"""<?xml version="1.0"?><opml version="2.0"><head><title>Watches</title>
<ownerName>Mina Harker</ownerName></head><body><outline text="Roof &amp; &lt;b&gt;lamp&lt;/b&gt;">
<outline text="Slates" _note="{SENTENCE}"/><outline text="Wick"><outline text="Cotton"/></outline>
</outline><outline title="A feed" type="rss" xmlUrl="https://example.org/feed.xml"/></body></opml>
""".encode()

PLACES = f"""<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
<name>Lights</name><Folder><Placemark><name>Whitby Light</name>
<description><![CDATA[<p>{SENTENCE}</p><p>Since <b>1858</b>.</p>]]></description>
<ExtendedData><Data name="Keeper"><value>Mina</value></Data></ExtendedData>
<Point><coordinates>-0.57,54.47,35</coordinates></Point></Placemark></Folder></Document></kml>
""".encode()

BOOK = f"""<?xml version="1.0" encoding="utf-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"><description><title-info>
<author><first-name>Mina</first-name><last-name>Harker</last-name></author>
<book-title>The Keeper</book-title><date value="1897-05-26">1897</date></title-info></description>
<body><section><title><p>Oil</p></title><section><title><p>The first</p><p>night</p></title>
<p>{SENTENCE}<a href="#n1" type="note"><sup>1</sup></a></p>
<poem><stanza><v>A lamp</v><v>a light</v></stanza></poem></section></section></body>
<body name="notes"><section id="n1"><title><p>1</p></title><p>A note below.</p></section></body>
<binary id="a.png">iVBORw0KGgo=</binary></FictionBook>
""".encode()


def iwork(*texts: str) -> bytes:
    """A document of Pages: an archive of flowing texts and one of cells, as Snappy packs them."""

    def field(number: int, value: bytes | int) -> bytes:
        if isinstance(value, int):
            return bytes((number << 3, value))
        return bytes((number << 3 | 2, 0x80 | len(value) & 0x7F, len(value) >> 7)) + value

    def archive(kind: int, message: bytes) -> bytes:
        size = bytes((0x80 | len(message) & 0x7F, len(message) >> 7))
        head = b"\x08" + bytes((0x80 | kind & 0x7F, kind >> 7)) + b"\x18" + size
        info = field(1, 1) + field(2, head)
        plain = bytes((len(info),)) + info + message
        # A literal, and a copy of its last two bytes that is twice as long.
        packed = struct.pack("<HBH", 0, 61 << 2, len(plain) - 1) + plain
        packed = bytes((0x80 | len(plain) & 0x7F, len(plain) >> 7)) + packed[2:]
        return b"\x00" + struct.pack("<I", len(packed))[:3] + packed

    flowing = b"".join(archive(2001, field(1, 0) + field(3, text.encode())) for text in texts)
    cells = archive(6005, field(1, 1) + field(3, field(1, 7) + field(3, b"A cell of oil")))
    return zipped({
        "Index/Document.iwa": flowing, "Index/Tables/DataList.iwa": cells,
        "Index/MasterSlide-1.iwa": archive(2001, field(3, b"Title Text")),
        "Metadata/Properties.plist": b"bplist00",
    })  # fmt: skip


@functools.cache
def samples() -> dict[str, bytes]:
    """One small valid file of every format, by name."""
    return {
        "a.docx": docx(), "a.pptx": pptx(notes="Speak slowly."), "a.xlsx": xlsx(), "a.odt": odt(),
        "a.odp": odp(), "a.ods": ods(), "a.epub": epub(), "a.rtf": RTF, "a.eml": EML,
        "a.mbox": MBOX, "a.msg": msg(), "a.ipynb": NOTEBOOK, "a.tex": TEX, "a.py": CODE,
        "b.eml": post(), "a.csv": CSV,
        "a.html": f"<h1>Oil</h1><p>{SENTENCE}<table><tr><td>a<td>b</table>".encode(),
        "a.md": f"# Oil\n\n{SENTENCE}\n\n- one\n- two\n".encode(),
        "a.srt": SUBTITLES, "a.vcf": CARDS, "a.bib": BIBTEX, "a.ris": RIS, "chat.txt": CHAT,
        "a.json": RECORDS, "a.kml": PLACES, "a.opml": OUTLINE, "a.fb2": BOOK,
        "a.pages": iwork(SENTENCE, "Second."),
        "a.txt": f"OIL\n\n{SENTENCE}\n".encode(),
    }  # fmt: skip
