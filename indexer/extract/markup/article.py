"""Articles, editions, manuals and books in XML: JATS of journals, TEI, DocBook and FictionBook.

They share their structure: sections with a title, paragraphs, lists, tables and notes. An element
with other blocks is walked through, and one without is a paragraph, whatever its name. MuPDF reads
FictionBook too, but lays it out on pages that the book does not have.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from indexer.api.types import BlockKind
from indexer.extract.base import Metadata
from indexer.extract.numerals import lowered, raised
from indexer.extract.office.package import packed_chunks
from indexer.extract.office.xml import BOOK_DATE, local, one_line, read_pieces
from indexer.extract.page_writer import PageWriter, PathSource

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTIONS = frozenset({
    "sec", "section", "chapter", "div", "appendix", "app", "part", "preface", "sub-article",
    *(f"{name}{level}" for name in ("div", "sect") for level in range(1, 8)),
})  # fmt: skip
_AROUND = _SECTIONS | {
    "article", "book", "TEI", "TEI.2", "text", "group", "body", "back", "set", "FictionBook",
}  # fmt: skip
_BOOK = "description"  # of FictionBook
_HEADERS = frozenset({
    "front", "teiHeader", "info", "bookinfo", "articleinfo", "sectioninfo", _BOOK,
})  # fmt: skip
_SUMMARIES = ("{*}abstract", "{*}kwd-group", "{*}keywordset")
_TITLES = frozenset({"title", "head", "label"})
_BLOCKS = _SECTIONS | {
    "head", "title", "p", "para", "simpara", "formalpara", "ab", "lg", "verse-group", "sp", "list",
    "item", "list-item", "listitem", "itemizedlist", "orderedlist", "variablelist", "varlistentry",
    "def-list", "def-item", "def", "table", "table-wrap", "informaltable", "tgroup", "thead",
    "tbody", "tr", "row", "fig", "figure", "caption", "note", "fn", "footnote", "disp-quote",
    "blockquote", "boxed-text", "programlisting", "screen", "disp-formula", "abstract",
    "ref-list", "listBibl", "biblStruct", "biblioentry", "bibliomixed", "subtitle", "epigraph",
    "cite", "poem", "stanza", "text-author",
}  # fmt: skip
_ASIDE = frozenset({"note", "fn", "footnote"})  # inside a sentence, but written after its paragraph
_ITEMS = frozenset({"item", "list-item", "listitem"})
_UNSEEN = frozenset({"graphic", "inline-graphic", "index-term", "indexterm", "object-id", "fw"})
_DATA = frozenset({"binary", "stylesheet"})
_VERSES, _VERSE = ("lg", "verse-group", "stanza"), ("l", "verse-line", "v")
_RAISED, _LOWERED = frozenset({"sup", "superscript"}), frozenset({"sub", "subscript"})
_BEFORE = ("given-names", "forename", "firstname", "givenname")
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d(?:-\d\d){0,2}\b")
_MOST_AUTHORS = 50
_LEAST_HEADING = 9  # titles outside sections, as of an abstract or a list of references


class ArticleSource(PathSource):
    """An open article."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        for piece in read_pieces(packed_chunks(self._file, "", self.budget), self.budget, _AROUND):
            name = local(piece)
            if name in _HEADERS and not self.metadata.title:
                self.metadata = _book(piece) if name == _BOOK else _metadata(piece)
                for part in piece.iter(*(("{*}annotation",) if name == _BOOK else _SUMMARIES)):
                    _write(part, writer)
            elif name in _TITLES:
                level = sum(local(around) in _SECTIONS for around in piece.iterancestors())
                writer.add_block(_inline(piece), BlockKind.HEADING, min(level + 1, _LEAST_HEADING))
            elif name not in _AROUND | _HEADERS | _DATA:
                _write(piece, writer)
            yield


open_source = ArticleSource.open_source


def _write(element: Any, writer: PageWriter) -> None:
    """Write an element as a row or a paragraph, or write its children."""
    name = local(element)
    if name in ("tr", "row"):
        writer.add_row([_inline(cell) for cell in element])
    elif any(_is_block(child) and local(child) not in _ASIDE for child in element):
        _write_blocks(element, writer)
        if name in ("table", "table-wrap", "informaltable"):
            writer.end_table()
    elif name in _VERSES:
        writer.add_block(
            "\n".join(map(_inline, element.iter(*(f"{{*}}{verse}" for verse in _VERSE))))
        )
    elif name in ("title", "head", "subtitle"):
        writer.add_block(_inline(element), BlockKind.HEADING, _LEAST_HEADING)
    elif (parent := element.getparent()) is not None:  # an article's root has blocks
        in_list = not _ITEMS.isdisjoint((name, local(parent)))
        kind = BlockKind.LIST_ITEM if in_list else BlockKind.PARAGRAPH
        writer.add_block(_inline(element), kind)
        for note in element.iter(*(f"{{*}}{aside}" for aside in _ASIDE)):
            if note is not element:
                writer.add_block(_inline(note))


def _is_block(element: Any) -> bool:
    # A "ref" is a link in TEI.
    name = local(element)
    return name in _BLOCKS or (name == "ref" and local(element.getparent()) == "ref-list")


def _write_blocks(element: Any, writer: PageWriter) -> None:
    """Write the blocks inside an element, and the words between them."""
    loose = [element.text or ""]
    for child in element:
        if _is_block(child):
            _write_loose(loose, writer)
            loose = []
            _write(child, writer)
        else:
            loose += _parts(child)
        loose.append(child.tail or "")
    _write_loose(loose, writer)


def _write_loose(parts: list[str], writer: PageWriter) -> None:
    if text := " ".join("".join(parts).split()):  # otherwise the rows of a table stay together
        writer.add_block(text)


def _inline(element: Any) -> str:
    """Return the text of an element in one line, without its notes."""
    return " ".join("".join(_inside(element)).split())


def _parts(child: Any) -> Iterator[str]:
    name = local(child)
    if name in _UNSEEN or name in _ASIDE:
        return
    if name == "alternatives":  # only one of these is shown
        yield from _parts(child[-1]) if len(child) else ()
        return
    if name == "lb":
        yield " "
    text = "".join(_inside(child))
    how = f"{child.get('rend', '')}{child.get('rendition', '')}{child.get('ref-type', '')}"
    if name in _RAISED or "super" in how or how == "fn":
        text = raised(text)
    elif name in _LOWERED or "sub" in how:
        text = lowered(text)
    yield text
    apart = (*_VERSE, "kwd", "keyword", "term", "label", "td", "th", "entry")
    if name in _BLOCKS or name in apart:
        yield " "


def _inside(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield from _parts(child)
        yield child.tail or ""


def _metadata(header: Any) -> Metadata:
    titles = header.iter("{*}article-title", "{*}title")
    title = next((text for text in map(_inline, titles) if text), "")
    authors = islice(header.iter("{*}contrib", "{*}author"), _MOST_AUTHORS)
    names = dict.fromkeys(filter(None, map(_name, authors)))
    dates = map(_date, header.iter("{*}pub-date", "{*}date"))
    created = next((found[0] for found in map(_YEAR.search, dates) if found), "")
    return Metadata(title[:500], ", ".join(names)[:500], created)


def _book(description: Any) -> Metadata:
    """Return the metadata of a FictionBook."""
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


def _date(element: Any) -> str:
    """Return a date as text; a journal has its parts one by one, with the day first."""
    parts = [element.findtext(f"{{*}}{name}") or "" for name in ("year", "month", "day")]
    if not parts[0]:
        return one_line(element) or str(element.get("when", ""))
    return "-".join(f"{part:0>2}" for part in parts if part.isdecimal())


def _name(author: Any) -> str:
    """Return the name of an author; the family name may be written first."""
    family = next(author.iter("{*}surname"), None)
    if family is None:
        return _inline(author)[:200]
    given = [one_line(part) for name in _BEFORE for part in author.iter(f"{{*}}{name}")]
    return " ".join([*given[:1], one_line(family)])
