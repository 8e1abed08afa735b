"""What a PDF holds beside its pages: comments, attachments, keywords, bookmarks, XFA values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.api.types import ANNOTATION_SIGN
from indexer.extract.pdf.supplements import read_annotations
from tests.unit.extract.pdfs import raw_pdf, save, stream, text_at
from tests.unit.extract.reading import Read, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.extract.base import RawPage

_LINE = "The lessee keeps the roof in good repair and pays the charges in time."
_BEFORE, _AFTER = text_at((72, 90, _LINE)), text_at((72, 90, "Nothing else is agreed."))


def _parts(found: Read) -> dict[str, list[tuple[int, str]]]:
    parts: dict[str, list[tuple[int, str]]] = {}
    for page in found.pages:
        if page.part:
            parts.setdefault(page.part, []).append((page.number, page.text))
    return parts


def _edited(path: Path, change: Callable[[pymupdf.Document], None], *draw: Any) -> Read:
    save(path, *(draw or (_BEFORE, _AFTER)))
    with pymupdf.open(path) as document:
        change(document)
        document.saveIncr()
    return read(path)


def _comment(page: pymupdf.Page, kind: str, **info: str) -> pymupdf.Annot:
    annotation = getattr(page, f"add_{kind}_annot")(page.search_for("good repair"))
    annotation.set_info(**info)
    annotation.update()
    return annotation


def test_comments_are_texts_with_author_date_colour_and_the_words_they_mark(
    tmp_path: Path,
) -> None:
    def change(document: pymupdf.Document) -> None:
        page = document[0]
        marked = _comment(
            page, "highlight", title="Anna Berg", content="as in the old lease",
            modDate="D:20240609101500+02'00'",
        )  # fmt: skip
        marked.set_colors(stroke=(0.4, 0.9, 0.3))
        marked.update()
        _comment(document[0], "underline")
        note = document[1].add_text_annot((400, 90), "ask the broker\rby Friday")
        note.set_info(title="Iv\u00e1n")
        note.update()
        document[1].add_ink_annot([[(10, 10), (50, 50)]])  # a drawing that says nothing

    found = _edited(tmp_path / "a.pdf", change)
    first, second = _parts(found)["comments"]
    assert first[0] == 1
    assert first[1].startswith(
        f"{ANNOTATION_SIGN} Highlight, Anna Berg, 2024-06-09, green: as in the old lease\n"
        f"\u201cgood repair\u201d\n{ANNOTATION_SIGN} Underlined"
    )
    assert first[1].count("\u201cgood repair\u201d") == 2
    assert second == (2, f"{ANNOTATION_SIGN} Note, Iv\u00e1n, yellow: ask the broker\nby Friday")
    # The text of the pages is what it is without them.
    assert [page.text for page in found.pages if not page.part] == [
        _LINE, "Nothing else is agreed."
    ]  # fmt: skip


def test_replies_belong_to_their_comment_and_states_of_reviews_are_none(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        notes = [document[0].add_text_annot((400, 90), text) for text in ("is it so", "it is", "x")]
        for note, author in zip(notes, ("Anna", "Ben", "Cy"), strict=True):
            note.set_info(title=author)
        for reply in notes[1:]:
            document.xref_set_key(reply.xref, "IRT", f"{notes[0].xref} 0 R")
        document.xref_set_key(notes[2].xref, "StateModel", "(Review)")

    ((_, text),) = _parts(_edited(tmp_path / "a.pdf", change))["comments"]
    assert text == f"{ANNOTATION_SIGN} Note, Anna, yellow: is it so\nBen: it is"


def test_marked_words_of_several_lines_and_rich_comments_are_read(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        page = document[0]
        quads = [page.search_for(words, quads=True)[0] for words in ("in time.", "The tenant")]
        marked = page.add_highlight_annot(quads)
        document.xref_set_key(marked.xref, "RC", "(<body><p>so &amp; so</p></body>)")

    two_lines = text_at((72, 90, _LINE), (72, 104, "The tenant pays."))
    ((_, text),) = _parts(_edited(tmp_path / "a.pdf", change, two_lines))["comments"]
    assert text.endswith("yellow: so & so\n\u201cin time.\nThe tenant\u201d")


def test_the_place_of_a_comment_is_known_on_a_turned_page(tmp_path: Path) -> None:
    def draw(page: pymupdf.Page) -> None:
        _BEFORE(page)
        page.set_rotation(90)

    path = save(tmp_path / "a.pdf", draw)
    with pymupdf.open(path) as document:
        document[0].add_text_annot((400, 90), "here").update()
        (found,) = read_annotations(document[0])
        box = pymupdf.Rect(found.box) * document[0].rotation_matrix
        assert next(document[0].annots()).rect.intersects(box)


def _inner(text: str) -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 90), text)
        return bytes(document.tobytes())


def test_attached_files_of_documents_and_pages_are_read_or_reported(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        document.embfile_add("inner.pdf", _inner("the pears cost 412 euros"))
        document.embfile_add("factur-x.xml", b"<a/>")  # it says what the page says
        document.embfile_add("plan.dwg", b"AC1032")
        document.embfile_add("locked.djvu", b"AT&TFORM")
        document[1].add_file_annot((300, 500), b"the list of the harvest", "list.txt")

    found = _edited(tmp_path / "a.pdf", change)
    parts = _parts(found)
    assert "the pears cost 412 euros" in parts["inner.pdf"][0][1]
    assert "the list of the harvest" in parts["list.txt"][0][1]
    assert parts["list.txt"][0][0] == 2
    assert not {"factur-x.xml", "plan.dwg"} & set(parts)
    unread = [page for page in found.pages if page.unreadable]
    assert [(page.part, page.unreadable) for page in unread] == [
        ("locked.djvu", "part_unsupported")
    ]


def test_files_in_a_long_list_are_read(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        kid, about, file = (document.get_new_xref() for _ in range(3))
        document.update_object(file, "<</Type/EmbeddedFile>>")
        document.update_stream(file, b"The bond is valid.", new=True)
        document.update_object(about, f"<</Type/Filespec/UF(bond.txt)/EF<</F {file} 0 R>>>>")
        document.update_object(kid, f"<</Names[(bond.txt){about} 0 R]/Kids[{kid} 0 R]>>")
        names = f"<</EmbeddedFiles<</Kids[{kid} 0 R]>>>>"
        document.xref_set_key(document.pdf_catalog(), "Names", names)

    found = _edited(tmp_path / "a.pdf", change)
    assert _parts(found)["bond.txt"] == [(1, "bond.txt\nThe bond is valid.")]


def test_where_links_lead_to_is_read_unless_the_page_says_so(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        token = "?hash=" + 5 * "c0ffee1e"
        targets = (
            f"https://www.example.org/tariff{token}", "https://www.example.org/tariff",
            "http://example.com/", "mailto:a@example.net",
        )  # fmt: skip
        for page in document:
            for at, target in enumerate(targets):
                place = pymupdf.Rect(72, 80 + 20 * at, 200, 95 + 20 * at)
                page.insert_link({"kind": pymupdf.LINK_URI, "from": place, "uri": target})

        document[1].add_text_annot((400, 90), "ask the broker")
        placed = document.xref_get_key(document[1].xref, "Annots")[1]
        inline = "[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://a.org)>>>>"
        document.xref_set_key(document[1].xref, "Annots", inline + placed[1:])

    shown = text_at((72, 90, "See example.com for the rules."))
    found = _edited(tmp_path / "a.pdf", change, shown, _AFTER)
    assert "ask the broker" in _parts(found)["comments"][0][1]
    assert _parts(found)["links"] == [(1, "https://www.example.org/tariff\nmailto:a@example.net")]


def test_pdfs_that_hold_each_other_are_followed_to_a_limit(tmp_path: Path) -> None:
    data = _inner("the deepest")
    for _ in range(6):
        with pymupdf.open() as document:
            document.new_page().insert_text((72, 90), "a cover")
            document.embfile_add("next.pdf", data)
            data = document.tobytes()
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    found = read(path)
    assert found.text.count("a cover") == 4
    assert [page.unreadable for page in found.pages if page.unreadable] == ["part_too_deep"]


def test_keywords_and_bookmarks_that_no_page_shows_are_read(tmp_path: Path) -> None:
    def change(document: pymupdf.Document) -> None:
        document.set_metadata({"title": "T", "keywords": "quince, medlar", "subject": "Fruit"})
        document.set_toc([[1, "The  LESSEE keeps the roof", 1], [1, "Annex of pears", 2]])

    parts = _parts(_edited(tmp_path / "a.pdf", change))
    assert parts["properties"] == [(1, "Subject: Fruit\nKeywords: quince, medlar")]
    assert parts["bookmarks"] == [(2, "Annex of pears")]


_TEMPLATE = (
    '<template xmlns="http://www.xfa.org/schema/xfa-template/3.0/"><subform name="f">'
    "<draw><value><text>Particulars of the grower</text></value></draw>"
    '<field name="name"><caption><value><text>Full name</text></value></caption></field>'
    '<field name="kind"><value><text>orchard</text></value></field></subform></template>'
)
_DATA = (
    '<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><f>'
    "<name>Hortensia Holm</name><town>Kalmar</town></f></xfa:data></xfa:datasets>"
)


def test_associated_files_are_read_once(tmp_path: Path) -> None:
    def change(document: pymupdf.Document, *, listed: bool = False) -> None:
        file, about = document.get_new_xref(), document.get_new_xref()
        document.update_object(file, "<</Type/EmbeddedFile>>")
        document.update_stream(file, b"The bond is valid.", new=True)
        document.update_object(about, f"<</Type/Filespec/UF(bond.txt)/EF<</F {file} 0 R>>>>")
        owner = document.pdf_catalog() if listed else document[0].xref
        for each in (owner, document[1].xref):  # whose page is another one
            document.xref_set_key(each, "AF", f"[{about} 0 R 9999 0 R]")
        if listed:
            names = f"<</EmbeddedFiles<</Names[(bond.txt){about} 0 R]>>>>"
            document.xref_set_key(owner, "Names", names)

    for listed in (False, True):
        found = _edited(
            tmp_path / "a.pdf", partial(change, listed=listed), *[text_at((72, 72, "Letter"))] * 2
        )
        texts = [page.text for page in found.pages if page.part == "bond.txt"]
        assert texts == ["bond.txt\nThe bond is valid."], listed


@pytest.mark.parametrize("password", [False, True])
def test_values_that_their_field_is_too_small_for_are_read(
    tmp_path: Path, *, password: bool
) -> None:
    value = "first line of it\n" * 9 + "brass sextant"

    def change(document: pymupdf.Document) -> None:
        page, field = document[0], pymupdf.Widget()
        field.field_type, field.field_name = pymupdf.PDF_WIDGET_TYPE_TEXT, "field"
        field.field_flags = pymupdf.PDF_TX_FIELD_IS_MULTILINE
        field.field_value, field.rect = value, pymupdf.Rect(72, 72, 200, 102)
        page.add_widget(field)
        if password:
            document.xref_set_key(
                next(page.widgets()).xref, "Ff", str(pymupdf.PDF_TX_FIELD_IS_PASSWORD)
            )

    found = _edited(tmp_path / "a.pdf", change, text_at((72, 60, "Inventory")))
    assert _parts(found).get("form", []) == ([] if password else [(1, value)])


def _form(path: Path, form: bytes, *packets: str) -> Path:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<<%b>>>>" % form,
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        page + b"/Resources<</Font<</F1 5 0 R>>>>>>",
        stream(b"BT /F1 12 Tf 72 700 Td (Please wait...) Tj ET"),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *(stream(packet.encode()) for packet in packets),
    ]
    path.write_bytes(raw_pdf(objects))
    return path


@pytest.mark.parametrize("packets", [1, 2, 4])
def test_the_words_and_values_of_xfa_forms_are_read(tmp_path: Path, packets: int) -> None:
    start, end = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">', "</xdp:xdp>"
    if packets == 2:
        form = b"/Fields[]/XFA[(template)6 0 R(datasets)7 0 R]"
        path = _form(tmp_path / "a.pdf", form, f'<?xml version="1.0"?>{_TEMPLATE}', _DATA)
    elif packets == 4:
        form = b"/Fields[]/XFA[(preamble)6 0 R(template)7 0 R(datasets)8 0 R(postamble)9 0 R]"
        path = _form(tmp_path / "a.pdf", form, start, _TEMPLATE, _DATA, end)
    else:
        whole = start + _TEMPLATE + _DATA + end
        path = _form(tmp_path / "a.pdf", b"/Fields[]/XFA 6 0 R", whole)
    ((_, text),) = _parts(read(path))["form"]
    assert text.splitlines() == [
        "Particulars of the grower", "Full name: Hortensia Holm", "orchard", "town: Kalmar",
    ]  # fmt: skip


def test_a_damaged_xfa_form_costs_no_page(tmp_path: Path) -> None:
    found = read(_form(tmp_path / "a.pdf", b"/Fields[]/XFA[(x) 99 0 R (y) 6 0 R]", "<a><b>"))
    assert found.pages[0].text == "Please wait..."


def _scan(path: Path, *texts: str, cover: float = 1.0, hidden: bool = False) -> Path:
    """Write pages that are a picture with a line of text on it."""
    grey = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 84))
    grey.clear_with(200)

    def drawn(text: str) -> Callable[[pymupdf.Page], None]:
        def draw(page: pymupdf.Page) -> None:
            box = page.rect * pymupdf.Matrix(1, cover)
            page.insert_image(box, pixmap=grey, keep_proportion=False)
            page.insert_text((400, 820), text, fontsize=9, render_mode=3 if hidden else 0)

        return draw

    return save(path, *map(drawn, texts))


def _unread(pages: list[RawPage]) -> list[tuple[int, str]]:
    return [(page.number, page.unreadable) for page in pages if page.unreadable]


def test_a_stamp_on_a_picture_is_kept_but_does_not_make_it_text(tmp_path: Path) -> None:
    found = read(_scan(tmp_path / "a.pdf", "ACME-01", "ACME-02"))
    assert [page.text for page in found.pages][:2] == ["ACME-01", "ACME-02"]
    assert _unread(found.pages) == [(1, "stamped_picture"), (2, "stamped_picture")]


def test_pictures_beside_text_and_pictures_recognised_by_others_are_no_stamped_scans(
    tmp_path: Path,
) -> None:
    assert not _unread(read(_scan(tmp_path / "a.pdf", "A figure", cover=0.4)).pages)
    assert not _unread(read(_scan(tmp_path / "b.pdf", "recognised", hidden=True)).pages)
