"""What an export of the basket holds, whatever its format.

Owns the report as data, with all texts of documents made safe to show. Pure; it must not know
formats or files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ui.links import link_of
from ui.search.citation import CitedSource, citation
from ui.search.describe import headings
from ui.search.export import citation_keys
from ui.search.plain import plain
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.api.types import Hit
    from ui.basket.passages import Kept


@dataclass(frozen=True, slots=True)
class Picture:
    """A part of a page as PNG, ``width`` by ``height`` pixels; ``place`` names the page."""

    data: bytes
    width: int
    height: int
    place: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A passage: its text, the best sentence within, its note, its source and the page."""

    title: str
    headings: str
    text: str
    best: tuple[int, int]
    note: str
    cited: str
    key: str  # of the source in the bibliography
    link: str
    remark: str  # such as that it is no longer in the library; "" for none
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """The entries in their order, and the sources in the order of their first entry."""

    title: str
    sources_title: str
    note_label: str
    link_label: str
    entries: tuple[Entry, ...]
    sources: tuple[tuple[str, str], ...]  # the key, and author, title and year


def marked_passage(hit: Hit) -> tuple[str, tuple[int, int]]:
    """Return the text of a hit without its heading, and where its best sentence is in it."""
    made = plain(hit, [hit.best])
    return made.text, made.spans[0] if made.spans else (0, 0)


def entries_of(
    kept: Sequence[Kept],
    sources: Mapping[str, CitedSource],
    pictures: Mapping[str, Sequence[Picture]],
    remarks: Mapping[str, str],
) -> tuple[Entry, ...]:
    """Make the entries.

    Args:
        kept: The passages in their order.
        sources: The bibliographic data of the documents, by path.
        pictures: Of the passages, by their keys.
        remarks: On them, likewise.
    """
    keys = citation_keys(sources)
    made = []
    for one in kept:
        hit = one.hit
        source = sources.get(hit.path) or CitedSource.from_hit(hit)
        text, best = marked_passage(hit)
        made.append(
            Entry(
                title=source.title,
                headings=headings(hit),
                text=text,
                best=best,
                note=safe_note(one.note),
                cited=citation(hit, source),
                key=keys.get(hit.path, ""),
                link=link_of(hit),
                remark=remarks.get(one.key, ""),
                pictures=tuple(pictures.get(one.key, ())),
            )
        )
    return tuple(made)


def sources_of(
    kept: Iterable[Kept], sources: Mapping[str, CitedSource]
) -> tuple[tuple[str, str], ...]:
    """Return the key and the description of each document, in the order of the passages."""
    keys = citation_keys(sources)
    described = {}
    for one in kept:
        source = sources.get(one.hit.path)
        if source is not None:
            parts = (source.author, source.title, source.year)
            described[keys[one.hit.path]] = ", ".join(part for part in parts if part)
    return tuple(described.items())


def safe_note(note: str) -> str:
    """Return a note without invisible characters; its lines stay."""
    return "\n".join(shown(each).text for each in note.splitlines()).strip()
