"""Which pages are called illegible, and what judging costs: ``python -m tests.benchmarks.legible``.

Every page of the PDFs of the shared sets is read and judged as extraction does it; every text is
judged in pieces as large as a short and as a long page. No page that people can read may be called
illegible; the exit status is 1 if one is.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.pdf.glyphs import illegible
from indexer.extract.pdf.opening import open_checked
from indexer.extract.pdf.reader import is_legible, raw_page
from tests.corpora import BENCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

SETS = (
    "cuad", "financebench", "evidence", "regulations", "xquad-mono", "chunking-eval", "meetings",
    "mergers", "hard-files",
)  # fmt: skip
PIECES = (700, 2500)  # characters
# Pages of hard files for which the library gives other characters than the page shows; each was
# inspected. For `cyrillic-02` it gives the numbers of the glyphs, for the others mostly nothing.
ILLEGIBLE = {
    "cyrillic-02.pdf": {1},
    "plain-24.pdf": set(range(2, 23)),
    "rtl-01.pdf": {1},
    "rtl-07.pdf": {1},
}


@dataclass
class Judged:
    """The judged pages of PDFs or pieces of texts of one set, and the processor's seconds."""

    pages: int = 0
    illegible: list[tuple[str, int]] = field(default_factory=list)
    wrong: list[tuple[str, int]] = field(default_factory=list)
    missed: list[tuple[str, int]] = field(default_factory=list)
    reading_s: float = 0.0
    judging_s: float = 0.0

    def add(self, name: str, page: int, *, legible: bool) -> None:
        self.pages += 1
        expected = page not in ILLEGIBLE.get(name, ())
        if not legible:
            self.illegible.append((name, page))
        if legible != expected:
            (self.missed if legible else self.wrong).append((name, page))


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge and print; return 1 if a verdict is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.legible", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, help="which sets; all if none is named")
    parser.add_argument("--files", type=int, default=0, help="of each set, at most; 0 for all")
    asked = parser.parse_args(arguments)
    if not BENCH.is_dir():
        print(f"The benchmark sets are not there: {BENCH} is missing. Nothing was judged.")
        return 0
    status = 0
    for name in asked.sets:
        judged = judge(files_of(name)[: asked.files or None])
        status |= bool(judged.wrong or judged.missed)
        print(_line(name, judged), flush=True)
    return status


def files_of(name: str) -> list[Path]:
    """The documents of a set; of the hard files, which have many formats, only the PDFs."""
    if name == "hard-files":
        return sorted((BENCH / name).glob("*.pdf"))
    return sorted((BENCH / name / "corpus").iterdir())


def judge(files: Iterable[Path]) -> Judged:
    """Judge every page of the PDFs, and the texts in pieces."""
    illegible("Here the classifier is loaded, which counts as no page's time. " * 3)
    judged = Judged()
    for path in files:
        if path.suffix.lower() == ".pdf":
            _judge_pdf(path, judged)
        elif path.suffix in {".txt", ".md"}:
            text = path.read_text(encoding="utf-8", errors="replace")
            for size in PIECES:
                for start in range(0, len(text), size):
                    piece = text[start : start + size]
                    judged.add(path.name, start, legible=not illegible(piece))
    return judged


def _judge_pdf(path: Path, judged: Judged) -> None:
    try:
        document = open_checked(path, None, Limits())
    except WorldError:
        return
    try:
        for number in range(1, document.page_count + 1):
            began = time.thread_time()
            page = raw_page(document, number)
            read = time.thread_time()
            legible = is_legible(document, page)
            judged.judging_s += time.thread_time() - read
            judged.reading_s += read - began
            judged.add(path.name, number, legible=legible)
    finally:
        document.close()


def _line(name: str, judged: Judged) -> str:
    told = f"{name}: {judged.pages:,} judged, {len(judged.illegible)} illegible"
    if judged.wrong or judged.missed:
        told += f", wrongly {judged.wrong}, missed {judged.missed}"
    if not judged.reading_s:
        return told
    alone = judged.pages / judged.reading_s
    both = judged.pages / (judged.reading_s + judged.judging_s)
    return f"{told}; {both:.0f} pages/s, {alone:.0f} without judging, ratio {both / alone:.3f}"


if __name__ == "__main__":
    sys.exit(main())
