"""Walks a root and says what stands under it, without opening a single file.

Owns the walk: a stack instead of recursion, links that are listed and never followed, no folder
twice, folders that cannot be listed told apart from folders that are gone, and an unplugged drive
told apart from an empty one. It must not know the catalog's tables or how files are read.

Links are not followed because there is nothing to gain: what they lead to is listed where it
stands if that is under a root, and was left out, or never asked for, if it is not.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.catalog.records import FoundFile, FoundFolder, Root
from indexer.errors import WorldError
from indexer.hashing import mtime_ns
from indexer.kinds import Kinds, counting_volumes, is_hidden, is_link
from indexer.types import FileState

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.excludes import Excludes
    from indexer.progress import CancelToken

GIB = 1 << 30
_ABSENT = (FileNotFoundError, NotADirectoryError)


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What a walk goes by.

    ``max_bytes`` is the size past which a file is not read, ``max_bytes_of`` the same for single
    formats. ``passed_by`` maps absolute paths of folders to the reason why they are not entered:
    other roots, the library itself. ``roots`` are the paths of all roots, to say where links lead.
    """

    excludes: Excludes
    formats: Mapping[str, str]
    max_bytes: int = GIB
    max_bytes_of: Mapping[str, int] = field(default_factory=dict)
    passed_by: Mapping[bytes, str] = field(default_factory=dict)
    roots: Sequence[bytes] = ()


def known_formats() -> dict[str, str]:
    """Give the formats of the extraction registry by their extensions."""
    from indexer.extract.registry import FORMATS

    return {extension: known.name for known in FORMATS for extension in known.extensions}


class RootWalk:
    """One walk over one root; iterate it once. See ``indexer.catalog.scans.Walk``.

    Args:
        root: Where to walk.
        rules: What to leave out.
        token: Checked at every folder; iterating then raises ``Cancelled``.
    """

    def __init__(self, root: Root, rules: ScanRules, token: CancelToken | None = None) -> None:
        self.root = root
        self.rules = rules
        self.unread: dict[bytes, str] = {}
        self.problem: WorldError | None = None
        self._token = token
        self._kinds = Kinds(rules.formats, rules.max_bytes, counting_volumes(), rules.max_bytes_of)
        self._entered: set[tuple[int, int]] = set()
        self._real_roots = [os.path.realpath(path) for path in rules.roots]
        self._parents: tuple[bytes, tuple[str, ...]] = (b"", ())

    @property
    def reachable(self) -> bool:
        """Whether the root was there from the beginning to the end; ``problem`` says why not."""
        return self.problem is None

    def __iter__(self) -> Iterator[FoundFolder]:
        try:
            start = os.stat(self.root.path)  # noqa: PTH116  # bytes
            with os.scandir(self.root.path):
                pass
        except OSError as error:
            self.problem = _problem(error, self.root.path)
            return
        self._entered.add((start.st_dev, start.st_ino))
        if self.root.only:
            yield FoundFolder(b"", start.st_dev, self._single(start.st_dev))
        else:
            yield from self._walk(start.st_dev)
        self._look_back(start)

    def _walk(self, volume: int) -> Iterator[FoundFolder]:
        stack: list[tuple[bytes, int]] = [(b"", volume)]
        while stack:
            if self._token is not None:
                self._token.check()
            folder, volume = stack.pop()
            found, inner = self._list(folder, volume)
            if found is not None:
                yield found
            # Reversed, so that the folders come in the order of their names.
            stack.extend(sorted(inner, reverse=True))

    def _list(
        self, folder: bytes, volume: int
    ) -> tuple[FoundFolder | None, list[tuple[bytes, int]]]:
        """List one folder: its entries, and the folders in it that are to be entered."""
        absolute = _absolute(self.root.path, folder)
        entries: list[FoundFile] = []
        inner: list[tuple[bytes, int]] = []
        try:
            with os.scandir(absolute) as listing:
                for entry in listing:
                    found = self._entry(absolute, folder, entry, volume)
                    if isinstance(found, FoundFile):
                        entries.append(found)
                    elif found is not None:
                        inner.append(found)
        except OSError as error:
            # Gone since its parent was listed: then what was in it is gone too.
            if not isinstance(error, _ABSENT) or folder == b"":
                self.unread[folder] = _code(error)
            return None, []
        return FoundFolder(folder, volume, entries), inner

    def _entry(
        self, absolute: bytes, folder: bytes, entry: os.DirEntry[bytes], volume: int
    ) -> FoundFile | tuple[bytes, int] | None:
        relative = folder + b"/" + entry.name if folder else entry.name
        try:
            found = entry.stat(follow_symlinks=False)
        except _ABSENT:
            return None
        except OSError as error:
            return FoundFile(entry.name, 0, 0, volume, 0, state=FileState.FAILED, code=_code(error))
        if is_link(found):
            detail = {"reason": self._link_reason(entry.path)}
            return _row(entry.name, found, volume, FileState.EXCLUDED, "symlink", detail)
        if stat.S_ISDIR(found.st_mode):
            reason = self._folder_reason(absolute, relative, entry, found)
            if reason is None:
                return relative, found.st_dev or volume
            return _row(
                entry.name, found, volume, FileState.EXCLUDED, "excluded", {"reason": reason}
            )
        shown = os.fsdecode(relative)
        reason = self.rules.excludes.file(shown, hidden=is_hidden(found))
        if reason is not None:
            return _row(
                entry.name, found, volume, FileState.EXCLUDED, "excluded", {"reason": reason}
            )
        return self._file(entry.name, found, volume)

    def _file(self, name: bytes, found: os.stat_result, volume: int) -> FoundFile:
        kind = self._kinds.of(name, found)
        return _row(name, found, volume, kind.state, kind.code, kind.detail, kind.format)

    def _single(self, volume: int) -> list[FoundFile]:
        # The person named this very file, so no pattern applies to it, and a link is followed.
        try:
            found = os.stat(_absolute(self.root.path, self.root.only))  # noqa: PTH116  # bytes
        except _ABSENT:
            return []
        except OSError as error:
            self.unread[self.root.only] = _code(error)
            return []
        return [self._file(self.root.only, found, volume)]

    def _folder_reason(
        self, absolute: bytes, relative: bytes, entry: os.DirEntry[bytes], found: os.stat_result
    ) -> str | None:
        passed_by = self.rules.passed_by.get(entry.path)
        if passed_by is not None:
            return passed_by
        if found.st_ino:
            identity = (found.st_dev, found.st_ino)
            if identity in self._entered:
                return "the same folder stands elsewhere"
            self._entered.add(identity)
        if self._parents[0] != absolute:
            parts = os.fsdecode(absolute).replace(os.sep, "/").split("/")
            self._parents = absolute, tuple(part for part in parts if part)

        def exists(name: str) -> bool:
            return os.path.lexists(os.path.join(absolute, os.fsencode(name)))  # noqa: PTH118

        shown = os.fsdecode(relative)
        reason = self.rules.excludes.folder(self._parents[1], shown, exists)
        if reason is None and is_hidden(found):
            return self.rules.excludes.file(shown, hidden=True)
        return reason

    def _link_reason(self, path: bytes) -> str:
        try:
            target = os.path.realpath(path, strict=True)
        except OSError:
            return "it leads nowhere"
        separator = os.fsencode(os.sep)
        for root in self._real_roots:
            if target == root or target.startswith(root.rstrip(separator) + separator):
                return "what it leads to is listed where it stands"
        return "it leads out of the folders of this library"

    def _look_back(self, start: os.stat_result) -> None:
        """Notice a drive that was unplugged during the walk: everything seems gone then."""
        try:
            now = os.stat(self.root.path)  # noqa: PTH116  # bytes
        except OSError as error:
            self.problem = _problem(error, self.root.path)
            return
        if (now.st_dev, now.st_ino) != (start.st_dev, start.st_ino):
            self.problem = WorldError("path_missing", path=os.fsdecode(self.root.path))
        elif b"" in self.unread:
            self.problem = WorldError(
                self.unread[b""], path=os.fsdecode(self.root.path), reason="it cannot be listed"
            )


def _row(
    name: bytes,
    found: os.stat_result,
    volume: int,
    state: FileState | None,
    code: str,
    detail: Mapping[str, str],
    file_format: str = "",
) -> FoundFile:
    # The time of a folder or a link tells nothing that would be worth an update.
    counts = stat.S_ISREG(found.st_mode)
    # What Windows tells of a listed entry has neither volume nor number.
    return FoundFile(
        name,
        found.st_size if counts else 0,
        mtime_ns(found) if counts else 0,
        found.st_dev or volume,
        found.st_ino,
        file_format,
        state,
        code,
        detail,
    )


def _absolute(root: bytes, relative: bytes) -> bytes:
    if not relative:
        return root
    return os.path.join(root, relative.replace(b"/", os.fsencode(os.sep)))  # noqa: PTH118


def _code(error: OSError) -> str:
    return "path_denied" if isinstance(error, PermissionError) else "read_error"


def _problem(error: OSError, path: bytes) -> WorldError:
    code = "path_missing" if isinstance(error, _ABSENT) else _code(error)
    return WorldError(code, path=os.fsdecode(path), reason=error.strerror or str(error))
