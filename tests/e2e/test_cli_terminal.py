"""The command line on a pseudo-terminal: colour, progress, questions."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Lectern


def on_terminal(
    lectern: Lectern, *arguments: str | Path, typed: str = "", status: int = 0, **environment: str
) -> str:
    """Run a command on a pseudo-terminal and return all that it wrote."""
    pty = pytest.importorskip("pty", reason="terminals of POSIX")
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    command = [sys.executable, "-m", lectern.module, *map(str, arguments)]
    with subprocess.Popen(
        command,
        env={**lectern.environment, "TERM": "xterm", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        parts = []
        try:
            while part := os.read(ours, 4096):
                parts.append(part)
        except OSError:  # raised by Linux when the other end is closed
            pass
        os.close(ours)
        assert process.wait(60) == status
    return b"".join(parts).decode()


def test_colour_and_progress_on_a_terminal_only(lectern: Lectern, folder: Path) -> None:
    indexing = on_terminal(lectern, "index", folder)
    assert "\r0/3 files · 0 pages" in indexing
    assert "3 files seen" in indexing
    coloured = on_terminal(lectern, "search", "crew")
    assert "\x1b[1;36mThe crew camped on the ice.\x1b[0m" in coloured
    assert "«" not in coloured
    plain = on_terminal(lectern, "search", "crew", NO_COLOR="1")
    assert "\x1b" not in plain
    assert "«The crew camped on the ice.»" in plain


def test_no_progress_is_written_into_a_pipe(lectern: Lectern, folder: Path) -> None:
    assert lectern("index", folder).stderr == ""
    assert "\r" not in on_terminal(lectern, "index", "--quiet", folder).replace("\r\n", "")


def test_removing_everything_asks_on_a_terminal(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    catalog = lectern.library / "catalog.sqlite"
    catalog.touch()
    assert "Nothing was deleted." in on_terminal(
        lectern, "remove", "--everything", typed="n\n", status=1
    )
    assert catalog.exists()
    assert "is deleted" in on_terminal(lectern, "remove", "--everything", typed="y\n")
    assert not catalog.exists()
