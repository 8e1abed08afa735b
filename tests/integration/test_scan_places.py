"""The outline of a passage on a scanned page stands round its pixels, however it is turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pymupdf
import pytest
from msgspec import structs

from indexer.api.pages import DocumentSource, GetMarks, Open
from tests.integration.coloured import BLUE, GREEN, RED, Shape, make
from tests.integration.rendering import render_child
from tests.integration.test_render_places import SENTENCES, coloured, rendered
from tests.integration.world import World, search

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.pages import MarkBox
    from indexer.api.types import Hit, Span
    from tests.integration.coloured import Colour
    from tests.integration.rendering import Asker

RESOLUTION = 200
# The first and the last word of each coloured sentence, as far as any recognition gets them right.
ENDS: list[tuple[str, str, Colour]] = [
    ("Nobody", "berlingen", RED),
    ("A replacement", "(Aisne", GREEN),
    ("Its fa", "afterwards", BLUE),
]
# How the text is turned on the sheet, and how the sheet is turned when it is shown.
TURNS = [(0, 0), (90, 0), (180, 0), (270, 0), (0, 90), (270, 180)]


def scan(folder: Path, target: Path, turned: int, rotation: int) -> Path:
    """Save a page as an image without loss, so that colours stay what they are."""
    shown = pymupdf.open(make(folder / "letters.pdf", Shape(rotation=turned), SENTENCES, pages=1))
    made = pymupdf.open()
    for page in shown:
        drawn = page.get_pixmap(dpi=RESOLUTION)
        sheet = made.new_page(width=page.rect.width, height=page.rect.height)
        sheet.insert_image(sheet.rect, stream=drawn.tobytes("png"))
        sheet.set_rotation(rotation)
    made.save(target)
    return target


def outlined(ask: Asker, path: Path, hit: Hit, span: Span) -> tuple[MarkBox, ...]:
    found, _ = ask(
        GetMarks(DocumentSource(path), hit.page_first, hit.page_last, hit.text, hit.start, (span,))
    )
    assert found.found
    (boxes,) = found.spans
    return boxes


@pytest.mark.parametrize(("turned", "rotation"), TURNS)
def test_the_pixels_of_a_sentence_are_in_its_outline(
    tiny_models_dir: Path, tmp_path: Path, turned: int, rotation: int
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    world = World(documents, tmp_path / "library", tiny_models_dir)
    path = scan(tmp_path, documents / "log.pdf", turned, rotation)
    with world.engine() as engine, render_child(f"--library={world.library}") as ask:
        world.index(engine)
        opened, _ = ask(Open(DocumentSource(path)))
        assert opened.pages is not None
        pixels = rendered(ask, path, 1, 1400)
        scale = pixels.shape[1] / opened.pages.size[0]
        for first, last, colour in ENDS:
            hit = search(engine, f"{first} {last}", limit=1)[0]
            begin = hit.text.index(first)
            span = (begin, hit.text.index(last, begin) + len(last))
            boxes = outlined(ask, path, hit, span)
            assert {box.turn for box in boxes} == {(turned + rotation) // 90 % 4}
            painted = coloured(pixels, colour)
            inside = np.zeros_like(painted)
            for _, x0, y0, x1, y1, _turn in map(structs.astuple, boxes):
                # What ends the sentence behind the last word is not asked for.
                box = [round(side * scale) for side in (x0 - 6, y0 - 6, x1 + 6, y1 + 6)]
                inside[max(box[1], 0) : box[3], max(box[0], 0) : box[2]] = True
            assert painted.sum() > 500
            assert (painted & inside).sum() > 0.97 * painted.sum()
            assert inside.sum() < 0.2 * inside.size


def test_without_a_library_a_scan_is_shown_without_outlines(tmp_path: Path) -> None:
    path = scan(tmp_path, tmp_path / "log.pdf", 0, 0)
    with render_child() as ask:
        found, _ = ask(GetMarks(DocumentSource(path), 1, 1, "Nobody", 0, ((0, 6),)))
        assert not found.found
        assert rendered(ask, path, 1, 300).any()


def test_letters_come_with_a_page_once_it_is_recognised(
    tiny_models_dir: Path, tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    world = World(documents, tmp_path / "library", tiny_models_dir)
    path = scan(tmp_path, documents / "log.pdf", 0, 0)
    with world.engine() as engine, render_child(f"--library={world.library}") as ask:
        assert ask.letters(path, 1)[0] == ""
        world.index(engine)
        text, boxes = ask.letters(path, 1)
        assert "Nobody understood" in text
        assert all(box[0] < box[2] and box[1] < box[3] for box in boxes[: text.index("\n")])
