"""OpenDocument texts."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from tests.fuzz.samples import SENTENCE, odf, ods, odt, zipped
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_body(tmp_path: Path, body: str, styles: str = "") -> Read:
    path = tmp_path / "a.odt"
    path.write_bytes(odt(body, styles))
    return read(path)


def test_structure(tmp_path: Path) -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    body = (
        '<text:p text:style-name="P1">Of Lamps</text:p><text:h text:outline-level="1">Oil</text:h>'
        f"<text:p>{SENTENCE}<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>Of whales.</text:p></text:note-body></text:note></text:p>"
        "<text:list><text:list-item><text:p>wick</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Year</text:p></table:table-cell>"
        "<table:table-cell><text:p>12</text:p></table:table-cell></table:table-row></table:table>"
        '<text:p text:style-name="Table">Table 1</text:p>'
        "<text:table-of-content><text:p>Oil 1</text:p></text:table-of-content>"
    )
    found = read_body(tmp_path, body, styles)
    assert found.blocks() == [
        ("heading1", "Of Lamps"),
        ("heading2", "Oil"),
        ("paragraph", SENTENCE),
        ("paragraph", "Of whales."),
        ("list_item", "wick"),
        ("table", "Year\t12"),
        ("caption", "Table 1"),
        ("furniture", "Oil 1"),
    ]
    assert (found.metadata.title, found.metadata.created) == ("Of Lamps", "2020-02-03")


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ('a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d', "a  b\tc\nd"),
        ("one\n   <text:span>two</text:span>", "one two"),
        ('a<text:s text:c="99999999999"/>b', "a b"),
        ("x<office:annotation><text:p>Really?</text:p></office:annotation>", "x\nReally?"),
        ("<text:ruby>y<text:ruby-text>r</text:ruby-text></text:ruby>", "y"),
    ],
)  # fmt: skip
def test_inside_a_paragraph(tmp_path: Path, inner: str, expected: str) -> None:
    assert read_body(tmp_path, f"<text:p>{inner}</text:p>").text == expected


def test_tables_stand_where_they_are(tmp_path: Path) -> None:
    table = (
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p><table:table><table:table-row>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
        "</table:table-cell><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row>"
        "</table:table>"
    )
    found = read_body(
        tmp_path,
        f"<text:section><text:p>one</text:p>{table}<text:list><text:list-item><text:p>two</text:p>{table}"
        f"<text:p>three</text:p></text:list-item></text:list></text:section><text:p>four<draw:frame>"
        f"<draw:text-box><text:p>inside</text:p>{table}</draw:text-box></draw:frame></text:p>",
    )
    assert found.blocks() == [
        ("paragraph", "one"), ("table", "a b\tc"),
        ("list_item", "two"), ("table", "a b\tc"), ("list_item", "three"),
        ("paragraph", "inside"), ("table", "a b\tc"), ("paragraph", "four"),
    ]  # fmt: skip


def test_text_before_a_damage_is_read(tmp_path: Path) -> None:
    found = read_body(
        tmp_path, "<text:p>kept</text:p><text:p>lost &nope; </text:p><text:p>gone</p>"
    )
    assert found.text.strip() == "kept"
    assert found.unreadable == [1]


def test_deleted_text_is_not_read(tmp_path: Path) -> None:
    deleted = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    assert read_body(tmp_path, f"{deleted}<text:p>kept</text:p>").text == "kept"


def test_pages_are_those_of_the_last_layout(tmp_path: Path) -> None:
    body = (
        "<text:p>one</text:p><text:soft-page-break/><text:p>two</text:p>"
        "<text:p>ends <text:soft-page-break/>on three</text:p><text:p>three</text:p>"
    )
    found = read_body(tmp_path, body)
    assert [(page.number, page.text) for page in found.pages] == [
        (1, "one"), (2, "two\nends on three"), (3, "three"),
    ]  # fmt: skip


def test_an_encrypted_document_needs_a_password(tmp_path: Path) -> None:
    entry = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    path = tmp_path / "a.odt"
    path.write_bytes(odf("text", "", manifest=entry))
    with pytest.raises(WorldError) as caught:
        read(path)
    assert caught.value.code == "needs_password"


def test_raised_figures_stay_apart(tmp_path: Path) -> None:
    styles = "".join(
        f'<style:style style:name="{name}"><style:text-properties style:text-position="{place}"/>'
        "</style:style>"
        for name, place in (("T1", "super 58%"), ("T2", "-33% 58%"), ("T3", "0% 100%"))
    )
    span = '<text:span text:style-name="T{}">{}</text:span>'
    three, two, eight = (span.format(i, figure) for i, figure in enumerate((3, 2, 8), 1))
    body = f"<text:p>section 14{three}, CO{two}, 7{eight}</text:p>"
    assert read_body(tmp_path, body, styles).text == "section 14³, CO₂, 78"


@pytest.mark.parametrize("make", [odt, ods])
def test_headers_are_read_once_after_the_text(tmp_path: Path, make: Callable[[], bytes]) -> None:
    names = {"office": "office", "text": "text", "style": "style"}
    spaces = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in names.items()
    )
    master = (
        "<style:header><text:p>Ref. 77/24</text:p><text:p>??? (???)</text:p></style:header>"
        "<style:footer><text:p>Page <text:page-number>3</text:page-number> / 9</text:p>"
        "</style:footer>"
    )
    path = tmp_path / "a.odt"
    path.write_bytes(make())
    before = read(path).blocks()
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(
            "styles.xml",
            f"<office:document-styles {spaces}><office:master-styles><style:master-page>{master}"
            f"</style:master-page><style:master-page>{master}</style:master-page>"
            "</office:master-styles></office:document-styles>",
        )
    assert read(path).blocks() == [*before, ("boilerplate", "Ref. 77/24")]


def test_embedded_documents_follow_the_text(tmp_path: Path) -> None:
    kind = "application/vnd.oasis.opendocument"
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{kind}.{what}"/>'
        for path, what in (
            ("/", "text"), ("Object 1/", "spreadsheet"), ("Object 1/content.xml", "text"),
            ("Object 2/", "chart"),
        )
    )  # fmt: skip
    body = "<text:p>See the sheet.</text:p>"
    with zipfile.ZipFile(io.BytesIO(odf("text", body, manifest=entries))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(io.BytesIO(ods())) as file:
        for number in (1, 2):
            parts[f"Object {number}/content.xml"] = file.read("content.xml")
    (tmp_path / "a.odt").write_bytes(zipped(parts))
    found = read(tmp_path / "a.odt")
    assert [(page.part, page.unreadable) for page in found.pages] == [("", ""), ("Object 1", "")]
    assert found.text.startswith("See the sheet.")
    assert found.text.count(SENTENCE) == 1


_NAMES = (
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"'
)
_CHART = (
    f"<office:document-content {_NAMES}><office:body><office:chart><chart:chart>"
    "<chart:title><text:p>Oil burnt</text:p></chart:title><chart:plot-area><chart:axis>"
    "<chart:title><text:p>Barrels</text:p></chart:title></chart:axis></chart:plot-area>"
    "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p/>"
    "</table:table-cell><table:table-cell><text:p>Lamps</text:p></table:table-cell>"
    "</table:table-row></table:table-header-rows><table:table-rows><table:table-row>"
    "<table:table-cell><text:p>1851</text:p></table:table-cell><table:table-cell>"
    "<text:p>1,250</text:p></table:table-cell></table:table-row></table:table-rows></table:table>"
    "</chart:chart></office:chart></office:body></office:document-content>"
)
_FORMULA = (
    '<?xml version="1.0"?><math:math xmlns:math="http://www.w3.org/1998/Math/MathML">'
    "<math:semantics><math:mrow><math:msup><math:mn>10</math:mn><math:mn>6</math:mn></math:msup>"
    "<math:mo>+</math:mo><math:mfrac><math:mn>3</math:mn><math:mn>40</math:mn></math:mfrac>"
    '</math:mrow><math:annotation encoding="StarMath 5.0">10^6 + 3 over 40</math:annotation>'
    "</math:semantics></math:math>"
)


def test_charts_and_formulas_are_read_on_their_slide(tmp_path: Path) -> None:
    kind = "application/vnd.oasis.opendocument"
    names = ("chart", "formula", "chart")
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="Object {at}/" '
        f'manifest:media-type="{kind}.{what}"/>'
        for at, what in enumerate(names, 1)
    )
    link = 'xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href'
    slides = "".join(
        f'<draw:page><draw:frame><draw:object {link}="./Object {at}"/></draw:frame><draw:frame>'
        f"<draw:text-box><text:p>Slide {at}.</text:p></draw:text-box></draw:frame></draw:page>"
        for at in (1, 2, 3)
    )
    with zipfile.ZipFile(io.BytesIO(odf("presentation", slides, manifest=entries))) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts["Object 1/content.xml"] = _CHART.encode()
    parts["Object 2/content.xml"] = _FORMULA.encode()
    parts["Object 3/content.xml"] = _CHART[:600].encode()  # damaged after its title
    (tmp_path / "a.odp").write_bytes(zipped(parts))
    found = read(tmp_path / "a.odp")
    shown = {
        number: "\n".join(page.text for page in found.pages if page.number == number)
        for number in (1, 2, 3)
    }
    assert "Oil burnt\nBarrels\nLamps\n1851\t1,250" in shown[1]
    assert "10⁶+3/40" in shown[2]
    assert "StarMath" not in found.text
    assert "Oil burnt" not in shown[3]
    assert [page.part for page in found.pages if page.unreadable] == ["Object 3"]


def test_a_drawing_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.odg"
    shape = "<draw:g><draw:custom-shape><text:p>Boiler room</text:p></draw:custom-shape></draw:g>"
    more = "<draw:frame><draw:text-box><text:p>Oil store</text:p></draw:text-box></draw:frame>"
    pages = f"<draw:page>{shape}</draw:page><draw:page>{more}</draw:page>"
    # The body of a drawing is called otherwise than its type.
    data = odf("drawing", pages).replace(b"opendocument.drawing", b"opendocument.graphics")
    path.write_bytes(data)
    assert [(page.number, page.text) for page in read(path).pages] == [
        (1, "Boiler room"), (2, "Oil store"),
    ]  # fmt: skip


def _item(text: str, more: str = "", start: str = "") -> str:
    return f"<text:list-item{start}><text:p>{text}</text:p>{more}</text:list-item>"


def test_clauses_and_headings_have_their_numbers(tmp_path: Path) -> None:
    def level(of: str, depth: int, form: str, **more: str) -> str:
        added = " ".join(f'{name.replace("__", ":").replace("_", "-")}="{value}"'
                         for name, value in more.items())  # fmt: skip
        return f'<text:{of} text:level="{depth}" style:num-format="{form}" {added}/>'

    number, heading = "list-level-style-number", "outline-level-style"
    styles = (
        "<text:outline-style>"
        + level(heading, 1, "I", style__num_suffix=".")
        + level(heading, 2, "")
        + '</text:outline-style><text:list-style style:name="L">'
        + level(number, 1, "1")
        + level(number, 2, "1", text__display_levels="2")
        + level(number, 3, "a", style__num_prefix="(", style__num_suffix=")")
        + '<text:list-level-style-bullet text:level="4"/></text:list-style>'
    )

    def listed(items: str, more: str = "") -> str:
        return f'<text:list text:style-name="L"{more}>{items}</text:list>'

    def inner(items: str) -> str:
        return f"<text:list>{items}</text:list>"

    body = (
        '<text:h text:outline-level="1">Parties</text:h><text:h text:outline-level="2">Who</text:h>'
        '<text:h text:outline-level="1">Rent</text:h>'
        + listed(_item("due", inner(_item("in May") + _item("in June", inner(_item("late"))))))
        + listed(_item("paid") + _item("waived", start=' text:start-value="7"'))
        + listed(_item("owed"), ' text:continue-numbering="true"')
    )
    found = read_body(tmp_path, body, styles)
    assert found.text.splitlines() == [
        "I. Parties", "Who", "II. Rent", "1 due", "1.1 in May", "1.2 in June", "(a) late",
        "1 paid", "7 waived", "8 owed",
    ]  # fmt: skip


def test_damaged_styles_cost_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.odt"
    path.write_bytes(odt())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("styles.xml", "<office:document-styles")
    found = read(path)
    assert found.text.startswith(SENTENCE)
    assert found.unreadable


def test_the_number_of_an_item_without_a_paragraph_goes_to_no_other(tmp_path: Path) -> None:
    styles = '<text:list-style style:name="L"><text:list-level-style-number text:level="1" '
    styles += 'style:num-format="1"/></text:list-style>'
    table = "<table:table><table:table-row><table:table-cell><text:p>cell</text:p>"
    table += "</table:table-cell></table:table-row></table:table>"
    body = f'<text:list text:style-name="L"><text:list-item>{table}</text:list-item></text:list>'
    assert read_body(tmp_path, f"{body}<text:p>after</text:p>", styles).text == "cell\nafter"
