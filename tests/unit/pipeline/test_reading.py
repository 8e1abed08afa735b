"""A reader with a real extraction child; the test plays the indexing thread."""

from __future__ import annotations

import os
from pathlib import Path
from queue import Queue
from typing import TYPE_CHECKING

import pytest

from indexer.api.status import Speed
from indexer.catalog.records import QueuedFile
from indexer.catalog.states import Stamp
from indexer.config import Limits
from indexer.pipeline.events import Event, FileFinished, FileHashed, PassagesCut, TextExtracted
from indexer.pipeline.reading import ExpectedLanguages, FileReader, ReaderRole
from indexer.throttle.throttle import Throttle
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHEN = Stamp(0, 0, 0, 0)


class Writer:
    """Gives jobs to a reader and replies to its events."""

    def __init__(
        self, throttle: Throttle | None = None, role: ReaderRole = ReaderRole.MAIN
    ) -> None:
        self.jobs: Queue[QueuedFile] = Queue()
        self.events: Queue[Event] = Queue(2)
        self.throttle = throttle or Throttle()
        self.reader = FileReader(
            self.jobs,
            self.events,
            Limits(),
            lambda _path: None,
            self.throttle,
            Path("library"),
            languages=ExpectedLanguages({}),
            role=role,
        )

    def give(self, path: Path, *, number: int = 1) -> None:
        self.jobs.put(QueuedFile(number, os.fsencode(path), "text", ELSEWHEN))

    def next(self) -> Event:
        return self.events.get(timeout=WAIT_S)

    def hashed(self) -> FileHashed:
        event = self.next()
        assert isinstance(event, FileHashed)
        return event

    def finished(self) -> FileFinished:
        event = self.next()
        assert isinstance(event, FileFinished)
        return event


@pytest.fixture
def writer() -> Iterator[Writer]:
    writer = Writer()
    yield writer
    writer.reader.stop()
    writer.reader.join()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.txt"
    path.write_text("A quince keeps until March.")
    return path


def test_only_equal_bytes_share_a_text(writer: Writer, tmp_path: Path) -> None:
    """What a reader claims of the text does not bind its document to that of other bytes."""
    identities = []
    for name, content in (("a", "One text."), ("b", "One text."), ("c", "\ufeffOne text.")):
        path = tmp_path / f"{name}.txt"
        path.write_text(content, encoding="utf-8")
        writer.give(path)
        writer.hashed().reply.set_result(True)
        opened = writer.next()
        assert isinstance(opened, TextExtracted)
        identities.append(opened.info.text_id)
        opened.reply.set_result(False)
        writer.finished()
    assert identities[0] == identities[1] != identities[2]


def test_a_new_file_is_hashed_extracted_and_split(writer: Writer, file: Path) -> None:
    writer.give(file)
    hashed = writer.hashed()
    assert hashed.content.stamp == Stamp.from_status(file.stat())
    hashed.reply.set_result(True)
    opened = writer.next()
    assert isinstance(opened, TextExtracted)
    assert opened.info.characters == 27
    opened.reply.set_result(True)
    cut = writer.next()
    assert isinstance(cut, PassagesCut)
    assert [passage.text for passage in cut.passages] == ["A quince keeps until March."]
    finished = writer.finished()
    assert finished.failure is None
    assert finished.content == hashed.content


def test_only_the_main_reader_works_while_slowed(file: Path) -> None:
    throttle = Throttle()
    throttle.set_pace(Speed.SLOW, paused=None, typing=None)
    first, extra = Writer(throttle), Writer(throttle, ReaderRole.EXTRA)
    try:
        extra.give(file)
        first.give(file)
        first.hashed().reply.set_result(False)
        first.finished()
        assert extra.jobs.qsize() == 1
        throttle.set_pace(Speed.NORMAL, paused=None, typing=None)
        extra.hashed().reply.set_result(False)
        extra.finished()
    finally:
        for writer in (first, extra):
            writer.reader.stop()
            writer.reader.join()


def test_known_contents_are_not_extracted(writer: Writer, file: Path) -> None:
    writer.give(file)
    writer.hashed().reply.set_result(False)
    assert writer.finished().failure is None


def test_a_known_text_yields_no_passages(writer: Writer, file: Path) -> None:
    writer.give(file)
    writer.hashed().reply.set_result(True)
    opened = writer.next()
    assert isinstance(opened, TextExtracted)
    opened.reply.set_result(False)
    assert writer.finished().failure is None


def test_a_file_that_changed_after_it_was_hashed_has_no_text(writer: Writer, file: Path) -> None:
    """Its text would be stored for the hash of other bytes."""
    writer.give(file)
    hashed = writer.hashed()
    file.write_text("A medlar keeps longer.")
    hashed.reply.set_result(True)
    failure = writer.finished().failure
    assert failure is not None
    assert failure.code == "changed_while_read"


@pytest.mark.parametrize("kind", ["gone", "folder", "broken"])
def test_what_cannot_be_read_is_a_failure_and_the_next_file_is_read(
    writer: Writer, file: Path, tmp_path: Path, kind: str
) -> None:
    bad = tmp_path / "bad.txt"
    if kind == "folder":
        bad.mkdir()
    if kind == "broken":
        bad.write_bytes(bytes(range(256)) * 10)
    writer.give(bad)
    writer.give(file, number=2)
    event = writer.next()
    if isinstance(event, FileHashed):
        event.reply.set_result(True)
        event = writer.next()
    assert isinstance(event, FileFinished)
    assert event.failure is not None
    expected = {"gone": {"vanished"}, "folder": {"read_error"}}
    assert event.failure.code in expected.get(kind, {"unreadable", "unsupported"})
    assert writer.hashed().job.file == 2


def test_a_reader_that_waits_for_an_answer_can_be_stopped(writer: Writer, file: Path) -> None:
    writer.give(file)
    writer.hashed()
    writer.reader.stop()
    writer.reader.join()
    assert writer.events.empty()


def test_a_reader_blocked_by_a_full_queue_can_be_stopped(writer: Writer, tmp_path: Path) -> None:
    """The run has ended, so nobody empties the queue."""
    long = tmp_path / "long.txt"
    paragraph = "A quince keeps until March, a medlar longer. " * 20
    long.write_text("\n\n".join(paragraph for _ in range(400)))
    writer.give(long)
    writer.hashed().reply.set_result(True)
    opened = writer.next()
    assert isinstance(opened, TextExtracted)
    opened.reply.set_result(True)
    writer.reader.stop()
    writer.reader.join()


def test_the_languages_beside_a_file_are_those_of_its_folder_else_of_the_library() -> None:
    languages = ExpectedLanguages({"de": 400, "en": 90, "fi": 3, "": 700})
    assert set(languages.beside(b"/a/b.txt")) == {"de", "en"}
    languages.note(b"/a/c.txt", "ru")
    languages.note(b"/a/d.txt", "")
    assert languages.beside(b"/a/b.txt") == ("ru",)
    assert "ru" not in languages.beside(b"/other/b.txt")
