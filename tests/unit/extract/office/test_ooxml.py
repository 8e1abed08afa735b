"""Office files of unusual but valid forms, which other libraries reject."""

from __future__ import annotations

import io
import zipfile
from contextlib import closing
from typing import TYPE_CHECKING

import docx as python_docx
import pptx as python_pptx
import pytest

from indexer.api.errors import WorldError
from indexer.api.formats import OLE_MAGIC
from indexer.config import Limits
from indexer.extract.office import docx as reader
from indexer.extract.office.ooxml import OfficePackage
from tests.fuzz.samples import SENTENCE, pptx, relations, slide, xlsx, zipped
from tests.fuzz.samples import docx as word
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_PACKAGE = "http://schemas.openxmlformats.org/package/2006/"


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {each: file.read(each) for each in file.namelist()}


def written(tmp_path: Path, name: str, parts: dict[str, bytes]) -> Path:
    path = tmp_path / name
    path.write_bytes(zipped(parts))
    return path


def a_document() -> dict[str, bytes]:
    data = io.BytesIO()
    document = python_docx.Document()
    document.add_heading("Oil", 1)
    document.add_paragraph(SENTENCE)
    document.save(data)
    return parts_of(data.getvalue())


def test_templates_and_files_with_macros(tmp_path: Path) -> None:
    for kind in (b"template", b"document.macroEnabled"):
        parts = a_document()
        types = parts["[Content_Types].xml"].replace(b"document.main", kind + b".main")
        parts |= {"[Content_Types].xml": types, "word/vbaProject.bin": b"\xd0\xcf\x11\xe0" * 100}
        found = read(written(tmp_path, "a.docm", parts))
        assert found.blocks() == [("heading2", "Oil"), ("paragraph", SENTENCE)]


def test_strict_ooxml_is_read(tmp_path: Path) -> None:
    def strict(parts: dict[str, bytes]) -> dict[str, bytes]:
        old, new = b"http://schemas.openxmlformats.org/", b"http://purl.oclc.org/ooxml/"
        for what in (b"officeDocument", b"wordprocessingml", b"presentationml", b"spreadsheetml"):
            parts = {
                name: data.replace(old + what + b"/2006/", new + what + b"/")
                for name, data in parts.items()
            }
        return parts

    assert read(written(tmp_path, "a.docx", strict(a_document()))).blocks() == [
        ("heading2", "Oil"), ("paragraph", SENTENCE),
    ]  # fmt: skip
    assert read(written(tmp_path, "a.pptx", strict(parts_of(pptx())))).blocks()[0][1] == "Oil"
    assert read(written(tmp_path, "a.xlsx", strict(parts_of(xlsx())))).blocks() == [
        ("heading1", "Budget"), ("table", f"{SENTENCE}\t12.5"),
    ]  # fmt: skip


@pytest.mark.parametrize("make", [word, pptx, xlsx])
def test_relationships_to_missing_parts_are_ignored(
    tmp_path: Path, make: Callable[[], bytes]
) -> None:
    name = f"a.{make.__name__}"
    whole = read(written(tmp_path, name, parts_of(make()))).blocks()
    parts = parts_of(make())
    for part in [each for each in parts if each.endswith(".rels")]:
        lost = b"".join(
            b'<Relationship Id="x%d" Type="x/%s" Target="NULL"/>' % (number, kind)
            for number, kind in enumerate(
                (b"image", b"styles", b"slide", b"comments", b"numbering")
            )
        )
        parts[part] = parts[part].replace(b"</Relationships>", lost + b"</Relationships>")
    assert read(written(tmp_path, name, parts)).blocks() == whole


def test_pictures_and_films_are_not_unpacked(tmp_path: Path) -> None:
    data = io.BytesIO()
    deck = python_pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "Oil"
    deck.save(data)
    parts = parts_of(data.getvalue()) | {"ppt/media/film.mp4": bytes(64 * 1024**2)}
    relations = "ppt/slides/_rels/slide1.xml.rels"
    film = b'<Relationship Id="f" Type="x/video" Target="../media/film.mp4"/></Relationships>'
    parts[relations] = parts[relations].replace(b"</Relationships>", film)
    path = written(tmp_path, "a.pptx", parts)
    assert read(path, Limits(unpacked_bytes=1024**2)).blocks() == [("heading2", "Oil")]


def test_a_long_text_is_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(word("".join(f"<w:p><w:r><w:t>{n}</w:t></w:r></w:p>" for n in range(999))))
    found = read(path, Limits(tree_nodes=100))
    assert found.text.split("\n")[:999] == [str(n) for n in range(999)]
    assert found.unreadable == []


def test_parts_are_found_by_the_type_of_their_relationship(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(
        word(more={"footnotes": "<w:footnotes></w:footnotes>", "theme": "<w:theme></w:theme>"})
    )
    opened = OfficePackage(path, Limits(), "word/document.xml", "no_text_part")
    with closing(opened) as package:
        assert package.related(package.main, "footnotes") == ["word/footnotes.xml"]
        assert package.part(package.main, "r1") == "word/footnotes.xml"
        assert package.part(package.main, "r99") == ""
        assert package.metadata.title == "Nights at the Harbour"


def test_a_file_without_main_part_is_rejected(tmp_path: Path) -> None:
    path = written(tmp_path, "a.docx", parts_of(word()) | {"word/document.xml": b"<x><y/></x>"})
    with pytest.raises(WorldError) as caught:
        read(path)
    assert caught.value.reason == "parts_damaged"
    path = written(tmp_path, "a.docx", {"[Content_Types].xml": b"", "word/styles.xml": b"<x/>"})
    with pytest.raises(WorldError) as caught:
        reader.open_source(path, None, Limits())
    assert caught.value.reason == "no_text_part"


def shapes(inside: str) -> str:
    return slide(("title", "Oil")).replace("</p:spTree>", f"{inside}</p:spTree>")


def read_slide(tmp_path: Path, inside: str) -> Read:
    path = tmp_path / "a.pptx"
    path.write_bytes(pptx([shapes(inside)]))
    return read(path)


def test_groups_alternatives_and_formulas_on_slides(tmp_path: Path) -> None:
    def shape(text: str) -> str:
        return f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:txBody>{text}</p:txBody></p:sp>"

    run = "<a:p><a:r><a:t>{}</a:t></a:r></a:p>"
    names = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:m="m"'
    group = (
        f"<p:grpSp><p:nvGrpSpPr><p:nvPr/></p:nvGrpSpPr>{shape(run.format('In a group'))}</p:grpSp>"
    )
    new = shape("<a:p><m:oMath><m:r><m:t>x=7</m:t></m:r></m:oMath></a:p>")
    choice = f'<mc:Choice Requires="a14">{new}</mc:Choice>'
    either = f"<mc:AlternateContent {names}>{choice}<mc:Fallback>{shape(run.format('old'))}"
    number = '<a:p><a:r><a:t>Page </a:t></a:r><a:fld type="slidenum"><a:t>9</a:t></a:fld></a:p>'
    found = read_slide(
        tmp_path,
        f"<p:grpSp>{group}</p:grpSp>{either}</mc:Fallback></mc:AlternateContent>{shape(number)}",
    )
    assert found.blocks() == [
        ("heading2", "Oil"), ("paragraph", "In a group"), ("paragraph", "x=7"),
        ("paragraph", "Page"),
    ]  # fmt: skip


def test_a_listed_sheet_without_part_is_an_unreadable_page(tmp_path: Path) -> None:
    row = "<row><c><v>1</v></c></row>"
    parts = parts_of(xlsx({"One": row, "Two": row}))
    del parts["xl/worksheets/sheet2.xml"]
    found = read(written(tmp_path, "a.xlsx", parts))
    assert (found.unreadable, found.pages[-1].unreadable) == ([2], "sheet_missing")


def test_what_sheets_embed_follows_them_and_its_damage_costs_no_sheet(tmp_path: Path) -> None:
    row = '<row><c t="inlineStr"><is><t>Oil</t></is></c></row>'
    parts = parts_of(xlsx({"One": row, "Two": row}))
    related = relations(("package", "../embeddings/a.docx"), ("oleObject", "../embeddings/b.bin"))
    parts["xl/worksheets/_rels/sheet1.xml.rels"] = related.encode()
    parts["xl/embeddings/a.docx"] = word()
    parts["xl/embeddings/b.bin"] = OLE_MAGIC + b"cut off"
    found = read(written(tmp_path, "a.xlsx", parts))
    assert [(page.number, page.part, page.unreadable) for page in found.pages] == [
        (1, "", ""), (2, "", ""), (1, "a.docx", ""), (1, "b.bin", "container_damaged"),
    ]  # fmt: skip
    assert SENTENCE in found.pages[2].text


def test_each_page_of_a_visio_drawing_has_its_name_and_the_text_of_its_shapes(
    tmp_path: Path,
) -> None:
    def related(*kinds: str) -> bytes:
        each = (f'<Relationship Id="r{n}" Type="x/{kind}" Target="{target}"/>'
                for n, (kind, target) in enumerate(map(str.split, kinds)))  # fmt: skip
        around = f'<Relationships xmlns="{_PACKAGE}relationships">{{}}</Relationships>'
        return around.format("".join(each)).encode()

    page = '<Page Name="{}"><Rel xmlns:r="y" r:id="r{}"/></Page>'
    text = b"<Text><cp IX='0'/>Whale<pp IX='0'/> oil</Text>"
    pages = f"<Pages>{page.format('Flow', 1)}{page.format('Lost', 0)}</Pages>"
    path = written(tmp_path, "a.vsdx", {
        "[Content_Types].xml": b"<Types/>",
        "visio/document.xml": b"<VisioDocument/>",
        "visio/_rels/document.xml.rels": related("pages pages/pages.xml"),
        "visio/pages/pages.xml": pages.encode(),
        "visio/pages/_rels/pages.xml.rels": related("page missing.xml", "page page1.xml"),
        "visio/pages/page1.xml": b"<PageContents><Shape>" + text + b"</Shape></PageContents>",
    })  # fmt: skip
    found = read(path)
    assert (found.form, found.count, found.unreadable) == ("visio", 2, [2])
    assert found.blocks(1) == [("heading1", "Flow"), ("paragraph", "Whale oil")]
