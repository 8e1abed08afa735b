"""What a reader that was taken over may answer about a document that is shown."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from indexer.api.pages import (
    DocumentSource,
    FindWords,
    FoundWords,
    GetImage,
    GetLetters,
    GetMarks,
    GetOutline,
    GetSizes,
    GetText,
    MarkBox,
    Open,
    Opened,
    OpenedPages,
    PageImage,
    PageLetters,
    PageSizes,
    PassageMarks,
    TextBlock,
    TextPart,
)
from indexer.api.types import BlockKind, OutlineEntry
from indexer.render.border import fits

if TYPE_CHECKING:
    from indexer.api.pages import PageRequest

SOURCE = DocumentSource(Path("/documents/a.pdf"))
PAGES = OpenedPages(2, 1, (612.0, 792.0), ((612.0, 792.0),), (), outlined=False)
OPENED = Opened("pdf", "", 1, PAGES)
IMAGE = PageImage(10, 20, 0, 20, 30)
BOX = MarkBox(1, 0.0, 0.0, 10.0, 10.0, 0)
MARKS, ASKED_MARKS = PassageMarks(True, False, ((BOX,),)), GetMarks(SOURCE, 1, 1, "words")
FOUND = FoundWords(1, ((BOX,),), ("words",))
PART = TextPart(0, False, (TextBlock(0, 4, BlockKind.HEADING, 1),), (0,))
ENTRY = OutlineEntry(1, "Chapter", 1)
FAR = replace(BOX, x1=1e300)

HONEST: list[tuple[PageRequest[Any], object, bytes]] = [
    (Open(SOURCE), OPENED, b""),
    (Open(SOURCE), replace(OPENED, pages=None), b""),
    (GetSizes(SOURCE, 1, 9), PageSizes(1, ((612.0, 792.0),)), b""),
    (GetImage(SOURCE, 1, 10), IMAGE, bytes(600)),
    (ASKED_MARKS, MARKS, b""),
    (ASKED_MARKS, PassageMarks(False, False, ()), b""),
    (GetLetters(SOURCE, 1), PageLetters("a", 0), struct.pack("<4f", 0, 0, 9, 9)),
    (FindWords(SOURCE, "words", 1), FOUND, b""),
    (GetText(SOURCE), PART, b"text"),
    (GetOutline(SOURCE), (ENTRY,), b""),
]


@pytest.mark.parametrize(("request_", "answer", "data"), HONEST)
def test_what_an_honest_reader_says_is_passed_on(
    request_: PageRequest[Any], answer: object, data: bytes
) -> None:
    assert fits(request_, answer, data)


@pytest.mark.parametrize(
    ("request_", "answer", "data"),
    [
        # Lists and tables of so many pages, made by whoever asked.
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, count=2**40)), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, count=0)), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, page=3)), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, size=(-1.0, 1.0))), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, sizes=((1e18, 1.0),))), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, labels=("i",) * 3)), b""),
        (Open(SOURCE), replace(OPENED, pages=replace(PAGES, labels=("i" * 20_000,))), b""),
        (Open(SOURCE), replace(OPENED, modified_ns=-1), b""),
        (GetSizes(SOURCE, 7, 9), PageSizes(1, ((612.0, 792.0),)), b""),
        (GetSizes(SOURCE, 1, 9), PageSizes(1, ((612.0, float("nan")),)), b""),
        (GetSizes(SOURCE, 1, 9), PageSizes(1, ((612.0, 792.0),) * 10), b""),
        # Pixels that are not there.
        (GetImage(SOURCE, 1, 10), IMAGE, bytes(599)),
        (GetImage(SOURCE, 1, 10), replace(IMAGE, columns=11), bytes(600)),
        (GetImage(SOURCE, 1, 10), replace(IMAGE, columns=-(2**31)), bytes(600)),
        (GetImage(SOURCE, 1, 10), replace(IMAGE, rows=-1), bytes(600)),
        (GetImage(SOURCE, 1, 10), replace(IMAGE, top=1), bytes(600)),
        (GetImage(SOURCE, 1, 10), replace(IMAGE, height=2**40), bytes(600)),
        # Places outside of everything.
        (ASKED_MARKS, replace(MARKS, spans=()), b""),
        (ASKED_MARKS, replace(MARKS, spans=((FAR,),)), b""),
        (ASKED_MARKS, replace(MARKS, spans=((replace(BOX, page=-1),),)), b""),
        (ASKED_MARKS, replace(MARKS, margin=float("inf")), b""),
        (GetLetters(SOURCE, 1), PageLetters("a", 0), struct.pack("<4f", 0, 0, float("nan"), 9)),
        (GetLetters(SOURCE, 1), PageLetters("a", 0), struct.pack("<4f", 0, 0, float("inf"), 9)),
        (GetLetters(SOURCE, 1), PageLetters("a" * 600_000, 0), b""),
        (ASKED_MARKS, replace(MARKS, spans=((BOX,) * 6_000,)), b""),
        (ASKED_MARKS, replace(MARKS, spans=((),) * 6_000), b""),
        (FindWords(SOURCE, "words", 1), replace(FOUND, page=2**40), b""),
        # Whoever asked would ask for ever, or have no words for a place.
        (FindWords(SOURCE, "words", 2), FoundWords(1), b""),
        (FindWords(SOURCE, "words", 1), replace(FOUND, texts=()), b""),
        (FindWords(SOURCE, "words", 1), replace(FOUND, spans=((FAR,),)), b""),
        (FindWords(SOURCE, "words", 1), replace(FOUND, texts=("a", "b")), b""),
        (GetText(SOURCE), replace(PART, offset=-1), b"text"),
        (GetText(SOURCE), replace(PART, pages=(2**40,)), b"text"),
        (GetText(SOURCE), replace(PART, blocks=(replace(PART.blocks[0], level=2**40),)), b""),
        (GetText(SOURCE), replace(PART, blocks=(replace(PART.blocks[0], end=-1),)), b"text"),
        # A text that was not asked for, which a window would take minutes to lay out.
        (GetText(SOURCE, 0, 9, 99), PART, bytes(50_000)),
        (GetText(SOURCE, 0, 9, 99), replace(PART, blocks=PART.blocks * 20_000), b"text"),
        (GetText(SOURCE, 0, 9, 99), replace(PART, pages=(0,) * 20_000), b"text"),
        (GetOutline(SOURCE), (replace(ENTRY, page=2**40),), b""),
        (GetOutline(SOURCE), (replace(ENTRY, title="x" * 20_000),), b""),
        (GetOutline(SOURCE), (ENTRY,) * 100_001, b""),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_not(request_: PageRequest[Any], answer: object, data: bytes) -> None:
    assert not fits(request_, answer, data)
