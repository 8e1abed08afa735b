"""Short texts that describe documents and hits, for display and for a screen reader."""

from __future__ import annotations

from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale

from indexer.api.formats import page_unit
from indexer.api.types import HEADING_SEPARATOR, SEARCHABLE_STATES, FileState, Hit
from ui.search.rows import HitGroup, ResultRow, RowKind
from ui.search.safe_text import line, plain
from ui.words import amounts, names
from ui.words.amounts import from_home, hits
from ui.words.names import state

if TYPE_CHECKING:
    from ui.search.live_search import Words

_NS_A_MS = 1_000_000


def title(hit: Hit) -> str:
    return line(hit.title) or line(PurePath(hit.file or hit.path).name)


def file_beside_title(hit: Hit) -> str:
    """The name of the file, as versions of a document share a title; "" if it is the title."""
    name = PurePath(hit.file or hit.path)
    known = {line(name.name).casefold(), line(name.stem).casefold()}
    return "" if title(hit).casefold() in known else line(name.name)


def where(hit: Hit) -> str:
    """The name of a file, unless it is the title, and its folder, with ``~`` for home."""
    folder = from_home(line(str(PurePath(hit.path).parent)))
    return " \u00b7 ".join(filter(None, (file_beside_title(hit), folder)))


def day(hit: Hit) -> str:
    """The date of a mail, or of another document's file; "" if it is not known."""
    if hit.dated_ns <= 0:
        return ""
    then = QDateTime.fromMSecsSinceEpoch(hit.dated_ns // _NS_A_MS)
    return QLocale().toString(then.date(), QLocale.FormatType.ShortFormat)


def count(group: HitGroup) -> str:
    return amounts.exact(len(group.hits)) if group.exact else hits(len(group.hits))


def badge(hit: Hit) -> str:
    """The state of a document; "" if it is read."""
    ready = {FileState.INDEXED, FileState.TEXT_ONLY}
    return "" if hit.state in ready else state(hit.state)


def pages(hit: Hit) -> str:
    """The page or section of a hit; "" without pages, or if only the file's name was found.

    For a PDF the printed page number precedes the number of the sheet.
    """
    if not has_pages(hit):
        return ""
    unit = page_unit(hit.format) if hit.format else "page"
    if unit != "page":
        return names.place(unit, str(hit.page))
    if label := line(hit.page_label):
        both = QCoreApplication.translate("Results", "p. {label} (sheet {page})")
        return both.format(label=label, page=hit.page)
    return QCoreApplication.translate("Results", "p. {page}").format(page=hit.page)


def has_pages(hit: Hit) -> bool:
    """Whether the hit has a page number."""
    known = not hit.format or bool(page_unit(hit.format))
    return known and hit.page > 0 and not is_name_only(hit)


def headings(hit: Hit) -> str:
    """The heading path, without headings that only repeat the end of the one above."""
    kept = [""]
    for each in filter(None, map(line, hit.heading_path)):
        if not kept[-1].casefold().endswith(each.casefold()):
            kept.append(each)
    return HEADING_SEPARATOR.join(kept[1:])


def pairs(words: Words) -> str:
    """The words of a query and those that they match by meaning."""
    return " \u00b7 ".join(f"{line(mine)} \u2248 {line(other)}" for mine, other in words.pairs)


def words_spoken(hit: Hit, words: Words) -> str:
    """The matching words, for a screen reader."""
    translate = QCoreApplication.translate
    told = [
        (translate("Results", "Your words: {words}"), words.same),
        (translate("Results", "Close in meaning: {words}"), words.meaning),
    ]
    parts = [
        text.format(words=", ".join(dict.fromkeys(line(hit.text[slice(*span)]) for span in spans)))
        for text, spans in told
        if spans
    ]
    return ". ".join(parts) or translate("Results", "No single word counts much")


def is_name_only(hit: Hit) -> bool:
    """Whether only the name of the file was found."""
    return hit.start == hit.end and not hit.text


def body(hit: Hit) -> str:
    """The placeholder text of a hit found by its file name alone."""
    if hit.state in SEARCHABLE_STATES:
        return QCoreApplication.translate("Results", "Its name matches what you are looking for.")
    return QCoreApplication.translate("Results", "Its name matches; its text could not be read.")


def heading(row: ResultRow, phrases: str) -> str:
    """The text of ``row`` if that is neither a document nor a hit.

    ``phrases`` are the phrases of the query.
    """
    translate = QCoreApplication.translate
    match row.kind:
        case RowKind.CONTAINS:
            text = translate("Results", "Contains {phrases} ({n})")
            return text.format(phrases=phrases, n=amounts.count(row.count))
        case RowKind.RELATED:
            return translate("Results", "Related")
        case RowKind.WEAKER:
            return translate("Results", "Weaker matches")
        case RowKind.ALIKE:
            return amounts.alike(row.count)
        case _:
            return amounts.more_inside(row.count) if row.group.path else amounts.more(row.count)


def new() -> str:
    """The mark of a new passage of a saved search."""
    return QCoreApplication.translate("Results", "New")


def row_spoken(row: ResultRow, phrases: str, *, is_new: bool = False) -> str:
    """The text of a row for a screen reader."""
    if row.kind is RowKind.TWIN:
        return ", ".join(filter(None, (title(row.hit), pages(row.hit), where(row.hit))))
    if row.is_hit:
        weaker = QCoreApplication.translate("Results", "A weaker match")
        parts = ([new()] if is_new else [], [hit_spoken(row.hit)], [weaker] if row.weak else [])
        return ". ".join(chain.from_iterable(parts))
    return document_spoken(row.group) if row.is_document else heading(row, phrases)


def document_spoken(group: HitGroup) -> str:
    """The text of a document for a screen reader."""
    head = group.head
    return ", ".join(filter(None, (title(head), count(group), badge(head), day(head), where(head))))


def hit_spoken(hit: Hit) -> str:
    """The text of a hit for a screen reader: the best sentence, its place and the reason."""
    text = plain(hit, [hit.best])
    best = text.text[slice(*text.spans[0])] if text.spans else text.text
    parts = (pages(hit), best or body(hit), headings(hit), names.why(hit))
    return ". ".join(part.rstrip(".") for part in parts if part)
