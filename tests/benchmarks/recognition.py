"""Words found on scanned and photographed pages: ``make bench-recognition``.

Pages are printed from texts of the shared corpora in several languages, and turned into scans (off
by a tenth of a degree, with noise) or photographs (off by two degrees, in perspective, dim towards
an edge, with three fifths of the resolution and noise). The pages of ``bench/scans`` have both
forms. The table has the share of a page's words (in Chinese, of its characters) that are found in
any order, by all of Lectern's recognition and by Tesseract alone, and the processor's seconds for a
page.
"""

from __future__ import annotations

import argparse
import html
import io
import re
import resource
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pymupdf
from PIL import Image, ImageFilter

from indexer.config import Limits
from indexer.extract.pdf.recognition import recognise_page
from indexer.ocr.layer import RecognisedLine, read_hocr
from indexer.ocr.tesseract import TesseractPage, find_program
from tests.corpora import BENCH

if TYPE_CHECKING:
    from collections.abc import Iterator

RESOLUTION = 200
_WORD = re.compile(r"[^\W_]+")
_IDEOGRAPHIC = ("zh",)
# Articles of xquad-mono by their language; the English ones are those of xquad-cross.
ARTICLES = {"en": 0, "de": 0, "es": 1, "zh": 3}
TYPES = (("serif", 11), ("sans-serif", 9), ("serif", 7))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--languages", default=",".join(ARTICLES))
    parser.add_argument("--tesseract", action="store_true", help="also Tesseract alone")
    asked = parser.parse_args()
    if not (BENCH / "scans").is_dir():
        sys.exit(f"the benchmark corpora are not at {BENCH}")
    print("page                 found  seconds" + ("  by Tesseract" if asked.tesseract else ""))
    with tempfile.TemporaryDirectory() as folder:
        for name, path, text in _pages(Path(folder), asked.languages.split(",")):
            _measure(name, path, text, tesseract=asked.tesseract)
    return 0


def _pages(folder: Path, languages: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Yield the name of a page, its file and its text."""
    for path in sorted((BENCH / "scans").glob("*.pdf")):
        number, kind = path.stem.split("-")
        yield path.stem, path, path.with_name(f"{number}.txt").read_text("utf-8")
    for language in languages:
        text = _article(language)
        for family, size in TYPES:
            printed = print_page(text, family, size)
            shown = printed[0].get_pixmap(dpi=RESOLUTION, colorspace=pymupdf.csGRAY)
            image = Image.frombytes("L", (shown.width, shown.height), shown.samples)
            for kind, made in (("clean", scan(image)), ("photo", photograph(image))):
                path = folder / "page.pdf"
                save(made, path)
                yield f"{language} {family} {size} {kind}", path, printed[0].get_text()


def _article(language: str) -> str:
    corpus = BENCH / ("xquad-cross" if language == "en" else "xquad-mono") / "corpus"
    path = sorted(corpus.glob("*.txt"))[ARTICLES[language]]
    return " ".join(path.read_text("utf-8-sig").split())


def print_page(text: str, family: str, size: int) -> Any:
    """Return a document with a page of as much of a text as fits."""
    document = pymupdf.open()
    page = document.new_page()
    style = f"* {{font-family: {family}; font-size: {size}px; text-align: justify}}"
    box, length = pymupdf.Rect(60, 60, 535, 782), 30_000 // size
    while True:
        part = html.escape(text[:length])
        if page.insert_htmlbox(box, f"<p>{part}</p>", css=style, scale_low=1)[0] >= 0:
            return document
        length = int(length * 0.93)


def scan(image: Image.Image) -> Image.Image:
    """Return a page as a scanner sees it."""
    turned = image.rotate(0.1, Image.Resampling.BICUBIC, fillcolor=255)
    return _noisy(np.asarray(turned, float), 4, 80)


def photograph(image: Image.Image, turn: float = 2.0) -> Image.Image:
    """Return a page as somebody photographs it in a dim room."""
    wide, high = image.size
    turned = image.rotate(turn, Image.Resampling.BICUBIC, fillcolor=235)
    corners = (-0.01, -0.015, 0.01, 1.02, 1.02, 0.99, 0.98, 0.01)
    seen = turned.transform(
        image.size, Image.Transform.QUAD,
        [share * (high if n % 2 else wide) for n, share in enumerate(corners)],
        Image.Resampling.BICUBIC, fillcolor=235,
    )  # fmt: skip
    small = seen.resize((int(wide * 0.62), int(high * 0.62)), Image.Resampling.BOX)
    blurred = small.filter(ImageFilter.GaussianBlur(0.6))
    level = np.asarray(blurred.resize(image.size, Image.Resampling.BICUBIC), float)
    down, across = np.mgrid[0:high, 0:wide]
    far = ((across / wide - 0.7) / 0.6) ** 2 + ((down / high - 0.3) / 0.7) ** 2
    return _noisy((30 + level * 0.8) * (0.55 + 0.45 * np.exp(-far)), 8, 60)


def _noisy(level: Any, noise: float, quality: int) -> Image.Image:
    level = np.clip(level + np.random.default_rng(7).normal(0, noise, level.shape), 0, 255)
    file = io.BytesIO()
    Image.fromarray(level.astype(np.uint8)).save(file, "JPEG", quality=quality)
    return Image.open(file).convert("L")


def save(image: Image.Image, path: Path) -> None:
    """Save an image as a PDF with one page."""
    file = io.BytesIO()
    image.save(file, "JPEG", quality=90)
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_image(page.rect, stream=file.getvalue())
        document.save(path)


def _measure(name: str, path: Path, text: str, *, tesseract: bool) -> None:
    before = _processor_s()
    lines, _ = recognise_page(path, None, Limits(silence_s=600), 1, find_program(), ["eng"])
    seconds = _processor_s() - before
    ideographic = name.split(maxsplit=1)[0] in _IDEOGRAPHIC
    told = f"{name:20} {found(lines, text, ideographic=ideographic):.4f} {seconds:7.1f}"
    if tesseract and (program := find_program()) is not None:
        with pymupdf.open(path) as document:
            drawn = document[0].get_pixmap(dpi=300, colorspace=pymupdf.csGRAY)
        image = Image.frombytes("L", (drawn.width, drawn.height), drawn.samples)
        names = ["deu" if name.startswith(("de", "5")) else "eng"]
        alone = TesseractPage(program, names, image, 300, 600.0, lambda: None).hocr(names)
        told += f" {found(read_hocr(alone), text, ideographic=ideographic):13.4f}"
    print(told, flush=True)


def _processor_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def found(lines: list[RecognisedLine], text: str, *, ideographic: bool = False) -> float:
    """Return the share of a text's words, or characters, that were recognised."""
    read = "\n".join(" ".join(word.text for word in line.words) for line in lines)
    wanted, had = _units(text, ideographic), _units(read, ideographic)
    return 1 - (wanted - had).total() / wanted.total()


def _units(text: str, ideographic: bool) -> Counter[str]:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return Counter(filter(str.isalnum, plain) if ideographic else _WORD.findall(plain))


if __name__ == "__main__":
    sys.exit(main())
