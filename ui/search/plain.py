"""The text of a hit for display: without running heads, its heading and the signs of Markdown.

Pure; it must not know how text is laid out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ui.search.safe_text import Shown, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import Hit
    from ui.search.safe_text import Span

_MARKDOWN = re.compile(
    r"(?m:^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|(?:```|~~~).*$|[-*_]{3,}[ \t]*$))"
    r"|(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)"
    r"|`+|!?\[(?=[^\]\n]*\]\()|(?<=\S)\]\([^)\n]*\)"
)


def plain(hit: Hit, spans: Sequence[Span] = ()) -> Shown:
    """Return the text of a hit, safe to show, and where spans of ``hit.text`` are in it."""
    text, placed = _without(hit.text, hit.left_out, spans)
    if hit.format == "markdown":
        signs = [found.span() for found in _MARKDOWN.finditer(text)]
        text, placed = _without(text, signs, placed)
    return _without_heading(text, placed, hit.heading_path)


def _without_heading(text: str, spans: Sequence[Span], path: Sequence[str]) -> Shown:
    """Remove the headings that the text begins with, since they are shown above."""
    end = 0
    for heading in filter(None, path[-2:]):
        words = r"\s+".join(map(re.escape, heading.split()))
        found = re.compile(rf"\W*{words}[ \t:.]*\n\s*", re.IGNORECASE).match(text, end)
        if found is not None and found.end() < len(text):
            end = found.end()
    return shown(*_without(text, [(0, end)], spans))


def _without(text: str, gone: Sequence[Span], spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Remove ascending ranges from a text; spans are moved, and dropped if nothing is left."""
    kept, at = [], 0
    for low, high in gone:
        kept.append(text[at:low])
        at = high

    def place(offset: int) -> int:
        return offset - sum(max(min(offset, high) - low, 0) for low, high in gone)

    placed = [(place(low), place(high)) for low, high in spans]
    return "".join(kept) + text[at:], [span for span in placed if span[0] < span[1]]
