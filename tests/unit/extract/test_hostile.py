"""Hostile files: each is read or rejected, soon, and in little memory."""

from __future__ import annotations

import io
import struct
import time
import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from tests.fuzz.samples import SENTENCE, docx, epub, odt, pptx, samples, xlsx, zipped
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LIMITS = Limits(unpacked_bytes=4 * 1024**2, elements=100_000, characters=200_000)
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "&a;" * 10}">' for n in range(9))
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.fixture(autouse=True)
def no_libreoffice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Results must not depend on installed programs."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("indexer.extract.office.libreoffice._PLACES", {})


def outcome(path: Path, limits: Limits = LIMITS) -> str:
    begun = time.process_time()
    try:
        found = read(path, limits)
    except WorldError as error:
        return error.code
    finally:
        assert time.process_time() - begun < 20
    assert "root:" not in found.text
    return "partial" if found.unreadable else "read"


# The main part of a package of each format.
MAINS = {
    "a.docx": "word/document.xml", "a.pptx": "ppt/slides/slide1.xml",
    "a.xlsx": "xl/worksheets/sheet1.xml", "a.odt": "content.xml", "a.odp": "content.xml",
    "a.ods": "content.xml", "a.epub": "OPS/book.opf",
}  # fmt: skip


def with_main(name: str, part: str) -> bytes:
    """A package with another main part."""
    with zipfile.ZipFile(io.BytesIO(samples()[name])) as file:
        parts = {each: file.read(each) for each in file.namelist()}
    return zipped({**parts, MAINS[name]: part})


@pytest.mark.parametrize(
    "declared", [LAUGHS, OUTSIDE, "<!DOCTYPE x SYSTEM 'http://127.0.0.1:9/x'>"]
)
@pytest.mark.parametrize("name", sorted(MAINS))
def test_entities_are_never_resolved(tmp_path: Path, name: str, declared: str) -> None:
    path = tmp_path / name
    path.write_bytes(with_main(name, f"{declared}<x>&a8;&a;</x>"))
    assert outcome(path) in ("unreadable", "partial", "read")


@pytest.mark.parametrize("name", sorted(MAINS))
@pytest.mark.parametrize(
    "part",
    [
        "<x>" * 500_000,
        "<x>" + "<y/>" * 2_000_000,
        "<x>" + " " * 50_000_000,
        '<x a="' + "y" * 20_000_000,
        "<x " + " ".join(f'a{n}="1"' for n in range(100_000)) + "/>",
        "\x00" * 1000,
        "",
    ],
    ids=["depth", "elements", "spaces", "attribute", "attributes", "zeros", "nothing"],
)
def test_endless_xml_ends_at_the_limit(tmp_path: Path, name: str, part: str) -> None:
    path = tmp_path / name
    path.write_bytes(with_main(name, part))
    assert path.stat().st_size < 1024**2
    assert outcome(path) in ("unreadable", "partial", "read", "too_complex")


@pytest.mark.parametrize(
    "name",
    [
        "a.fb2",
        "a.kml",
        "a.opml",
        "a.gpx",
        "a.enex",
        "a.vcf",
        "a.bib",
        "a.srt",
        "a.rdf",
        "a.ttml",
        "a.smi",
    ],
)
@pytest.mark.parametrize(
    "content",
    [
        f"{LAUGHS}<kml>&a8;</kml>",
        f"{OUTSIDE}<kml>&a;</kml>",
        "<section>" * 500_000,
        "<kml>" + "<Placemark/>" * 500_000,
        "<kml><name>" + "y" * 10_000_000,
        "BEGIN:VCARD\nNOTE:" + "x\n " * 1_000_000,
        "@a{b, title = {" + "{" * 1_000_000,
        "@a{b,\n" * 200_000,
        "00:00:01,000 --> 00:00:02,000\n" + "{\\" * 1_000_000,
    ],
    ids=["laughs", "outside", "depth", "elements", "text", "folded", "braces", "entries", "codes"],
)
def test_endless_text_formats_end_at_the_limit(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert outcome(path) in ("unreadable", "partial", "read", "too_complex", "no_text")


def test_endless_text_is_read_up_to_the_limit(tmp_path: Path) -> None:
    paragraph = f"<w:p><w:r><w:t>{SENTENCE * 20}</w:t></w:r></w:p>"
    path = tmp_path / "a.docx"
    path.write_bytes(docx(paragraph * 2000))
    assert path.stat().st_size < 100_000
    found = read(path, LIMITS)
    assert 100_000 < len(found.text) <= 250_000
    assert found.unreadable == [1]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.docx", {"../../../../tmp/evil.xml": "x", "/etc/passwd": "x", "C:\\evil.xml": "x"}),
        ("a.docx", {f"word/media/{n}.png": "" for n in range(5000)}),
        ("a.docx", {"word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100}),
    ],
)
def test_other_parts_are_never_unpacked(
    tmp_path: Path, name: str, parts: Mapping[str, str | bytes]
) -> None:
    path = tmp_path / name
    with zipfile.ZipFile(io.BytesIO(docx())) as file:
        own = {each: file.read(each) for each in file.namelist()}
    path.write_bytes(zipped({**own, **parts}))
    assert outcome(path) == "read"
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_too_large_zip_directory_is_not_read(tmp_path: Path) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        for n in range(60_000):
            file.writestr(f"{n:0>200}", b"")
    path = tmp_path / "a.docx"
    path.write_bytes(data.getvalue())
    assert outcome(path) == "too_complex"


@pytest.mark.parametrize("relation", ["/word/document.xml", "document.xml", "../../../x", "%2e%2e"])
def test_relationships_in_a_cycle_end(tmp_path: Path, relation: str) -> None:
    with zipfile.ZipFile(
        io.BytesIO(docx(more={"footnotes": "<w:footnotes></w:footnotes>"}))
    ) as file:
        parts = {each: file.read(each) for each in file.namelist()}
    links = parts["word/_rels/document.xml.rels"].replace(b"footnotes.xml", relation.encode())
    path = tmp_path / "a.docx"
    path.write_bytes(zipped({**parts, "word/_rels/document.xml.rels": links}))
    assert outcome(path) == "read"


def test_an_encrypted_part_needs_a_password(tmp_path: Path) -> None:
    data = bytearray(docx())
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(magic)
        while at >= 0:
            struct.pack_into("<H", data, at + offset, 1)
            at = data.find(magic, at + 1)
    path = tmp_path / "a.docx"
    path.write_bytes(bytes(data))
    assert outcome(path) == "needs_password"


@pytest.mark.parametrize("name", sorted(samples()))
def test_the_first_half_of_a_file_is_read_or_reported(tmp_path: Path, name: str) -> None:
    data = samples()[name]
    for share in (0.1, 0.5, 0.9):
        path = tmp_path / name
        path.write_bytes(data[: int(len(data) * share)])
        assert outcome(path) in (
            "read", "partial", "unreadable", "unsupported", "needs_libreoffice",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.docx", pptx(), "pptx"),
        ("a.zip", docx(), "docx"),
        ("a", xlsx(), "xlsx"),
        ("a.txt", odt(), "odt"),
        ("a.doc", epub(), "epub"),
        ("a.docx", zipped({"a.txt": "x"}), "unsupported"),
        ("a.docx", b"PK\x03\x04" + bytes(100), "unreadable"),
        ("a.docx", b"no zip at all", "unreadable"),
        ("a.doc", b"{\\rtf1 words}", "rtf"),
        ("a.xls", b"Lamp\tOil\n", "csv"),
        ("a.doc", b"<html><p>words", "html"),
        ("a.xls", b"\x09\x08" + bytes(100), "needs_libreoffice"),
    ],
)
def test_the_content_has_priority_over_the_extension(
    tmp_path: Path, name: str, data: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    try:
        assert read(path).form == code
    except WorldError as error:
        assert error.code == code  # noqa: PT017  # either may happen, depending on the file
