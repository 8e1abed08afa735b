"""Scanned pages are read after everything else, once, and found and outlined like any other."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from app.cli_library import file_line
from indexer.api.errors import CODES
from indexer.api.models import Reindex
from indexer.api.requests import Diagnose, GetStatus, Index, ListFiles, Retry, SetPace
from indexer.api.status import Speed
from indexer.api.types import FileState
from indexer.config import Limits
from indexer.engine.engine import Engine
from indexer.server.service import Host, Service
from tests.integration.killing import kill_at
from tests.integration.scanning import (
    Recognitions,
    cyrillic,
    install,
    letters,
    needs_tesseract,
    scanned,
    without_tesseract,
)
from tests.integration.world import PACE, World, check_whole, quoted, search, states
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

LAMP = "The keeper climbed the narrow stair every evening and lit the great lamp of the tower."
STORM = "During the storm of the second winter the harbour lost eleven vessels and one bridge."
CLERK = "The clerk counted nineteen barrels of whale oil and wrote the number into his ledger."
HUNG = "sleep 600"
CRASHED = "kill -SEGV $$"


def scan(world: World, name: str, *texts: str, pages: tuple[int, ...] = (), blank: int = 0) -> Path:
    source = letters(world.library.with_name("source.pdf"), *texts, blank=blank)
    return scanned(source, world.documents / name, pages)


def test_a_scan_is_found_by_its_words_on_its_page(world: World, recognitions: Recognitions) -> None:
    scan(world, "log.pdf", LAMP, STORM)
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {"log.pdf": FileState.INDEXED}
        assert quoted(engine, "eleven vessels") == ["log.pdf"]
        hit = search(engine, '"eleven vessels"')[0]
        assert (hit.page_first, hit.page, hit.page_last) == (1, 2, 2)
        assert engine.call(GetStatus()).scanned_pages.waiting == 0
        assert engine.call(GetStatus()).scanned_pages.read == recognitions.runs == 2
        check_whole(engine)


def test_a_scanned_page_within_a_text_is_read_and_blank_ones_are_not(
    world: World, recognitions: Recognitions
) -> None:
    letters(world.documents / "mixed.pdf", LAMP, STORM, blank=1)
    mixed = world.documents / "mixed.pdf"
    scanned(mixed, world.documents / "both.pdf", pages=(2,))
    mixed.unlink()
    with world.engine() as engine:
        world.index(engine)
        assert recognitions.runs == 1
        assert quoted(engine, "narrow stair") == quoted(engine, "eleven vessels") == ["both.pdf"]


def test_a_document_that_is_read_again_for_its_pages_counts_once(
    world: World, recognitions: Recognitions
) -> None:
    scan(world, "mixed.pdf", LAMP, STORM, pages=(2,))
    scan(world, "log.pdf", CLERK)
    with world.engine() as engine:
        summary = world.index(engine).summary
    assert recognitions.runs == 2
    assert (summary.documents_added, summary.pages) == (2, 3)


def test_a_page_is_recognised_once_whatever_becomes_of_its_file(
    world: World, recognitions: Recognitions
) -> None:
    first = scan(world, "log.pdf", LAMP, STORM)
    with world.engine() as engine:
        world.index(engine)
        assert recognitions.runs == 2
        shutil.copy(first, world.documents / "copy.pdf")
        first.rename(world.documents / "renamed.pdf")
        world.index(engine)
        engine.call(Index(rescan=True))
        with engine.catalog.db.write() as connection:  # as a newer extractor finds it
            connection.execute("UPDATE contents SET extractor_version = 0")
        engine.call(Reindex(None, None))
    with world.engine() as engine:
        world.index(engine)
        (hit,) = search(engine, '"eleven vessels"')
        assert {hit.path, *hit.other_paths} == {
            str(world.documents / name) for name in ("copy.pdf", "renamed.pdf")
        }
        assert recognitions.runs == 2
        # Other bytes are another matter.
        scan(world, "renamed.pdf", CLERK)
        world.index(engine)
        assert quoted(engine, "whale oil") == ["renamed.pdf"]
        assert recognitions.runs == 3


def test_pages_that_were_read_outlive_a_kill(world: World, recognitions: Recognitions) -> None:
    scan(world, "log.pdf", LAMP, STORM, CLERK)
    kill_at(world, "page-recognised:2")
    with world.engine() as engine:
        assert engine.call(GetStatus()).scanned_pages.read == 2
        world.index(engine)
        assert quoted(engine, "narrow stair") == quoted(engine, "whale oil") == ["log.pdf"]
        assert recognitions.runs == 1
        check_whole(engine)


def test_a_kill_before_the_document_is_read_anew_loses_nothing(
    world: World, recognitions: Recognitions
) -> None:
    scan(world, "log.pdf", LAMP)
    kill_at(world, "pages-published:1")
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {"log.pdf": FileState.INDEXED}
        assert recognitions.runs == 0


@needs_tesseract
@pytest.mark.parametrize("misbehave", [HUNG, CRASHED], ids=["hangs", "crashes"])
def test_a_page_that_stops_tesseract_twice_is_set_aside(
    world: World, recognitions: Recognitions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    misbehave: str,
) -> None:  # fmt: skip
    cyrillic(world.documents / "tower.pdf")
    with monkeypatch.context() as bad:
        install(tmp_path / "bin", bad, misbehave)
        with world.engine(limits=Limits(silence_s=8.0)) as engine:
            world.index(engine)
            world.index(engine)
            assert recognitions.runs == 2
            (row,) = engine.call(ListFiles()).files
            assert (row.state, row.code) == (FileState.UNREADABLE, "unreadable")
            assert "could not be recognised" in file_line(row)
            assert engine.call(GetStatus()).scanned_pages.set_aside == 1
    with world.engine() as engine:
        world.index(engine)
        assert recognitions.runs == 2  # it was given up
        engine.call(Retry((world.documents / "tower.pdf",)))
        world.index(engine)
        assert states(engine)["tower.pdf"] != FileState.UNREADABLE


def test_without_tesseract_a_scan_is_read(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan(world, "log.pdf", LAMP)
    without_tesseract(tmp_path / "bare", monkeypatch)
    with world.engine() as engine:
        world.index(engine)
        assert quoted(engine, "narrow stair") == ["log.pdf"]
        (check,) = [check for check in engine.call(Diagnose()) if check.name == "text recognition"]
        assert (check.ok, check.value) == (True, "PP-OCRv6")


@needs_tesseract
def test_a_script_that_nothing_here_reads_is_told_and_read_once_it_can_be(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cyrillic(world.documents / "tower.pdf")
    scan(world, "log.pdf", LAMP)
    with monkeypatch.context() as absent, world.engine() as engine:
        without_tesseract(tmp_path / "bare", absent)
        world.index(engine)
        (row,) = engine.call(ListFiles(FileState.NO_TEXT)).files
        assert row.code == "needs_ocr"
        assert "in a script that nothing installed here reads" in file_line(row)
    with world.engine() as engine:
        program = engine.scanned_pages.program
        assert program is not None
        if "rus" in program.languages:
            pytest.skip("Tesseract reads Russian here")
        # Only the page that another program may read waits.
        assert engine.call(GetStatus()).scanned_pages.waiting == 1
        world.index(engine)
        (row,) = engine.call(ListFiles(FileState.NO_TEXT)).files
        assert row.code == "needs_ocr"
        assert "Cyrillic, which nothing installed here reads" in file_line(row)
        assert "tesseract-ocr-rus" in file_line(row)
        assert engine.call(GetStatus()).passages == 1


def test_switched_off_nothing_is_recognised_and_it_says_so(
    world: World, recognitions: Recognitions
) -> None:
    scan(world, "log.pdf", LAMP)
    with world.engine(ocr=False) as engine:
        world.index(engine)
        assert states(engine) == {"log.pdf": "ocr_off"}
        assert engine.call(GetStatus()).scanned_pages.code == "ocr_off"
    assert recognitions.runs == 0
    with world.engine() as engine:
        world.index(engine)
        assert states(engine) == {"log.pdf": FileState.INDEXED}


def test_a_scan_without_words_is_read_once_and_has_no_text(
    world: World, recognitions: Recognitions
) -> None:
    source = letters(world.library.with_name("source.pdf"), "")
    document = scanned(source, world.documents / "white.pdf")
    with world.engine() as engine:
        world.index(engine)
        world.index(engine)
        assert states(engine) == {document.name: "no_text"}
        assert recognitions.runs == 1


def test_an_engine_that_serves_reads_scans_when_nothing_else_is_to_be_done(
    world: World, recognitions: Recognitions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    scan(world, "log.pdf", LAMP, STORM)
    engine = Engine.open(replace(world.config, background=True), batches=PACE)
    service = Service(engine, world.library)
    with contextlib.closing(Host(engine, service)) as host:
        host.call(SetPace(Speed.FAST, paused=True))
        host.call(SetPace(paused=False))
        host.call(Index((world.documents,)))
        assert states(engine) == {"log.pdf": "ocr_pending"}
        assert engine.call(GetStatus()).scanned_pages.waiting == 2
        host.call(SetPace(paused=True))
        service.background.recognise_pages()
        assert service.recognition_queue.idle
        host.call(SetPace(paused=False))
        service.background.recognise_pages()
        wait_for(lambda: quoted(engine, "eleven vessels") == ["log.pdf"])
        assert recognitions.runs == 2
        wait_for(lambda: service.index_queue.idle and service.recognition_queue.idle)


def test_every_reason_for_a_scan_is_declared() -> None:
    from indexer.pipeline.recogniser import CODES as SCAN_CODES

    assert set(SCAN_CODES) <= set(CODES)
