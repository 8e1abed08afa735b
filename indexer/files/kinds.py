"""Classifies directory entries by name and status alone: to be read, or why not. Opens nothing."""

from __future__ import annotations

import os
import re
import stat
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.formats import FOREIGN_DOCUMENTS
from indexer.api.types import FileState
from indexer.extract.base import shown_size

if TYPE_CHECKING:
    from collections.abc import Mapping

# A mail in a folder of mails (Maildir): seconds, something unique, the host, perhaps its flags.
_MAILDIR = re.compile(rb"\d{9,11}\.[\w=,+-]+\.[\w.=,+-]+(?:[:;!]2,[A-Za-z]*)?")

# Windows: the bytes come when the file is opened or read.
_AWAY = 0x00001000 | 0x00040000 | 0x00400000  # OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_HIDDEN_OR_SYSTEM = 0x2 | 0x4
_MOUNT_POINT = 0xA0000003  # the reparse tag of a junction
# macOS
_DATALESS = 0x40000000
_UF_HIDDEN = 0x8000
# File systems of Linux that report the blocks of a file; sshfs and others report 0.
_COUNTING = frozenset({"btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs"})
INLINE_BYTES = 4096  # smaller files may live in the inode, without a block

_SPECIAL = (
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


@dataclass(frozen=True, slots=True)
class EntryKind:
    """The classification of a file: ``state`` is None if it is to be read as ``format``."""

    format: str = ""
    state: FileState | None = None
    code: str = ""
    detail: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EntryClassifier:
    """Classifies entries.

    ``formats`` maps extensions with their dot to readable formats; ``limits`` has the largest size
    of each format in bytes, and ``limit`` that of all others; ``counting`` has the volumes whose
    block counts are reliable.
    """

    formats: Mapping[str, str]
    limit: int
    counting: frozenset[int] = frozenset()
    limits: Mapping[str, int] = field(default_factory=dict)

    def classify(self, name: bytes, found: os.stat_result) -> EntryKind:
        """Classify an entry that is no folder."""
        if not stat.S_ISREG(found.st_mode):
            special = next((kind for test, kind in _SPECIAL if test(found.st_mode)), "special")
            return EntryKind("", FileState.UNSUPPORTED, "special_file", {"kind": special})
        extension = extension_of(name)
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


def extension_of(name: bytes) -> str:
    """Return the extension in lower case with its dot; "" if there is no valid one."""
    head, dot, tail = name.rpartition(b".")
    if not head or not dot or not tail.isalnum() or len(tail) > 10:
        return ""
    return "." + tail.decode("ascii", "replace").lower()


def is_hidden(found: os.stat_result) -> bool:
    """Return whether an entry has the attribute "hidden" or "system"."""
    if getattr(found, "st_file_attributes", 0) & _HIDDEN_OR_SYSTEM:
        return True
    return bool(getattr(found, "st_flags", 0) & _UF_HIDDEN)


def is_away(found: os.stat_result) -> bool:
    """Return whether a file is marked as a placeholder, which opening would download."""
    if getattr(found, "st_file_attributes", 0) & _AWAY:
        return True
    return sys.platform == "darwin" and bool(getattr(found, "st_flags", 0) & _DATALESS)


def is_link(found: os.stat_result) -> bool:
    """Return whether an entry is a symbolic link, or a junction of Windows."""
    return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == _MOUNT_POINT


def counting_volumes() -> frozenset[int]:
    """Return the volumes of this machine whose block counts are reliable; Linux only."""
    volumes: set[int] = set()
    if sys.platform != "linux":
        return frozenset()
    try:
        mounts = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return frozenset()
    for line in mounts:
        before, _, after = line.partition(b" - ")
        fields, kind = before.split(), after.split()
        if len(fields) > 2 and kind and kind[0].decode("ascii", "replace") in _COUNTING:
            major, _, minor = fields[2].partition(b":")
            volumes.add(os.makedev(int(major), int(minor)))
    return frozenset(volumes)
