"""Reads what office files embed: workbooks and documents as objects, and imported chunks of text.

In Open Packaging an object is a file of its own format, or an OLE container around one. In
OpenDocument it is such a container, or a folder with the parts of a package. Equations and other
objects whose text no reader knows are left out, as the document shows them as pictures.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import olefile

from indexer.api.errors import WorldError
from indexer.api.formats import OLE_MAGIC
from indexer.extract.base import RawPage, damage_as_unreadable, is_left_out
from indexer.extract.embedded.attachments import MAX_NAME_CHARS, Attachment, AttachmentReader

if TYPE_CHECKING:
    from indexer.extract.office.package import ZipPackage
    from indexer.extract.page_writer import PageWriter

EMBEDDED = ("package", "oleObject")  # kinds of relations
_MAX_OBJECT_BYTES = 16 * 1024**2
_MAX_DEPTH = 3  # levels of documents in documents
_LEVEL = 2  # level of the heading with an object's name
_WRAPPED = ("Package", "CONTENTS")  # streams that are a file of another format
_NATIVE = "\x01Ole10Native"
_KNOWN = ("WordDocument", "Workbook", "Book", "PowerPoint Document", "EncryptedPackage")


class OfficeObjects:
    """Reads the objects and imported chunks of one office file into ``writer``."""

    def __init__(
        self, package: ZipPackage, writer: PageWriter, on_page: Callable[[int], None]
    ) -> None:
        self._package = package
        self._writer = writer
        limits = package.budget.limits
        self._reader = AttachmentReader(writer, limits, lambda: on_page(writer.page))

    def objects(self, parts: Iterable[str], *, imported: bool = False) -> Iterator[RawPage]:
        """Yield the pages of each embedded file once. Imported ones are text of the document."""
        for part in dict.fromkeys(parts):
            name = PurePosixPath(part).name[:MAX_NAME_CHARS]
            load = partial(self._package.read, part, _MAX_OBJECT_BYTES)
            yield from self._read(name, load, imported=imported)

    def objects_of_pages(
        self, pages: Iterable[Sequence[str]], skip: Collection[int]
    ) -> Iterator[RawPage]:
        """Yield the files that slides or sheets embed, with their numbers, without ``skip``.

        They follow all slides, so that a file embedded in one slide costs no other.
        """
        for number, parts in enumerate(pages, 1):
            if parts and not is_left_out(number, skip):
                self._writer.page = number
                yield from self.objects(parts)

    def folder(self, folder: str, kind: str) -> Iterator[RawPage]:
        """Yield the pages of a document whose parts are in a folder. ``kind`` is its type."""
        name = PurePosixPath(folder).name[:MAX_NAME_CHARS]
        yield from self._read(name, lambda: self._packed(folder, kind), imported=False)

    def _packed(self, folder: str, kind: str) -> bytes:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w") as file:
            file.writestr("mimetype", kind)
            for name in self._package.names():
                if name.startswith(folder) and not name.endswith("/"):
                    left = _MAX_OBJECT_BYTES - data.tell()
                    file.writestr(name[len(folder) :], self._package.read(name, left))
        return data.getvalue()

    def _read(self, name: str, load: Callable[[], bytes], *, imported: bool) -> Iterator[RawPage]:
        budget = self._package.budget
        try:
            if budget.depth >= _MAX_DEPTH:
                raise WorldError("too_complex", reason="part_too_deep")
            found = _unwrapped(name, load())
        except WorldError as error:
            if error.code not in ("unreadable", "too_large", "too_complex") or budget.spent:
                raise
            yield RawPage(self._writer.page, "", unreadable=error.reason, part=name)
            return
        if found is None:
            return
        name, data = found
        attachment = Attachment(name, "", lambda _budget: (data,), imported)
        yield from self._reader.read_attachment(attachment, budget, _LEVEL)


def _unwrapped(name: str, data: bytes) -> tuple[str, bytes] | None:
    """Return the name and bytes of the file in an object, or ``None`` if it has no text.

    Raises ``unreadable`` if its container is damaged.
    """
    if not data.startswith(OLE_MAGIC):
        return name, data
    with (
        damage_as_unreadable("container_damaged"),
        olefile.OleFileIO(io.BytesIO(data)) as container,
    ):
        if any(map(container.exists, _KNOWN)):
            return name, data
        for stream in _WRAPPED:
            if container.exists(stream):
                return PurePosixPath(name).stem, container.openstream(stream).read()
        if container.exists(_NATIVE):
            return _native(container.openstream(_NATIVE).read())
    return None


def _native(data: bytes) -> tuple[str, bytes]:
    """Return the name and bytes of a packaged file (MS-OLEDS 2.3.6).

    Raises ``ValueError`` or ``struct.error`` if it is cut off.
    """
    label, _, rest = data[6:].partition(b"\0")
    rest = rest[rest.index(b"\0") + 1 :]
    (length,) = struct.unpack_from("<I", rest, 4)
    (size,) = struct.unpack_from("<I", rest, 8 + length)
    name = label.decode("utf-8", "replace").replace("\\", "/").rpartition("/")[2]
    return name[:MAX_NAME_CHARS] or "?", rest[12 + length : 12 + length + size]
