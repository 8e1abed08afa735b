"""Recent and saved searches, in real files."""

from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING

import pytest

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


def opened(qtbot: QtBot, folder: Path, worker: FileWorker, *, remembers: bool = True) -> Memory:
    memory = Memory(folder, worker, remembers=remembers)
    with qtbot.waitSignal(memory.changed):
        pass
    return memory


def test_searches_are_remembered(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path, worker)
    for text in ("rent", "  deposit\n due ", "rent", " "):
        memory.note_search(text)
    assert memory.recent == ("rent", "deposit due")
    worker.close()
    file = tmp_path / "history.json"
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


@pytest.mark.parametrize("content", ["", "[]", "{", '{"searches": 5, "saved": [1, {"name": 2}]}'])
def test_a_damaged_file_is_no_trouble(
    qtbot: QtBot, tmp_path: Path, worker: FileWorker, content: str
) -> None:
    (tmp_path / "history.json").write_text(content)
    (tmp_path / "searches.json").write_text(content)
    memory = opened(qtbot, tmp_path, worker)
    assert (memory.recent, memory.saved) == ((), ())


def test_a_full_disk_is_told(qtbot: QtBot, tmp_path: Path, worker: FileWorker) -> None:
    memory = opened(qtbot, tmp_path / "missing", worker)
    with qtbot.waitSignal(memory.trouble):
        memory.note_search("rent")
    assert memory.recent == ("rent",)
