"""Pages whose letters say nothing are told, stay searchable, and are read as scans are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.cli_library import file_line, status_lines
from indexer.api.pages import DocumentSource, GetMarks
from indexer.api.requests import GetStatus, ListFiles
from indexer.api.types import FileState
from tests.integration.rendering import render_child
from tests.integration.scanning import (
    Recognitions,
    letters,
)
from tests.integration.world import World, check_whole, quoted, search, states
from tests.unit.extract.bad_fonts import ENGLISH, drawn_letters, mapped, rotated, show_mapped

if TYPE_CHECKING:
    from pathlib import Path


SHOWN = "eleven ships were lost"
SAID = "hohyhq vklsv zhuh orvw"


def rotated_page(path: Path) -> Path:
    return show_mapped(path, (ENGLISH, rotated(3)))


def with_a_sound_page(path: Path) -> Path:
    import pymupdf

    sound = letters(path.with_suffix(".sound"), ENGLISH.replace("eleven", "seven"))
    with pymupdf.open(sound, filetype="pdf") as document, pymupdf.open(path) as bad:
        document.insert_pdf(bad)
        content = document.tobytes()
    sound.unlink()
    path.write_bytes(content)
    return path


def test_unrecognised_the_page_is_told_and_its_text_stays(world: World) -> None:
    with_a_sound_page(rotated_page(world.documents / "ledger.pdf"))
    with world.engine(ocr=False) as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == (FileState.PARTIAL, (2,))
        assert "do not say which letters they show Not read: page 2." in file_line(row)
        assert quoted(engine, "seven ships were lost") == ["ledger.pdf"]
        assert quoted(engine, SAID) == ["ledger.pdf"]
        status = engine.call(GetStatus())
        assert status.scanned_pages.waiting == 1
        assert any("1 page to be recognised, switched off" in x for x in status_lines(status))


def test_what_was_recognised_takes_its_place(world: World, recognitions: Recognitions) -> None:
    path = with_a_sound_page(rotated_page(world.documents / "ledger.pdf"))
    with world.engine(ocr=False) as engine:
        world.index(engine)
        assert states(engine) == {"ledger.pdf": FileState.PARTIAL}
    with world.engine() as engine, render_child(f"--library={world.library}") as ask:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == (FileState.INDEXED, ())
        assert quoted(engine, SAID) == []
        assert quoted(engine, "seven ships were lost") == ["ledger.pdf"]
        hit = search(engine, f'"{SHOWN}"')[0]
        assert recognitions.runs == 1
        check_whole(engine)
        spans = ((0, len(hit.text)),)
        found, _ = ask(
            GetMarks(
                DocumentSource(path), hit.page_first, hit.page_last, hit.text, hit.start, spans
            )
        )
        assert found.found
        assert SHOWN in " ".join(ask.letters(path, 2)[0].split())


def test_where_less_is_recognised_the_text_stays(world: World, recognitions: Recognitions) -> None:
    drawn_letters(world.documents / "boxes.pdf", 150)  # of which nobody can make words
    with world.engine() as engine:
        world.index(engine)
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == (FileState.PARTIAL, (1,))
        assert recognitions.runs == 1
        assert engine.call(GetStatus()).passages > 0


def test_a_page_that_shows_what_its_text_says_is_no_bad_page(
    world: World, recognitions: Recognitions
) -> None:
    letters(world.documents / "cipher.pdf", mapped(ENGLISH, rotated(3)))
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.bad_pages) == (FileState.INDEXED, ())
        assert recognitions.runs == 1
        assert quoted(engine, SAID) == ["cipher.pdf"]


def test_a_document_without_pages_is_unreadable_and_not_empty(world: World) -> None:
    from tests.unit.extract.pdfs import raw_pdf

    (world.documents / "lost.pdf").write_bytes(raw_pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"null"]))
    with world.engine() as engine:
        world.index(engine)
        (row,) = engine.call(ListFiles()).files
        assert (row.state, row.code) == (FileState.UNREADABLE, "unreadable")
        assert "no page can be found in it" in file_line(row)
