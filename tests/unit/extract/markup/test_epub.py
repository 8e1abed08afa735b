"""E-books: chapters in reading order, the outline, and copy protection."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from tests.fuzz.samples import SENTENCE, epub, zipped
from tests.unit.extract.reading import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return tmp_path / "a.epub"


def test_chapters_are_pages_with_names(book: Path) -> None:
    book.write_bytes(epub({
        "one.xhtml": f"<h1>The Lamp</h1><p>{SENTENCE}</p>",
        "text/two &amp; more.xhtml": "<p>Second <ruby>lamp<rt>ruby</rt></ruby>.</p>",
    }))  # fmt: skip
    found = read(book)
    assert found.count == 1  # the second has another name than in the package document
    book.write_bytes(epub({
        "one.xhtml": f"<h1>The Lamp</h1><p>{SENTENCE}</p>",
        "text/two%20more.xhtml": "",
    }, {"OPS/text/two more.xhtml": "<p>Second <ruby>lamp<rt>ruby</rt></ruby>.</p>"}))  # fmt: skip
    found = read(book)
    assert found.count == 2
    assert found.blocks(1) == [("heading1", "The Lamp"), ("paragraph", SENTENCE)]
    assert found.blocks(2) == [("paragraph", "Second lamp.")]
    assert [(e.level, e.title, e.page) for e in found.outline] == [
        (1, "Chapter 1", 1), (1, "Chapter 2", 2),
    ]  # fmt: skip
    about = found.metadata
    assert (about.title, about.author, about.created) == ("The Keeper", "Mina Harker", "1897-05-26")


def test_the_contents_of_epub_2_are_read(book: Path) -> None:
    book.write_bytes(zipped({
        "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
        "b.opf": '<p><item id="a" href="a.html" media-type="text/html"/>'
        '<item id="t" href="toc.ncx"/><spine toc="t"><itemref idref="a"/>'
        '<itemref idref="missing"/></spine></p>',
        "a.html": f"<p>{SENTENCE}",
        "toc.ncx": "<ncx><docTitle><text>No</text></docTitle><navPoint><navLabel><text>Part"
        '</text></navLabel><content src="a.html"/><navPoint><navLabel><text>Deep</text>'
        '</navLabel><content src="a.html#x"/></navPoint></navPoint></ncx>',
    }))  # fmt: skip
    found = read(book)
    assert [(e.level, e.title, e.page) for e in found.outline] == [(1, "Part", 1), (2, "Deep", 1)]


def test_what_stands_for_a_chapter_that_is_no_text_is_read(book: Path) -> None:
    book.write_bytes(zipped({
        "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
        "b.opf": '<p><metadata><meta name="calibre:series" content="The Keepers"/></metadata>'
        '<item id="a" href="a.bin" media-type="application/x-drawn" fallback="b"/>'
        '<item id="b" href="b" media-type="text/html"/><item id="c" href="c.bin" fallback="c"/>'
        '<spine><itemref idref="a"/><itemref idref="c"/></spine></p>',
        "b": f"<p>{SENTENCE}",
    }))  # fmt: skip
    assert read(book).text == f"{SENTENCE}\nSeries: The Keepers"


def test_self_closing_elements_are_empty(book: Path) -> None:
    chapter = f'<head><title/><script src="x.js"/></head><p id="a"/><p>{SENTENCE}<br/>More.</p>'
    book.write_bytes(epub({"one.xhtml": chapter}))
    assert read(book).text == f"{SENTENCE}\nMore."


@pytest.mark.parametrize(
    ("method", "part", "code"),
    [
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/one.xhtml", "copy_protected"),
        ("http://www.idpf.org/2008/embedding", "OPS/one.xhtml", ""),
        ("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OPS/font.otf", ""),
    ],
)
def test_a_copy_protected_book_is_reported(book: Path, method: str, part: str, code: str) -> None:
    entry = (
        f'<e><EncryptedData><EncryptionMethod Algorithm="{method}"/><CipherData>'
        f'<CipherReference URI="{part}"/></CipherData></EncryptedData></e>'
    )
    book.write_bytes(epub(more={"META-INF/encryption.xml": entry}))
    if not code:
        assert SENTENCE in read(book).text
        return
    with pytest.raises(WorldError) as caught:
        read(book)
    assert caught.value.code == code


def test_a_damaged_table_of_contents_does_not_affect_chapters(book: Path) -> None:
    parts = {"OPS/nav.xhtml": "<nav epub:type=toc><ol><li><a href='../../../../etc/passwd'>x</a>"}
    book.write_bytes(epub(more=parts))
    assert SENTENCE in read(book).text
    assert read(book).outline == ()


def test_a_book_with_a_damaged_package_document_is_read_partly(book: Path) -> None:
    book.write_bytes(epub())
    with zipfile.ZipFile(book) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    listed = parts["OPS/book.opf"]
    book.write_bytes(
        zipped({**parts, "OPS/book.opf": listed.replace(b"</spine>", b"<x y=></spine>")})
    )
    found = read(book)
    assert SENTENCE in found.text
    assert found.unreadable == [1]
    book.write_bytes(zipped({**parts, "OPS/book.opf": listed[:100]}))
    with pytest.raises(WorldError) as caught:
        read(book)
    assert caught.value.code == "unreadable"


def test_a_book_without_chapters_is_empty(book: Path) -> None:
    book.write_bytes(
        zipped({"META-INF/container.xml": '<c><rootfile full-path="b"/></c>', "b": "<p/>"})
    )
    assert read(book).count == 0


def test_a_book_of_the_first_edition_of_the_format_is_read(book: Path) -> None:
    parts = {
        "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
        "b.opf": '<package xmlns:dc="d"><metadata><dc-metadata><dc:Title>The Lamp</dc:Title>'
        '</dc-metadata></metadata><manifest><item id="c" href="c.htm" '
        'media-type="text/x-oeb1-document"/><item id="d" href="d.html" media-type="x/unknown"/>'
        '</manifest><spine><itemref idref="c"/><itemref idref="d"/></spine></package>',
        "c.htm": "<html><body><p>The first chapter.</p></body></html>",
        "d.html": "<html><body><p>The <![CDATA[second & last]]> chapter.</p></body></html>",
    }
    book.write_bytes(zipped({"mimetype": "application/epub+zip", **parts}))
    found = read(book)
    assert [page.text for page in found.pages] == [
        "The first chapter.", "The second & last chapter.",
    ]  # fmt: skip
    assert found.metadata.title == "The Lamp"
