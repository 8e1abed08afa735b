"""E-books in FictionBook format (FB2), alone or in a zip file: sections with their titles.

Sections may be in each other; they are read piece by piece, without the pictures. MuPDF reads the
format too, but lays it out on pages that the book does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from indexer.api.types import BlockKind
from indexer.extract.base import Metadata
from indexer.extract.markup.epub import BOOK_DATE
from indexer.extract.numerals import lowered, raised
from indexer.extract.office.package import packed_chunks
from indexer.extract.office.xml import local, read_pieces
from indexer.extract.page_writer import PageWriter, PathSource

_AROUND = frozenset({"FictionBook", "body", "section"})
_BLOCKS = ("{*}p", "{*}subtitle", "{*}text-author", "{*}stanza", "{*}tr")


class FictionBookSource(PathSource):
    """An open book."""

    def write(self, writer: PageWriter) -> Iterator[None]:
        chunks = packed_chunks(self._file, ".fb2", self.budget)
        for piece in read_pieces(chunks, self.budget, _AROUND):
            name = local(piece)
            if name == "description":
                self.metadata = _metadata(piece)
                for annotation in piece.iter("{*}annotation"):
                    _write(annotation, writer)
            elif name == "title":
                level = sum(local(around) == "section" for around in piece.iterancestors()) + 1
                lines = (_inline(line) for line in piece.iter("{*}p"))
                writer.add(" ".join(lines), BlockKind.HEADING, min(level, 9))
            elif name not in _AROUND and name not in ("binary", "stylesheet"):
                _write(piece, writer)
            yield


open_source = FictionBookSource.open_source


def _write(piece: Any, writer: PageWriter) -> None:
    for block in piece.iter(*_BLOCKS):
        name = local(block)
        if name == "stanza":
            writer.add("\n".join(_inline(line) for line in block.iter("{*}v")))
        elif name == "tr":
            writer.row([_inline(cell) for cell in block])
        elif local(block.getparent()) != "td":
            kind = BlockKind.HEADING if name == "subtitle" else BlockKind.PARAGRAPH
            writer.add(_inline(block), kind, 9 if name == "subtitle" else 0)


def _inline(element: Any) -> str:
    """Return the text of a paragraph in one line, with raised and lowered figures as such."""
    return " ".join("".join(_parts(element)).split())


def _parts(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        text, name = "".join(_parts(child)), local(child)
        yield raised(text) if name == "sup" else lowered(text) if name == "sub" else text
        yield child.tail or ""


def _metadata(description: Any) -> Metadata:
    about = description.find("{*}title-info")
    if about is None:
        return Metadata()
    authors = (
        " ".join((part.text or "").strip() for part in author if local(part).endswith("-name"))
        for author in about.iterfind("{*}author")
    )
    date = about.find("{*}date")
    created = None if date is None else BOOK_DATE.match(date.get("value") or date.text or "")
    title = " ".join((about.findtext("{*}book-title") or "").split())
    return Metadata(title[:500], ", ".join(authors)[:500], created[0] if created else "")
