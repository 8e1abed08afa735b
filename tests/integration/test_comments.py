"""Comments in PDFs are found by their words, alone by ``is:annotation``, and outlined in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.api.types import ANNOTATION_SIGN, FileState
from indexer.config import Limits
from indexer.files.walk import content_id
from indexer.ocr.cache import RecognisedPages
from indexer.render.pdf import PdfPages
from tests.integration.scanning import Recognitions, letters, scanned
from tests.integration.world import World, quoted, search, states

if TYPE_CHECKING:
    from pathlib import Path

_LAMP = "The keeper climbed the narrow stair every evening and lit the great lamp of the tower."


def _commented(path: Path) -> Path:
    with pymupdf.open() as document:
        for number in range(3):
            page = document.new_page()
            page.insert_text(
                (72, 90), f"Page {number}. The lamp of the tower was lit by the keeper."
            )
        second, third = document[1], document[2]
        second.add_text_annot((400, 90), "was the lamp lit by gas or by oil").update()
        marked = third.add_highlight_annot(third.search_for("the keeper"))
        marked.set_info(title="Anna", content="he left in spring")
        marked.update()
        document.save(path)
    return path


def test_comments_are_found_and_searched_alone(world: World) -> None:
    path = _commented(world.documents / "log.pdf")
    (world.documents / "other.txt").write_text("The lamp of gas, and another of oil.", "utf-8")
    with world.engine() as engine:
        world.index(engine)
        assert quoted(engine, "lit by gas") == ["log.pdf"]
        (hit,) = search(engine, "lamp of gas is:annotation")[:1]
        assert hit.page == 2
        assert hit.text.startswith(f"{ANNOTATION_SIGN} Note, yellow: was the lamp")
        everything = search(engine, "is:annotation")
        assert [(each.file, each.page) for each in everything] == [("log.pdf", 2), ("log.pdf", 3)]
        assert search(engine, '"in spring" is:comment')[0].page == 3
        without = search(engine, "lamp of gas -is:annotation")
        assert without
        assert not any(each.text.startswith(ANNOTATION_SIGN) for each in without)
    pages = PdfPages(path, None, Limits(), RecognisedPages())
    marks = pages.marks(hit.page, hit.page_last, hit.text, None, [(0, 3)])
    pages.close()
    assert marks.found
    assert abs(marks.spans[0][0].x0 - 400) < 2


@pytest.mark.slow
def test_a_stamped_scan_is_recognised_and_keeps_its_stamp(
    world: World, recognitions: Recognitions
) -> None:
    source = letters(world.library.with_name("source.pdf"), _LAMP)
    path = scanned(source, world.documents / "scan.pdf")
    with pymupdf.open(path) as document:
        document[0].insert_text((430, 825), "ACME-000123", fontsize=9)
        document.saveIncr()
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {"scan.pdf": FileState.INDEXED}
        assert quoted(engine, "narrow stair every evening") == ["scan.pdf"]
        (hit,) = search(engine, '"ACME-000123"')
        recognised = RecognisedPages.load(
            world.library, path.stat().st_size, lambda: content_id(bytes(path)).content_id
        )
    pages = PdfPages(path, None, Limits(), recognised)
    marks = pages.marks(1, 1, hit.text, None, [(0, len(hit.text))])
    pages.close()
    assert marks.found
    assert recognitions.runs == 1
