"""Recent and saved searches, in real files."""

from __future__ import annotations

import json
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.ui.notices import RecordedNotices
from ui.file_worker import FileWorker
from ui.search.memory import MOST_SEARCHES, Memory, Saved

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[FileWorker]:
    worker = FileWorker()
    yield worker
    worker.close()


def opened(_qtbot: QtBot, folder: Path, worker: FileWorker, *, remembers: bool = True) -> Memory:
    return Memory(folder, worker, remembers=remembers)


def test_searches_are_remembered(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    for text in ("rent", "  deposit\n due ", "rent", " "):
        memory.note_search(text)
    assert memory.recent == ("rent", "deposit due")
    worker.close()
    file = tmp_path / "history.json"
    if sys.platform != "win32":  # where a file has the rights of its folder
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert opened(qtbot, tmp_path, worker).recent == memory.recent
    for number in range(MOST_SEARCHES + 5):
        memory.note_search(f"search {number}")
    assert len(memory.recent) == MOST_SEARCHES


def test_documents_are_remembered(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    for path in ("/docs/a.pdf", "/docs/b.pdf", "/docs/a.pdf"):
        memory.note_document(path)
    assert memory.documents == ("/docs/a.pdf", "/docs/b.pdf")
    worker.close()
    again = opened(qtbot, tmp_path, worker)
    assert again.documents == memory.documents
    again.remember(on=False)
    again.note_document("/docs/c.pdf")
    assert len(again.documents) == 0


def test_a_moved_document_keeps_its_place(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    for path in ("/docs/c.pdf", "/docs/b.pdf", "/docs/a.pdf"):
        memory.note_document(path)
    memory.follow_document("/docs/b.pdf", "/deeds/b.pdf")
    assert list(memory.documents) == ["/docs/a.pdf", "/deeds/b.pdf", "/docs/c.pdf"]
    memory.follow_document("/docs/c.pdf", "/deeds/b.pdf")
    assert list(memory.documents) == ["/docs/a.pdf", "/deeds/b.pdf"]


def test_switched_off_nothing_is_left(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    memory.note_search("secret")
    memory.save_search("mine", "kept")
    memory.remember(on=False)
    memory.note_search("another")
    worker.close()
    assert memory.recent == ()
    assert not (tmp_path / "history.json").exists()
    (tmp_path / "history.json").write_text(json.dumps({"searches": ["left over"]}))
    off = opened(qtbot, tmp_path, worker, remembers=False)
    qtbot.waitUntil(lambda: off.saved == (Saved("mine", "kept"),))
    assert off.recent == ()
    qtbot.waitUntil(lambda: not (tmp_path / "history.json").exists())


def test_saved_searches(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    memory.save_search("Rent", "rent in:contracts")
    memory.save_search("Ice", "ice")
    memory.save_search("Rent", "rent ext:pdf")
    assert memory.saved == (Saved("Rent", "rent ext:pdf"), Saved("Ice", "ice"))
    assert memory.name_of(" ice ") == "Ice"
    assert memory.discard_search("Ice") == Saved("Ice", "ice")
    assert memory.discard_search("Ice") is None
    worker.close()
    assert opened(qtbot, tmp_path, worker).saved == (Saved("Rent", "rent ext:pdf"),)


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, "\xff"])
def test_a_damaged_file_is_put_aside(
    qtbot: QtBot, tmp_path: Path, worker: FileWorker, content: str
) -> None:
    for name in ("history", "searches"):
        (tmp_path / f"{name}.json").write_bytes(content.encode("latin-1"))
    memory = opened(qtbot, tmp_path, worker)
    said = RecordedNotices()
    for each in memory.lists:
        each.tell_trouble(said)
    assert len(said.texts) == 2
    assert (memory.recent, memory.saved) == ((), ())
    memory.note_search("rent")
    memory.save_search("Rent", "rent")
    worker.close()
    again = opened(qtbot, tmp_path, worker)
    assert (again.recent, again.saved) == (("rent",), (Saved("Rent", "rent"),))
    aside = tmp_path / "history-unread-1.json"
    assert aside.read_bytes() == content.encode("latin-1")
    memory.forget_history()
    worker.close()
    assert [path.name for path in tmp_path.glob("*-unread-*")] == ["searches-unread-1.json"]


def test_what_another_version_wrote_stays(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    there: dict[str, list[Any]] = {
        "saved": [{"name": "Ice", "text": "ice", "colour": "blue"}, {"later": 1}, 5],
        "folders": ["of searches"],
    }
    (tmp_path / "searches.json").write_text(json.dumps(there))
    (tmp_path / "history.json").write_text('{"searches": 5, "documents": ["/a.pdf"]}')
    memory = opened(qtbot, tmp_path, worker)
    assert memory.saved == (Saved("Ice", "ice"),)
    memory.save_search("Rent", "rent")
    memory.note_search("rent")
    worker.close()
    kept = json.loads((tmp_path / "searches.json").read_text())
    assert kept["folders"] == there["folders"]
    assert kept["saved"][1:] == [there["saved"][0] | {"new": 0}, *there["saved"][1:]]
    kept = json.loads((tmp_path / "history.json").read_text())
    assert kept == {"searches": ["rent", 5], "documents": ["/a.pdf"]}


def test_two_windows_lose_nothing_of_each_other(
    qtbot: QtBot, tmp_path: Path, worker: FileWorker
) -> None:
    windows = [opened(qtbot, tmp_path, worker) for _ in range(2)]
    for number in range(6):
        windows[number % 2].save_search(f"search {number}", f"words {number}")
        windows[number % 2].note_search(f"words {number}")
        windows[number % 2].note_document(f"/{number}.pdf")
    windows[0].discard_search("search 5")
    windows[0].drop_entry("words 0")
    qtbot.waitUntil(lambda: windows[0].name_of("words 3") != "")
    worker.close()
    again = opened(qtbot, tmp_path, worker)
    assert [each.name for each in again.saved] == [
        f"search {number}" for number in range(4, -1, -1)
    ]
    assert again.recent == tuple(f"words {number}" for number in range(5, 0, -1))
    assert len(again.documents) == 6


def test_what_could_not_be_written_is_written_later(
    qtbot: QtBot, tmp_path: Path, worker: FileWorker
) -> None:
    place = tmp_path / "place"
    place.write_text("no folder")
    memory = opened(qtbot, place, worker)
    said = RecordedNotices()
    for each in memory.lists:
        each.tell_trouble(said)
    with qtbot.waitSignal(memory.lists[0].trouble):
        memory.note_search("rent")
    assert memory.recent == ("rent",)
    assert len(said.texts) == 1
    place.unlink()
    memory.note_search("deposit")
    worker.close()
    assert opened(qtbot, place, worker).recent == ("deposit", "rent")
