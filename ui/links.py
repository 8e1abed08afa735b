"""Links to passages: ``lectern://passage?text=…``.

A link holds words of the passage and no path, so it still works after the file was renamed, moved
or saved again, and following it is a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from ui.search.query_text import written
from ui.search.safe_text import plain, shown

if TYPE_CHECKING:
    from indexer.api.types import Hit

SCHEME = "lectern"
_PLACE = "passage"
# This many words in a row occur once; mail programs break longer links.
_WORDS = 10
_LEAST = 4


def link_of(hit: Hit) -> str:
    """Return the link to a passage; "" if it has too few words to be found by."""
    made = plain(hit, [hit.best])  # without running heads, which no phrase of the library has
    best = made.text[slice(*made.spans[0])] if made.spans else ""
    for text in (best, made.text):
        words = text.replace('"', " ").split()[:_WORDS]
        if len(words) >= _LEAST:
            return f"{SCHEME}://{_PLACE}?text={quote(' '.join(words))}"
    return ""


def is_link(text: str) -> bool:
    """Whether a text has the scheme of our links."""
    return text.strip().lower().startswith(f"{SCHEME}:")


def query_of(link: str) -> str:
    """Return the query that follows a link; "" if the link is not valid."""
    try:
        parts = urlsplit(link.strip())
        text = parse_qs(parts.query).get("text", [""])[0]
    except ValueError:
        return ""
    words = " ".join(shown(text).text.split())
    return written("", words) if parts.netloc == _PLACE and words else ""
