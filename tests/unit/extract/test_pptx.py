"""Presentations of both kinds: slides, their order, their notes."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pptx

from tests.fuzz.samples import SENTENCE, odp, relations, slide, zipped
from tests.fuzz.samples import pptx as made
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from pathlib import Path


def read_slides(tmp_path: Path, *slides: str, notes: str = "") -> Read:
    path = tmp_path / "a.pptx"
    path.write_bytes(made(list(slides), notes))
    return read(path)


def test_a_presentation_that_another_library_wrote(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    deck.core_properties.title = "Of Lamps"
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "The Keeper's Lamps"
    first.placeholders[1].text = "A talk"
    second = deck.slides.add_slide(deck.slide_layouts[1])
    second.shapes.title.text = "Oil"
    second.placeholders[1].text = "Whale\nRape"
    second.notes_slide.notes_text_frame.text = "Speak slowly."
    table = second.shapes.add_table(2, 2, 0, 0, 100, 100).table
    for at, text in enumerate(("Year", "Oil", "1890", "12")):
        table.cell(at // 2, at % 2).text = text
    deck.save(str(tmp_path / "a.pptx"))
    found = read(tmp_path / "a.pptx")
    assert found.count == 2
    assert found.blocks(1) == [("heading1", "The Keeper's Lamps"), ("paragraph", "A talk")]
    assert found.blocks(2) == [
        ("heading2", "Oil"),
        ("list_item", "Whale"),
        ("list_item", "Rape"),
        ("table", "Year\tOil\n1890\t12"),
        ("paragraph", "Speak slowly."),
    ]
    assert found.metadata.title == "Of Lamps"


def test_titles_come_first_and_every_slide_has_one(tmp_path: Path) -> None:
    found = read_slides(
        tmp_path,
        slide(("body", "point"), ("title", "Late")),
        slide(("-", "A first line\nand more")),
        slide(("-", "word " * 100)),
        slide(("sldNum", "4"), ("ftr", "Harbour Board"), ("dt", "May")),
    )
    assert found.blocks(1) == [("heading2", "Late"), ("list_item", "point")]
    assert found.blocks(2) == [("heading2", "A first line"), ("paragraph", "and more")]
    assert found.blocks(3)[0] == ("heading2", "Slide 3")
    assert found.blocks(4) == []
    assert found.count == 4


def test_notes_belong_to_their_slide(tmp_path: Path) -> None:
    found = read_slides(tmp_path, slide(("title", "A")), slide(("title", "B")), notes=SENTENCE)
    assert ("paragraph", SENTENCE) in found.blocks(1)
    assert found.blocks(2) == [("heading2", "B")]


def test_a_broken_slide_costs_a_slide(tmp_path: Path) -> None:
    found = read_slides(tmp_path, slide(("title", "A")), "<broken", slide(("title", "C")))
    assert found.unreadable == [2]
    assert found.blocks(3) == [("heading2", "C")]


def test_slides_come_in_the_order_of_the_list_not_of_the_parts(tmp_path: Path) -> None:
    listed = made([slide(("title", "last")), slide(("title", "first"))])
    with zipfile.ZipFile(io.BytesIO(listed)) as file:
        parts = {each: file.read(each) for each in file.namelist()}
    kinds = [("slide", f"slides/slide{i}.xml") for i in (2, 1)]
    parts["ppt/_rels/presentation.xml.rels"] = relations(*kinds).encode()
    (tmp_path / "a.pptx").write_bytes(zipped(parts))
    assert [text for _, text in read(tmp_path / "a.pptx").blocks()] == ["first", "last"]


def test_slides_of_open_document(tmp_path: Path) -> None:
    def frame(kind: str, text: str) -> str:
        return (
            f'<draw:frame presentation:class="{kind}"><draw:text-box><text:p>{text}</text:p>'
            "</draw:text-box></draw:frame>"
        )

    first = frame("subtitle", "A talk") + frame("title", "Lamps")
    list_item = (
        f"<text:list><text:list-item><text:p>{SENTENCE}</text:p></text:list-item></text:list>"
    )
    second = (
        frame("title", "Oil")
        + f'<draw:frame presentation:class="outline"><draw:text-box>{list_item}</draw:text-box>'
        f"</draw:frame><presentation:notes>{frame('notes', 'Slowly.')}</presentation:notes>"
    )
    path = tmp_path / "a.odp"
    path.write_bytes(odp(f"<draw:page>{first}</draw:page><draw:page>{second}</draw:page>"))
    found = read(path)
    assert found.count == 2
    assert found.blocks(1) == [("heading1", "Lamps"), ("paragraph", "A talk")]
    assert found.blocks(2) == [
        ("heading2", "Oil"), ("list_item", SENTENCE), ("paragraph", "Slowly."),
    ]  # fmt: skip
