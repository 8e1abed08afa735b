"""Text recognition: words lost, time and memory of a page, ``python -m tests.benchmarks.ocr``.

Pages with text of real reports are turned into scans (200 dots an inch, turned a little, specks, a
JPEG), and what is recognised is held against the text that they had: the share of its words that
are not there, whatever their order. ``--rapidocr`` does the same with RapidOCR, if it can be
imported; each engine reads all pages in a process of its own, so that its peak of memory is its
own. Seconds are a processor's, since other work on the machine says nothing of an engine.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf

from indexer.config import Limits
from indexer.extract.pdf.reader import raw_page
from indexer.extract.pdf.recognition import recognise_page
from indexer.ocr.tesseract import find_program
from tests.corpora import BENCH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "documents"
RESOLUTION = 200
TURN = 0.6  # degrees
SPECKS = 0.002  # of all pixels
LEAST_WORDS = 150
_WORD = re.compile(r"[^\W_]+")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.ocr", description=__doc__)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--rapidocr", action="store_true")
    parser.add_argument("--engine", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.engine:
        return _measure(asked.engine, asked.folder)
    with tempfile.TemporaryDirectory() as scratch:
        made = _make(Path(scratch), asked.pages)
        print(f"{made} scanned pages")
        for engine in ["tesseract", *(["rapidocr"] if asked.rapidocr else [])]:
            again = [sys.executable, "-m", __spec__.name, "--engine", engine, "--folder", scratch]
            subprocess.run(again, check=True)
    return 0


def _make(folder: Path, wanted: int) -> int:
    """Save scans beside the words they hold; gives how many."""
    files = sorted((BENCH / "financebench" / "corpus").rglob("*.pdf")) or sorted(
        SAMPLE.rglob("*.pdf")
    )
    made, chance = 0, np.random.default_rng(7)
    for path in files[:: max(1, len(files) // wanted)]:
        with pymupdf.open(path) as document:
            for number in chance.permutation(document.page_count)[:20] + 1:
                words = _words(raw_page(document, int(number)).text)
                if words.total() >= LEAST_WORDS:
                    _scan(document[int(number) - 1], folder / f"{made}.pdf", chance)
                    told = json.dumps(words, ensure_ascii=False)
                    (folder / f"{made}.json").write_text(told, encoding="utf-8")
                    made += 1
                    break
        if made == wanted:
            break
    return made


def _scan(page: Any, target: Path, chance: np.random.Generator) -> None:
    matrix = pymupdf.Matrix(RESOLUTION / 72, RESOLUTION / 72).prerotate(TURN)
    drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
    grey = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.stride).copy()
    specks = chance.random(grey.shape) < SPECKS
    grey[specks] = chance.integers(0, 255, int(specks.sum()))
    spotted = pymupdf.Pixmap(pymupdf.csGRAY, drawn.width, drawn.height, grey.tobytes(), False)
    with pymupdf.open() as made:
        scale = 72 / RESOLUTION
        sheet = made.new_page(width=drawn.width * scale, height=drawn.height * scale)
        sheet.insert_image(sheet.rect, stream=spotted.tobytes("jpeg", jpg_quality=60))
        made.save(target)


def _measure(engine: str, folder: Path) -> int:
    read = {"tesseract": _tesseract, "rapidocr": _rapidocr}[engine]()
    lost = total = 0
    # Tesseract is a process for each page; the other lives in this one.
    whose = resource.RUSAGE_CHILDREN if engine == "tesseract" else resource.RUSAGE_SELF
    seconds = []
    for path in sorted(folder.glob("*.pdf")):
        words = Counter(json.loads(path.with_suffix(".json").read_text(encoding="utf-8")))
        began = _processor_s(whose)
        found = _words(read(path))
        seconds.append(_processor_s(whose) - began)
        lost += (words - found).total()
        total += words.total()
    peak = resource.getrusage(whose).ru_maxrss // (1024 if sys.platform == "linux" else 1024**2)
    print(
        f"{engine}: {lost / total:.3f} of {total:,} words lost, "
        f"{np.median(seconds):.1f} s of a processor a page (at most {max(seconds):.1f}), {peak} MB"
    )
    return 0


def _processor_s(whose: int) -> float:
    usage = resource.getrusage(whose)
    return usage.ru_utime + usage.ru_stime


def _tesseract() -> Callable[[Path], str]:
    program = find_program()
    if program is None:
        sys.exit("Tesseract is not installed")

    def read(path: Path) -> str:
        lines = recognise_page(path, None, Limits(silence_s=600), 1, program, ["eng"])
        return "\n".join(" ".join(word.text for word in line.words) for line in lines)

    return read


def _rapidocr() -> Callable[[Path], str]:
    import importlib

    engine = importlib.import_module("rapidocr_onnxruntime").RapidOCR()

    def read(path: Path) -> str:
        with pymupdf.open(path) as document:
            drawn = document[0].get_pixmap(dpi=RESOLUTION, alpha=False)
        pixels = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width, 3)
        found, _ = engine(pixels)
        return "\n".join(row[1] for row in found or ())

    return read


def _words(text: str) -> Counter[str]:
    return Counter(word.casefold() for word in _WORD.findall(text))


if __name__ == "__main__":
    sys.exit(main())
