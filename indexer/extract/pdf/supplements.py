"""Reads a PDF's comments, attachments, bookmarks, links and values of forms.

They follow the pages, each as a part with the number of the page where it belongs. A comment begins
with ``ANNOTATION_SIGN``, its kind, its author, its date and its colour. Only Adobe's programs show
the pages of an XFA form, and others show "Please wait". Its printed words and its values are read,
unless its fields are also drawn on the pages. Runs in child processes only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pymupdf
from msgspec import Struct, field

from indexer.api.errors import WorldError
from indexer.api.types import ANNOTATION_SIGN, BlockKind, OutlineEntry
from indexer.extract.base import RawPage, damage_as_unreadable
from indexer.extract.document import Budget, letters_of
from indexer.extract.embedded.archive import is_document
from indexer.extract.embedded.attachments import (
    MAX_NAME_CHARS,
    Attachment,
    AttachmentReader,
    charged,
)
from indexer.extract.office.xml import local, read_tree
from indexer.extract.page_writer import COMMENTS, PageWriter, part_page
from indexer.extract.pdf.glyphs import characters_of, lines_of
from indexer.extract.pdf.opening import DamageIgnored
from indexer.extract.registry import IMAGE, by_name
from indexer.text.view import without_surrogates

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.ocr.layer import Box


_MOST_ON_PAGE = 2_000
_MOST_CHARS = 20_000  # in a comment, or in the words that it marks
_MOST_REPLIES = 200
# Kinds of annotations that mark words, with their common names.
_MARKED = {
    "Highlight": "Highlight", "Underline": "Underlined", "StrikeOut": "Struck out",
    "Squiggly": "Underlined",
}  # fmt: skip
_NAMES = {
    **_MARKED, "Text": "Note", "FreeText": "Text box", "Caret": "Insertion", "Ink": "Drawing",
    "PolyLine": "Drawing", "FileAttachment": "Attachment",
}  # fmt: skip
_NOT_COMMENTS = frozenset({"Popup", "Link", "Widget", "Watermark", "PrinterMark", "TrapNet"})
_WIDGET, _LINK = pymupdf.PDF_ANNOT_WIDGET, pymupdf.PDF_ANNOT_LINK
_SCHEME = re.compile(r"[a-z]+:(?://)?(?:www\.)?", re.IGNORECASE)
_MOST_TARGET = 500
_LEAST_CLIPPED, _PASSWORD = 20, 1 << 13  # characters of a value, and a flag of its field
_SEEN_OFTEN = {_LINK, _WIDGET, pymupdf.PDF_ANNOT_POPUP}
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")
_TAG = re.compile(r"<[^>]*>")
_PARAGRAPH = re.compile(r"</p>|<br ?/?>", re.IGNORECASE)
_COLOURS = {
    "yellow": (1, 0.95, 0), "green": (0.2, 0.85, 0.2), "blue": (0.2, 0.4, 1), "red": (1, 0, 0),
    "orange": (1, 0.6, 0), "purple": (0.6, 0.2, 0.8), "pink": (1, 0.6, 0.8), "cyan": (0, 0.9, 1),
    "brown": (0.6, 0.35, 0.1), "grey": (0.5, 0.5, 0.5), "black": (0, 0, 0), "white": (1, 1, 1),
}  # fmt: skip
# Colour spaces by their numbers of components.
_GREY, _RGB, _CMYK = 1, 3, 4


class PageAnnotation(Struct):
    """A comment with its replies. ``box`` is its place on the unrotated page, in points."""

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


def unseen_values(document: Any, fields: Sequence[int], text: str) -> list[str]:
    """Return the values of a page's fields that are too long to be shown whole in its text."""
    found = []
    shown = letters_of(text) if fields else ""
    for xref in fields[:_MOST_ON_PAGE]:
        kind, value = document.xref_get_key(xref, "V")
        if kind == "string" and len(value) >= _LEAST_CLIPPED and letters_of(value) not in shown:
            flags = document.xref_get_key(xref, "Ff")[1]
            if not (flags.isdecimal() and int(flags) & _PASSWORD):
                found.append(without_surrogates(value[:_MOST_CHARS]).replace("\x00", ""))
    return found


def read_annotations(page: Any) -> list[PageAnnotation]:
    """Return the comments of an open page, in its order, without empty ones."""
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
                # Acrobat keeps the state of a review ("Accepted") as a reply, too.
                is_state = page.parent.xref_get_key(number, "StateModel")[0] != "null"
                replies = found[parent].replies
                if comment and not is_state and len(replies) < _MOST_REPLIES:
                    replies.append(f"{_label('', annotation.info, '') or 'Reply'}: {comment}")
                continue
        words = ""
        if kind in _MARKED:
            letters = _letters(page) if letters is None else letters
            words = _marked_words(letters, annotation.vertices or ())
        if comment or words:
            label = _label(_NAMES.get(kind, kind), annotation.info, _colour(annotation.colors))
            box = tuple(annotation.rect * page.derotation_matrix)
            found[number] = PageAnnotation(label, comment, words, box)
    return list(found.values())


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
    """Return the middles and characters of a page, with a line feed after each line."""
    content = page.get_textpage(flags=pymupdf.TEXT_PRESERVE_WHITESPACE).extractRAWDICT()
    found: list[tuple[float, float, str]] = []
    for line in lines_of(content):
        for each in characters_of(line):
            x0, y0, x1, y1 = each["bbox"]
            found.append(((x0 + x1) / 2, (y0 + y1) / 2, each["c"]))
        if found:
            found.append((*found[-1][:2], "\n"))
    return found


def _marked_words(letters: list[tuple[float, float, str]], corners: Any) -> str:
    """Return the words with letters in the quadrilaterals that have these corners."""
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


_MAX_NODES = 500_000
_DECLARATION = re.compile(rb"<\?xml[^>]*>")
_REFERENCE = re.compile(r"(\d+) 0 R")
_TEXTS = ("{*}text", "{*}exData", "{*}decimal", "{*}integer", "{*}date", "{*}float")


def form_lines(document: Any, budget: Budget) -> list[str]:
    """Return the lines of an open PDF's XFA form, if it has one and does not draw its fields.

    Raises ``too_complex`` if it exceeds a limit.
    """
    catalog = document.pdf_catalog()
    kind, value = document.xref_get_key(catalog, "AcroForm/XFA")
    if kind == "null":
        return []
    drawn = document.xref_get_key(catalog, "AcroForm/Fields")[1] not in ("null", "[]")
    if drawn and document.xref_get_key(catalog, "NeedsRendering")[1] != "true":
        return []
    numbers = [int(number) for number in _REFERENCE.findall(value)]
    data = b"".join(document.xref_stream(number) or b"" for number in numbers)
    budget.spend_bytes(len(data))
    if b":xdp>" not in data:  # packets without an element around them
        data = b"<xdp>%s</xdp>" % _DECLARATION.sub(b"", data)
    root, _ = read_tree([data], budget, _MAX_NODES)
    return [] if root is None else list(_lines(root))


def _lines(root: Any) -> Iterator[str]:
    """Yield the printed words, the fields with their values, then the values without fields."""
    values: dict[str, list[str]] = {}
    for element in root.iterfind(".//{*}datasets/{*}data//{*}*"):
        text = " ".join((element.text or "").split())
        if text and len(element) == 0:
            values.setdefault(local(element), []).append(text)
    for element in root.iterfind(".//{*}template//{*}*"):
        name = local(element)
        if name == "draw":
            yield from filter(None, [_said(element.find("{*}value"))])
        elif name in {"field", "exclGroup"}:
            caption = _said(element.find("{*}caption/{*}value"))
            given = values.pop(element.get("name", ""), [])
            given = given or [_said(element.find("{*}value"))]
            line = ": ".join(filter(None, (caption, "; ".join(filter(None, given)))))
            if line:
                yield line
    for name, given in values.items():
        yield f"{name}: {'; '.join(given)}"


def _said(value: Any) -> str:
    """Return the text in a value, plain or rich."""
    if value is None:
        return ""
    return " ".join(" ".join("".join(each.itertext()) for each in value.iter(*_TEXTS)).split())


BOOKMARKS, FORM, LINKS = "bookmarks", "form", "links"
_MAX_DEPTH = 3  # PDFs in PDFs
_MAX_CHARS = 2_000_000  # of comments
_MAX_BOOKMARKS = 2_000
_LONG_QUERY = re.compile(r"[?#].{33,}")  # tokens and hashes in a link, which nobody types
_MAX_LINKS = 200  # a document with more is a saved site, or links to references
# The data of an electronic invoice, which are also on its page.
_INVOICES = frozenset({
    "factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml", "cii.xml",
})  # fmt: skip


class PdfSupplements:
    """Collects supplements while pages are read, calling ``on_page`` at each step."""

    def __init__(
        self,
        document: Any,
        limits: Limits,
        outline: Sequence[OutlineEntry],
        on_page: Callable[[], None],
    ) -> None:
        self._document = document
        self._limits = limits
        self._on_page = on_page
        self._comments: list[RawPage] = []
        self._characters = 0
        self._titles: dict[int, list[str]] = {}
        for entry in outline:
            self._titles.setdefault(entry.page, []).append(entry.title)
        self._bookmarks: list[RawPage] = []
        self._links: list[RawPage] = []
        self._linked: set[str] = set()
        self._attached: list[tuple[int, Attachment]] = []
        self._listed: set[int] = set()  # associated files, which many pages may share

    def see(self, page: RawPage) -> None:
        """Collect a page's comments and attached files, and its bookmarks that its text lacks."""
        if titles := self._titles.pop(page.number, []):
            missing = [title for title in titles if title not in page.text]
            shown = letters_of(page.text) if missing else ""
            missing = [title for title in missing if letters_of(title) not in shown]
            if missing and len(self._bookmarks) < _MAX_BOOKMARKS:
                self._bookmarks.append(part_page(page.number, dict.fromkeys(missing), BOOKMARKS))
        if self._characters > _MAX_CHARS:
            return
        with DamageIgnored():
            placed: dict[int, list[int]] = {}
            for xref, kind, _ in self._document.page_annot_xrefs(page.number - 1):
                if xref or kind not in _SEEN_OFTEN:  # those without a number are unreachable
                    placed.setdefault(kind, []).append(xref)
            values = unseen_values(self._document, placed.get(_WIDGET, ()), page.text)
            self._characters += sum(map(len, values))
            if values:
                self._comments.append(part_page(page.number, values, FORM, BlockKind.PARAGRAPH))
            owner = self._document.page_xref(page.number - 1)
            found = _associated(self._document, owner, self._listed)
            self._attached += ((page.number, each) for each in found)
            self._see_links(page, placed.get(_LINK, ()))
            if placed.keys() <= _SEEN_OFTEN:  # it has neither comments nor attached files
                return
            loaded = self._document.load_page(page.number - 1)
            texts = [each.text for each in read_annotations(loaded)]
            self._attached += [(page.number, each) for each in _of_page(loaded)]
            self._characters += sum(map(len, texts))
            if texts:
                self._comments.append(part_page(page.number, texts, COMMENTS))

    def _see_links(self, page: RawPage, links: Sequence[int]) -> None:
        """Collect the targets of a page's links that its text lacks."""
        said = letters_of(page.text) if links else ""
        missing = []
        for link in links[: _MAX_LINKS + 1 - len(self._linked)]:
            target = _line(self._document.xref_get_key(link, "A/URI")[1], _MOST_TARGET)
            target = _LONG_QUERY.sub("", target)
            place = letters_of(_SCHEME.sub("", target))
            if "." in target and place not in self._linked:
                self._linked.add(place)
                if place not in said:
                    missing.append(target)
        if missing:
            self._links.append(part_page(page.number, missing, LINKS, BlockKind.BOILERPLATE))

    def pages(self, *, alone: bool) -> Iterator[RawPage]:
        """Yield all supplements, ``alone`` without attachments, one of which crashed the reader."""
        yield from self._comments
        yield from self._bookmarks
        if len(self._linked) <= _MAX_LINKS:
            yield from self._links
        budget = Budget(self._limits)
        yield from self._form(budget)
        yield from self._attachments(budget, alone=alone)

    def _form(self, budget: Budget) -> Iterator[RawPage]:
        try:
            with damage_as_unreadable("content_damaged"):
                lines = form_lines(self._document, budget)
        except WorldError as error:
            yield RawPage(1, "", unreadable=error.reason, part=FORM)
            return
        if lines:
            yield part_page(1, lines, FORM, BlockKind.PARAGRAPH)

    def _attachments(self, budget: Budget, *, alone: bool) -> Iterator[RawPage]:
        listed = list(_of_document(self._document))
        names = {each.name for _, each in listed}
        owner = self._document.pdf_catalog()
        beside = _associated(self._document, owner, self._listed)
        added = [(1, each) for each in (*_in_branches(self._document, self._listed), *beside)]
        added = [one for one in (*added, *self._attached) if one[1].name not in names]
        found = [(number, each) for number, each in (*listed, *added) if _is_read(each.name)]
        if not found:
            return
        writer = PageWriter(Budget(self._limits))
        reader = AttachmentReader(writer, self._limits, self._on_page)
        for number, each in found:
            writer.page = number
            if alone or budget.depth >= _MAX_DEPTH:
                reason = "stops_reader" if alone else "part_too_deep"
                yield RawPage(number, "", unreadable=reason, part=each.name)
            else:
                yield from reader.read_attachment(each, budget, 1)


def _of_document(document: Any) -> Iterator[tuple[int, Attachment]]:
    """Yield the files of a portfolio, and others that are attached to the document."""
    infos: list[dict[str, Any]] = []
    with DamageIgnored():
        infos = [document.embfile_info(at) for at in range(document.embfile_count())]
    for at, info in enumerate(infos):
        name = str(info.get("ufilename") or info.get("filename") or info.get("name") or "")
        yield 1, _attachment(name, partial(document.embfile_get, at))


def _in_branches(document: Any, listed: set[int]) -> Iterator[Attachment]:
    """Yield the files that are listed in a tree, as in a document with many files."""
    waiting = [(document.pdf_catalog(), "Names/EmbeddedFiles/")]
    for _ in range(_MOST_ON_PAGE):
        if not waiting:
            break
        owner, path = waiting.pop()
        if path == "":
            yield from _associated(document, owner, listed, "Names")
        kids = _REFERENCE.findall(document.xref_get_key(owner, f"{path}Kids")[1])
        waiting += ((int(kid), "") for kid in kids[::-1] if int(kid) < document.xref_length())


def _associated(
    document: Any, owner: int, listed: set[int], key: str = "AF"
) -> Iterator[Attachment]:
    """Yield a document's or page's associated files that are not ``listed``, and list them."""
    kind, value = document.xref_get_key(owner, key)
    if kind == "xref":
        value = document.xref_object(int(value.split()[0]))
    for number in map(int, _REFERENCE.findall(value)[:_MOST_ON_PAGE]):
        if number in listed or number >= document.xref_length():
            continue
        listed.add(number)
        names = (document.xref_get_key(number, key) for key in ("UF", "F"))
        name = next((name for kind, name in names if kind == "string"), "")
        kind, stream = document.xref_get_key(number, "EF/F")
        if kind == "xref":
            yield _attachment(name, partial(document.xref_stream, int(stream.split()[0])))


def _of_page(page: Any) -> Iterator[Attachment]:
    """Yield the files that are attached to a place of a page."""
    for annotation in page.annots(types=(_FILE_ATTACHMENT,)):
        number = annotation.xref
        name = str(annotation.file_info.get("filename") or "")
        yield _attachment(name, partial(_file_of, page.parent, page.number, number))


_FILE_ATTACHMENT = 17  # PyMuPDF's number of the kind


def _file_of(document: Any, page: int, number: int) -> bytes:
    loaded = document.load_page(page)
    return bytes(next(each for each in loaded.annots() if each.xref == number).get_file())


def _attachment(name: str, content: Callable[[], bytes]) -> Attachment:
    def pieces(budget: Budget) -> Iterator[bytes]:
        with damage_as_unreadable("content_damaged"):
            data = content()
        return charged([data], budget)

    return Attachment(_line(name, MAX_NAME_CHARS) or "?", "", pieces)


def _is_read(name: str) -> bool:
    """Whether the name of an attachment is one to be read, or to be reported as unread."""
    if name.lower() in _INVOICES:
        return False
    return is_document(name) or by_name(Path(name)) is IMAGE


def _line(text: str, most: int) -> str:
    return " ".join(without_surrogates(text).split())[:most].strip()
