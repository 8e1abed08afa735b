"""The formats of an export: nothing in a document becomes markup, and programs read them."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import docx
import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from msgspec.structs import replace
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QColor, QImage

from tests.ui.search.hits import hit
from ui.basket.basket import Kept
from ui.citations import CitedSource, bibtex, csl_json
from ui.document_files import docx_of, pdf_of
from ui.export import (
    ExportFormat,
    Report,
    ReportPicture,
    entries_of,
    markdown_of,
    pages_of,
    report_document,
    sources_of,
    write_report,
)
from ui.search.safe_text import line

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("qapp")

HOSTILE = (
    "# <b>not</b> *bold* [x](http://x) `y` | 1. & ]]> <w:p/> ![i](j) \\ $z$ @key\n"
    "\x00\x0b \u202e 1. No list"
)

# What our Markdown becomes.
TAGS = {"h1", "h2", "em", "p", "blockquote", "mark", "strong", "a", "br", "ul", "li"}


def picture() -> ReportPicture:
    image = QImage(40, 30, QImage.Format.Format_RGB888)
    image.fill(QColor("#1d5fa8"))
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes, which Qt refuses
    buffer.close()
    return ReportPicture(bytes(data.data()), 40, 30, 'Page "3" & <4>')


def report(text: str, note: str = "", *, pictures: bool = False, title: str = "Lease") -> Report:
    kept = [Kept("one", hit(text=text, title=title, heading_path=(title,)), note)]
    sources = {kept[0].hit.path: CitedSource(line(title), "Doe, Jane", "2021")}
    drawn = {"one": [picture(), picture()]} if pictures else {}
    entries = entries_of(kept, sources, drawn, {"one": line(title)})
    return Report(line(title), "Sources", "Note:", "Open", entries, sources_of(kept, sources))


class Text(HTMLParser):
    """Gathers the text and the tags of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: set[str] = set()
        self.feed(html)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(st.text(max_size=60), st.text(max_size=30))
@settings(max_examples=60, deadline=None)
def test_markdown_shows_every_text_as_it_is(text: str, note: str) -> None:
    made = report(f"{HOSTILE} {text}", note, title=f"+ {text}")
    entry = made.entries[0]
    shown = Text(MarkdownIt().render(markdown_of(made, {})))
    assert shown.tags <= TAGS
    for each in (entry.text, entry.note, entry.cited):
        assert squeezed(each) in squeezed(shown.text)


def test_pictures_lie_beside_the_markdown(tmp_path: Path) -> None:
    path = tmp_path / "my basket.md"
    write_report(path, ExportFormat.MARKDOWN, report("Rent is due.", pictures=True))
    shown = MarkdownIt().render(path.read_text("utf-8"))
    assert (
        '<img src="my%20basket-pictures/1-2.png" alt="Page &quot;3&quot; &amp; &lt;4&gt;"' in shown
    )
    assert (tmp_path / "my basket-pictures" / "1-1.png").read_bytes() == picture().data


def word_document(made: Report) -> Any:
    return docx.Document(io.BytesIO(docx_of(report_document(made), made.title)))


@given(st.text(max_size=60), st.text(max_size=30))
@settings(max_examples=30, deadline=None)
def test_a_word_document_has_every_text_as_it_is(text: str, note: str) -> None:
    made = report(f"{HOSTILE} {text}", note, title=text or "-")
    shown = squeezed("".join(each.text for each in word_document(made).paragraphs))
    assert squeezed(made.entries[0].text) in shown
    assert squeezed(made.entries[0].note) in shown


def test_a_word_document_holds_pictures_links_and_directions() -> None:
    made = report("\u05e9\u05dc\u05d5\u05dd to the world of rent, it is due today.", pictures=True)
    opened = word_document(made)
    assert [shape.width / 12_700 for shape in opened.inline_shapes] == [481, 481], (
        "as wide as the text"
    )
    links = [link for each in opened.paragraphs for link in each.hyperlinks]
    assert [(link.text, link.address, link.fragment) for link in links] == [
        ("Open", *made.entries[0].link.partition("#")[::2])
    ]
    rightward = [each for each in opened.paragraphs if each._p.xpath("w:pPr/w:bidi")]
    assert [each.text for each in rightward] == [made.entries[0].text]
    assert all(run.font.rtl for run in rightward[0].runs)
    assert [each.style.name for each in opened.paragraphs][:3] == [
        "Heading 1",
        "Heading 2",
        "Normal",
    ]


def test_a_word_document_marks_the_sentence_that_answers() -> None:
    made = report("Rent is due.")
    entry = replace(made.entries[0], text="One. Two. Three.", best=(5, 9))
    opened = word_document(replace(made, entries=(entry,)))
    assert opened.element.xpath("//w:r[w:rPr/w:shd[@w:fill='ffe9a3']]/w:t/text()") == ["Two."]
    assert opened.core_properties.title == made.title


def test_each_page_of_the_passages_is_once_in_one_pdf() -> None:
    made = report("Rent is due.", pictures=True)
    (entry,) = made.entries
    other = replace(entry, key="roe", pictures=(replace(picture(), place="Page 4"),))
    with pymupdf.open(stream=pages_of(replace(made, entries=(entry, other, entry)))) as document:
        assert document.page_count == 2, "two passages on one page"
        for page in document:
            assert page.rect.width / page.rect.height == pytest.approx(40 / 30, abs=0.02)
            assert page.rect.height == pytest.approx(595, abs=2)
            seen = page.get_pixmap().pixel(300, 300)
            assert seen == pytest.approx((0x1D, 0x5F, 0xA8), abs=6)


def test_pdf_holds_texts_pictures_and_links() -> None:
    made = report(HOSTILE, "Ask <i>Jane</i>", pictures=True)
    with pymupdf.open(stream=pdf_of(report_document(made), made.title)) as document:
        text = squeezed("".join(page.get_text() for page in document))
        assert "<b>not</b>*bold*" in text
        assert "Ask<i>Jane</i>" in text
        assert sum(len(page.get_images()) for page in document) == 2
        links = [link.get("uri", "") for page in document for link in page.get_links()]
        assert {link.partition("?")[0] for link in links} == {"lectern://passage"}


def test_sources_are_cited_by_one_key_everywhere() -> None:
    kept = [Kept(name, hit(f"/d/{name}.pdf", start=100)) for name in "ab"]
    sources = {
        "/d/a.pdf": CitedSource("Law & {Order}", "Doe, Jane; Acme Corp", "2021", "en"),
        "/d/b.pdf": CitedSource("Nobody's"),
    }
    items = json.loads(csl_json(sources))
    assert [item["id"] for item in items] == ["doe2021", "nobodys"]
    assert items[0]["author"] == [{"family": "Doe", "given": "Jane"}, {"literal": "Acme Corp"}]
    assert items[0]["issued"] == {"date-parts": [[2021]]}
    assert items[1] == {"id": "nobodys", "type": "document", "title": "Nobody's"}
    text = bibtex([each.hit for each in kept], sources)
    assert "@misc{doe2021," in text
    assert "@misc{nobodys," in text
    assert [key for key, _ in sources_of(kept, sources)] == ["doe2021", "nobodys"]
