"""Outlines (OPML), mind maps (XMind, FreeMind) and diagrams (draw.io), entry by entry.

An entry with others below it is a heading, and one without is a list item.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import Any

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import Metadata
from indexer.extract.markup.entries import field_text
from indexer.extract.office.package import ZipPackage, packed_chunks
from indexer.extract.office.xml import local, one_line, read_tree
from indexer.extract.page_writer import PageWriter, PathSource

_MAX_NODES = 2_000_000  # elements and attributes
_MAX_MAP_BYTES = 64 * 1024**2
_ENTRIES = ("{*}outline", "{*}topic", "{*}node", "{*}mxCell", "{*}object", "{*}UserObject")
_NAMES = ("text", "title", "TEXT", "value", "label")
_FIELDS = ("_note", "note", "description", "htmlUrl", "xmlUrl", "url")
_NOTES = ("{*}notes/{*}plain", "{*}labels/{*}label", "{*}richcontent")
_MAP = "content.json"  # XMind writes it since 2018, and wrote XML before
_DEEPEST = 6  # level of a heading


class OutlineSource(PathSource):
    """An open outline."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        if self._file.suffix.lower() == ".xmind":
            opened = ZipPackage(self._file, self.budget.limits, budget=self.budget)
            with closing(opened) as package:
                topics = package.read(_MAP, _MAX_MAP_BYTES) if _MAP in package else b""
            if topics:
                yield from _write_map(_topics(topics), writer)
                return
        chunks = packed_chunks(self._file, "content.xml", self.budget)
        root, damage = read_tree(chunks, self.budget, _MAX_NODES)
        if root is not None:
            self.metadata = Metadata(_value(root, "title"), _value(root, "ownerName"))
            writer.add_block(self.metadata.title, BlockKind.HEADING, 1)
            for entry in root.iter(*_ENTRIES):
                _write(entry, writer)
                yield
        if damage is not None:
            raise damage


open_source = OutlineSource.open_source


def _value(root: Any, name: str) -> str:
    found = root.find(f"{{*}}head/{{*}}{name}")
    return "" if found is None else one_line(found)[:500]


def _write(entry: Any, writer: PageWriter) -> None:
    name = next((entry.get(each) for each in _NAMES if entry.get(each)), "")
    name = name or entry.findtext("{*}title", "")
    depth = 0
    if len(list(islice(entry.iter(*_ENTRIES), 2))) > 1:
        depth = sum(f"{{*}}{local(around)}" in _ENTRIES for around in entry.iterancestors()) + 2
    _add(writer, field_text(name), depth)
    for each in _FIELDS:
        writer.add_block(field_text(entry.get(each, "")))
    for path in _NOTES:
        for note in entry.iterfind(path):
            writer.add_block(one_line(note))


def _add(writer: PageWriter, name: str, depth: int) -> None:
    """Add the name of an entry. ``depth`` is 0 if no others are below it."""
    if depth:
        writer.add_block(name, BlockKind.HEADING, min(depth, _DEEPEST))
    else:
        writer.add_block(name, BlockKind.LIST_ITEM)


def _topics(data: bytes) -> list[tuple[Any, int]]:
    """Return the central topics of a map's sheets, the last one first, each at depth 1."""
    try:
        sheets = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise WorldError("unreadable", reason="not_json", said=str(error)[:200]) from error
    sheets = sheets if isinstance(sheets, list) else [sheets]
    return [(sheet.get("rootTopic"), 1) for sheet in sheets[::-1] if isinstance(sheet, dict)]


def _write_map(waiting: list[tuple[Any, int]], writer: PageWriter) -> Iterator[None]:
    while waiting:
        topic, depth = waiting.pop()
        if not isinstance(topic, dict):
            continue
        below = [each for group in _values(topic.get("children")) for each in _values(group)]
        waiting += ((each, depth + 1) for each in below[::-1])
        _add(writer, str(topic.get("title") or ""), depth if below else 0)
        notes = topic.get("notes")
        plain = notes.get("plain") if isinstance(notes, dict) else None
        said = [plain.get("content") if isinstance(plain, dict) else "", topic.get("href")]
        for text in (*said, *_values(topic.get("labels"))):
            writer.add_block(text if isinstance(text, str) else "")
        yield


def _values(found: object) -> Iterable[Any]:
    return found.values() if isinstance(found, dict) else found if isinstance(found, list) else ()
