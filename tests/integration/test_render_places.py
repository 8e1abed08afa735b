"""The outline of a passage stands round the passage: by the text under it, and by its pixels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf
import pytest
from msgspec import structs

from indexer.api.pages import DocumentSource, GetImage, GetMarks, Open
from indexer.extract.process.sandbox import ExtractionChild
from tests.corpora import BENCH, needs_corpus
from tests.integration.coloured import BLACK, BLUE, GREEN, RED, Shape, make
from tests.integration.extraction import read
from tests.integration.rendering import render_child

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from indexer.api.pages import MarkBox
    from indexer.api.types import Passage, Span
    from tests.integration.coloured import Colour
    from tests.integration.rendering import Asker

Box = tuple[float, float, float, float]

FILLER = (
    (
        "Every evening the keeper climbed the narrow stair and lit the lamp before the ships came "
        "round the point. "
    ),
    "The harbourmaster counted all incoming vessels and entered their registration numbers. ",
)
MEANT = [
    ("Nobody understood the extraordinarily complicated arrangement of the mirrors in Überlingen.",
     RED),
    ("A replacement prism was ordered immediately from the manufacturer in Saint-Gobain (Aisne).",
     GREEN),
    ("Its façade — “naïve”, said the inspector — cost £40 and was never paid for afterwards.",
     BLUE),
]  # fmt: skip
SENTENCES: list[tuple[str, Colour]] = [
    *((text, BLACK) for text in FILLER * 2),
    *MEANT,
    *((text, BLACK) for text in FILLER * 2),
]
ROTATIONS = (0, 90, 180, 270)
SHAPES = {
    **{f"turned {r}": Shape(rotation=r) for r in ROTATIONS},
    **{f"upright {r}": Shape(rotation=r, upright=True, columns=2) for r in ROTATIONS[1:]},
    **{
        f"cropped {r}": Shape(rotation=r, columns=2, crop=(40, 60, 560, 800), heads=True)
        for r in ROTATIONS
    },
    "three columns": Shape(columns=3, heads=True),
    "an origin elsewhere": Shape(columns=2, media=(70, 40)),
    "an origin elsewhere, turned": Shape(columns=2, media=(70, 40), rotation=270),
}


@pytest.fixture(scope="module")
def ask() -> Iterator[Asker]:
    with render_child() as asker:
        yield asker


@pytest.fixture(scope="module")
def child() -> Iterator[ExtractionChild]:
    with ExtractionChild() as one:
        yield one


def sentence_spans(passage: Passage) -> list[tuple[int, int]]:
    """The sentences without the blanks after them."""
    edges = [*passage.text_starts, len(passage.text)]
    spans = []
    for start, end in itertools.pairwise(edges):
        text = passage.text[start:end]
        first = start + len(text) - len(text.lstrip())
        spans.append((first, first + len(text.strip())))
    return [span for span in spans if span[0] < span[1]]


def asked(
    ask: Asker, path: Path, passage: Passage, spans: Sequence[Span]
) -> tuple[tuple[MarkBox, ...], ...]:
    request = GetMarks(
        DocumentSource(path), passage.page_first, passage.page_last, passage.text,
        passage.char_start, tuple(spans),
    )  # fmt: skip
    while True:
        found, _ = ask(request)
        assert found.found
        if not found.pending:
            return found.spans


class Reader:
    """The characters of a document's pages and their middles on the page as shown."""

    def __init__(self, path: Path) -> None:
        self._document = pymupdf.open(path)
        self._pages: dict[int, tuple[list[str], Any]] = {}

    def under(self, boxes: Sequence[MarkBox]) -> str:
        """The text whose characters have their middle in the boxes, as PyMuPDF reads the page."""
        found = []
        for box in boxes:
            characters, middles = self._characters(box.page)
            inside = (middles > (box.x0, box.y0)) & (middles < (box.x1, box.y1))
            found += [characters[i] for i in np.flatnonzero(inside.all(axis=1))]
        return bare("".join(found))

    def _characters(self, page: int) -> tuple[list[str], Any]:
        if page not in self._pages:
            shown = self._document[page - 1]
            found = [
                # The library reads text as if the page were not rotated.
                (char["c"], pymupdf.Rect(char["bbox"]) * shown.rotation_matrix)
                for block in shown.get_text("rawdict")["blocks"]
                for line in block.get("lines", ())
                for span in line["spans"]
                for char in span["chars"]
            ]
            middles = [((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2) for _, box in found]
            self._pages[page] = ([char for char, _ in found], np.array(middles).reshape(-1, 2))
        return self._pages[page]


def bare(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_the_text_under_an_outline_is_the_passage(
    tmp_path: Path, ask: Asker, child: ExtractionChild, shape: Shape
) -> None:
    path = make(tmp_path / "a.pdf", shape, SENTENCES)
    _, passages = read(child, path)
    reader = Reader(path)
    assert len(passages) >= 3
    for passage in passages:
        spans = [(0, len(passage.text)), *sentence_spans(passage)]
        for (start, end), boxes in zip(spans, asked(ask, path, passage, spans), strict=True):
            assert reader.under(boxes) == bare(passage.text[start:end])


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_the_pixels_of_a_sentence_are_in_its_outline_and_nowhere_else(
    tmp_path: Path, ask: Asker, child: ExtractionChild, shape: Shape
) -> None:
    path = make(tmp_path / "a.pdf", shape, SENTENCES, pages=1)
    _, passages = read(child, path)
    opened, _ = ask(Open(DocumentSource(path), page=1))
    assert opened.pages is not None
    width, height = opened.pages.size
    pixels = rendered(ask, path, 1, 1400)
    scale = pixels.shape[1] / width
    assert pixels.shape[0] == pytest.approx(height * scale, abs=1)
    seen = 0
    for passage in passages:
        flat = bare(passage.text).replace("-", "")
        for text, colour in MEANT:
            if bare(text).replace("-", "") not in flat:
                continue
            seen += 1
            spans = [span for span in sentence_spans(passage) if _is(passage, span, text)]
            (boxes,) = asked(ask, path, passage, spans)
            painted = coloured(pixels, colour)
            inside = np.zeros_like(painted)
            for _, x0, y0, x1, y1, _turn in map(structs.astuple, boxes):
                box = [round(side * scale) for side in (x0 - 1, y0 - 1, x1 + 1, y1 + 1)]
                inside[box[1] : box[3], box[0] : box[2]] = True
            assert painted.sum() > 500
            assert not (painted & ~inside).any()
            # Tight: no outline is much larger than what it surrounds.
            rows, columns = np.nonzero(painted)
            _, x0, y0, x1, y1, turns = np.array([structs.astuple(box) for box in boxes]).T
            assert set(turns) == {0 if shape.upright else shape.rotation // 90}
            edges = np.array([x0.min(), y0.min(), x1.max(), y1.max()]) * scale
            ink = np.array([columns.min(), rows.min(), columns.max(), rows.max()])
            assert np.abs(edges - ink).max() < 8 * scale
    assert seen == len(MEANT)


def _is(passage: Passage, span: tuple[int, int], text: str) -> bool:
    return bare(passage.text[slice(*span)]).replace("-", "") == bare(text).replace("-", "")


def rendered(ask: Asker, path: Path, page: int, width: int) -> Any:
    """A page as rows, columns and colours."""
    found, data = ask(GetImage(DocumentSource(path), page=page, width=width))
    rows = np.frombuffer(data, np.uint8).reshape(found.rows, found.stride)
    return rows[:, : 3 * found.columns].reshape(found.rows, found.columns, 3)


def coloured(pixels: Any, colour: Colour) -> Any:
    """Which pixels have a colour's hue, however thin the stroke."""
    red, green, blue = (pixels[..., channel].astype(int) for channel in range(3))
    match colour:
        case (1, 0, 0):
            return (red - np.maximum(green, blue)) > 60
        case (0, 0, 1):
            return (blue - np.maximum(green, red)) > 60
        case _:
            return (green - np.maximum(red, blue)) > 60


def test_of_two_equal_passages_the_one_meant_is_outlined(tmp_path: Path, ask: Asker) -> None:
    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page()
        page.insert_text((72, 72), f"Page {number}.")
        for y in (200, 400):
            page.insert_text((72, y), "Signed at the boatyard.")
    path = tmp_path / "a.pdf"
    document.save(path)
    text, _ = ask.letters(path, 1)
    second, _ = ask.letters(path, 2)
    meant = "Signed at the boatyard."
    start = len(text) + 1 + second.rindex(meant)
    for begin, y in ((start, 400), (len(text) + 1 + second.index(meant), 200), (None, 200)):
        found, _ = ask(GetMarks(DocumentSource(path), 2, 2, meant, begin, ((0, len(meant)),)))
        ((box,),) = found.spans
        assert box.y0 < y < box.y1


def test_a_passage_over_two_pages_has_boxes_on_both(
    tmp_path: Path, ask: Asker, child: ExtractionChild
) -> None:
    document = pymupdf.open()
    for text in ("The log of the third night begins on one page and it", "goes on on the next."):
        document.new_page().insert_text((72, 700 if "begins" in text else 90), text)
    path = tmp_path / "a.pdf"
    document.save(path)
    _, (passage,) = read(child, path)
    assert (passage.page_first, passage.page_last) in ((1, 1), (1, 2))
    spans = ((0, len(passage.text)),)
    found, _ = ask(GetMarks(DocumentSource(path), 1, 2, passage.text, 0, spans))
    assert [box.page for box in found.spans[0]] == [1, 2]


@pytest.mark.slow
@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("name", ["financebench", "cuad"])
def test_real_passages_stand_where_their_outlines_are(
    name: str, ask: Asker, child: ExtractionChild
) -> None:
    files = sorted((BENCH / name / "corpus").rglob("*.pdf"), key=lambda path: path.stat().st_size)
    if not files:
        pytest.skip(f"there are no PDFs in {name}")
    checked = exact = 0
    for path in files[2:14:6]:
        _, passages = read(child, path)
        # Where links lead to stands on no page.
        passages = [each for each in passages if not each.text.startswith("http")]
        reader = Reader(path)
        for passage in passages[:: max(1, len(passages) // 12)]:
            spans = [(0, len(passage.text)), *sentence_spans(passage)][:8]
            for (start, end), boxes in zip(spans, asked(ask, path, passage, spans), strict=True):
                checked += 1
                exact += sorted(reader.under(boxes)) == sorted(bare(passage.text[start:end]))
    assert checked > 100
    # Formulas and tables set with overlapping lines let a box touch a neighbour's character.
    assert exact >= 0.97 * checked
