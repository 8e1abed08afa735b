"""Archives: zip files, tar files and single compressed files.

Each member is a page with its path as a heading, and is read like an attachment. Links, devices,
folders, and files not named like documents (programs, images, films) are ignored.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, cast

from indexer.api.errors import WorldError
from indexer.api.formats import FOREIGN_DOCUMENTS, extension_of
from indexer.extract.base import (
    PageSource,
    RawPage,
    is_left_out,
    shown_size,
    too_large,
)
from indexer.extract.document import Budget
from indexer.extract.embedded.attachments import (
    MAX_NAME_CHARS,
    Attachment,
    AttachmentReader,
    charged,
)
from indexer.extract.office.package import ZipPackage, archive_errors, opened
from indexer.extract.page_writer import PageWriter, salvage
from indexer.extract.plain.decode import decoded
from indexer.extract.registry import IMAGE, by_name, packed_with

if TYPE_CHECKING:
    from indexer.config import Limits

_MAX_DOCUMENTS = 5_000
_MAX_DEPTH = 3
_CHUNK_BYTES = 1 << 16
# The whole stream may be this many times the limit of unpacked bytes, as most may be skipped.
_STREAM_FACTOR = 4
_BEAT_BYTES = 4 << 20
# ``tarfile`` reads a header at once, and no valid one is longer.
_LONGEST_READ = 16 << 20
_IGNORED_FOLDERS = frozenset({"__MACOSX", "node_modules"})
_UNPACK: dict[str, Callable[[IO[bytes]], Any]] = {
    "gzip": lambda file: gzip.GzipFile(fileobj=file),
    "bzip2": bz2.BZ2File,
    "xz": lzma.LZMAFile,
}


class ArchiveSource(PageSource):
    """An open archive. ``page_count`` is known after all documents were read."""

    nests = True

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(Budget(self._budget.limits))
        return salvage(self._pages(writer, skip), writer)

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        limits = self._budget.limits
        reader = AttachmentReader(writer, limits, lambda: self.on_page(writer.page))
        number = 0
        for number, member in enumerate(self._members(), 1):
            self.page_count = writer.page = number
            self.on_page(number)
            if is_left_out(number, skip):
                yield RawPage(number, "", unreadable="stops_reader", part=member.name)
            else:
                yield from reader.read_attachment(member, self._budget, 1)
            if self._budget.spent:
                raise WorldError("too_complex", limit=shown_size(limits.unpacked_bytes))
        if not number:
            raise WorldError("empty")

    def _members(self) -> Iterator[Attachment]:
        """Yield the documents in the archive."""
        raise NotImplementedError


def open_source(path: Path, password: str | None, limits: Limits) -> ArchiveSource:
    """Open an archive (``indexer.extract.base.Opener``)."""
    with path.open("rb") as file:
        zipped = file.read(2) == b"PK"
    budget = Budget(limits, documents=_MAX_DOCUMENTS)
    if budget.depth > _MAX_DEPTH:
        limit = f"{_MAX_DEPTH} archives in each other"
        raise WorldError("too_complex", limit=limit, reason="part_too_deep")
    if not zipped:
        return _Packed(path, budget)
    package = ZipPackage(path, limits, budget=budget, password=password)
    return opened(package, lambda package: _Zipped(package, password))


class _Zipped(ArchiveSource):
    """The documents of a zip file, in the order of its directory."""

    def __init__(self, package: ZipPackage, password: str | None) -> None:
        super().__init__(package.budget)
        self._package = package
        self._shown = package.shown_names()
        self._names = [name for name in package.files() if is_document(self._shown[name])]
        locked = [name for name in self._names if package.is_locked(name)]
        if locked and (password is not None or len(locked) == len(self._names)):
            next(package.chunks(locked[0]), None)  # raises if the password is wrong

    def _members(self) -> Iterator[Attachment]:
        for name in self._names:
            yield Attachment(_shown(self._shown[name]), "", partial(self._pieces, name))

    def _pieces(self, name: str, _budget: Budget) -> Iterator[bytes]:
        return self._package.chunks(name)

    def close(self) -> None:
        self._package.close()
        super().close()


class _Packed(ArchiveSource):
    """The documents of a tar file, compressed or not, in one pass, or a single compressed file."""

    def __init__(self, path: Path, budget: Budget) -> None:
        super().__init__(budget)
        limit = budget.limits.package_bytes
        if path.stat().st_size > limit:
            raise too_large(limit)
        self._path = path
        self._room = _STREAM_FACTOR * budget.limits.unpacked_bytes
        self._file = path.open("rb")
        self._packing = packed_with(self._file.read(_CHUNK_BYTES))

    def _members(self) -> Iterator[Attachment]:
        with archive_errors(tarfile.TarError, lzma.LZMAError):
            try:
                with tarfile.open(fileobj=self._stream(), mode="r|") as archive:
                    for info in archive:
                        read = info.isfile() and is_document(info.name)
                        if read and (stream := archive.extractfile(info)):
                            pieces = partial(_pieces, stream)
                            yield Attachment(_shown(_typed(info.name)), "", pieces)
            except tarfile.ReadError:
                if not self._packing:
                    raise
            else:
                return
            # This is one compressed file, named like the archive without its last extension.
            yield Attachment(_shown(self._path.stem), "", partial(_pieces, self._stream()))

    def _stream(self) -> IO[bytes]:
        self._file.seek(0)
        unpack = _UNPACK.get(self._packing)
        inside = self._file if unpack is None else unpack(self._file)
        # Skipped parts are unpacked as well, which takes time.
        stream = _LimitedStream(inside, self._room, lambda: self.on_page(self.page_count))
        return cast("IO[bytes]", stream)

    def close(self) -> None:
        self._file.close()
        super().close()


class _LimitedStream:
    """A stream that reports progress and raises ``too_complex`` at a limit."""

    def __init__(self, stream: IO[bytes], room: int, beat: Callable[[], None]) -> None:
        self._stream = stream
        self._left = self._room = room
        self._beat = beat
        self._beat_at = room

    def read(self, size: int = _CHUNK_BYTES) -> bytes:
        if size > _LONGEST_READ:
            raise ValueError("a header of this archive is too long")
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise WorldError("too_complex", limit=shown_size(self._room))
        if self._left <= self._beat_at - _BEAT_BYTES:
            self._beat_at = self._left
            self._beat()
        return data


def _pieces(stream: IO[bytes], budget: Budget) -> Iterator[bytes]:
    with archive_errors(tarfile.TarError, lzma.LZMAError):
        yield from charged(iter(partial(stream.read, _CHUNK_BYTES), b""), budget)


def is_document(name: str) -> bool:
    """Whether the path of a member is that of a document, to be read or reported as unread."""
    path = PurePosixPath(name.replace("\\", "/"))
    if any(part.startswith(".") or part in _IGNORED_FOLDERS for part in path.parts if part != ".."):
        return False
    known, suffix = by_name(path), extension_of(path.name).removeprefix(".")
    if known is not None:
        return known is not IMAGE
    return not suffix or suffix in FOREIGN_DOCUMENTS


def _typed(name: str) -> str:
    """Return the name of a tar file's member as it was typed, even if it is not UTF-8."""
    return decoded(name.encode("utf-8", "surrogateescape"))


def _shown(name: str) -> str:
    """Return a path in one line, truncated at the start if it is long."""
    line = " ".join(name.replace("\\", "/").split())
    return line if len(line) <= MAX_NAME_CHARS else f"…{line[1 - MAX_NAME_CHARS :]}"
