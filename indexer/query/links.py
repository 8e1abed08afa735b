"""Links to a passage: ``lectern://passage?text=…``.

A link holds words of the passage and no path, so it still works after the file was renamed, moved
or saved again, and following it is a search.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

SCHEME = "lectern"
PLACE = "passage"
# A sequence of this many words is unique in practice; mail programs break longer links.
_WORDS = 10
_LEAST = 4


def link_to(texts: Iterable[str]) -> str:
    """Return the link to a passage by the first text that has enough words; "" if none has.

    Args:
        texts: Texts as they are shown, such as the best sentence and the whole passage.
    """
    for text in texts:
        words = text.replace('"', " ").split()[:_WORDS]
        if len(words) >= _LEAST:
            return f"{SCHEME}://{PLACE}?text={quote(' '.join(words), errors='replace')}"
    return ""
