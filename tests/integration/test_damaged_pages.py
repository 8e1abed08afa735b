"""A damaged page costs that page: the others are found, and the row says which was not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from indexer.api.requests import ListFiles
from tests.integration import corpus
from tests.integration.world import World, quoted

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = ("The first page tells of a zephyr.", "The second of a bassoon.", "The third of tides.")


def content_of(path: Path, page: int) -> tuple[int, int]:
    """Where the compressed content of a page begins and ends in the file."""
    import pymupdf

    with pymupdf.open(path) as document:
        (number,) = document[page].get_contents()
        stored = document.xref_stream_raw(number)
    begin = path.read_bytes().index(stored)
    return begin, begin + len(stored)


def garble(path: Path, begin: int, end: int) -> None:
    content = bytearray(path.read_bytes())
    content[begin:end] = bytes(byte ^ 0x5A for byte in content[begin:end])
    path.write_bytes(content)


@pytest.fixture
def world(world: World, tmp_path: Path) -> World:
    import pymupdf

    plain = tmp_path / "plain.pdf"
    corpus.pdf(plain, PAGES, "Report")
    with pymupdf.open(plain) as document:
        document.save(world.documents / "report.pdf", deflate=True)
    return world


def zeroed(path: Path, begin: int, end: int) -> None:
    content = bytearray(path.read_bytes())
    content[begin:end] = bytes(end - begin)
    path.write_bytes(content)


@pytest.mark.parametrize("damage", [garble, zeroed])
def test_a_damaged_page(world: World, damage: Callable[[Path, int, int], None]) -> None:
    path = world.documents / "report.pdf"
    damage(path, *content_of(path, 1))
    with world.engine() as engine:
        summary = world.index(engine).summary
        assert summary.states == {"indexed": 1}
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages, row.pages) == ("indexed", (2,), 3)
        assert quoted(engine, "of a zephyr") == ["report.pdf"]
        assert quoted(engine, "of tides") == ["report.pdf"]
        assert quoted(engine, "of a bassoon") == []


def test_a_page_that_is_damaged_further_down_keeps_what_stands_above(
    world: World, tmp_path: Path
) -> None:
    import pymupdf

    path = world.documents / "report.pdf"
    corpus.pdf(path, [PAGES[0], "\n".join(corpus.prose(seed, 40) for seed in range(12))])
    with pymupdf.open(path) as document:
        document.save(tmp_path / "small.pdf", deflate=True)
    (tmp_path / "small.pdf").replace(path)
    begin, end = content_of(path, 1)
    zeroed(path, begin + 9 * (end - begin) // 10, end)
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == ("indexed", (2,))
        first = " ".join(corpus.prose(0, 40).split()[:4])
        assert quoted(engine, first) == ["report.pdf"]


def test_a_damaged_font_is_no_damaged_page(world: World, tmp_path: Path) -> None:
    import pymupdf

    path = world.documents / "report.pdf"
    font = pymupdf.Font("tiro")
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_font(fontname="F0", fontbuffer=font.buffer)
        page.insert_text((72, 72), "Words in a font of their own.", fontname="F0")
        document.save(path, deflate=True)
        broken = [n for n in range(1, document.xref_length()) if document.xref_is_font(n)]
        assert broken
    with pymupdf.open(path) as document:
        streams = [
            document.xref_stream_raw(number)
            for number in range(1, document.xref_length())
            if document.xref_is_stream(number) and number not in document[0].get_contents()
        ]
    largest = max(streams, key=len)
    begin = path.read_bytes().index(largest)
    garble(path, begin + 100, begin + len(largest))
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == ("indexed", ())


def test_a_document_with_no_page_that_can_be_read(world: World) -> None:
    path = world.documents / "report.pdf"
    for page in range(len(PAGES)):
        garble(path, *content_of(path, page))
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.code) == ("unreadable", "unreadable")
