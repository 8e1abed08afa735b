"""The extraction child without confined workers, as on macOS and Windows."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.codec import read_frame, write_frame
from indexer.config import Limits
from indexer.confine.process import Alarm, ChildOptions
from indexer.extract.process.child import PASSAGES_A_FRAME, EnginePipe, error_on_document, serve
from indexer.extract.process.messages import (
    DocumentRead,
    Ended,
    Extract,
    Failed,
    FromChild,
    Go,
    KnownPages,
    PageReached,
    PassagesSent,
    Recognise,
    Skip,
    Textless,
    ToChild,
)
from indexer.ocr.cache import PageCache
from indexer.ocr.layer import RecognisedLine, RecognisedWord, pack
from indexer.ocr.tesseract import Tesseract
from tests.unit.extract.pdfs import PROSE, box, save

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(PROSE)
    return path


def answers(folder: Path, *said: tuple[int, ToChild]) -> list[FromChild]:
    """The child's answers to these messages, after which the pipe is closed."""
    incoming, outgoing = io.BytesIO(), io.BytesIO()
    for number, message in said:
        write_frame(incoming, message.header(number))
    incoming.seek(0)
    alarm = Alarm(0.0)
    serve(EnginePipe(incoming, outgoing, alarm), ChildOptions(alarm, folder, 0))
    outgoing.seek(0)
    greeting, *frames = iter(lambda: read_frame(outgoing), None)
    assert greeting[0]["type"] == "hello"
    return [FromChild.from_header(header) for header, _ in frames]


def asked(path: Path, **more: object) -> Extract:
    given: dict[str, object] = {"format": "", "password": None, "limits": Limits(), **more}
    return Extract(path, **given)  # type: ignore[arg-type]  # fields by name


def code(answer: FromChild) -> str:
    assert isinstance(answer, Failed)
    return answer.error.code


def pages_reached(said: list[FromChild]) -> list[int]:
    return [one.page for one in said if isinstance(one, PageReached)]


def test_a_document_is_read_and_its_passages_follow(note: Path, tmp_path: Path) -> None:
    *_, read, cut, ended = answers(tmp_path, (1, asked(note)), (1, Go()))
    assert isinstance(read, DocumentRead)
    assert (read.info.format, read.info.language) == ("text", "en")
    assert isinstance(cut, PassagesSent)
    assert "".join(passage.text for passage in cut.passages) == PROSE
    assert ended == Ended()


def test_many_passages_come_in_several_messages(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("\n\n".join(f"Night {n}. {PROSE}" for n in range(500)))
    said = answers(tmp_path, (1, asked(path)), (1, Go()))
    sizes = [len(one.passages) for one in said if isinstance(one, PassagesSent)]
    assert len(sizes) > 1
    assert set(sizes[:-1]) == {PASSAGES_A_FRAME}


@pytest.mark.parametrize("answer", [(1, Skip()), (7, Go())])
def test_without_a_go_of_the_same_number_no_passages_are_sent(
    note: Path, tmp_path: Path, answer: tuple[int, ToChild]
) -> None:
    *_, read, ended = answers(tmp_path, (1, asked(note)), answer)
    assert isinstance(read, DocumentRead)
    assert ended == Ended()


def test_the_child_ends_when_the_engine_is_gone(note: Path, tmp_path: Path) -> None:
    assert isinstance(answers(tmp_path, (1, asked(note)))[-1], DocumentRead)


def test_a_late_decision_is_ignored(note: Path, tmp_path: Path) -> None:
    said = answers(tmp_path, (1, Go()), (2, Skip()), (3, asked(note)), (3, Go()))
    assert said[-1] == Ended()


def test_a_careful_child_reports_every_page(tmp_path: Path) -> None:
    draw = [box(72, 72, 540, 400, f"Night {n}. {PROSE}") for n in range(1, 6)]
    path = save(tmp_path / "a.pdf", *draw)
    careful = pages_reached(answers(tmp_path, (1, asked(path, careful=True)), (1, Go())))
    assert set(careful) == {1, 2, 3, 4, 5}
    skipping = asked(path, careful=True, skip=(2,))
    said = answers(tmp_path, (1, skipping), (1, Go()))
    (read,) = [one for one in said if isinstance(one, DocumentRead)]
    assert read.info.bad_pages == (2,)
    hasty = pages_reached(answers(tmp_path, (1, asked(path)), (1, Go())))
    assert len(hasty) < len(careful)


def test_pages_without_text_are_reported_if_the_document_fails(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", lambda page: page.draw_rect((9, 9, 99, 99), fill=(1, 0, 0)))
    *_, textless, failed = answers(tmp_path, (1, asked(path)))
    assert textless == Textless((1,))
    assert code(failed) == "no_text"


def test_recognised_pages_are_used(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", lambda page: page.draw_rect((9, 9, 99, 99), fill=(1, 0, 0)))
    line = RecognisedLine((RecognisedWord("harbour", (10.0, 20.0, 60.0, 32.0)),), 12.0)
    cache = PageCache(tmp_path)
    cache.add_pages("content", path.stat().st_size, [1])
    cache.store("content", 1, "tesseract 5.3 eng", pack([line]))
    cache.close()
    known = asked(path, recognised=KnownPages(tmp_path, "content"))
    said = answers(tmp_path, (1, known), (1, Go()))
    (cut,) = [one for one in said if isinstance(one, PassagesSent)]
    assert [passage.view for passage in cut.passages] == ["harbour"]


def test_a_document_that_fails_does_not_end_the_child(note: Path, tmp_path: Path) -> None:
    sizes = [name for name in Limits.__struct_fields__ if name.endswith("_bytes")]
    small = replace(Limits(), **dict.fromkeys(sizes, 10))
    gone = tmp_path / "gone.txt"
    known = KnownPages(tmp_path, "content")
    large, vanished, denied, *_, ended = answers(
        tmp_path,
        (1, asked(note, limits=small)),
        (2, asked(gone, recognised=known)),
        (3, asked(tmp_path)),
        (4, asked(note)),
        (4, Go()),
    )
    assert code(large) == "too_large"
    assert code(vanished) == "vanished"
    assert code(denied) in ("read_error", "path_denied")  # a folder: denied on Windows
    assert ended == Ended()


def test_a_page_that_cannot_be_recognised_is_reported(tmp_path: Path) -> None:
    path = save(tmp_path / "a.pdf", lambda page: page.draw_rect((9, 9, 99, 99), fill=(1, 0, 0)))
    program = Tesseract(str(tmp_path / "tesseract"), "5.3", ("eng",), detects_orientation=False)
    request = Recognise(path, None, Limits(), 1, program, ("eng",))
    beyond = Recognise(path, None, Limits(), 2, program, ("eng",))
    missing, no_page = answers(tmp_path, (1, request), (2, beyond))[-2:]
    assert code(missing) == "child_died"
    assert code(no_page) == "unreadable"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (FileNotFoundError(), "vanished"),
        (PermissionError(), "path_denied"),
        (OSError("the drive is gone"), "read_error"),
    ],
)
def test_errors_of_the_system_are_distinguished(error: OSError, expected: str) -> None:
    assert error_on_document(error, "/a.txt", "").code == expected
