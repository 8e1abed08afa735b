"""Scans made by ourselves, a count of recognised pages, and a Tesseract that goes wrong.

Owns what the tests of scanned pages share. Those that need Tesseract are skipped without it, saying
so.
"""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest

from indexer.extract.process.sandbox import ExtractionChild
from indexer.ocr.tesseract import NAME, find_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

needs_tesseract = pytest.mark.skipif(
    find_program() is None, reason="Tesseract is not installed; no script can be told"
)
RESOLUTION = 200
_MISBEHAVING = """#!/bin/sh
[ "$1" = stdin ] && {misbehave}
exec "{program}" "$@"
"""


class Recognitions:
    """Counts how many pages the children of this process were given to recognise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.runs = 0
        recognise = ExtractionChild.recognise

        def counted(child: ExtractionChild, *given: Any, **named: Any) -> Any:
            self.runs += 1
            return recognise(child, *given, **named)

        monkeypatch.setattr(ExtractionChild, "recognise", counted)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, misbehave: str) -> None:
    """Put a command in front of Tesseract that does what the shell is told."""
    folder.mkdir()
    command, real = folder / NAME, shutil.which(NAME)
    command.write_text(_MISBEHAVING.format(misbehave=misbehave, program=real), encoding="utf-8")
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


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


def cyrillic(path: Path) -> Path:
    """Save a PDF with a scanned page in a script that PP-OCRv6 does not read."""
    text = "Смотритель каждый вечер поднимался по узкой лестнице и зажигал большой фонарь башни. "
    source: Any = pymupdf.open()
    source.new_page().insert_htmlbox((72, 90, 520, 760), f"<p>{text * 5}</p>")
    source.save(path.with_suffix(".source"))
    scanned(path.with_suffix(".source"), path)
    path.with_suffix(".source").unlink()
    return path


def letters(path: Path, *pages: str, blank: int = 0) -> Path:
    """Save a PDF with a text on each page, and some blank pages behind."""
    document: Any = pymupdf.open()
    for text in pages:
        document.new_page().insert_textbox((72, 90, 520, 760), text, fontsize=13)
    for _ in range(blank):
        document.new_page()
    document.save(path)
    return path
