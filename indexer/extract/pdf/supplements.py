"""What a PDF holds beside its pages: comments, attachments, keywords, bookmarks, values of a form.

They follow the pages, each as a part with the number of the page where it belongs. The pages of an
XFA form are shown by Adobe's programs alone, others show "Please wait": its printed words and its
values are read, unless its fields are drawn on the pages as well. Runs in child processes only.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import RawBlock, RawPage
from indexer.extract.budget import Budget
from indexer.extract.embedded.archive import is_document
from indexer.extract.embedded.attachments import MAX_NAME_CHARS, Attachment, AttachmentReader
from indexer.extract.office.xml import local, read_tree
from indexer.extract.page_writer import PageWriter
from indexer.extract.pdf.annotations import is_annotated, read_annotations
from indexer.extract.plain.decode import without_surrogates
from indexer.extract.registry import IMAGE, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from indexer.api.types import OutlineEntry
    from indexer.config import Limits


_MAX_NODES = 500_000
_REFERENCE = re.compile(r"(\d+) 0 R")
_TEXTS = ("{*}text", "{*}exData", "{*}decimal", "{*}integer", "{*}date", "{*}float")


def form_lines(document: Any, budget: Budget) -> list[str]:
    """Return the lines of the XFA form of an open PDF; none if it has none, or draws its fields.

    Raises:
        WorldError: ``too_complex`` if it exceeds a limit.
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
    root, _ = read_tree([data], budget, _MAX_NODES)
    return [] if root is None else list(_lines(root))


def _lines(root: Any) -> Iterator[str]:
    """Yield the printed words and the fields with their values, then the values without a field."""
    values: dict[str, list[str]] = {}
    for element in root.iterfind(".//{*}datasets/{*}data//{*}*"):
        text = _folded(element.text or "")
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
    return _folded(" ".join("".join(each.itertext()) for each in value.iter(*_TEXTS)))


def _folded(text: str) -> str:
    return " ".join(text.split())


COMMENTS, BOOKMARKS, PROPERTIES, FORM = "comments", "bookmarks", "properties", "form"
_MAX_DEPTH = 3  # PDFs in PDFs
_MAX_CHARS = 2_000_000  # of comments
_MAX_BOOKMARKS = 2_000
# The data of an electronic invoice, which its page shows.
_INVOICES = frozenset({
    "factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml", "cii.xml",
})  # fmt: skip
_SIGNS = re.compile(r"[\W_]+")


class PdfSupplements:
    """Collects them while the pages of a document are read; ``on_page`` is called at each step."""

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
        self._attached: list[tuple[int, Attachment]] = []

    def see(self, page: RawPage) -> None:
        """Collect the comments and attached files of a page, and the bookmarks that it lacks."""
        if titles := self._titles.pop(page.number, []):
            missing = [title for title in titles if title not in page.text]
            shown = _key(page.text) if missing else ""
            missing = [title for title in missing if _key(title) not in shown]
            if missing and len(self._bookmarks) < _MAX_BOOKMARKS:
                self._bookmarks.append(_aside(page.number, dict.fromkeys(missing), BOOKMARKS))
        if self._characters > _MAX_CHARS:
            return
        try:
            if not is_annotated(self._document, page.number):
                return
            loaded = self._document.load_page(page.number - 1)
            texts = [each.text for each in read_annotations(loaded)]
            self._attached += [(page.number, each) for each in _of_page(loaded)]
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001  # PyMuPDF raises many types; the page is read without them
            return
        self._characters += sum(map(len, texts))
        if texts:
            self._comments.append(_aside(page.number, texts, COMMENTS))

    def pages(self, *, alone: bool) -> Iterator[RawPage]:
        """Yield everything; ``alone`` without attachments, one of which crashed the reader."""
        yield from self._comments
        yield from self._bookmarks
        if lines := _property_lines(self._document.metadata or {}):
            yield _aside(1, lines, PROPERTIES)
        budget = Budget(self._limits)
        yield from self._form(budget)
        yield from self._attachments(budget, alone=alone)

    def _form(self, budget: Budget) -> Iterator[RawPage]:
        try:
            lines = form_lines(self._document, budget)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001  # as above
            reason = error.reason if isinstance(error, WorldError) else "content_damaged"
            yield RawPage(1, "", unreadable=reason, part=FORM)
            return
        if lines:
            yield _page(1, lines, FORM, BlockKind.PARAGRAPH)

    def _attachments(self, budget: Budget, *, alone: bool) -> Iterator[RawPage]:
        writer = PageWriter(Budget(self._limits))
        reader = AttachmentReader(writer, self._limits.characters // 2, self._on_page)
        for number, each in (*_of_document(self._document), *self._attached):
            if not _is_read(each.name):
                continue
            writer.page = number
            if alone or budget.depth >= _MAX_DEPTH:
                reason = "stops_reader" if alone else "part_too_deep"
                yield RawPage(number, "", unreadable=reason, part=each.name)
            else:
                yield from reader.read(each, budget, 1)


def _aside(number: int, texts: Iterable[str], part: str) -> RawPage:
    return _page(number, texts, part, BlockKind.ASIDE)


def _page(number: int, texts: Iterable[str], part: str, kind: BlockKind) -> RawPage:
    """Return a page of blocks of one kind."""
    blocks, at = [], 0
    whole = "\n".join(texts := list(texts))
    for text in texts:
        blocks.append(RawBlock(at, at + len(text), kind))
        at += len(text) + 1
    return RawPage(number, whole, tuple(blocks), part=part)


def _property_lines(found: dict[str, Any]) -> list[str]:
    """Return what the author wrote about the document, except for its title."""
    values = (
        (name, _line(str(found.get(name.lower()) or ""), 2_000)) for name in ("Subject", "Keywords")
    )
    lines = [f"{name}: {value}" for name, value in values if value]
    return ["\n".join(lines)] if lines else []


def _of_document(document: Any) -> Iterator[tuple[int, Attachment]]:
    """Yield the files of a portfolio, and others that are attached to the document."""
    try:
        infos = [document.embfile_info(at) for at in range(document.embfile_count())]
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # as above: their list is damaged
        return
    for at, info in enumerate(infos):
        name = str(info.get("ufilename") or info.get("filename") or info.get("name") or "")
        yield 1, _attachment(name, partial(document.embfile_get, at))


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
    def save(path: Path, budget: Budget) -> None:
        try:
            data = content()
        except MemoryError:
            raise
        except Exception as error:  # PyMuPDF raises many types
            raise WorldError("unreadable", reason="content_damaged") from error
        budget.spend_bytes(len(data))
        path.write_bytes(data)

    return Attachment(_line(name, MAX_NAME_CHARS) or "?", "", save)


def _is_read(name: str) -> bool:
    """Whether an attachment is read, or reported as unread, by its name."""
    if name.lower() in _INVOICES:
        return False
    known = by_name(Path(name))
    return is_document(name) or known is IMAGE


def _line(text: str, most: int) -> str:
    return " ".join(without_surrogates(text).split())[:most].strip()


def _key(text: str) -> str:
    return _SIGNS.sub("", text.casefold())
