"""Reads the pages, metadata and outline of a PDF with PyMuPDF.

A page without legible text gets its recognised text, if there is any. A scanned page with a little
real text on it (a page number, a stamp, a line about a download) keeps this and gets the recognised
text as well. Runs in child processes only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf
from msgspec.structs import replace

from indexer.api.types import OutlineEntry
from indexer.extract.base import (
    MAX_LABELS,
    Metadata,
    PageSource,
    RawPage,
    about,
    damage_as_unreadable,
)
from indexer.extract.pdf.glyphs import (
    FEW_UNMAPPED,
    REPLACEMENT,
    has_complex_script,
    has_letters,
    illegible,
    join_glyphs,
    lines_of,
    mostly_unmapped,
    needs_joining,
    should_replace,
    shows,
)
from indexer.extract.pdf.labels import page_labels
from indexer.extract.pdf.layout import lay_out
from indexer.extract.pdf.lines import lacks_sizes, read_lines
from indexer.extract.pdf.opening import DamageIgnored, open_checked, was_rebuilt
from indexer.extract.pdf.supplements import PdfSupplements
from indexer.ocr.layer import RecognisedLine, page_dictionary, transformed

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.pdf.lines import Line
    from indexer.ocr.cache import RecognisedPages
    from indexer.ocr.layer import Box, Matrix


MOST_CHARS = 600
_PICTURES = frozenset({"fill-image", "fill-imgmask"})
_TEXTS = frozenset({"fill-text", "stroke-text", "clip-text"})
_HIDDEN = "ignore-text"  # invisible text of an earlier recognition
_LEAST_PICTURE, _MOST_TEXT = 0.6, 0.12  # shares of the page


def is_stamped(drawn: Iterable[tuple[Any, ...]], page: Box) -> bool:
    """Return whether a picture fills a page, and little text was drawn over it.

    Text below a picture was recognised on it by another program. ``drawn`` has the kind and the box
    of everything on the page, in drawing order.
    """
    area = _shared(page, page)
    pictured = written = 0.0
    for kind, box, *_ in drawn:
        if kind in _PICTURES:
            pictured += _shared(box, page)
        elif kind == _HIDDEN or (kind in _TEXTS and pictured < _LEAST_PICTURE * area):
            return False
        elif kind in _TEXTS:
            written += _shared(box, page)
    return pictured >= _LEAST_PICTURE * area and written <= _MOST_TEXT * area


def beside(
    lines: Sequence[RecognisedLine], own: dict[str, Any], matrix: Matrix
) -> list[RecognisedLine]:
    """Return recognised lines without the words at the places of a page's own lines.

    ``own`` is the page dictionary, and ``matrix`` transforms its points to the page as shown.
    """
    boxes = [
        transformed(line["bbox"], matrix)
        for line in lines_of(own)
        if any(span["text"].strip() for span in line["spans"])
    ]

    def is_free(word: Box) -> bool:
        x, y = (word[0] + word[2]) / 2, (word[1] + word[3]) / 2
        return not any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)

    left = ((line, tuple(word for word in line.words if is_free(word.box))) for line in lines)
    return [RecognisedLine(words, line.size, line.turn) for line, words in left if words]


def _shared(box: Box, page: Box) -> float:
    width = min(box[2], page[2]) - max(box[0], page[0])
    height = min(box[3], page[3]) - max(box[1], page[1])
    return max(width, 0.0) * max(height, 0.0)


class RecognisedUse(Enum):
    """What to do with recognised lines: replace a page's own text, add them to it, or drop them."""

    REPLACE = auto()
    BESIDE = auto()
    NONE = auto()


def use_of(own: str, lines: Sequence[RecognisedLine]) -> RecognisedUse:
    """Return what to do with recognised lines. Legible text on the page then is a stamp."""
    if not lines:
        return RecognisedUse.NONE
    if not has_letters(own) or should_replace(text_of(lines), own):
        return RecognisedUse.REPLACE
    return RecognisedUse.NONE if illegible(own) else RecognisedUse.BESIDE


def text_of(lines: Sequence[RecognisedLine]) -> str:
    """Return the words of recognised lines."""
    return " ".join(word.text for line in lines for word in line.words)


def recognised_text(page: Any, lines: Sequence[RecognisedLine]) -> dict[str, Any]:
    """Return recognised lines as the page dictionary of an open page."""
    width, height = page.rect.width, page.rect.height
    if page.rotation in {90, 270}:
        width, height = height, width
    return page_dictionary(lines, tuple(page.derotation_matrix), width, height)


# Hyphens are not joined and ligatures not split. White space is kept because the width of a gap
# distinguishes words from cells. Text outside the media box is left out.
TEXT_FLAGS = (
    pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES
)
# Take glyph numbers as characters if a font has no character map, which is right for some fonts.
_GLYPH_NUMBERS = pymupdf.TEXT_CID_FOR_UNKNOWN_UNICODE
# The reason code of a page whose text is illegible.
ILLEGIBLE = "letters_unknown"
_STAMPED = "stamped_picture"
MAX_OUTLINE_ENTRIES = 20_000
_PAGES_BETWEEN_SHRINKS = 32
_BROKEN_OFF = re.compile("error|premature end")  # a warning of MuPDF
_DATE = re.compile(r"D:(\d{4})(\d{2})?(\d{2})?")

pymupdf.TOOLS.mupdf_display_errors(False)  # noqa: FBT003  # PyMuPDF's signature
pymupdf.TOOLS.mupdf_display_warnings(False)  # noqa: FBT003  # as above


class PdfSource(PageSource):
    """An open PDF."""

    textless: list[int]

    def __init__(self, document: Any, limits: Limits) -> None:
        self._document = document
        self._limits = limits
        self.textless = []
        self._stamped: dict[int, str] = {}  # why a page has nothing but its stamp
        self._has_text_of_its_own = False
        self._was_rebuilt = was_rebuilt(document)
        self.page_count = document.page_count
        self.metadata = _metadata(document)
        self.outline = read_outline(document)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        supplements = PdfSupplements(
            self._document, self._limits, self.outline, lambda: self.on_page(self.page_count)
        )
        for number in range(1, self.page_count + 1):
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
            else:
                page = self._page(number)
                yield page
                if self._document.is_pdf:
                    supplements.see(page)
            if number % _PAGES_BETWEEN_SHRINKS == 0:
                pymupdf.TOOLS.store_shrink(100)
        if not self._has_text_of_its_own:
            for number, reason in self._stamped.items():
                yield RawPage(number, "", unreadable=reason)
        if self._document.is_pdf:
            yield from supplements.pages(alone=self.page_count in skip)

    def close(self) -> None:
        self._document.close()
        pymupdf.TOOLS.store_shrink(100)
        super().close()

    def _page(self, number: int) -> RawPage:
        page = raw_page(self._document, number)
        if page.unreadable:
            return page
        if has_letters(page.text):
            if is_legible(self._document, page):
                return self._stamped_page(page) if self._is_stamped(page) else page
            page = replace(page, unreadable=ILLEGIBLE)
        if not self._shows_something(number):
            # If the page tree was rebuilt, an empty page has most likely lost its content.
            lost = self._was_rebuilt and not page.text
            return replace(page, unreadable="content_damaged", damaged=True) if lost else page
        self.textless.append(number)
        if self.recognised is None:
            return page
        return recognised_page(self._document, page, self.recognised)

    def _is_stamped(self, page: RawPage) -> bool:
        """Whether the text of a page is only a stamp on its picture."""
        stamped = False
        if len(page.text) <= MOST_CHARS and not page.unreadable:
            with DamageIgnored():
                loaded = self._document.load_page(page.number - 1)
                stamped = is_stamped(loaded.get_bboxlog(), tuple(loaded.rect))
        self._has_text_of_its_own = self._has_text_of_its_own or not stamped
        return stamped

    def _stamped_page(self, page: RawPage) -> RawPage:
        """Return a page with its own text and the text recognised on its picture."""
        self.textless.append(page.number)
        known = None if self.recognised is None else self.recognised.page(page.number)
        if known is None or not known.done:
            self._stamped[page.number] = known.reason if known and known.reason else _STAMPED
            return page
        use = use_of(page.text, known.lines)
        if use is RecognisedUse.NONE:
            return page
        return raw_page(self._document, page.number, known.lines, use)

    def _shows_something(self, number: int) -> bool:
        """Whether a page has visible content: an image, a drawing or text."""
        with DamageIgnored():
            drawn = self._document.load_page(number - 1).get_bboxlog()
            return any(kind != _HIDDEN for kind, *_ in drawn)
        return False


def is_legible(document: Any, page: RawPage) -> bool:
    """Whether the text of a page is legible (``indexer.extract.pdf.glyphs``)."""
    if not illegible(page.text):
        return True
    if REPLACEMENT not in page.text or not mostly_unmapped(page.text):
        return False
    # The unmapped glyphs may be few distinct ones, as in a pattern or a leader.
    flags = TEXT_FLAGS | _GLYPH_NUMBERS
    numbered = document.load_page(page.number - 1).get_text("text", flags=flags)
    kinds = Counter(numbered) - Counter(page.text)
    return len(kinds) <= FEW_UNMAPPED and not illegible(page.text.replace(REPLACEMENT, ""))


def recognised_page(document: Any, page: RawPage, recognised: RecognisedPages) -> RawPage:
    """Return a page without legible text with its recognised text.

    Its own text stays if less was recognised, and counts as legible if that confirms it.
    """
    known = recognised.page(page.number)
    if not has_letters(page.text) and known.reason:
        return RawPage(page.number, "", unreadable=known.reason)
    if (use := use_of(page.text, known.lines)) is not RecognisedUse.NONE:
        return raw_page(document, page.number, known.lines, use)
    confirmed = shows(text_of(known.lines), illegible(page.text))
    return replace(page, unreadable="") if confirmed else page


def raw_page(
    document: Any,
    number: int,
    recognised: Sequence[RecognisedLine] = (),
    use: RecognisedUse = RecognisedUse.REPLACE,
) -> RawPage:
    """Read a page, or its recognised text. It is unreadable if some of it is lost."""
    pymupdf.TOOLS.reset_mupdf_warnings()
    with DamageIgnored():
        page = document.load_page(number - 1)
        lines, height, _ = read_page(page, recognised, use)
        damage = _damage(document, page)
        text, blocks = lay_out(lines, height)
        return RawPage(number, text, tuple(blocks), unreadable=damage, damaged=bool(damage))
    return RawPage(number, "", unreadable="pdf_damaged")


def _damage(document: Any, page: Any) -> str:
    """Return the reason code if the page just read is incomplete, else "".

    MuPDF only warns of damage. It also warns of damaged fonts and images, which do not affect the
    text, so the content streams are checked.
    """
    if not document.is_pdf or not _BROKEN_OFF.search(pymupdf.TOOLS.mupdf_warnings()):
        return ""
    for number in page.get_contents():
        pymupdf.TOOLS.reset_mupdf_warnings()
        with DamageIgnored():
            document.xref_stream(number)
            if _BROKEN_OFF.search(pymupdf.TOOLS.mupdf_warnings()):
                return "content_damaged"
            continue
        return "pdf_damaged"
    return ""


def read_page(
    page: Any,
    recognised: Sequence[RecognisedLine] = (),
    use: RecognisedUse = RecognisedUse.REPLACE,
) -> tuple[list[Line], float, Callable[[], dict[str, Any]]]:
    """Return the lines of a page, its height, and a function for its dictionary with characters.

    Recognised text replaces the page's text, or precedes it.
    """
    if recognised and use is RecognisedUse.BESIDE:
        content = page.get_textpage(flags=TEXT_FLAGS).extractRAWDICT()
        join_glyphs(content)
        added = recognised_text(page, beside(recognised, content, tuple(page.rotation_matrix)))
        content["blocks"] = [*added["blocks"], *content["blocks"]]
        return read_lines(content), content["height"], lambda: content
    if recognised:
        read = recognised_text(page, recognised)
        return read_lines(read), read["height"], lambda: read
    text_page = page.get_textpage(flags=TEXT_FLAGS)
    content = text_page.extractDICT()
    lines = read_lines(content)
    numbered = bool(lines) and not any(has_letters(line.text) for line in lines)
    if numbered:
        text_page = page.get_textpage(flags=TEXT_FLAGS | _GLYPH_NUMBERS)
        content = text_page.extractDICT()
        lines = read_lines(content)
    changes = _changes(page, content, [line.text for line in lines], numbered=numbered)
    if not changes:
        return lines, content["height"], text_page.extractRAWDICT
    changed = text_page.extractRAWDICT()
    for change in changes:
        change(changed)
    return read_lines(changed), content["height"], lambda: changed


def _changes(
    page: Any, content: dict[str, Any], texts: Sequence[str], *, numbered: bool
) -> list[Callable[[dict[str, Any]], None]]:
    """Return the changes to apply to a page dictionary with characters before it is read.

    If it is ``numbered``, its characters are glyph numbers, which do not show a script.
    """
    found: list[Callable[[dict[str, Any]], None]] = []
    if lacks_sizes(content):
        from indexer.extract.pdf.bitmap_fonts import set_sizes

        found.append(set_sizes)
    if needs_joining(texts):
        found.append(join_glyphs)
    if not numbered and has_complex_script(texts):
        from indexer.extract.pdf.complex_scripts import order_letters

        found.append(partial(order_letters, drawn=lambda: _glyphs(page)))
    return found


def _glyphs(page: Any) -> list[tuple[float, float, float, str]]:
    """Return edges, baseline and character of each drawn glyph, without blanks."""
    return [
        (box[0], box[2], origin[1], chr(letter))
        for span in page.get_texttrace()
        for letter, _, origin, box in span["chars"]
        if not chr(letter).isspace()
    ]


def open_source(path: Path, password: str | None, limits: Limits) -> PdfSource:
    """Open a PDF (``indexer.extract.base.Opener``)."""
    document = open_checked(path, password, limits)
    with damage_as_unreadable("pdf_damaged", path):
        return PdfSource(document, limits)


def _metadata(document: Any) -> Metadata:
    found = document.metadata or {}

    def value(key: str, most: int = 500) -> str:
        text = str(found.get(key) or "")
        return " ".join(text.encode("utf-8", "replace").decode("utf-8").split())[:most]

    date = _DATE.match(value("creationDate"))
    created = "-".join(part for part in date.groups() if part) if date else ""
    wrote = about(subject=value("subject", 2_000), keywords=value("keywords", 2_000))
    own = wrote if document.is_pdf else ()
    return Metadata(value("title"), value("author"), created, labels=_labels(document), about=own)


def _labels(document: Any) -> tuple[str, ...]:
    """Return the labels of the first pages, unless they are page numbers or damaged."""
    with DamageIgnored():
        rules = document.get_page_labels() if document.is_pdf else []
        return tuple(page_labels(rules, min(document.page_count, MAX_LABELS))) if rules else ()
    return ()


def read_outline(document: Any) -> tuple[OutlineEntry, ...]:
    """Return at most ``MAX_OUTLINE_ENTRIES`` of a document's outline, nothing if it is damaged."""
    rows: list[tuple[int, str, int]] = []
    with DamageIgnored():
        rows = document.get_toc(simple=True)
    entries = []
    for level, title, page in rows[:MAX_OUTLINE_ENTRIES]:
        text = " ".join(str(title).encode("utf-8", "replace").decode("utf-8").split())
        if text and page > 0:
            entries.append(OutlineEntry(level, text, page))
    return tuple(entries)
