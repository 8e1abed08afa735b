"""The log of connections: private, newest first, and errors in it are harmless."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from indexer.embed import connections

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_connections_are_newest_first_in_a_private_file(tmp_path: Path) -> None:
    assert connections.read(tmp_path) == ()
    connections.note(tmp_path, "one", "done")
    connections.note(tmp_path, "two\n\udc80", "failed: \u201cno\u201d")
    newest, oldest = connections.read(tmp_path)
    assert oldest.what == "one"
    assert newest.outcome == "failed: \u201cno\u201d"
    assert newest.time.endswith("+00:00")
    if os.name == "posix":  # permission bits are a POSIX matter
        assert stat.S_IMODE((tmp_path / connections.FILE_NAME).stat().st_mode) == 0o600


def test_invalid_lines_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / connections.FILE_NAME
    file.write_text("no json\n[1]\n{}\n")
    connections.note(tmp_path, "one", "done")
    assert [made.what for made in connections.read(tmp_path)] == ["one"]


def test_a_missing_folder_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    connections.note(tmp_path / "none", "one", "done")
    assert "could not be logged" in caplog.text
