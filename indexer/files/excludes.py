"""Decides by rules, names and status which files and folders are not indexed, and why.

The person's patterns, in gitignore syntax, take precedence over the built-in rules. The patterns of
the nearest ``.lecternignore`` come first, then those of the folders above, of the root and of the
settings. As in gitignore, a file inside an excluded folder cannot be included alone: include the
folder (``!node_modules/``), then exclude the rest of it. No file is opened to classify it.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from indexer.api.codec import decode
from indexer.api.errors import WorldError
from indexer.api.formats import FOREIGN_DOCUMENTS, extension_of
from indexer.api.types import FileState
from indexer.extract.base import shown_size


class Reason(StrEnum):
    """Why an entry is excluded, as a code of ``indexer.api.phrases``."""

    SECRETS = "secrets"
    BROWSER = "browser"
    MAIL = "mail"
    CACHE = "cache"
    VERSIONS = "versions"
    DEPENDENCIES = "dependencies"
    BUILD = "build"
    TRASH = "trash"
    SYSTEM = "system"
    HIDDEN = "hidden"
    PATTERN = "pattern"  # followed by the pattern


# The name of files with patterns for their folder.
IGNORE_NAME = ".lecternignore"
MAX_IGNORE_BYTES = 1 << 16


class ExcludeRule(Struct, frozen=True):
    """Folders or files that are excluded.

    ``paths`` are the last components of a path, in lower case and joined by "/". ``*`` at the start
    or the end matches within one component. Rules for names that are ordinary words have ``beside``
    or ``inside``: they apply only if one of these names is in the same folder, or in the folder
    itself.
    """

    reason: Reason
    paths: tuple[str, ...]
    beside: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


_FILE = Path(__file__).resolve().parents[2] / "resources" / "excludes.json"
_RULES = json.loads(_FILE.read_text("utf-8"))
FOLDER_RULES, FILE_RULES = (
    decode(tuple[ExcludeRule, ...], _RULES[name]) for name in ("folders", "files")
)

# System folders at the top of the file system.
SYSTEM_PLACES = frozenset({"proc", "sys", "dev", "run", "boot", "system", "c:/windows"})


class _Table:
    """Rules by the last component of their paths, for fast look-ups."""

    def __init__(self, rules: Iterable[ExcludeRule]) -> None:
        self._exact: dict[str, list[tuple[tuple[str, ...], ExcludeRule]]] = {}
        self._heads: list[tuple[str, ExcludeRule]] = []
        self._tails: list[tuple[str, ExcludeRule]] = []
        for rule in rules:
            for path in rule.paths:
                *before, last = path.split("/")
                if last.endswith("*"):
                    self._heads.append((last[:-1], rule))
                elif last.startswith("*"):
                    self._tails.append((last[1:], rule))
                else:
                    self._exact.setdefault(last, []).append((tuple(before), rule))

    def rules_for_name(self, parents: Sequence[str], name: str) -> Iterable[ExcludeRule]:
        """Return the rules for a name in lower case whose path has the components ``parents``."""
        for before, rule in self._exact.get(name, ()):
            if not before or tuple(parents[-len(before) :]) == before:
                yield rule
        yield from (rule for head, rule in self._heads if name.startswith(head))
        yield from (rule for tail, rule in self._tails if name.endswith(tail) and name != tail)


_FOLDERS = _Table(FOLDER_RULES)
_FILES = _Table(FILE_RULES)


class Excludes:
    """Decides what is excluded under one root.

    Patterns are in gitignore syntax, relative to the root. The last match decides and takes
    precedence over the built-in rules; ``!`` includes. ``hidden`` says whether hidden files and
    folders are included. Raises ``bad_setting`` for an invalid pattern.
    """

    def __init__(self, patterns: Sequence[str] = (), *, hidden: bool = False) -> None:
        self._hidden = hidden
        self._patterns = tuple(patterns)
        self._match = _compile(self._patterns) if self._patterns else None
        self._near: tuple[tuple[int, Callable[[str], str | None]], ...] = ()

    def within(self, folder: str, patterns: Sequence[str]) -> Excludes:
        """Return the rules inside a folder, given its path below the root, "" for the root.

        The patterns are the lines of its ``.lecternignore``; invalid lines are ignored.
        """
        readable = [line for line in patterns if _readable(line)]
        inner = Excludes(hidden=self._hidden)
        inner._match = self._match
        depth = len(folder) + 1 if folder else 0
        inner._near = ((depth, _compile(readable)), *self._near) if readable else self._near
        return inner

    def folder(
        self, parents: Sequence[str], relative: str, exists: Callable[[str], bool]
    ) -> str | None:
        """Return why a folder is excluded, or None.

        ``parents`` are the components of the absolute path of its parent folder, ``relative`` is
        its path below the root. ``exists`` returns whether a name is in the parent folder;
        ``folder/name`` checks inside the folder.
        """
        decided = self._by_pattern(f"{relative}/")
        if decided is not None:
            return decided or None
        own = relative.rpartition("/")[2]
        name = own.lower()
        lowered = [part.lower() for part in parents[-3:]]
        for rule in _FOLDERS.rules_for_name(lowered, name):
            near = [*rule.beside, *(f"{own}/{inner}" for inner in rule.inside)]
            if not near or any(exists(file) for file in near):
                return rule.reason
        if len(parents) <= 1 and "/".join([*lowered, name]) in SYSTEM_PLACES:
            return Reason.SYSTEM
        return self._if_hidden(own)

    def file(self, relative: str, *, hidden: bool = False) -> str | None:
        """Return why a file is excluded, or None; ``hidden`` is the file system's attribute."""
        decided = self._by_pattern(relative)
        if decided is not None:
            return decided or None
        own = relative.rpartition("/")[2]
        for rule in _FILES.rules_for_name((), own.lower()):
            return rule.reason
        if hidden and not self._hidden:
            return Reason.HIDDEN
        return self._if_hidden(own)

    def _if_hidden(self, name: str) -> str | None:
        return Reason.HIDDEN if name.startswith(".") and not self._hidden else None

    def _by_pattern(self, path: str) -> str | None:
        """Return the reason by the person's patterns, "" if they include it, None if none match."""
        for depth, match in self._near:
            decided = match(path[depth:])
            if decided is not None:
                return decided
        return None if self._match is None else self._match(path)


def detail_of(reason: str) -> dict[str, str]:
    """Convert a reason of ``Excludes`` to the detail of an ``excluded`` entry."""
    code, _, pattern = reason.partition(" ")
    return {"reason": code, "pattern": pattern} if pattern else {"reason": code}


def _compile(patterns: Sequence[str]) -> Callable[[str], str | None]:
    import pathspec

    wrong = next((line for line in patterns if not _readable(line)), None)
    if wrong is not None:
        raise WorldError("bad_setting", name="exclude", value=wrong, reason="not_a_pattern")
    spec = pathspec.GitIgnoreSpec.from_lines(patterns)

    def match(path: str) -> str | None:
        found = spec.check_file(path)
        if found.include is None or found.index is None:
            return None
        return f"{Reason.PATTERN} {spec.patterns[found.index].pattern!s}" if found.include else ""

    return match


def _readable(pattern: str) -> bool:
    """Whether a pattern can match anything. A pattern with an unclosed bracket cannot."""
    import pathspec

    try:
        read = pathspec.GitIgnoreSpec.from_lines([pattern]).patterns
    except (ValueError, re.error):
        return False
    blank = not pattern.strip() or pattern.startswith("#")
    return blank or any(each.include is not None for each in read)


# The name of a mail in a Maildir: seconds, a unique part, the host, perhaps flags.
_MAILDIR = re.compile(rb"\d{9,11}\.[\w=,+-]+\.[\w.=,+-]+(?:[:;!]2,[A-Za-z]*)?")

# Windows: opening or reading the file fetches its bytes.
_AWAY = 0x00001000 | 0x00040000 | 0x00400000  # OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_HIDDEN_OR_SYSTEM = 0x2 | 0x4
_MOUNT_POINT = 0xA0000003  # the reparse tag of a junction
# macOS
_DATALESS = 0x40000000
_UF_HIDDEN = 0x8000
INLINE_BYTES = 4096  # smaller files may live in the inode, without a block

_SPECIAL = (
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


class EntryKind(Struct, frozen=True):
    """The classification of a file. ``state`` is None if it has to be read as ``format``."""

    format: str = ""
    state: FileState | None = None
    code: str = ""
    detail: Mapping[str, str] = field(default_factory=dict)


class EntryClassifier(Struct, frozen=True):
    """Classifies entries.

    ``formats`` maps extensions with their dot to readable formats. ``limits`` has the largest size
    of each format in bytes, ``limit`` that of others. ``counting`` has the volumes whose block
    counts are reliable.
    """

    formats: Mapping[str, str]
    limit: int = 1 << 30
    counting: frozenset[int] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)

    def classify(self, name: bytes, found: os.stat_result) -> EntryKind:
        """Classify an entry that is not a folder."""
        if not stat.S_ISREG(found.st_mode):
            special = next((kind for test, kind in _SPECIAL if test(found.st_mode)), "special")
            return EntryKind("", FileState.UNSUPPORTED, "special_file", {"kind": special})
        extension = extension_of(os.fsdecode(name))
        known = self.formats.get(extension)
        if known is None and _MAILDIR.fullmatch(name):
            known = "eml"
        if known is None and extension:
            plain = extension[1:]
            code = "unsupported" if plain in FOREIGN_DOCUMENTS else "not_document"
            return EntryKind("", FileState.UNSUPPORTED, code, {"format": plain})
        if found.st_size == 0:
            return EntryKind(known or "", FileState.EMPTY, "empty")
        limit = self.limits.get(known or "", self.limit)
        if found.st_size > limit:
            detail = {"limit": shown_size(limit)}
            return EntryKind(known or "", FileState.TOO_LARGE, "too_large", detail)
        if self._is_away(found):
            return EntryKind(known or "", FileState.PLACEHOLDER, "placeholder")
        return EntryKind(known or "")

    def _is_away(self, found: os.stat_result) -> bool:
        if is_away(found):
            return True
        blocks = getattr(found, "st_blocks", 1)
        return blocks == 0 and found.st_size > INLINE_BYTES and found.st_dev in self.counting


def is_hidden(found: os.stat_result) -> bool:
    """Return whether an entry has the attribute "hidden" or "system"."""
    if getattr(found, "st_file_attributes", 0) & _HIDDEN_OR_SYSTEM:
        return True
    return bool(getattr(found, "st_flags", 0) & _UF_HIDDEN)


def is_away(found: os.stat_result) -> bool:
    """Return whether a file is marked as a placeholder, so that opening it would download it."""
    if getattr(found, "st_file_attributes", 0) & _AWAY:
        return True
    return sys.platform == "darwin" and bool(getattr(found, "st_flags", 0) & _DATALESS)


def is_link(found: os.stat_result) -> bool:
    """Return whether an entry is a symbolic link or a junction of Windows."""
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _MOUNT_POINT
