"""A passage with its citation, as text to be pasted. Pure; it must not know the clipboard."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ui.links import link_of
from ui.search import describe
from ui.search.plain import plain
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from indexer.api.answers import Document
    from indexer.api.types import Hit

_YEAR = re.compile(r"[12]\d{3}")


@dataclass(frozen=True, slots=True)
class CitedSource:
    """The bibliographic data of a document; "" for unknown fields."""

    title: str
    author: str = ""
    year: str = ""
    language: str = ""

    @classmethod
    def from_hit(cls, hit: Hit, document: Document | None = None) -> CitedSource:
        """Take the data from the document, else from the hit.

        The year is that of the document's own creation date, since the date of a file is often that
        of its last copy.
        """
        title, author = describe.title(hit), _clean(hit.author)
        if document is None:
            return cls(title, author)
        year = _YEAR.match(document.created)
        return cls(
            title=_clean(document.title) or title,
            author=_clean(document.author) or author,
            year=year[0] if year else "",
            language=_clean(document.language),
        )


def passage(hit: Hit) -> str:
    """Return the text of a hit as one paragraph."""
    return plain(replace(hit, heading_path=())).text


def citation(hit: Hit, source: CitedSource) -> str:
    """Return author, title, year and page, without the unknown ones."""
    parts = (source.author, source.title, source.year, describe.pages(hit))
    return ", ".join(part for part in parts if part)


def quoted(hit: Hit, source: CitedSource) -> str:
    """Return the passage in quotation marks, its citation, and a link to it."""
    text, cited = passage(hit), citation(hit, source)
    return "\n".join(filter(None, (f"“{text}”\n({cited})" if text else cited, link_of(hit))))


def _clean(text: str) -> str:
    return shown(text).text
