"""Zip packages: office files, e-books and zip archives.

Only the parts asked for are unpacked, in memory and within a budget. Their names are never used as
paths.
"""

from __future__ import annotations

import posixpath
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar, cast
from urllib.parse import unquote

from indexer.api.errors import WorldError
from indexer.api.formats import ZIP_MAGIC
from indexer.extract.base import PageSource, RawPage, check_size, damaged_container, too_large
from indexer.extract.document import Budget
from indexer.extract.page_writer import PageWriter, salvage
from indexer.extract.plain.decode import find_encoding

if TYPE_CHECKING:
    from indexer.config import Limits

P = TypeVar("P", bound="ZipPackage")
S = TypeVar("S")

_CHUNK_BYTES = 1 << 16
# ``zipfile`` needs ten times the size of the directory.
MAX_DIRECTORY_BYTES = 8 * 1024**2
_ENCRYPTED = 0x1
_AES = 99  # the compression method that marks AES encryption
_DAMAGE: tuple[type[Exception], ...] = (
    zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, struct.error,
    IndexError, OverflowError,
)  # fmt: skip


class ZipPackage:
    """An open zip file. Names of parts are case-insensitive.

    ``budget`` belongs to the document, and is new by default. ``password`` opens the parts.

    Raises ``empty``, ``too_large``, ``too_complex`` or ``unreadable``; ``OSError`` if the file
    cannot be read.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits,
        *,
        budget: Budget | None = None,
        password: str | None = None,
    ) -> None:
        check_size(path, limits.package_bytes)
        self.budget = budget or Budget(limits)
        self._password = password.encode("utf-8", "replace") if password else None
        self._file = path.open("rb")
        try:
            with archive_errors():
                self._zip = open_zip(self._file)
        except BaseException:
            self._file.close()
            raise
        self._parts = {_key(info.filename): info for info in reversed(self._zip.infolist())}

    def __contains__(self, name: str) -> bool:
        return _key(name) in self._parts

    def names(self) -> Iterator[str]:
        """Yield the names of all parts."""
        for info in self._parts.values():
            yield info.filename

    def files(self) -> Iterator[str]:
        """Yield in order the names of the parts that are neither folders nor links."""
        for info in self._zip.infolist():
            if not info.is_dir() and not stat.S_ISLNK(info.external_attr >> 16):
                yield info.filename

    def shown_names(self) -> dict[str, str]:
        """Return the names of all parts as they were typed, by the names that ``files`` yields.

        Old programs write names in the encoding of their system without saying which it is.
        """
        infos = self._zip.infolist()
        raw = {info.filename: _raw_name(info) for info in infos}
        joined = b"\n".join(name for name in raw.values() if not name.isascii())
        encoding = find_encoding(joined, (joined,), system=True)
        return {
            info.filename: _unicode_name(info)
            or (encoding.decode(raw[info.filename]) if raw[info.filename] else info.filename)
            for info in infos
        }

    def is_locked(self, name: str) -> bool:
        """Whether a part is encrypted."""
        return bool(self._parts[_key(name)].flag_bits & _ENCRYPTED)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a part.

        Raises ``unreadable`` if it is missing or damaged, ``needs_password`` or ``unsupported`` if
        it is encrypted, ``too_complex`` if it exceeds the budget.
        """
        info = self._parts.get(_key(name))
        if info is None:
            raise WorldError("unreadable", reason="part_missing", part=name[:80])
        if info.compress_type == _AES:
            raise WorldError("unsupported", format="AES zip")
        if info.flag_bits & _ENCRYPTED and self._password is None:
            raise WorldError("needs_password")
        with archive_errors(), self._zip.open(info, pwd=self._password) as part:
            while data := part.read(_CHUNK_BYTES):
                self.budget.spend_bytes(len(data))
                yield data

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of a part, at most ``limit``.

        Raises ``too_large``, and what ``chunks`` raises.
        """
        found = bytearray()
        for data in self.chunks(name):
            found += data
            if len(found) > limit:
                raise too_large(limit)
        return bytes(found)

    def close(self) -> None:
        self._zip.close()
        self._file.close()


class PackageSource(PageSource):
    """A document in a package, which is closed with it."""

    def __init__(self, package: ZipPackage) -> None:
        self._package = package

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._package.budget)
        return salvage(self._pages(writer, skip), writer)

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        raise NotImplementedError

    def close(self) -> None:
        self._package.close()
        super().close()


def is_packed(path: Path) -> bool:
    """Whether a file is a zip file, by its first bytes."""
    with path.open("rb") as file:
        return file.read(len(ZIP_MAGIC)) == ZIP_MAGIC


def packed_chunks(path: Path, ending: str, budget: Budget) -> Iterator[bytes]:
    """Yield the bytes of a file, or of a zip file's first part whose name ends with ``ending``."""
    if not is_packed(path):
        check_size(path, budget.limits.package_bytes)
        with path.open("rb") as file:
            yield from iter(partial(file.read, _CHUNK_BYTES), b"")
        return
    with closing(ZipPackage(path, budget.limits, budget=budget)) as package:
        names = [name for name in package.files() if name.lower().endswith(ending)]
        if not names:
            raise WorldError("unreadable", reason="part_missing", part=ending)
        yield from package.chunks(names[0])


def opened(package: P, source: Callable[[P], S]) -> S:
    """Return the document of a package, which is closed if that fails."""
    try:
        return source(package)
    except BaseException:
        package.close()
        raise


def resolve(base: str, target: str) -> str:
    """Return the part that ``base`` refers to by a path, which may have escapes and a fragment."""
    target = unquote(target.partition("#")[0]).replace("\\", "/")
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target))


_UNICODE_PATH, _IS_UTF8 = 0x7075, 0x800


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a name in an unknown encoding, b"" if it is known."""
    try:
        return b"" if info.flag_bits & _IS_UTF8 else info.filename.encode("cp437")
    except UnicodeEncodeError:
        return b""


def _unicode_name(info: zipfile.ZipInfo) -> str:
    """Return the name in UTF-8 that some programs add, "" if there is none."""
    at = 0
    while at + 9 <= len(info.extra):
        kind, size = struct.unpack_from("<HH", info.extra, at)
        if kind == _UNICODE_PATH:
            return info.extra[at + 9 : at + 4 + size].decode("utf-8", "replace")
        at += 4 + size
    return ""


def _key(name: str) -> str:
    return re.sub(r"^(?:\./|/)+", "", name.replace("\\", "/")).casefold()


@contextmanager
def archive_errors(*more: type[Exception]) -> Iterator[None]:
    """Convert exceptions of ``zipfile``, and some more, to ``WorldError``."""
    try:
        yield
    except RuntimeError as error:  # raised for a missing or wrong password
        raise WorldError("needs_password") from error
    except _DAMAGE + more as error:
        raise damaged_container(error) from error
    except OSError as error:
        if error.errno not in (None, 22):  # 22: an impossible offset in the directory
            raise
        raise damaged_container(error) from error


def open_zip(file: IO[bytes]) -> zipfile.ZipFile:
    """Open a zip file whose directory is small enough, as ``zipfile`` reads it with one call.

    Raises ``too_complex`` if the directory is larger; ``zipfile.BadZipFile`` if it is damaged.
    """
    return zipfile.ZipFile(cast("IO[bytes]", _LimitedReads(file)))


class _LimitedReads:
    """A file that refuses to read more than ``MAX_DIRECTORY_BYTES`` with one call."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY_BYTES:
            raise WorldError("too_complex", limit=f"{MAX_DIRECTORY_BYTES:,} bytes of names")
        return self._file.read(size)
