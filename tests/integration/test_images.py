"""Image files are recognised like scanned pages, after them, and shown as pages with outlines."""

from __future__ import annotations

import pymupdf
import pytest
from PIL import Image

from indexer.api.pages import DocumentSource
from indexer.api.types import FileState
from indexer.render.pdf import PdfPages
from indexer.render.requests import OpenDocuments, RecognitionLookup
from tests.integration.scanning import (
    Recognitions,
    letters,
    scanned,
)
from tests.integration.world import World, quoted, search, states

LAMP = "The keeper climbed the narrow stair every evening and lit the great lamp of the tower."
STORM = "During the storm of the second winter the harbour lost eleven vessels and one bridge."


def drawn(world: World, *texts: str, dpi: int = 150) -> list[Image.Image]:
    """Pages of text as images."""
    source = letters(world.library.with_name("source.pdf"), *texts)
    with pymupdf.open(source) as document:
        maps = [page.get_pixmap(dpi=dpi) for page in document]
    return [Image.frombytes("RGB", (each.width, each.height), each.samples) for each in maps]


@pytest.mark.parametrize("form", ["png", "jpg", "webp", "gif"])
def test_an_image_is_found_by_the_words_on_it(
    world: World, recognitions: Recognitions, form: str
) -> None:
    drawn(world, LAMP)[0].save(world.documents / f"lamp.{form}")
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {f"lamp.{form}": FileState.INDEXED}
        assert quoted(engine, "narrow stair") == [f"lamp.{form}"]
        world.index(engine)
    assert recognitions.runs == 1


def test_it_is_shown_as_a_page_with_its_words_outlined(
    world: World, recognitions: Recognitions
) -> None:
    first, second = drawn(world, LAMP, STORM)
    path = world.documents / "fax.tiff"
    first.save(path, save_all=True, append_images=[second])
    with world.engine() as engine:
        world.index(engine)
        (hit,) = search(engine, '"eleven vessels"')
        assert hit.page == hit.page_last == 2
        documents = OpenDocuments(RecognitionLookup(world.library).pages)
        document = documents.open_document(DocumentSource(path)).document
        assert isinstance(document, PdfPages)
        assert document.form == "image"
        assert document.page_count == 2
        assert document.labels() == []
        assert not document.has_outline()
        _, shown = document.image(2, 300)
        assert min(shown) < 255
        placed = document.text(2)
        assert "eleven vessels" in placed.text
        start = placed.text.index("eleven")
        (box, *_) = placed.rectangles(start, start + len("eleven"))
        width, height = document.size(2)
        assert 0 < box.x0 < box.x1 < width
        assert 0 < box.y0 < box.y1 < height / 2
        documents.close_all()
    assert recognitions.runs == 2


def test_images_wait_for_documents_and_cost_nothing_when_small(
    world: World, recognitions: Recognitions
) -> None:
    drawn(world, STORM)[0].save(world.documents / "a.png")
    Image.new("RGB", (64, 64), "red").save(world.documents / "icon.png")
    Image.new("RGB", (900, 700), "blue").save(world.documents / "sea.jpg")
    scanned(letters(world.library.with_name("two.pdf"), LAMP, LAMP), world.documents / "z.pdf")
    with world.engine(ocr=False) as engine:
        world.index(engine)
        known = states(engine)
        assert known["a.png"] == known["sea.jpg"] == known["z.pdf"] == "ocr_off"
        assert known["icon.png"] == "no_text"
    with world.engine() as engine:
        left: list[str] = []
        names: list[bytes] = []
        while (
            page := engine.scanned_pages.cache.next_page(engine.scanned_pages.made_by, left)
        ) is not None:
            place = engine.scanned_pages.contents.place(page[0])
            assert place is not None
            left.append(page[0])
            names.append(place.path.rpartition(b"/")[2])
        assert names[0] == b"z.pdf"
        assert sorted(names[1:]) == [b"a.png", b"sea.jpg"]


def test_a_photograph_without_words_is_recognised_once(
    world: World, recognitions: Recognitions
) -> None:
    Image.effect_noise((900, 700), 40).save(world.documents / "sea.jpg")
    for _ in range(2):
        with world.engine() as engine:
            world.index(engine)
            assert states(engine) == {"sea.jpg": "no_text"}
    assert recognitions.runs == 1


def test_what_cannot_be_decoded_has_its_reason(world: World) -> None:
    (world.documents / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(3000))
    (world.documents / "photo.heic").write_bytes(b"\x00\x00\x00\x18ftypheic" + bytes(3000))
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {"broken.png": "unreadable", "photo.heic": "unsupported"}
