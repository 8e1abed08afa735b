"""The comments that readers of a PDF left in it: sticky notes, marked words, text boxes, replies.

Each is a text of its own that begins with ``ANNOTATION_SIGN``, its kind, its author, its date and
its colour. Runs in child processes only.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import pymupdf

from indexer.api.types import ANNOTATION_SIGN
from indexer.extract.plain.decode import without_surrogates

if TYPE_CHECKING:
    Box = tuple[float, float, float, float]

_MOST_ON_PAGE = 2_000
_MOST_CHARS = 20_000  # of one comment or of the words that it marks
_MOST_REPLIES = 200
# Kinds of annotations that mark words, with the names that people know.
_MARKED = {
    "Highlight": "Highlight", "Underline": "Underlined", "StrikeOut": "Struck out",
    "Squiggly": "Underlined",
}  # fmt: skip
_NAMES = {
    **_MARKED, "Text": "Note", "FreeText": "Text box", "Caret": "Insertion", "Ink": "Drawing",
    "PolyLine": "Drawing", "FileAttachment": "Attachment",
}  # fmt: skip
_NOT_COMMENTS = frozenset({"Popup", "Link", "Widget", "Watermark", "PrinterMark", "TrapNet"})
_SEEN_OFTEN = (pymupdf.PDF_ANNOT_LINK, pymupdf.PDF_ANNOT_WIDGET, pymupdf.PDF_ANNOT_POPUP)
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_TAG = re.compile(r"<[^>]*>")
_PARAGRAPH = re.compile(r"</p>|<br ?/?>", re.IGNORECASE)
_COLOURS = {
    "yellow": (1, 0.95, 0), "green": (0.2, 0.85, 0.2), "blue": (0.2, 0.4, 1), "red": (1, 0, 0),
    "orange": (1, 0.6, 0), "purple": (0.6, 0.2, 0.8), "pink": (1, 0.6, 0.8), "cyan": (0, 0.9, 1),
    "brown": (0.6, 0.35, 0.1), "grey": (0.5, 0.5, 0.5), "black": (0, 0, 0), "white": (1, 1, 1),
}  # fmt: skip
# The shares of the components of other colour spaces, by the number of components.
_GREY, _RGB, _CMYK = 1, 3, 4


@dataclass(slots=True)
class PageAnnotation:
    """A comment with its replies; ``box`` is where it is on the unrotated page, in points."""

    label: str
    comment: str
    words: str  # that it marks
    box: Box
    replies: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text that is searched and shown."""
        said = f": {self.comment}" if self.comment else ""
        marked = [f"\u201c{self.words}\u201d"] if self.words else []
        return "\n".join([f"{ANNOTATION_SIGN} {self.label}{said}", *marked, *self.replies])


def is_annotated(document: Any, number: int) -> bool:
    """Return whether a page (from 1) may have comments or attached files, without loading it."""
    return any(kind not in _SEEN_OFTEN for _, kind, _ in document.page_annot_xrefs(number - 1))


def read_annotations(page: Any) -> list[PageAnnotation]:
    """Return the comments of an open page, in its order, without those that say nothing."""
    found: dict[int, PageAnnotation] = {}
    answered: dict[int, int] = {}
    letters: list[tuple[float, float, str]] | None = None
    for annotation in islice(page.annots(), _MOST_ON_PAGE):
        kind, number = str(annotation.type[1]), annotation.xref
        if kind in _NOT_COMMENTS:
            continue
        comment = _comment(page.parent, annotation)
        if annotation.irt_xref:
            # A reply may answer a reply.
            parent = answered[number] = answered.get(annotation.irt_xref, annotation.irt_xref)
            if parent in found:
                _reply(page.parent, annotation, found[parent], comment)
                continue
        words = ""
        if kind in _MARKED:
            letters = _letters(page) if letters is None else letters
            words = _marked_words(letters, annotation.vertices or ())
        if comment or words:
            label = _label(_NAMES.get(kind, kind), annotation.info, _colour(annotation.colors))
            found[number] = PageAnnotation(label, comment, words, _unrotated(annotation))
    return list(found.values())


def _reply(document: Any, annotation: Any, thread: PageAnnotation, comment: str) -> None:
    # Acrobat keeps the state of a review ("Accepted") as a reply, too.
    is_state = document.xref_get_key(annotation.xref, "StateModel")[0] != "null"
    if comment and not is_state and len(thread.replies) < _MOST_REPLIES:
        thread.replies.append(f"{_label('', annotation.info, '') or 'Reply'}: {comment}")


def _comment(document: Any, annotation: Any) -> str:
    text = str(annotation.info.get("content") or "")
    if not text.strip():
        kind, rich = document.xref_get_key(annotation.xref, "RC")
        if kind == "string":
            text = html.unescape(_TAG.sub("", _PARAGRAPH.sub("\n", rich)))
    lines = without_surrogates(text[:_MOST_CHARS]).replace("\r\n", "\n").replace("\r", "\n")
    return lines.replace("\x00", "").strip()


def _label(name: str, info: dict[str, Any], colour: str) -> str:
    author = " ".join(without_surrogates(str(info.get("title") or "")).split())[:100]
    found = _DATE.match(str(info.get("modDate") or info.get("creationDate") or ""))
    date = "-".join(found.groups()) if found else ""
    return ", ".join(filter(None, (name, author, date, colour)))


def _colour(colours: dict[str, Any]) -> str:
    """Return the name of the closest colour, "" for none."""
    given: list[float] = colours.get("stroke") or colours.get("fill") or []
    rgb: tuple[float, ...]
    if len(given) == _GREY:
        rgb = (given[0],) * 3
    elif len(given) == _CMYK:
        rgb = tuple((1 - each) * (1 - given[3]) for each in given[:3])
    elif len(given) == _RGB:
        rgb = tuple(given)
    else:
        return ""
    return min(
        _COLOURS,
        key=lambda name: sum((a - b) ** 2 for a, b in zip(rgb, _COLOURS[name], strict=True)),
    )


def _letters(page: Any) -> list[tuple[float, float, str]]:
    """Return the characters of a page and their middles; a line feed follows each line."""
    content = page.get_textpage(flags=pymupdf.TEXT_PRESERVE_WHITESPACE).extractRAWDICT()
    found: list[tuple[float, float, str]] = []
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                for each in span["chars"]:
                    x0, y0, x1, y1 = each["bbox"]
                    found.append(((x0 + x1) / 2, (y0 + y1) / 2, each["c"]))
            if found:
                found.append((*found[-1][:2], "\n"))
    return found


def _marked_words(letters: list[tuple[float, float, str]], corners: Any) -> str:
    """Return the words whose letters are in the quadrilaterals with these corners."""
    boxes = [
        (min(xs), min(ys), max(xs), max(ys))
        for at in range(0, len(corners) - 3, 4)
        for xs, ys in [zip(*corners[at : at + 4], strict=True)]
    ]
    text = "".join(
        letter
        for x, y, letter in letters
        if any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in boxes)
    )
    return "\n".join(filter(None, map(str.strip, text.splitlines())))[:_MOST_CHARS]


def _unrotated(annotation: Any) -> Box:
    box = annotation.rect * annotation.parent.derotation_matrix
    return box.x0, box.y0, box.x1, box.y1
