"""``lectern text``: print the text that Lectern reads from a document.

A confined reader reads the document anew, whether a library has it or not. If a library has it, its
recognised pages are used, and its languages decide the encoding of short texts in old encodings.
For a document that is not on this machine the command prints the text that the library holds.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from app import render
from app.cli_common import Command, CommandContext, LibraryUse, absolute_path, existing
from indexer.api.codec import encode
from indexer.api.errors import LecternError, WorldError, bad_usage
from indexer.api.formats import page_unit
from indexer.api.phrases import english, read_detail, reason_in

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo
    from indexer.extract.process.messages import KnownPages, TextSent

_PAGES = re.compile(r"(\d{1,9})(-(\d{1,9})?)?")
_LAST = 10**9


class _Read(Struct):
    """What the reader reports about a document besides its text."""

    info: DocumentInfo | None = None
    textless: list[int] = field(default_factory=list)

    def recognised(self, piece: TextSent) -> TextSent:
        """Remove a scanned page from ``textless`` if a library has recognised text for it."""
        if piece.page in self.textless and piece.text.strip():
            self.textless.remove(piece.page)
        return piece

    def decide(self, info: DocumentInfo) -> bool:
        self.info = info
        return True


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="a document, in the library or not")
    parser.add_argument(
        "--pages", type=page_range, default=(1, _LAST), metavar="A-B",
        help="only these pages, slides, sheets or messages: 3, 3-7 or 3-",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def page_range(text: str) -> tuple[int, int]:
    """Parse the first and the last page. Raises ``ArgumentTypeError`` if they are no range."""
    found = _PAGES.fullmatch(text)
    first = int(found[1]) if found else 0
    last = int(found[3] or _LAST) if found and found[2] else first
    if not 1 <= first <= last:
        raise ArgumentTypeError("pages are 3, 3-7 or 3-")
    return first, last


def _run(options: Namespace, context: CommandContext) -> None:
    from indexer.extract.process.sandbox import ExtractionChild

    try:
        path = existing(options.path)
    except WorldError as error:
        if error.code == "path_missing" and _print_stored(options, context):
            return
        raise
    if not path.is_file():
        raise bad_usage("text", "it takes one document")
    first, last = options.pages
    read = _Read()
    try:
        with ExtractionChild(context.config().limits) as child:
            known = _recognised(context.library, path)
            pieces = child.text(
                path, read.decide, recognised=known, on_textless=read.textless.extend,
                languages=_languages(context.library, path),
            )  # fmt: skip
            if known is not None:
                pieces = map(read.recognised, pieces)
            wanted = (piece for piece in pieces if first <= piece.page <= last)
            if options.json:
                context.print_json(_as_json(path, wanted, read))
            else:
                context.out.writelines(_lines(wanted, read))
    finally:
        context.note(*_notes(read))


def _print_stored(options: Namespace, context: CommandContext) -> bool:
    """Print the library's text of a document that is not here; return False if it has none."""
    from indexer.api.requests import ReadPassages
    from indexer.extract.process.messages import TextSent
    from indexer.library.library import exists

    path, (first, last) = absolute_path(options.path), options.pages
    if not exists(context.library):
        return False
    try:
        with context.engine() as engine:
            part = engine.call(ReadPassages(path))
            passages = [*part.passages]
            while part.following:
                part = engine.call(ReadPassages(path, part.following))
                passages += part.passages
    except WorldError as error:
        if error.code == "not_a_root":
            return False
        raise
    chosen = [one for one in passages if first <= one.page_last and one.page <= last]
    pieces = [TextSent(one.page, "", f"{one.text.rstrip()}\n") for one in chosen]
    if options.json:
        context.print_json({**encode(part.document), **_as_json(path, pieces, _Read())})
    else:
        context.out.writelines(_lines(pieces, _Read(), part.document.format))
    context.note("The document is not on this machine; this is its text as it was read.")
    return True


def _recognised(library: Path, path: Path) -> KnownPages | None:
    """Return where the recognised pages of a file are in the library, if it has any."""
    from indexer.extract.process.messages import KnownPages
    from indexer.files.walk import content_id
    from indexer.ocr.cache import FILE_NAME

    if not (library / FILE_NAME).exists():
        return None
    return KnownPages(library, content_id(bytes(path)).content_id)


def _languages(library: Path, path: Path) -> tuple[str, ...]:
    """Return the languages of a library's documents, by which short legacy texts are decoded.

    The catalog is opened for reading only, since an engine may be using it.
    """
    from indexer.catalog.catalog import Catalog
    from indexer.library.library import CATALOG_NAME
    from indexer.pipeline.reading import ExpectedLanguages

    if not (library / CATALOG_NAME).exists():
        return ()
    try:
        only_read = WorldError("library_unwritable", library=str(library))
        with closing(Catalog(library / CATALOG_NAME, only_read)) as catalog:
            return ExpectedLanguages(catalog.docs.languages()).beside(bytes(path))
    except LecternError:  # the document can be read even if the library is damaged or too new
        return ()


def _by_part(pieces: Iterable[TextSent]) -> Iterator[tuple[int, str, Iterator[str]]]:
    for (page, part), group in groupby(pieces, lambda piece: (piece.page, piece.part)):
        yield page, part, (piece.text for piece in group)


def _lines(pieces: Iterable[TextSent], read: _Read, form: str = "") -> Iterator[str]:
    """Yield the text, with a line in brackets before each page and each embedded document."""
    printed: set[int] = set()
    for page, part, texts in _by_part(pieces):
        first = next(texts, "")
        if page in printed and not first.strip():
            continue  # a remark on a page that was read before
        printed.add(page)
        unit = page_unit(read.info.format if read.info is not None else form)
        where = [f"{unit} {page}" if unit else "", render.name(part)]
        if any(where):
            yield f"[{', '.join(filter(None, where))}]\n"
        yield from map(render.document_text, chain([first], texts))


def _as_json(path: Path, pieces: Iterable[TextSent], read: _Read) -> dict[str, object]:
    text = [
        {"page": page, "part": part, "text": "".join(texts).removesuffix("\n")}
        for page, part, texts in _by_part(pieces)
    ]
    known = encode(read.info) if read.info is not None else {}
    return {"path": str(path), **known, "textless_pages": read.textless, "text": text}


def _notes(read: _Read) -> Iterator[str]:
    """Yield what is missing in the text, and why."""
    if read.info is not None and read.info.bad_pages:
        detail = read_detail(read.info.lost)
        code = reason_in(detail, "content_damaged")
        reason = english(code, detail)
        yield (
            reason
            if code == "parts_unread"
            else f"Not read: {render.pages(read.info.bad_pages)} ({reason})."
        )
    if read.textless:
        yield f"Scanned, without recognised text: {render.pages(read.textless)}."


COMMANDS = (
    Command(
        "text",
        "print what is read of a document",
        "Print the text that Lectern reads of a document, as the reading view shows it: with its "
        "pages, slides, sheets or messages, and the documents inside it. Searches find this text. "
        "The document may lie anywhere; a confined process reads it and keeps nothing. For a "
        "document that is not on this machine, the text in the library is printed. Pages that "
        "could not be read are listed on the standard error.",
        (
            ("lectern text lease.pdf", "all of it"),
            ("lectern text lease.pdf --pages 3-5", "three pages"),
            ("lectern text --json inbox.mbox", "for a program"),
        ),
        _arguments,
        _run,
        LibraryUse.ASKS,
    ),
)
