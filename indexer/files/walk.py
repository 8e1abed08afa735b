"""Walks a root, or some entries of it, and hashes files.

The walk uses a stack instead of recursion, enters no folder twice, distinguishes unreadable folders
from deleted ones, and detects a drive that is unplugged meanwhile. It opens only files of patterns.
Links are listed but not followed: their targets are either under a root, where they are listed, or
not meant to be indexed. Hashing a file also detects changes during the reading.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.api.errors import Cancelled, WorldError
from indexer.api.phrases import reason_of
from indexer.api.types import FileState
from indexer.catalog.records import FoundFile, FoundFolder, Root
from indexer.catalog.roots import below, join
from indexer.catalog.states import Stamp, mtime_ns
from indexer.files.excludes import (
    IGNORE_NAME,
    MAX_IGNORE_BYTES,
    EntryClassifier,
    EntryKind,
    Excludes,
    detail_of,
    is_away,
    is_hidden,
    is_link,
)

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken


CHUNK_BYTES = 1 << 20
# A pipe may have replaced the file; opening it must not wait for a writer.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class ContentHash(Struct, frozen=True):
    """The SHA-256 of a file's bytes in hexadecimal, and the file's ``Stamp`` at that time."""

    content_id: str
    stamp: Stamp


def size_and_time(path: bytes, *, follow_links: bool = True) -> tuple[int, int] | None:
    """Return size and time, which nearly every change alters; None without a file.

    Callers that need certainty hash the bytes, and readers compare the whole ``Stamp``.
    """
    try:
        found = os.stat(path, follow_symlinks=follow_links)
    except OSError:
        return None
    return found.st_size, mtime_ns(found)


def content_id(path: bytes, *, stopping: Callable[[], bool] = lambda: False) -> ContentHash:
    """Hash a file; ``stopping`` is called between chunks of a megabyte.

    Raises ``Cancelled`` once ``stopping`` returns True, ``changed_while_read``, ``placeholder`` if
    the bytes would have to be fetched, ``read_error`` if the file is not regular, and ``OSError``
    if it cannot be opened or read.
    """
    if is_away(os.stat(path)):
        raise WorldError("placeholder")
    descriptor = os.open(path, _FLAGS)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise WorldError("read_error", reason="not_a_file")
        digest = hashlib.sha256()
        buffer = bytearray(min(CHUNK_BYTES, before.st_size + 1))
        view = memoryview(buffer)
        read = 0
        while size := file.readinto(buffer):
            digest.update(view[:size])
            read += size
            if stopping():
                raise Cancelled
        after = os.fstat(descriptor)
    if Stamp.from_status(after) != Stamp.from_status(before) or read != before.st_size:
        raise WorldError("changed_while_read")
    return ContentHash(digest.hexdigest(), Stamp.from_status(before))


def is_unchanged(path: bytes, stamp: Stamp) -> bool:
    """Return whether a file still has this stamp; False if it does not exist."""
    try:
        return Stamp.from_status(os.stat(path)) == stamp
    except OSError:
        return False


ABSENT = (FileNotFoundError, NotADirectoryError)
_NOFOLLOW = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def status_of(entry: bytes | os.DirEntry[bytes]) -> os.stat_result | OSError:
    """Return the status of an entry, not of a link's target, or the error."""
    try:
        if isinstance(entry, bytes):
            return os.lstat(entry)
        return entry.stat(follow_symlinks=False)
    except OSError as error:
        return error


def ignore_lines(path: bytes) -> list[str]:
    """Read a file of patterns. A link, a huge file or a placeholder counts as empty."""
    found = first_bytes(path, MAX_IGNORE_BYTES + 1)
    if len(found) > MAX_IGNORE_BYTES:
        return []
    return found.decode("utf-8-sig", "replace").splitlines()


def first_bytes(path: bytes, most: int) -> bytes:
    """Read the start of a file. A link, a placeholder or an unreadable file counts as empty."""
    try:
        with os.fdopen(os.open(path, _NOFOLLOW), "rb") as file:
            found = os.fstat(file.fileno())
            there = stat.S_ISREG(found.st_mode) and not is_away(found)
            return file.read(most) if there else b""
    except OSError:
        return b""


def row(name: bytes, found: os.stat_result, volume: int, kind: EntryKind) -> FoundFile:
    """Make the record of an entry for the catalog."""
    # Times of folders and links are left out, as their changes are irrelevant.
    counts = stat.S_ISREG(found.st_mode)
    # On Windows the status from a listing has neither volume nor inode.
    size, time = (found.st_size, mtime_ns(found)) if counts else (0, 0)
    identity = found.st_dev or volume, found.st_ino
    return FoundFile(name, size, time, *identity, kind.format, kind.state, kind.code, kind.detail)


def code_of(error: OSError) -> str:
    """Return the reason code of an error of a system call."""
    return "path_denied" if isinstance(error, PermissionError) else "read_error"


def error_of_root(error: OSError, path: bytes) -> WorldError:
    """Return the error of a root that cannot be walked."""
    code = "path_missing" if isinstance(error, ABSENT) else code_of(error)
    return WorldError(code, path=os.fsdecode(path), reason=reason_of(error))


# The names for a partial walk by folder below the root. A name that is a folder is walked whole.
Entries = Mapping[bytes, frozenset[bytes]]
_IGNORE_NAME = os.fsencode(IGNORE_NAME)


# A folder to enter: its path below the root, its volume, and the rules of its parent.
_Folder = tuple[bytes, int, "Excludes"]


class ScanRules(Struct, frozen=True):
    """The rules of a walk.

    ``skipped`` maps absolute paths of folders to the reason why they are not entered: other roots,
    the library itself. ``owned`` files are roots themselves and not listed again. ``roots`` are the
    paths of all roots, to find out where links lead.
    """

    excludes: Excludes
    classifier: EntryClassifier
    skipped: Mapping[bytes, str] = field(default_factory=dict)
    owned: frozenset[bytes] = frozenset()
    roots: Sequence[bytes] = ()


def ignore_folder(_path: bytes, _whole: bool) -> None:  # noqa: FBT001  # a callback
    """The ``on_enter`` for walks without a watcher."""


class RootWalk:
    """One walk over a root, or over some entries (``only``). See ``indexer.catalog.scans.Walk``.

    Iterate it once. The token is checked at every folder, and iterating raises ``Cancelled``.
    ``on_enter`` is called with the absolute path of each folder before it is listed, so that it can
    be watched from then on, and with whether more than one file of it belongs to the library.
    """

    def __init__(
        self,
        root: Root,
        rules: ScanRules,
        token: CancelToken | None = None,
        *,
        only: Entries | None = None,
        on_enter: Callable[[bytes, bool], None] = ignore_folder,
    ) -> None:
        self.root = root
        self.rules = rules
        self.unread: dict[bytes, str] = {}
        self.problem: WorldError | None = None
        self._token = token
        self.only = only
        self._on_enter = on_enter
        self._entered: set[tuple[int, int]] = set()
        self._real_roots = [os.path.realpath(path) for path in rules.roots]
        self._parents: tuple[bytes, tuple[str, ...]] = (b"", ())

    @property
    def reachable(self) -> bool:
        """Whether the root was reachable from start to end; ``problem`` says why not."""
        return self.problem is None

    def __iter__(self) -> Iterator[FoundFolder]:
        self._on_enter(self.root.path, not self.root.file_name)
        try:
            start = os.stat(self.root.path)
            with os.scandir(self.root.path):
                pass
        except OSError as error:
            self.problem = error_of_root(error, self.root.path)
            return
        self._entered.add((start.st_dev, start.st_ino))
        if self.root.file_name:
            yield FoundFolder(b"", start.st_dev, self._single(start.st_dev))
        elif self.only is None:
            yield from self._walk([(b"", start.st_dev, self.rules.excludes)])
        else:
            for folder, names in self.only.items():
                yield from self._walk_entries(folder, names)
        self._check_root_stayed(start)

    def _walk(self, stack: list[_Folder]) -> Iterator[FoundFolder]:
        while stack:
            if self._token is not None:
                self._token.check()
            found, inner = self._list(*stack.pop())
            if found is not None:
                yield found
            # Reversed, so that folders are popped in the order of their names.
            stack.extend(sorted(inner, key=lambda each: each[0], reverse=True))

    def _walk_entries(self, folder: bytes, names: frozenset[bytes]) -> Iterator[FoundFolder]:
        """Yield some entries of a folder, and walk those that are folders."""
        absolute = join(self.root.path, folder)
        try:
            volume = os.stat(absolute).st_dev
        except OSError as error:
            if not isinstance(error, ABSENT):
                self.unread[folder] = code_of(error)
            return
        excludes = self._rules_in(folder)
        entries: list[FoundFile] = []
        inner: list[_Folder] = []
        for name in sorted(names):
            path = os.path.join(absolute, name)
            self._sort(folder, name, path, status_of(path), (volume, excludes), entries, inner)
        yield FoundFolder(folder, volume, entries, names)
        yield from self._walk(sorted(inner, key=lambda each: each[0], reverse=True))

    def _rules_in(self, folder: bytes) -> Excludes:
        """Collect the patterns from the root down to a folder."""
        excludes, above = self.rules.excludes, b""
        for part in (b"", *folder.split(b"/")) if folder else (b"",):
            above = above + b"/" + part if above else part
            absolute = join(self.root.path, above)
            excludes = self._within(above, absolute, excludes)
            with contextlib.suppress(OSError):
                found = os.stat(absolute)
                self._entered.add((found.st_dev, found.st_ino))
        return excludes

    def _within(self, folder: bytes, absolute: bytes, excludes: Excludes) -> Excludes:
        lines = ignore_lines(os.path.join(absolute, _IGNORE_NAME))
        return excludes.within(os.fsdecode(folder), lines) if lines else excludes

    def _list(
        self, folder: bytes, volume: int, excludes: Excludes
    ) -> tuple[FoundFolder | None, list[_Folder]]:
        """List one folder; return its entries, and the folders in it to enter."""
        absolute = join(self.root.path, folder)
        entries: list[FoundFile] = []
        inner: list[_Folder] = []
        self._on_enter(absolute, True)  # noqa: FBT003  # a callback
        try:
            with os.scandir(absolute) as listing:
                listed = list(listing)
        except OSError as error:
            # The folder was deleted after its parent was listed.
            if not isinstance(error, ABSENT) or folder == b"":
                self.unread[folder] = code_of(error)
            return None, []
        if any(entry.name == _IGNORE_NAME for entry in listed):
            excludes = self._within(folder, absolute, excludes)
        for entry in listed:
            status = status_of(entry)
            self._sort(folder, entry.name, entry.path, status, (volume, excludes), entries, inner)
        return FoundFolder(folder, volume, entries), inner

    def _sort(
        self,
        folder: bytes,
        name: bytes,
        path: bytes,
        status: os.stat_result | OSError,
        within: tuple[int, Excludes],
        entries: list[FoundFile],
        inner: list[_Folder],
    ) -> None:
        """Add an entry to the files, or to the folders to enter."""
        volume, excludes = within
        relative = folder + b"/" + name if folder else name
        if isinstance(status, OSError):
            if not isinstance(status, ABSENT):
                failed, code = FileState.FAILED, code_of(status)
                detail = {"reason": reason_of(status)}
                entries.append(
                    FoundFile(name, 0, 0, volume, 0, state=failed, code=code, detail=detail)
                )
            return
        if is_link(status):
            detail = {"reason": self._link_reason(path)}
            kind = EntryKind("", FileState.EXCLUDED, "symlink", detail)
            entries.append(row(name, status, volume, kind))
            return
        if stat.S_ISDIR(status.st_mode):
            reason = self._folder_reason(relative, path, status, excludes)
            if reason is None:
                inner.append((relative, status.st_dev or volume, excludes))
                return
        else:
            shown = os.fsdecode(relative)
            reason = excludes.file(shown, hidden=is_hidden(status))
            if path in self.rules.owned:
                return
        if reason is None:
            entries.append(self._file(name, status, volume))
        else:
            kind = EntryKind("", FileState.EXCLUDED, "excluded", detail_of(reason))
            entries.append(row(name, status, volume, kind))

    def _file(self, name: bytes, found: os.stat_result, volume: int) -> FoundFile:
        return row(name, found, volume, self.rules.classifier.classify(name, found))

    def _single(self, volume: int) -> list[FoundFile]:
        # The person added this file, so no pattern applies, and a link is followed.
        try:
            found = os.stat(join(self.root.path, self.root.file_name))
        except ABSENT:
            return []
        except OSError as error:
            self.unread[self.root.file_name] = code_of(error)
            return []
        return [self._file(self.root.file_name, found, volume)]

    def _folder_reason(
        self, relative: bytes, path: bytes, found: os.stat_result, excludes: Excludes
    ) -> str | None:
        skipped = self.rules.skipped.get(path)
        if skipped is not None:
            return skipped
        if found.st_ino:
            identity = (found.st_dev, found.st_ino)
            if identity in self._entered:
                return "seen_elsewhere"
            self._entered.add(identity)
        absolute = os.path.dirname(path)
        if self._parents[0] != absolute:
            parts = os.fsdecode(absolute).replace(os.sep, "/").split("/")
            self._parents = absolute, tuple(part for part in parts if part)

        def exists(name: str) -> bool:
            return os.path.lexists(os.path.join(absolute, os.fsencode(name)))

        shown = os.fsdecode(relative)
        reason = excludes.folder(self._parents[1], shown, exists)
        if reason is None and is_hidden(found):
            return excludes.file(shown, hidden=True)
        return reason

    def _link_reason(self, path: bytes) -> str:
        try:
            target = os.path.realpath(path, strict=True)
        except OSError:
            return "leads_nowhere"
        inside = any(below(root, target) is not None for root in self._real_roots)
        return "leads_inside" if inside else "leads_out"

    def _check_root_stayed(self, start: os.stat_result) -> None:
        """Detect a drive that was unplugged during the walk, as its files would seem deleted."""
        try:
            now = os.stat(self.root.path)
        except OSError as error:
            self.problem = error_of_root(error, self.root.path)
            return
        if (now.st_dev, now.st_ino) != (start.st_dev, start.st_ino):
            self.problem = WorldError("path_missing", path=os.fsdecode(self.root.path))
        elif b"" in self.unread:
            self.problem = WorldError(
                self.unread[b""], path=os.fsdecode(self.root.path), reason="not_listed"
            )
