"""A small folder of documents made on the spot, the same each time: every format, and trouble."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SYLLABLES = ("ka", "lo", "mi", "ru", "ten", "sal", "vor", "nim", "bex", "du", "fa", "gor")


def words(seed: int, count: int) -> list[str]:
    """Words of a made-up language; a few are frequent, as in real ones."""
    chance = random.Random(seed)
    stock = ["".join(chance.choices(_SYLLABLES, k=chance.randint(1, 3))) for _ in range(200)]
    return [stock[int(chance.random() ** 3 * len(stock))] for _ in range(count)]


def text(seed: int, count: int) -> str:
    """Paragraphs of sentences, about so many words."""
    drawn = words(seed, count)
    sentences = [" ".join(drawn[at : at + 12]).capitalize() + "." for at in range(0, count, 12)]
    return "\n\n".join(" ".join(sentences[at : at + 4]) for at in range(0, len(sentences), 4))


def prose(seed: int, count: int) -> str:
    """The same with sentences and paragraphs of every length, as people write."""
    chance = random.Random(seed)
    drawn = words(seed, count)
    paragraphs: list[str] = []
    while drawn:
        sentences = []
        for _ in range(chance.randint(1, 7)):
            length = chance.randint(4, 30)
            if drawn:
                sentences.append(" ".join(drawn[:length]).capitalize() + ".")
            drawn = drawn[length:]
        paragraphs.append(" ".join(sentences))
    return "\n\n".join(paragraphs)


def pdf(path: Path, pages: Sequence[str], title: str = "") -> None:
    """Write a PDF, one page a text."""
    import pymupdf

    with pymupdf.open() as document:
        for page_text in pages:
            document.new_page().insert_textbox(
                pymupdf.Rect(50, 50, 545, 790), page_text, fontsize=9
            )
        document.set_metadata({"title": title})
        document.save(path, no_new_id=True)


def make(folder: Path) -> None:
    """Fill a folder: documents in several formats, a copy, and files that cannot be read.

    They make fewer passages than ``calibration.MIN_PASSAGES``, since measuring a library's baseline
    takes twice as long as indexing it. Tests of that make their own.
    """
    (folder / "reports").mkdir(parents=True)
    (folder / "notes").mkdir()
    pdf(folder / "reports" / "one.pdf", [text(seed, 220) for seed in range(1, 5)], "Report One")
    pdf(folder / "reports" / "two.pdf", [text(seed, 200) for seed in range(11, 14)])
    (folder / "long.txt").write_text("The zephyr clause.\n\n" + text(21, 3700))
    (folder / "short.txt").write_text("A single xylophone stands in the hall.\n")
    (folder / "notes" / "copy.txt").write_bytes((folder / "short.txt").read_bytes())
    chapters = [f"# Chapter {n}\n\n{text(30 + n, 300)}" for n in range(3)]
    (folder / "notes" / "book.md").write_text("\n\n".join(chapters))
    paragraphs = text(41, 500).replace("\n\n", "</p><p>")
    (folder / "page.html").write_text(
        f"<html><title>Of tides</title><body><h1>Tides</h1><p>{paragraphs}</p></body></html>"
    )
    (folder / "digits.txt").write_text("1 2 3")
    (folder / "empty.txt").touch()
    (folder / "junk.pdf").write_bytes(random.Random(5).randbytes(4000))
    (folder / "table.xlsx").write_bytes(b"PK\x03\x04 not really")


def tiny_name(number: int) -> str:
    return f"{number // 1000}/note {number}.txt"


def make_tiny_files(folder: Path, count: int) -> None:
    """Fill a folder with files of one sentence, a thousand to a folder."""
    for number in range(count):
        path = folder / tiny_name(number)
        if number % 1000 == 0:
            path.parent.mkdir(parents=True)
        path.write_text(f"Number {number} of many notes, kept on shelf {number % 97}.")
