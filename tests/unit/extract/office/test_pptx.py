"""Presentations of both formats: slides, their order, their notes."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import pptx
import pytest
from lxml import etree
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

from tests.fuzz.samples import SENTENCE, odp, relations, slide, xlsx, zipped
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
    second.placeholders[1].text_frame.paragraphs[1].level = 1
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
        ("list_item1", "Rape"),
        ("table", "Year\tOil\n1890\t12"),
        ("paragraph1", "Speak slowly."),
    ]
    assert found.metadata.title == "Of Lamps"


def saved(tmp_path: Path, deck: Any) -> Read:
    deck.save(str(tmp_path / "a.pptx"))
    return read(tmp_path / "a.pptx")


def box(shapes: Any, text: str) -> Any:
    made = shapes.add_textbox(0, 0, 100, 100)
    made.text_frame.text = text
    return made


def test_charts_are_read_with_their_values(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    page = deck.slides.add_slide(deck.slide_layouts[6])
    data = CategoryChartData(number_format="0%")
    data.categories = ["Oil", "Gas"]
    data.add_series("Burnt 1890", (0.125, 0.3))
    data.add_series("Burnt 1891", (0.7, None))
    chart = page.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 100, 100, data).chart
    chart.has_title = chart.value_axis.has_title = True
    chart.chart_title.text_frame.text = "Fuel burnt"
    chart.value_axis.axis_title.text_frame.text = "Tons"
    points = XyChartData()
    path = points.add_series("Path")
    path.add_data_point(1, 2.5)
    path.add_data_point(3, 0.1 + 0.2)
    page = deck.slides.add_slide(deck.slide_layouts[6])
    page.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, 0, 0, 100, 100, points)
    found = saved(tmp_path, deck)
    assert found.blocks(1) == [
        ("paragraph", "Fuel burnt"),
        ("paragraph", "Tons"),
        ("table", "Burnt 1890\tBurnt 1891\nOil\t12.5%\t70%\nGas\t30%"),
    ]
    assert found.blocks(2) == [("table", "Path\n1\t2.5\n3\t0.3")]


def test_groups_are_read_and_hidden_shapes_are_not(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    box(shapes.add_group_shape().shapes, "In a group")
    box(shapes, "secret")._element.nvSpPr.cNvPr.set("hidden", "1")
    group = shapes.add_group_shape()
    box(group.shapes, "secret")
    group._element.nvGrpSpPr.cNvPr.set("hidden", "1")
    picture = box(shapes, "seen")
    picture._element.nvSpPr.cNvPr.set("descr", "alternative text")
    assert saved(tmp_path, deck).blocks() == [
        ("heading2", "In a group"), ("paragraph", "seen"), ("paragraph", "alternative text"),
    ]  # fmt: skip


def test_list_numbers_on_slides_are_read(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    paragraphs = box(shapes, "Steps\na\nb\ninner\nc\nplain\nd").text_frame.paragraphs
    kinds = (
        "",
        "arabicPeriod",
        "arabicPeriod",
        "alphaLcParenR",
        "arabicPeriod",
        "",
        "romanUcPlain",
    )
    for paragraph, kind in zip(paragraphs, kinds, strict=True):
        properties = paragraph._p.get_or_add_pPr()
        properties.set("lvl", "1" if kind.startswith("alpha") else "0")
        if kind:
            number = etree.SubElement(properties, f"{{{properties.nsmap['a']}}}buAutoNum")
            number.set("type", kind)
            number.set("startAt", "4" if kind.startswith("roman") else "1")
    assert [text for _, text in saved(tmp_path, deck).blocks()] == [
        "Steps", "1. a", "2. b", "a) inner", "3. c", "plain", "IV d",
    ]  # fmt: skip


@pytest.mark.parametrize("shown", [True, False])
def test_text_of_layout_and_master_is_read_once(tmp_path: Path, shown: bool) -> None:
    deck = pptx.Presentation()
    for place, text in ((deck.slide_layouts[5], "On the layout"), (deck.slide_master, "On all")):
        made = box(deck.slides.add_slide(deck.slide_layouts[6]).shapes, text)._element
        place._element.cSld.spTree.append(made)
    for number in range(2):
        page = deck.slides.add_slide(deck.slide_layouts[5])
        page.shapes.title.text = f"Slide {number}"
        if not shown:
            page._element.set("showMasterSp", "0")
    for first in list(deck.slides._sldIdLst)[:2]:
        deck.slides._sldIdLst.remove(first)
    texts = [text for _, text in saved(tmp_path, deck).blocks()]
    once = ["On the layout", "On all"] if shown else []
    assert texts == ["Slide 0", *once, "Slide 1"]


def test_diagrams_and_comments_are_read(tmp_path: Path) -> None:
    drawing = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    deck = made([slide(("title", "A"))])
    with zipfile.ZipFile(io.BytesIO(deck)) as file:
        parts: dict[str, str | bytes] = {each: file.read(each) for each in file.namelist()}
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations(
        ("diagramData", "../d1.xml"), ("comments", "../c1.xml")
    )
    parts["ppt/d1.xml"] = (
        f'<dgm:dataModel xmlns:dgm="d" {drawing}><dgm:pt><dgm:t><a:p><a:r><a:t>First </a:t></a:r>'
        "<a:r><a:t>box</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>"
    )
    parts["ppt/c1.xml"] = '<p:cmLst xmlns:p="p"><p:cm><p:text>A remark.</p:text></p:cm></p:cmLst>'
    (tmp_path / "a.pptx").write_bytes(zipped(parts))
    texts = [text for _, text in read(tmp_path / "a.pptx").blocks()]
    assert texts == ["A", "First box", "A remark."]


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
    assert ("paragraph1", SENTENCE) in found.blocks(1)
    assert found.blocks(2) == [("heading2", "B")]


def test_a_damaged_slide_is_an_unreadable_page(tmp_path: Path) -> None:
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
        ("heading2", "Oil"), ("list_item", SENTENCE), ("paragraph1", "Slowly."),
    ]  # fmt: skip


def test_embedded_workbooks_follow_the_slides(tmp_path: Path) -> None:
    deck = pptx.Presentation()
    first, second = (deck.slides.add_slide(deck.slide_layouts[5]) for _ in range(2))
    first.shapes.title.text, second.shapes.title.text = "Oil", "Wicks"
    first.shapes.add_ole_object(io.BytesIO(xlsx()), "Excel.Sheet.12", 0, 0)
    data = CategoryChartData()
    data.categories = ["North"]
    data.add_series("Litres", [12])
    second.shapes.add_chart(XL_CHART_TYPE.PIE, 0, 0, 100, 100, data)
    found = saved(tmp_path, deck)
    assert [(page.number, bool(page.part)) for page in found.pages] == [
        (1, False), (2, False), (1, True),
    ]  # fmt: skip
    assert SENTENCE in found.pages[2].text
    assert found.text.count("Litres") == 1  # the workbook of a chart is not read again
