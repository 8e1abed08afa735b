"""Links to passages: ``lectern://passage?text=…``, by what a passage says.

Owns their form. A link holds words of a passage and no path, so it finds its way after the file was
renamed, moved or saved again, and does no more than a search. Pure; it must not know the window.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from ui.search.query_text import written
from ui.search.safe_text import shown

if TYPE_CHECKING:
    from indexer.api.types import Hit

SCHEME = "lectern"
_PLACE = "passage"
# So many words in a row stand nowhere else; longer links are cut by mail programs.
_WORDS = 10
_LEAST = 4


def link_of(hit: Hit) -> str:
    """Return the link to a passage; "" for one with too few words to know it by."""
    best = hit.text[slice(*hit.best)]
    for text in (best, hit.text):
        words = shown(text).text.replace('"', " ").split()[:_WORDS]
        if len(words) >= _LEAST:
            return f"{SCHEME}://{_PLACE}?text={quote(' '.join(words))}"
    return ""


def is_link(text: str) -> bool:
    """Whether a text is meant to be a link of ours."""
    return text.strip().lower().startswith(f"{SCHEME}:")


def query_of(link: str) -> str:
    """Return what to search for to follow a link; "" if it leads nowhere."""
    try:
        parts = urlsplit(link.strip())
        text = parse_qs(parts.query).get("text", [""])[0]
    except ValueError:
        return ""
    words = " ".join(shown(text).text.split())
    return written("", words) if parts.netloc == _PLACE and words else ""
