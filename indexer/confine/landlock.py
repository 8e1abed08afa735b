"""Landlock: which files this process may touch, and whether it may use TCP or signal others.

The system calls and structures are documented in the kernel's
``Documentation/userspace-api/landlock.rst``. A right that the running kernel does not know is left
out, since requesting it would fail; ``abi`` returns which rights it knows.
"""

from __future__ import annotations

import ctypes
import functools
import os
import stat
import sys
from contextlib import suppress
from enum import IntFlag
from typing import TYPE_CHECKING

from indexer.confine.process import call, no_new_privileges

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    PathOrFd = Path | int  # a path, or a descriptor of what it names

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1


class FileRights(IntFlag):
    """Rights on files, by the names of the kernel."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15


class Net(IntFlag):
    """Rights on TCP ports."""

    BIND_TCP = 1 << 0
    CONNECT_TCP = 1 << 1


class Scope(IntFlag):
    """What is restricted to the confined processes themselves."""

    ABSTRACT_UNIX_SOCKET = 1 << 0
    SIGNAL = 1 << 1


EVERYWHERE = Scope(0)


READ = FileRights.READ_FILE | FileRights.READ_DIR
RUN = READ | FileRights.EXECUTE
CHANGE = READ | (
    FileRights.WRITE_FILE | FileRights.TRUNCATE | FileRights.REMOVE_DIR | FileRights.REMOVE_FILE
    | FileRights.MAKE_DIR | FileRights.MAKE_REG | FileRights.MAKE_SOCK | FileRights.MAKE_FIFO
    | FileRights.MAKE_SYM | FileRights.REFER
)  # fmt: skip
# The rights that can be granted on a file.
_ON_A_FILE = (
    FileRights.EXECUTE
    | FileRights.WRITE_FILE
    | FileRights.READ_FILE
    | FileRights.TRUNCATE
    | FileRights.IOCTL_DEV
)

# The first interface version that knows a group of rights.
_FILES_SINCE = (
    (1, FileRights((1 << 13) - 1)),
    (2, FileRights.REFER),
    (3, FileRights.TRUNCATE),
    (5, FileRights.IOCTL_DEV),
)
_NET_SINCE = 4
_SCOPE_SINCE = 6


class _RulesetAttributes(ctypes.Structure):
    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class PathRule(ctypes.Structure):
    """``struct landlock_path_beneath_attr``."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


@functools.cache
def abi() -> int:
    """Return the kernel's version of Landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    try:
        return call(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def rule(opened: int, rights: FileRights) -> PathRule:
    """Prepare a rule for ``restrict``, once for all processes that are forked later.

    Args:
        opened: A descriptor of a folder or a file; it stays open until it is used.
        rights: The rights on it; those that this kernel does not know are left out.
    """
    rights &= _known_files(abi())
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= _ON_A_FILE
    return PathRule(rights, opened)


def restrict(
    files: Iterable[tuple[PathOrFd, FileRights]] | None = None,
    ready: Iterable[PathRule] = (),
    *,
    tcp: bool = True,
    scope: Scope = EVERYWHERE,
) -> int:
    """Confine this thread, and every thread and process it starts from now on.

    Args:
        files: The rights on folders (and everything below) and files; all others are
            forbidden. ``None`` does not restrict files. Missing paths are skipped.
        ready: More of these, made by ``rule``.
        tcp: Whether TCP ports may still be bound and connected to.
        scope: What is restricted to confined processes.

    Returns:
        The kernel's version of Landlock, 0 if it has none or nothing is to be restricted. Versions
        below 4 do not restrict TCP, those below 6 have no scopes.

    Raises:
        OSError: If the kernel refuses a restriction that it reports as supported.
    """
    version = abi()
    handled = _known_files(version) if files is not None else FileRights(0)
    net = Net(0) if tcp or version < _NET_SINCE else Net.BIND_TCP | Net.CONNECT_TCP
    scoped = scope if version >= _SCOPE_SINCE else EVERYWHERE
    if not version or not (handled or net or scoped):
        return 0
    attributes = _RulesetAttributes(handled, net, scoped)
    ruleset = call(_CREATE_RULESET, ctypes.byref(attributes), ctypes.sizeof(attributes), 0)
    try:
        for place, rights in files or ():
            _allow(ruleset, place, rights)
        for each in ready:
            call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(each), 0)
        no_new_privileges()
        call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version


def _known_files(version: int) -> FileRights:
    known = FileRights(0)
    for since, rights in _FILES_SINCE:
        if version >= since:
            known |= rights
    return known


def _allow(ruleset: int, place: PathOrFd, rights: FileRights) -> None:
    if isinstance(place, int):
        made = rule(place, rights)
        call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(made), 0)
        return
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            _allow(ruleset, opened, rights)
        finally:
            os.close(opened)
