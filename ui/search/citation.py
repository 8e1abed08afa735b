"""A passage with where it comes from, to be pasted into a text of one's own.

Owns the form of a citation. Pure; it must not know the clipboard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ui.search import describe
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.types import Hit

_YEAR = re.compile(r"[12]\d{3}")


@dataclass(frozen=True, slots=True)
class Source:
    """What is known of a document; "" for what is not."""

    title: str
    author: str = ""
    year: str = ""
    language: str = ""

    @classmethod
    def of(cls, hit: Hit, document: Mapping[str, Any] | None = None) -> Source:
        """Take it from the engine's answer about the document, else from the hit.

        The year is that in which the document says it was made: the date of a file is often only
        that of its last copy.
        """
        told = document or {}
        year = _YEAR.match(str(told.get("created") or ""))
        return cls(
            title=_clean(told.get("title")) or describe.title(hit),
            author=_clean(told.get("author")) or _clean(hit.author),
            year=year[0] if year else "",
            language=_clean(told.get("language")),
        )


def passage(hit: Hit) -> str:
    """The text of a hit as one paragraph."""
    return shown(hit.text).text


def citation(hit: Hit, source: Source) -> str:
    """Author, title, year and page, as far as they are known."""
    parts = (source.author, source.title, source.year, describe.pages(hit))
    return ", ".join(part for part in parts if part)


def quoted(hit: Hit, source: Source) -> str:
    """The passage in quotation marks, and where it stands."""
    text = passage(hit)
    return f"“{text}”\n({citation(hit, source)})" if text else citation(hit, source)


def _clean(value: object) -> str:
    return shown(value).text if isinstance(value, str) else ""
