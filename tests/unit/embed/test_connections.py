"""The log of connections: private, newest first, and errors in it are harmless."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from indexer.embed.hub import CONNECTIONS_LOG, note_connection, read_connections

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_connections_are_newest_first_in_a_private_file(tmp_path: Path) -> None:
    assert read_connections(tmp_path) == ()
    note_connection(tmp_path, "one", "done")
    note_connection(tmp_path, "two\n\udc80", "failed: \u201cno\u201d")
    newest, oldest = read_connections(tmp_path)
    assert oldest.what == "one"
    assert newest.outcome == "failed: \u201cno\u201d"
    assert newest.time.endswith("+00:00")
    if os.name == "posix":  # permission bits are a POSIX matter
        assert stat.S_IMODE((tmp_path / CONNECTIONS_LOG).stat().st_mode) == 0o600


def test_invalid_lines_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / CONNECTIONS_LOG
    file.write_text("no json\n[1]\n{}\n")
    note_connection(tmp_path, "one", "done")
    assert [made.what for made in read_connections(tmp_path)] == ["one"]


def test_a_missing_folder_is_only_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    note_connection(tmp_path / "none", "one", "done")
    assert "could not be logged" in caplog.text
