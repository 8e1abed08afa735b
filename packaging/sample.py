"""Makes the PDFs of the sample documents, and the scanned note: ``python packaging/sample.py``.

Owns the layout of the book and the lease; ``press`` has the typesetting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf

from handbook import make_handbook
from press import BOLD, DOCUMENTS, ITALIC, ROMAN, TEXTS, Layout, Press, blocks_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCANS = DOCUMENTS.parent / "scans"


def make_book() -> None:
    layout = Layout(width=480, height=684, margin=46, columns=2, gap=16, size=9.2, leading=11.2)
    press = Press(layout, "South")
    press.new_page(bare=True)
    middle = layout.height / 3
    press.centred("SOUTH", middle, 34, BOLD)
    press.centred("The story of Shackleton's last expedition", middle + 30, 13, ITALIC)
    press.centred("1914-1917", middle + 48, 13, ITALIC)
    press.centred("Sir Ernest Shackleton, C.V.O.", middle + 110, 12, ROMAN)
    press.centred("Chapters IV to VIII", middle + 150, 10, ROMAN)
    for block in blocks_of("south.txt"):
        if block.startswith("## "):
            press.chapter = block.removeprefix("## ")
            press.new_page()
            press.mark(1, press.chapter)
            number, _, title = press.chapter.partition(": ")
            press.centred(number, layout.top + 20, 11, ITALIC)
            press.centred(title, layout.top + 42, 17, BOLD)
            press.begin_columns(lower=6)
        else:
            press.paragraph(block, indent=9)
    press.save("south.pdf", "South: the story of Shackleton's last expedition", "Ernest Shackleton")


def make_lease(
    file: str | Path = "workshop-lease.pdf", changes: Sequence[tuple[str, str]] = ()
) -> None:
    """Set the lease, with some texts replaced by others."""
    layout = Layout(width=595, height=842, margin=72, columns=1, gap=0, size=10.8, leading=14.4)
    press = Press(layout, "Lease of a workshop: Unit 7, Marram Boatyard")
    press.new_page()
    for block in blocks_of("lease.txt", changes):
        if block.startswith("# "):
            press.space(1)
            press.centred(block[2:], layout.top + 18, 18, BOLD)
            press.space(2.5)
        elif block.startswith("## "):
            press.room(4)
            press.space(0.7)
            press.mark(1, block[3:])
            press.line(block[3:], font=BOLD)
        elif block.startswith("|"):
            _table(press, block)
        else:
            press.paragraph(block, indent=0)
            press.space(0.4)
    press.save(file, "Lease of a Workshop", "Marram Boatyard Cooperative")


def _table(press: Press, block: str) -> None:
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in block.split("\n")]
    press.room(len(rows) + 1)
    for number, row in enumerate(rows):
        press.row(row, BOLD if number == 0 else ROMAN)
    press.space(0.6)


def make_scan() -> None:
    """Render a note as an image, like a scanner."""
    with pymupdf.open() as note:
        page = note.new_page(width=420, height=300)
        words = (TEXTS / "keys.txt").read_text("utf-8")
        page.insert_textbox((40, 40, 380, 260), words, fontsize=14)
        SCANS.mkdir(exist_ok=True)
        page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY).save(SCANS / "keys.png")


if __name__ == "__main__":
    make_scan()
    make_book()
    make_lease()
    make_handbook()
