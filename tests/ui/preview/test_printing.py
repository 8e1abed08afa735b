"""Documents are printed: chosen pages as they look, texts on as many sheets as they need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest
from PySide6.QtPrintSupport import QPrintDialog, QPrinter

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import show

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui.preview.panel import Preview
    from ui.theme import Themes


@pytest.fixture
def dialog(preview: Preview, qtbot: QtBot) -> None:
    """Nothing is chosen before a document is shown."""
    preview.print_shown()
    assert not preview.findChildren(QPrintDialog)


def printed(preview: Preview, canned: Canned, qtbot: QtBot, path: Path, first: int = 0) -> str:
    """Print into a file through the dialog, and return what was said at the end."""
    preview.print_shown()
    (dialog,) = preview.findChildren(QPrintDialog)
    printer = dialog.printer()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(path))
    if first:
        printer.setFromTo(first, first + 1)
        printer.setPrintRange(QPrinter.PrintRange.PageRange)
    dialog.accepted.emit(printer)
    dialog.reject()
    qtbot.waitUntil(lambda: "printed" in canned[2].texts[-1])
    return canned[2].texts[-1]


def test_pages_are_printed_as_they_look(
    preview: Preview, canned: Canned, hits: list[Hit], qtbot: QtBot, tmp_path: Path, dialog: None
) -> None:
    show(qtbot, preview, hits[0])
    path = tmp_path / "printed.pdf"
    assert printed(preview, canned, qtbot, path, first=3) == "2 page(s) printed"
    with pymupdf.open(path) as document:
        assert document.page_count == 2
        pixels = document[0].get_pixmap(colorspace=pymupdf.csGRAY)
        assert min(pixels.samples) < 80, "ink"
        assert max(pixels.samples) == 255


def test_a_text_is_printed_black_on_white_in_the_dark_theme(
    preview: Preview, canned: Canned, themes: Themes, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "lamp.md"
    path.write_text(
        "# The lamp\n\n" + "".join(f"Night {n}: the lamp burns.\n\n" for n in range(150))
    )
    themes.apply("dark")
    hit = hit_of(path, passages_of(path)[0])
    preview.show_hit(hit, [hit], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    out = tmp_path / "printed.pdf"
    printed(preview, canned, qtbot, out)
    with pymupdf.open(out) as document:
        assert document.page_count > 2
        words = "".join(page.get_text() for page in document)
        assert "The lamp" in words
        assert "Night 149" in words
        pixels = document[0].get_pixmap(colorspace=pymupdf.csGRAY)
        assert min(pixels.samples) < 80
        assert max(pixels.samples) == 255
        assert sum(pixels.samples) / len(pixels.samples) > 200, "mostly white"
