"""The log is readable by its owner only, and its size is bounded."""

from __future__ import annotations

import logging
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app import logs, paths

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "log"
    monkeypatch.setattr(paths, "log_folder", lambda: folder)
    logs.stop()  # a command that another test ran in this process may have started it
    level = logging.getLogger().level
    yield folder
    logs.stop()
    logging.getLogger().setLevel(level)


def test_only_the_owner_can_read_it(folder: Path) -> None:
    before = os.umask(0)
    try:
        file = logs.start()
        logging.getLogger("lectern").info("a name that is not UTF-8: %s", "caf\udce9")
    finally:
        os.umask(before)
    assert file is not None
    assert "caf\\udce9" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_size_of_the_log_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 1000)
    logs.start()
    logs.start()
    for number in range(200):
        logging.getLogger("lectern").info("record %d", number)
    files = list(folder.iterdir())
    assert len(files) == logs.KEPT + 1
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    assert sum(file.stat().st_size for file in files) <= 1000 * len(files)
    assert logs.log_file().read_text().count("record 199") == 1
    logs.remove()
    assert list(folder.iterdir()) == []


def test_no_command_fails_for_want_of_a_log(tmp_path: Path, folder: Path) -> None:
    folder.write_text("in the way")
    assert logs.start() is None


@pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="there is no file here that is always full"
)
def test_a_full_disk_is_no_error_of_what_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    handler = logs.OwnerOnlyHandler("/dev/full")
    record = logging.makeLogRecord({"msg": "an engine is started"})
    handler.emit(record)
    handler.emit(logging.makeLogRecord({"msg": "%d", "args": ("no number",)}))
    printed = capsys.readouterr().err
    assert "No space left" not in printed
    assert "no number" in printed
    with pytest.raises(OSError, match="No space"):
        handler.close()
