"""Scans made by ourselves, and Tesseract behind a command that counts its runs or goes wrong.

Owns what the tests of scanned pages share. Without Tesseract they are skipped, saying so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import stat
import struct
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.ocr.tesseract import NAME, find_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

needs_tesseract = pytest.mark.skipif(
    find_program() is None, reason="Tesseract is not installed; no page can be recognised"
)
RESOLUTION = 200
# IN_OPEN and IN_CLOSE_NOWRITE: the kernel joins equal notes that follow each other, and so each
# opening is told from the next one by the closing between them. Without a name a note is 16 bytes.
_OPENED, _CLOSED = 0x20, 0x10
_NOTE = struct.Struct("iIII")
_COUNTING = """#!/bin/sh
if [ "$1" = stdin ]; then
    read -r _ < "{marker}"
    {misbehave}
fi
exec "{program}" "$@"
"""


class Counted:
    """A Tesseract that opens a file at each run.

    It is confined and can write nowhere, so its runs are counted by the kernel's notes on that
    file.
    """

    def __init__(self, marker: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._notes = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert libc.inotify_add_watch(self._notes, os.fsencode(marker), _OPENED | _CLOSED) >= 0
        self._runs = 0

    @property
    def runs(self) -> int:
        """How many pages it was given."""
        with contextlib.suppress(BlockingIOError):
            while notes := os.read(self._notes, _NOTE.size * 100):
                self._runs += sum(mask == _OPENED for _, mask, _, _ in _NOTE.iter_unpack(notes))
        return self._runs

    def close(self) -> None:
        os.close(self._notes)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, misbehave: str = "") -> Counted:
    """Put a command in front of Tesseract that counts, and then does what the shell is told."""
    folder.mkdir(exist_ok=True)
    real = shutil.which(NAME)
    assert real is not None
    if folder.joinpath("real").exists():
        real = folder.joinpath("real").read_text(encoding="utf-8")
    folder.joinpath("real").write_text(real, encoding="utf-8")
    command, marker = folder / NAME, folder / "marker"
    marker.write_text("a line\n", encoding="ascii")
    command.write_text(
        _COUNTING.format(marker=marker, misbehave=misbehave, program=real), encoding="utf-8"
    )
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return Counted(marker)


def without_tesseract(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave nothing on the path but a package manager."""
    folder.mkdir()
    manager = folder / "apt-get"
    manager.write_text("#!/bin/sh\n", encoding="utf-8")
    manager.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def scanned(source: Path, target: Path, pages: Sequence[int] = ()) -> Path:
    """Save a PDF with pages turned into images, as a scanner would have made them.

    Args:
        source: A PDF with text.
        target: Where to save.
        pages: Which of them, from 1; all if none is given.
    """
    shown, made = pymupdf.open(source), pymupdf.open()
    for number, page in enumerate(shown, 1):
        if pages and number not in pages:
            made.insert_pdf(shown, from_page=number - 1, to_page=number - 1)
            continue
        drawn = page.get_pixmap(dpi=RESOLUTION)
        sheet = made.new_page(width=page.rect.width, height=page.rect.height)
        sheet.insert_image(sheet.rect, stream=drawn.tobytes("jpeg", jpg_quality=92))
    made.save(target)
    return target


def letters(path: Path, *pages: str, blank: int = 0) -> Path:
    """Save a PDF with a text on each page, and some blank pages behind."""
    document: Any = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((72, 90, 520, 760), text, fontsize=13)
    for _ in range(blank):
        document.new_page()
    document.save(path)
    return path
