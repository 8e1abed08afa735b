"""Writes hits for launchers: in the formats of Alfred and rofi, and as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from indexer.api.codec import encode
from indexer.api.formats import page_unit
from indexer.query.links import link_to

if TYPE_CHECKING:
    from indexer.api.types import Hit

_MOST = 160  # characters of a passage on one line


def _alfred(hits: Sequence[Hit]) -> list[str]:
    """Script-filter JSON of Alfred, which the plug-in for Flow Launcher reads too."""
    items = [
        {
            "uid": f"{hit.path}#{hit.start}",
            "title": title_of(hit),
            "subtitle": summary_of(hit),
            "arg": target_of(hit),
            "quicklookurl": hit.path,
            "mods": {"cmd": {"arg": hit.path, "subtitle": hit.path}},
        }
        for hit in hits
    ]
    return [json.dumps({"items": items})]


def _rofi(hits: Sequence[Hit]) -> list[str]:
    """Rows of rofi's script mode: what is shown, and what is returned if it is chosen."""
    return [f"{title_of(hit)}: {summary_of(hit)}\0info\x1f{target_of(hit)}" for hit in hits]


def _json_lines(hits: Sequence[Hit]) -> list[str]:
    def plain(hit: Hit) -> dict[str, Any]:
        values: dict[str, Any] = encode(hit)
        values.pop("explain", None)
        return values

    return [json.dumps(plain(hit), default=str) for hit in hits]


FORMATS: dict[str, Callable[[Sequence[Hit]], list[str]]] = {
    "alfred": _alfred,
    "rofi": _rofi,
    "json-lines": _json_lines,
}


def title_of(hit: Hit) -> str:
    """Return the title of a hit with its page, or with its heading if it has no pages."""
    title = _line(hit.title or hit.file)
    unit = page_unit(hit.format) if hit.format else ""
    if unit and hit.start < hit.end:
        return f"{title}, {unit} {hit.page}"
    heading = _line(hit.heading_path[-1]) if hit.heading_path else title
    return title if heading == title else f"{title}, {heading}"


def summary_of(hit: Hit) -> str:
    """Return the best sentence of a hit, cut to a line."""
    text = _line(hit.text[slice(*hit.best)] or hit.text) or _line(hit.file)
    return text if len(text) <= _MOST else f"{text[:_MOST]}…"


def target_of(hit: Hit) -> str:
    """Return the query that opens a hit in the window: the link to it, or its path."""
    return link_to((hit.text[slice(*hit.best)], hit.text)) or _line(hit.path)


def _line(text: str) -> str:
    """Return text as one line that is printable and can be encoded."""
    words = " ".join(text.split())
    kept = "".join(sign for sign in words if sign.isprintable() or sign == " ")
    return kept.encode("utf-8", "replace").decode()
