"""Documents of Pages, Keynote and Numbers: their text, without its layout.

Since 2013 they are zip files of archives, each a list of protobuf messages packed with Snappy.
Older documents are XML. Flowing text and table cells are certain kinds of messages. numbers-parser
and keynote-parser, which know all kinds, need protobuf and Snappy and hold a document as objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.extract.base import too_large
from indexer.extract.office.package import ZipPackage, opened
from indexer.extract.office.xml import one_line, read_tree
from indexer.extract.page_writer import SALVAGEABLE, PageWriter, WrittenSource

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.document import Budget

# Kinds of messages with flowing text or table cells, and the path of fields to the text.
_TEXTS = {2001: (3,), 2005: (3,), 6005: (3, 3), 6011: (3, 3)}
_PATTERN = re.compile(r"(?:Master|Template)Slide")  # whose texts are placeholders
_LOCK = (".iwph", ".iwpv2")
_OLDER = ("index.xml", "index.apxl")
_SEPARATORS = re.compile("[\u2028\u2029\x04-\x06\x0b\x0c]+")
_MARKS = re.compile("[\x00-\x08\x0e-\x1f\ufffc\ufffe\uffff]")
_MAX_PART_BYTES = 64 * 1024**2
_MAX_BLOCK_BYTES = 1 << 20
_DAMAGE = (IndexError, ValueError, OverflowError)


class IworkSource(WrittenSource[ZipPackage]):
    """An open document."""

    def __init__(self, package: ZipPackage) -> None:
        super().__init__(package, package.budget.limits)
        self.budget = package.budget
        if any(name.endswith(_LOCK) for name in package.names()):
            raise WorldError("unsupported", format="encrypted iWork")

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        damage: WorldError | None = None
        for name in self._file.files():
            try:
                if name.endswith(".iwa") and not _PATTERN.search(name):
                    self._write_archive(name, writer)
                elif name in _OLDER:
                    self._write_older(name, writer)
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                damage = error
            yield
        if damage is not None:
            raise damage

    def _write_older(self, name: str, writer: PageWriter) -> None:
        chunks = self._file.chunks(name)
        root, damage = read_tree(chunks, self.budget, self.budget.limits.tree_nodes)
        for element in () if root is None else root.iter("{*}p"):
            writer.add_block(one_line(element))
        if damage is not None:
            raise damage

    def _write_archive(self, name: str, writer: PageWriter) -> None:
        try:
            packed = self._file.read(name, _MAX_PART_BYTES)
            data = b"".join(_unpacked(packed, self.budget))
            for kind, message in _messages(data):
                self.budget.spend_elements(1)
                for text in _texts(message, _TEXTS.get(kind, ())):
                    for paragraph in _SEPARATORS.sub("\n", text).split("\n"):
                        writer.add_block(_MARKS.sub("", paragraph))
        except _DAMAGE as error:
            raise WorldError("unreadable", reason="content_damaged") from error

    def close(self) -> None:
        self._file.close()
        super().close()


def open_source(path: Path, password: str | None, limits: Limits) -> IworkSource:
    """Open a document (``indexer.extract.base.Opener``)."""
    return opened(ZipPackage(path, limits), IworkSource)


def _unpacked(packed: bytes, budget: Budget) -> Iterator[bytes]:
    """Yield the blocks of an archive: a zero, the length in three bytes, and a block of Snappy."""
    at = size = 0
    while at + 4 <= len(packed):
        end = at + 4 + int.from_bytes(packed[at + 1 : at + 4], "little")
        block = _snappy(packed[at + 4 : end], budget)
        size += len(block)
        if size > _MAX_PART_BYTES:
            raise too_large(_MAX_PART_BYTES)
        yield block
        at = end


def _snappy(block: bytes, budget: Budget) -> bytes:
    """Unpack a block of Snappy, which has literal bytes, and copies of earlier bytes."""
    size, at = _varint(block, 0)
    budget.spend_bytes(min(size, _MAX_BLOCK_BYTES + 1))
    found = bytearray()
    while at < len(block) and len(found) <= min(size, _MAX_BLOCK_BYTES):
        tag, at = block[at], at + 1
        kind, length = tag & 3, tag >> 2
        if kind == 0:
            if length >= 60:
                width = length - 59
                length, at = int.from_bytes(block[at : at + width], "little"), at + width
            found += block[at : at + length + 1]
            at += length + 1
            continue
        width = (1, 2, 4)[kind - 1]
        offset, at = int.from_bytes(block[at : at + width], "little"), at + width
        if kind == 1:
            offset, length = offset | (length >> 3) << 8, (length & 7) + 3
        if not 0 < offset <= len(found):
            raise ValueError("a copy of what is not there")
        piece = bytes(found[-offset:])
        found += (piece * (length // offset + 1))[: length + 1]
    return bytes(found)


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the bytes of each message of an archive."""
    at = 0
    while at < len(data):
        length, at = _varint(data, at)
        heads = [value for number, value in _fields(data[at : at + length]) if number == 2]
        at += length
        for head in heads:
            about = dict(_fields(head)) if isinstance(head, bytes) else {}
            kind, size = about.get(1), about.get(3)
            if isinstance(kind, int) and isinstance(size, int):
                yield kind, data[at : at + size]
                at += size


def _texts(message: bytes, path: tuple[int, ...]) -> Iterator[str]:
    """Yield the texts in the field to which a path of numbers leads."""
    for number, value in _fields(message) if path else ():
        if number == path[0] and isinstance(value, bytes):
            if path[1:]:
                yield from _texts(value, path[1:])
            else:
                yield value.decode("utf-8", "replace")


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the number and the value of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == 2:
            length, at = _varint(data, at)
        else:
            length = {1: 8, 5: 4}.get(kind, -1)
        if length < 0:
            raise ValueError("a field of unknown kind")
        yield key >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and where it ends."""
    value = shift = 0
    while shift < 70:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7
    raise ValueError("a number without end")
