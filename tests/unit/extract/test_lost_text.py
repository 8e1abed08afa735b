"""Text that stands in places of files where readers rarely look, each read below its own kind."""

from __future__ import annotations

import base64
import binascii
import io
import json
import plistlib
import struct
import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.extract.mail.enclosed import outlook_parts, signed_content, without_encoded
from indexer.extract.plain.decode import decoded
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "The quince orchard was sold"
SPACES = "urn:oasis:names:tc:opendocument:xmlns"
ODF = " ".join(
    f'xmlns:{prefix}="{SPACES}:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing",
        "svg": "svg-compatible",
    }.items()
)  # fmt: skip
PICTURE = f"<draw:frame><draw:image/><svg:desc>{WORDS}</svg:desc></draw:frame>"
TEXT = f"<office:text><text:p>See {PICTURE}</text:p></office:text>"
SHEET = (
    '<office:spreadsheet><table:table table:name="Ledger"><table:table-row>{}</table:table-row>'
    "</table:table></office:spreadsheet>"
)
SLIDE = f"<office:presentation><draw:page>{PICTURE}</draw:page></office:presentation>"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORD_2003 = (
    '<?mso-application progid="Word.Document"?><w:wordDocument xmlns:w="http://schemas.microsoft'
    f'.com/office/word/2003/wordml"><w:body><w:p><w:r><w:t>{WORDS}</w:t></w:r></w:p></w:body>'
    "</w:wordDocument>"
)
EXCEL_2003 = (
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft'
    '-com:office:spreadsheet"><Styles><Style ss:ID="s1"><NumberFormat ss:Format="Standard"/>'
    '</Style></Styles><Worksheet ss:Name="Ledger"><Table><Row><Cell ss:StyleID="s1">'
    '<Data ss:Type="Number">'
    "1234.5</Data></Cell></Row></Table></Worksheet></Workbook>"
)


def zipped(parts: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return data.getvalue()


def open_document(body: str, kind: str) -> bytes:
    root = "office:document-content"
    content = f"<{root} {ODF}><office:body>{body}</office:body></{root}>"
    return zipped(
        {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content}
    )


def flat(body: str, kind: str) -> bytes:
    return (
        f'<office:document {ODF} office:mimetype="application/vnd.oasis.opendocument.{kind}">'
        f"<office:body>{body}</office:body></office:document>"
    ).encode()


def word(body: str) -> bytes:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    package = "http://schemas.openxmlformats.org/package/2006"
    return zipped({
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{relation}" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}" xmlns:wp="x" xmlns:v="y"><w:body>'
        f"{body}</w:body></w:document>",
    })  # fmt: skip


def archive(page: str, **about: object) -> dict[str, object]:
    main = {"WebResourceData": page.encode(), "WebResourceMIMEType": "text/html",
            "WebResourceTextEncodingName": "UTF-8"}  # fmt: skip
    return {"WebMainResource": main, **about}


def test_an_archive_that_contains_itself_ends(tmp_path: Path) -> None:
    parts = [
        b"\xd2\x01\x02\x03\x04", b"\x5f\x10\x13WebSubframeArchives", b"\x5f\x10\x0fWebMainResource",
        b"\xa1\x00", b"\xd1\x05\x06", b"\x5f\x10\x13WebResourceMIMEType", b"\x59image/png",
    ]  # fmt: skip
    places = bytes(8 + sum(map(len, parts[:at])) for at in range(len(parts)))
    data = b"bplist00" + b"".join(parts)
    ends = struct.pack(">6xBBQQQ", 1, 1, len(parts), 0, len(data))
    (tmp_path / "a.webarchive").write_bytes(data + places + ends)
    assert read(tmp_path / "a.webarchive").text == ""


def notebook(data: dict[str, str]) -> str:
    output = {"output_type": "execute_result", "data": data}
    return json.dumps({"cells": [{"cell_type": "code", "source": "x", "outputs": [output]}]})


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.odt", open_document(TEXT, "text"), WORDS),
        ("a.ott", open_document(TEXT, "text-template"), WORDS),
        ("a.odm", open_document(TEXT, "text-master"), WORDS),
        ("a.ods", open_document(SHEET.format(f"<table:table-cell>{PICTURE}</table:table-cell>"),
                                "spreadsheet"), WORDS),
        ("a.odp", open_document(SLIDE, "presentation"), WORDS),
        ("a.fodt", flat(TEXT, "text"), WORDS),
        ("a.xml", flat(TEXT, "text"), WORDS),
        ("b.fodt", flat('<text:p><draw:frame><draw:object><math xmlns="http://www.w3.org/1998/Math/'
                        'MathML"><mfrac><mn>3</mn><mn>40</mn></mfrac></math></draw:object>'
                        "</draw:frame></text:p>", "text"), "3/40"),
        ("a.fodp", flat(SLIDE, "presentation"), WORDS),
        ("b.ods", open_document(SHEET.format(
            '<table:table-cell office:date-value="2024-03-05T00:00:00"><text:p>05.03.24</text:p>'
            '</table:table-cell><table:table-cell office:value="1234567.891"><text:p>1.234.567,9'
            '</text:p></table:table-cell><table:table-cell office:value="7"><text:p>7</text:p>'
            "</table:table-cell>"), "spreadsheet"),
         "05.03.24 (2024-03-05)\t1.234.567,9 (1234567.891)\t7"),
        ("a.docx", word(f'<w:p><w:r><wp:docPr descr="{WORDS}"/></w:r></w:p>'), WORDS),
        ("b.docx", word(f'<w:p><w:r><w:pict><v:shape alt="{WORDS}"/></w:pict></w:r></w:p>'), WORDS),
        ("c.docx", word('<w:p><w:r><w:t>clause 8</w:t></w:r><w:r><w:rPr><w:rStyle w:val="Funotenz'
                        'eichen"/></w:rPr><w:t>12</w:t></w:r></w:p>'), "clause 8¹²"),
        ("d.docx", word('<w:p><w:r><w:t>clause 8</w:t></w:r><w:r><w:rPr><w:position w:val="8"/>'
                        "</w:rPr><w:t>12</w:t></w:r></w:p>"), "clause 8¹²"),
        ("w.xml", WORD_2003.encode(), WORDS),
        ("x.xml", EXCEL_2003.encode(), "1,234.50"),
        ("y.xml", EXCEL_2003.replace("Standard", "dd.mm.yyyy").replace("Number\">1234.5", "DateTime"
         '">2024-03-05T00:00:00.000').encode(), "05.03.2024 (2024-03-05)"),
        ("a.svg", (b'<svg xmlns="http://www.w3.org/2000/svg"><text><tspan>The</tspan><tspan x="1">'
         b"quince orchard </tspan>was sold</text></svg>"), WORDS),
        ("a.rtf", (rb"{\rtf1{\header The head\par}{\footer Page 3\par}Body{\shp{\*\shpinst{\shptxt "
         rb"In a box\par}}}\par}"), "Body\nIn a box\nThe head"),
        ("a.webarchive", plistlib.dumps(
            archive(f"<p>{WORDS}</p>", WebSubframeArchives=[archive("<p>In a frame ü</p>")]),
            fmt=plistlib.FMT_BINARY), f"{WORDS}\nIn a frame ü"),
        ("a.html", f"<object data=x><p>{WORDS}</p></object>".encode(), WORDS),
        ("b.html", f"<p>x</p><video><p>{WORDS}</p></video>".encode(), WORDS),
        ("c.html", b"<iframe src='data:text/html;base64," +
         base64.b64encode(WORDS.encode()) + b"'></iframe>", WORDS),
        ("d.html", f"<a-b><template shadowroot=open>{WORDS}</template></a-b>".encode(), WORDS),
        ("e.html", f"<svg><foreignObject><p>{WORDS}</p></foreignObject></svg>".encode(), WORDS),
        ("f.html", b"<p>of 1999<span style='font-size:8pt;vertical-align:super'>12</span> on</p>",
         "of 1999\xb9\xb2 on"),
        ("a.ipynb", notebook({"text/html": f"<table><td>{WORDS}</td></table>"}).encode(), WORDS),
        ("b.ipynb", notebook({"text/latex": WORDS}).encode(), WORDS),
        (
            "c.ipynb",
            notebook({"text/plain": "<a.HTML object>", "text/html": f"<p>{WORDS}"}).encode(),
            WORDS,
        ),
        ("d.ipynb", notebook({"image/png": "", "text/html": f"<p>{WORDS}"}).encode(), WORDS),
        ("a.sub", b"{100}{200}{y:i}The quince|orchard was sold\n", WORDS),
        ("a.geojson", json.dumps({"properties": {"note": WORDS}}).encode(), WORDS),
        ("a.mdx", f"# {WORDS}\n".encode(), WORDS),
    ],
)  # fmt: skip
def test_text_in_rare_places_is_read(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    found = read(tmp_path / name).text
    assert words in found
    assert "Page 3" not in found


@pytest.mark.parametrize("name", ["photo.png", "C:\\pictures\\weir.jpeg", "https://x.org/a"])
def test_the_name_of_a_picture_is_no_description(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.docx"
    body = f'<w:p><w:r><w:t>{WORDS}</w:t></w:r><w:r><wp:docPr descr="{name}"/></w:r></w:p>'
    path.write_bytes(word(body))
    assert read(path).text == WORDS


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Grüße aus Köln", "mac-roman"),
        ("Réunion à l’été", "mac-roman"),
        ("Möte på måndag", "mac-roman"),
        ("El inquilino pagará la renta el día diez, señora Muñoz.", "mac-roman"),
        ("Der Mieter zahlt die fällige Miete, höchstens für große Räume.", "cp850"),
        ("El año próximo la señora acudirá según lo acordado.", "cp437"),
        ("Nájemce je povinen platit nájemné do desátého dne každého měsíce.", "cp852"),
        ("Арендатор обязан вносить арендную плату. Уведомление подаётся.", "mac-cyrillic"),
        ("Арендатор обязан вносить арендную плату.", "iso8859-5"),
        ("Арендатор обязан вносить арендную плату.", "utf-32-le"),
        ("Die Bücherei schließt früh.", "cp1252"),
        ("Žádost o dovolenou", "cp1250"),
        ("Réunion à l’été", "cp1252"),
    ],
)
def test_encodings_of_old_machines_are_told_by_their_words(text: str, encoding: str) -> None:
    assert decoded(text.encode(encoding)) == text


def test_utf_7_is_read_where_it_is_declared() -> None:
    assert decoded(b"Gr+APYA3w-e +- 3", "unicode-1-1-utf-7") == "Größe + 3"
    assert decoded(b"Gr+APYA3w-e", "") == "Gr+APYA3w-e"


def value(tag: int, content: bytes) -> bytes:
    return bytes((tag, 0x82)) + struct.pack(">H", len(content)) + content


def endless(tag: int, content: bytes) -> bytes:
    """Encode a value of an indefinite length, as programs do that write in one go."""
    return bytes((tag, 0x80)) + content + bytes(2)


MAIL = b"Content-Type: text/plain\r\n\r\nThe quince orchard was sold.\r\n"
SIGNED, PLAIN = (
    value(6, bytes.fromhex(f"2a864886f70d0107{last}")) for last in ("02", "01")
)  # fmt: skip


def signed(wrap: object = value, *, encrypted: bool = False) -> bytes:
    assert callable(wrap)
    octets = wrap(0x24, value(4, MAIL[:20]) + value(4, MAIL[20:])) if wrap is endless else (
        value(4, MAIL)
    )  # fmt: skip
    data = wrap(0x30, value(2, b"\1") + value(0x31, b"") + wrap(0x30, PLAIN + wrap(0xA0, octets)))
    return bytes(wrap(0x30, (PLAIN if encrypted else SIGNED) + wrap(0xA0, data)))


@pytest.mark.parametrize("wrap", [value, endless])
def test_a_mail_that_is_signed_as_a_whole_is_read(tmp_path: Path, wrap: object) -> None:
    data = signed(wrap)
    assert signed_content(data) == MAIL
    assert signed_content(signed(wrap, encrypted=True)) == b""
    for end in range(len(data)):
        signed_content(data[:end])  # a cut one may lose text, and fails never
    head = b"Subject: Deed\r\nContent-Type: application/pkcs7-mime; name=smime.p7m\r\n"
    coded = b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(data)
    (tmp_path / "a.eml").write_bytes(head + coded)
    assert "The quince orchard was sold." in read(tmp_path / "a.eml").text


def test_values_nested_without_end_are_no_mail() -> None:
    assert signed_content(b"\x30\x80" * 5_000) == b""
    assert signed_content(b"\x24\x80" * 5_000) == b""


def outlook_attribute(level: int, kind: int, data: bytes) -> bytes:
    return struct.pack("<BII", level, kind, len(data)) + data + bytes(2)


def test_a_winmail_has_a_body_and_attachments(tmp_path: Path) -> None:
    page = b"<p>The quince orchard</p>"
    number = struct.pack("<III", 0x10130102, 1, len(page)) + page + bytes(-len(page) % 4)
    named = struct.pack("<I16sII", 0x80010003, bytes(16), 0, 5) + struct.pack("<I", 7)
    data = struct.pack("<IH", 0x223E9F78, 1) + b"".join((
        outlook_attribute(1, 0x00069003, struct.pack("<I", 2) + named + number),
        outlook_attribute(2, 0x00069002, bytes(14)),
        outlook_attribute(2, 0x00018010, b"deed.txt\0"),
        outlook_attribute(2, 0x0006800F, b"The deed of land"),
    ))  # fmt: skip
    head = b"Subject: S\r\nContent-Type: application/ms-tnef; name=winmail.dat\r\n"
    coded = b"Content-Transfer-Encoding: base64\r\n\r\n" + base64.encodebytes(data)
    (tmp_path / "a.eml").write_bytes(head + coded)
    found = read(tmp_path / "a.eml").text
    assert "The quince orchard" in found
    assert "deed.txt" in found
    assert "The deed of land" in found
    for end in range(len(data)):
        outlook_parts(data[:end])


def test_files_that_are_encoded_in_a_text_are_attachments(tmp_path: Path) -> None:
    coded = binascii.b2a_uu(b"The deed of land").decode()
    text = f"See it.\n\nbegin 644 deed one.txt\n{coded}`\nend\nAfter it.\n"
    (tmp_path / "a.eml").write_text(f"Subject: S\nFrom: a@example.org\n\n{text}")
    found = read(tmp_path / "a.eml").text
    assert "The deed of land" in found
    assert "After it." in found
    assert "begin 644" not in found
    assert without_encoded("begin 644 deed.txt\nno code\nend\n") == (
        "begin 644 deed.txt\nno code\nend\n", [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("Content-Type: multipart/mixed; boundary=none", "The deed of land"),
        ("Content-Transfer-Encoding: base64", "VGhlIGRlZWQgb2YgbGFuZA==\n\n--\nfooter of a list"),
        ("Content-Type: text/html; charset=utf-7", "<p>The deed of l+AGE-nd</p>"),
    ],
)
def test_bodies_against_the_rules_are_read(tmp_path: Path, head: str, body: str) -> None:
    (tmp_path / "a.eml").write_text(f"\ufeffSubject: S\nFrom: a@example.org\n{head}\n\n{body}\n")
    found = read(tmp_path / "a.eml").text
    assert "The deed of land" in found
    assert "Subject:" not in found


def test_a_document_in_one_file_has_its_title_and_author(tmp_path: Path) -> None:
    file = tmp_path / "a.fodt"
    meta = (
        '<office:meta xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Lease</dc:title>'
        "<dc:creator>Jane Doe</dc:creator></office:meta><office:body>"
    )
    file.write_bytes(flat(TEXT, "text").replace(b"<office:body>", meta.encode(), 1))
    found = read(file).metadata
    assert (found.title, found.author) == ("Lease", "Jane Doe")


def about(path: Path) -> list[str]:
    """What the author of a file wrote about it."""
    return [page.text for page in read(path).pages if page.part == "properties"]


CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:subject>Deeds</dc:subject>'
    "<cp:keywords>medlar, quince</cp:keywords><dc:description>generated by python-docx"
    "</dc:description></cp:coreProperties>"
)
TYPES = "http://schemas.openxmlformats.org/package/2006/relationships"


def test_what_authors_write_about_office_files_and_books_is_found(tmp_path: Path) -> None:
    parts = {
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>{WORDS}</w:t>'
        "</w:r></w:p></w:body></w:document>",
        "docProps/core.xml": CORE,
        "_rels/.rels": f'<Relationships xmlns="{TYPES}"><Relationship Id="r" Target='
        '"docProps/core.xml" Type="x/core-properties"/></Relationships>',
        "[Content_Types].xml": "<Types/>",
    }
    (tmp_path / "a.docx").write_bytes(zipped(parts))
    assert about(tmp_path / "a.docx") == ["Subject: Deeds\nKeywords: medlar, quince"]
    meta = (
        f'<office:document-meta {ODF} xmlns:meta="{SPACES}:meta:1.0" xmlns:dc="http://purl.org/dc/'
        'elements/1.1/"><office:meta><meta:keyword>medlar</meta:keyword><meta:keyword>quince'
        "</meta:keyword><dc:description>Sold in May</dc:description></office:meta>"
        "</office:document-meta>"
    )
    body = f"<office:body>{TEXT}</office:body>"
    content = f"<office:document-content {ODF}>{body}</office:document-content>"
    (tmp_path / "a.odt").write_bytes(
        zipped({
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": content,
            "meta.xml": meta,
        })
    )  # fmt: skip
    assert about(tmp_path / "a.odt") == ["Keywords: medlar, quince\nDescription: Sold in May"]


def test_the_description_of_a_page_is_found_unless_the_page_says_it(tmp_path: Path) -> None:
    page = f'<meta name="Description" content="Pruning in May"><p>{WORDS}. {{}}</p>'
    (tmp_path / "a.html").write_text(page.format(""))
    (tmp_path / "b.html").write_text(page.format("Pruning, in May!"))
    assert about(tmp_path / "a.html") == ["Description: Pruning in May"]
    assert about(tmp_path / "b.html") == []


def test_a_diagram_of_drawio_is_read(tmp_path: Path) -> None:
    cell = '<mxCell id="2" value="The quince &lt;b&gt;orchard&lt;/b&gt; was sold" vertex="1"/>'
    model = f"<mxGraphModel><root>{cell}</root></mxGraphModel>"
    (tmp_path / "a.drawio").write_text(f'<mxfile><diagram name="1">{model}</diagram></mxfile>')
    assert WORDS in read(tmp_path / "a.drawio").text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xlf", "<xliff><file><unit><target>{}</target></unit></file></xliff>"),
        ("a.tmx", "<tmx><header/><body><tu><tuv><seg>{}</seg></tuv></tu></body></tmx>"),
        ("a.fdx", "<FinalDraft><Content><Paragraph>{}</Paragraph></Content></FinalDraft>"),
        ("a.abw", "<abiword><section><p><c>{}</c></p></section></abiword>"),
    ],
)  # fmt: skip
def test_texts_and_translations_in_xml_are_read(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text.format(WORDS), "utf-8")
    assert ("paragraph", WORDS) in read(tmp_path / name).blocks()
