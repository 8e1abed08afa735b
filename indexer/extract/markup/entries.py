"""XML of entries: places (KML, GPX), notes (Evernote), translations, AbiWord texts, screenplays.

Entries are read one after the other, so that memory does not grow with their number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from indexer.api.types import BlockKind
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.extract.office.package import packed_chunks
from indexer.extract.office.xml import local, read_pieces
from indexer.extract.page_writer import PageWriter, PathSource

# Elements that contain entries, and are too large to be held.
_AROUND = frozenset({
    "kml", "Document", "Folder", "gpx", "metadata", "trk", "trkseg", "rte", "en-export", "note",
    "xliff", "file", "group", "trans-unit", "unit", "segment", "tmx", "body", "tu", "tuv",
    "abiword", "section", "FinalDraft", "Content",
})  # fmt: skip
_ENTRIES = frozenset({"Placemark", "GroundOverlay", "NetworkLink", "wpt", "rtept"})
_NAMES = frozenset({"name", "title"})
# The fields of entries and folders that are shown.
_SHOWN = frozenset({
    "description", "Snippet", "address", "phoneNumber", "value", "SimpleData", "coordinates",
    "desc", "cmt", "content", "tag", "created", "when", "begin", "end", "source", "target", "seg",
    "p", "Paragraph",
})  # fmt: skip
_MARKUP = re.compile(r"<[a-zA-Z!/][^<>]*>")
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)\d\dZ$")
_LONG_LINE = 3  # more places are the shape of a way or an area


class EntrySource(PathSource):
    """An open file of entries."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        chunks = packed_chunks(self._file, ".kml", self.budget)
        for piece in read_pieces(chunks, self.budget, _AROUND):
            name, depth = local(piece), sum(1 for _ in piece.iterancestors())
            if name in _ENTRIES:
                _write(piece, depth, writer)
            elif name in _NAMES:
                writer.add_block(_text(piece), BlockKind.HEADING, min(depth, 6))
            elif name in _SHOWN:
                writer.add_block(_text(piece))
            yield


open_source = EntrySource.open_source


def _write(entry: Any, depth: int, writer: PageWriter) -> None:
    title = next((_text(each) for each in entry if local(each) in _NAMES), "")
    writer.add_block(title, BlockKind.HEADING, min(depth, 6))
    if entry.get("lat") and entry.get("lon"):
        writer.add_block(f"{entry.get('lat')}, {entry.get('lon')}")
    labelled = ""
    for each in entry.iter("{*}*"):
        name = local(each)
        if name == "displayName":
            labelled = _text(each)
        elif name in _SHOWN and (text := _text(each)):
            label = labelled or each.get("name", "") or each.getparent().get("name", "")
            writer.add_block(
                f"{label}: {text}" if label and name in ("value", "SimpleData") else text
            )
            labelled = ""


def _text(element: Any) -> str:
    """Return the text of a field, which may be a page of HTML, a time, or coordinates."""
    text = "".join(element.itertext()).strip()
    if local(element) == "coordinates":
        points = text.split()
        if len(points) > _LONG_LINE:
            return ""
        # Longitude is first, and height last.
        return "; ".join(", ".join(point.split(",")[1::-1]) for point in points)
    if found := _STAMP.match(text):
        return "{}-{}-{} {}:{}".format(*found.groups())
    return field_text(text)


def field_text(text: str) -> str:
    """Return the text of a field, which may be a page of HTML."""
    if _MARKUP.search(text):
        return read_tree(parse_markup(text.encode("utf-8", "replace"), "utf-8", xml=True))[0]
    return text
