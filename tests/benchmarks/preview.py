"""Times the preview from a hit to its painted page: ``python -m tests.benchmarks.preview``.

It uses the window's own panel offscreen, with a real render child that runs already. Each document
is opened for the first of its hits, and is open for the others. A time ends when the page is
painted with its passage marked.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pymupdf

from indexer.api.types import Hit, Why
from indexer.extract.pdf.reader import raw_page
from tests.corpora import BENCH

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from tests.ui.library.port import canned_context
from ui.preview.panel import Preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "documents"
GOAL_MS = 150
SIZE = (720, 1000)
# Characters of a page's text: a passage of about 150 words, and its best sentence.
PASSAGE, SENTENCE = (0, 900), (100, 250)
_LIMIT_S = 30.0
_STEP_MS = 1  # how exact a time is


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return 1 if the median of first pages misses the goal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.preview", description=__doc__)
    parser.add_argument("--documents", type=int, default=40, help="of each set, at most")
    parser.add_argument("--pages", type=int, default=4, help="hits in each document")
    asked = parser.parse_args(arguments)
    application = QApplication.instance() or QApplication([])
    met = True
    for name, folder in {
        "sample": SAMPLE,
        "financebench": BENCH / "financebench" / "corpus",
    }.items():
        files = sorted(folder.rglob("*.pdf"))[: asked.documents]
        if files:
            met = _measure(name, files, asked.pages) and met
        else:
            print(f"{name}: it is not here, nothing was measured")
    del application
    return 0 if met else 1


def _measure(name: str, files: Sequence[Path], pages: int) -> bool:
    first: list[float] = []
    others: list[float] = []
    hits = [_hits(path, pages) for path in files]
    with _panel() as preview:
        _show(preview, hits[-1][-1])  # starts the child
        for group in hits:
            first.append(_show(preview, group[0]))
            others += [_show(preview, hit) for hit in group[1:]]
    _say(f"{name}: first page of {len(first)} documents", first)
    _say(f"{name}: {len(others)} further pages", others)
    return float(np.median(first)) <= GOAL_MS


@contextmanager
def _panel() -> Iterator[Preview]:
    with tempfile.TemporaryDirectory() as folder:
        context, _link, _said = canned_context(Path(folder))
        preview = Preview(context)
        preview.resize(*SIZE)
        preview.show()
        yield preview
        preview.close()


def _hits(path: Path, wanted: int) -> list[Hit]:
    """Passages spread over a document."""
    document = pymupdf.open(path)
    found = []
    for number in np.linspace(1, document.page_count, wanted + 2)[1:-1].astype(int).tolist():
        text = raw_page(document, number).text[slice(*PASSAGE)]
        found.append(
            Hit(
                str(path), str(path.parent), path.name, path.stem, number, number, 0, len(text),
                1.0, text, (), Why.BOTH, SENTENCE, marks=(SENTENCE,),
            )
        )  # fmt: skip
    document.close()
    return found


def _show(preview: Preview, hit: Hit) -> float:
    """Show a hit and return the milliseconds until its page is painted."""
    began = time.perf_counter()
    preview.show_hit(hit, [hit], 0)
    loop = QEventLoop()
    look = QTimer()
    look.setInterval(_STEP_MS)

    def over() -> None:
        if _is_there(preview, hit) or time.perf_counter() - began > _LIMIT_S:
            loop.quit()

    look.timeout.connect(over)
    look.start()
    loop.exec()
    look.stop()
    if not _is_there(preview, hit):
        sys.exit(f"{hit.path}, page {hit.page}: not there after {_LIMIT_S:g} s")
    preview.pages.viewport().repaint()
    return 1e3 * (time.perf_counter() - began)


def _is_there(preview: Preview, hit: Hit) -> bool:
    view = preview.pages
    document = view.document
    if document is None or document.source.path != Path(hit.path):
        return False
    marked = hit.page in view.marks.passage or not hit.text
    keys = view.visible_keys(hit.page)
    bands = [document.band(key.page, key.width, key.band) for key in keys]
    return marked and bool(keys) and all(bands)


def _say(what: str, spent: Sequence[float]) -> None:
    if spent:
        p50, p95 = np.percentile(spent, [50, 95])
        print(f"{what}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, max {max(spent):.0f} ms")


if __name__ == "__main__":
    sys.exit(main())
