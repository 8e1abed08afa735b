"""Outlines in OPML, as outliners and feed readers export them: each entry with its notes below it.

An entry with others below it is a heading, one without is an item of a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.types import BlockKind
from indexer.extract.base import Metadata
from indexer.extract.markup.entries import field_text
from indexer.extract.office.package import packed_chunks
from indexer.extract.office.xml import local, read_tree
from indexer.extract.page_writer import PageWriter, WrittenSource

if TYPE_CHECKING:
    from indexer.config import Limits

_MAX_NODES = 2_000_000  # elements and attributes
_NAMES = ("text", "title")
_FIELDS = ("_note", "note", "description", "htmlUrl", "xmlUrl", "url")
_DEEPEST = 6  # level of a heading


class OutlineSource(WrittenSource["Path"]):
    """An open outline."""

    def write(self, writer: PageWriter) -> Iterator[None]:
        root, damage = read_tree(
            packed_chunks(self._file, "", self.budget), self.budget, _MAX_NODES
        )
        if root is not None:
            self.metadata = Metadata(_value(root, "title"), _value(root, "ownerName"))
            writer.add(self.metadata.title, BlockKind.HEADING, 1)
            for entry in root.iter("{*}outline"):
                _write(entry, writer)
                yield
        if damage is not None:
            raise damage


def open_source(path: Path, password: str | None, limits: Limits) -> OutlineSource:
    """Open an outline (``indexer.extract.base.Opener``)."""
    return OutlineSource(path, limits)


def _value(root: Any, name: str) -> str:
    found = root.find(f"{{*}}head/{{*}}{name}")
    return "" if found is None else " ".join("".join(found.itertext()).split())[:500]


def _write(entry: Any, writer: PageWriter) -> None:
    name = next((entry.get(each) for each in _NAMES if entry.get(each)), "")
    if any(local(below) == "outline" for below in entry):
        depth = sum(local(around) == "outline" for around in entry.iterancestors()) + 2
        writer.add(field_text(name), BlockKind.HEADING, min(depth, _DEEPEST))
    else:
        writer.add(field_text(name), BlockKind.LIST_ITEM)
    for each in _FIELDS:
        writer.add(field_text(entry.get(each, "")))
