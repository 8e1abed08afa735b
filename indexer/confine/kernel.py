"""Restricts the files and system calls of this process by Landlock and seccomp of Linux.

Landlock decides which files the process may use, and whether it may use TCP or signal other
processes. Its system calls and structures are documented in the kernel's
``Documentation/userspace-api/landlock.rst``. Requesting a right that the running kernel does not
know would fail, so such rights are left out; ``landlock_version`` says which it knows.

seccomp decides which system calls the process may make. The filter is in the kernel's classic BPF
(``Documentation/userspace-api/seccomp_filter.rst``), for x86-64 and 64-bit Arm. A filter sees the
arguments of a call but not the memory to which they point, such as paths, so Landlock restricts
access to files. Every program is denied the network by a list of refused calls. A reader of
documents has a list of allowed calls, which ``make confine-trace`` measures with the documents of
the benches.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import signal
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import IntFlag
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.confine.process import PR_SET_PDEATHSIG, call, no_new_privileges

if TYPE_CHECKING:
    PathOrFd = Path | int  # a path, or a descriptor of its file or folder

# The same numbers on every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1


class FileRights(IntFlag):
    """Rights on files, with the kernel's names."""

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


class Scope(IntFlag):
    """The means of communication that may be allowed only among confined processes."""

    ABSTRACT_UNIX_SOCKET = 1 << 0
    SIGNAL = 1 << 1


EVERYWHERE = Scope(0)
_TCP_PORTS = 1 | 2  # LANDLOCK_ACCESS_NET_BIND_TCP and CONNECT_TCP

READ = FileRights.READ_FILE | FileRights.READ_DIR
RUN = READ | FileRights.EXECUTE
CHANGE = READ | (
    FileRights.WRITE_FILE | FileRights.TRUNCATE | FileRights.REMOVE_DIR | FileRights.REMOVE_FILE
    | FileRights.MAKE_DIR | FileRights.MAKE_REG | FileRights.MAKE_SOCK | FileRights.MAKE_FIFO
    | FileRights.MAKE_SYM | FileRights.REFER
)  # fmt: skip
# The rights that can be granted on a file.
_ON_A_FILE = (
    FileRights.EXECUTE | FileRights.WRITE_FILE | FileRights.READ_FILE | FileRights.TRUNCATE
    | FileRights.IOCTL_DEV
)  # fmt: skip

# The first interface version that knows a group of rights.
_FILES_SINCE = (
    (1, FileRights((1 << 13) - 1)),
    (2, FileRights.REFER),
    (3, FileRights.TRUNCATE),
    (5, FileRights.IOCTL_DEV),
)
# The first versions that restrict TCP, and signals to unconfined processes.
_NET_SINCE = 4
SCOPE_SINCE = 6


class PathRule(ctypes.Structure):
    """``struct landlock_path_beneath_attr``."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


@functools.cache
def landlock_version() -> int:
    """Return the kernel's version of Landlock; 0 if it has none."""
    if sys.platform != "linux":
        return 0
    try:
        return call(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def path_rule(opened: int, rights: FileRights) -> PathRule:
    """Prepare a rule for ``restrict``, for all processes that are forked later.

    The descriptor of a folder or file stays open until it is used. Rights that this kernel does not
    know are left out.
    """
    rights &= _known_files(landlock_version())
    if not stat.S_ISDIR(os.fstat(opened).st_mode):
        rights &= _ON_A_FILE
    return PathRule(rights, opened)


def restrict(
    files: Iterable[tuple[PathOrFd, FileRights]] | None = None,
    ready: Iterable[PathRule] = (),
    *,
    scope: Scope = EVERYWHERE,
) -> int:
    """Confine this thread, and all threads and processes that it starts from now on. Deny TCP.

    Args:
        files: The rights on files, and on folders with everything below; all others are forbidden.
            ``None`` does not restrict files. Missing paths are skipped.
        ready: More such rights, made by ``path_rule``.
        scope: The means of communication allowed only among confined processes.

    Returns:
        The kernel's version of Landlock, 0 without Landlock or restrictions. Versions below 4 do
        not restrict TCP, and versions below 6 have no scopes.

    Raises ``OSError`` if the kernel refuses a restriction that it reports as supported.
    """
    version = landlock_version()
    handled = _known_files(version) if files is not None else FileRights(0)
    net = _TCP_PORTS if version >= _NET_SINCE else 0
    scoped = scope if version >= SCOPE_SINCE else EVERYWHERE
    if not version or not (handled or net or scoped):
        return 0
    attributes = struct.pack("=QQQ", handled, net, scoped)  # struct landlock_ruleset_attr
    ruleset = call(_CREATE_RULESET, attributes, len(attributes), 0)
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
        made = path_rule(place, rights)
        call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(made), 0)
        return
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
        try:
            _allow(ruleset, opened, rights)
        finally:
            os.close(opened)


AF_UNIX = 1
_SOCK_STREAM, _SOCK_TYPE = 1, 0xF
_CLONE_THREAD = 0x10000
# New namespaces: CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
_CLONE_NEW = 0x7E020080
_MAP_SHARED = 1

_SET_MODE_FILTER = 1
_ALL_THREADS = 1  # SECCOMP_FILTER_FLAG_TSYNC
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
# The offsets in struct seccomp_data; arguments are eight bytes each, the low half first.
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_IF_EQUAL, _IF_AT_LEAST = 0x15, 0x35  # BPF_JMP | BPF_JEQ, BPF_JGE | BPF_K
_RETURN = 0x06
_ALL_BITS = 0xFFFFFFFF
# From this number on, calls of x86-64 belong to its x32 interface, which repeats all calls.
_X32 = 0x40000000


class _Machine(Struct, frozen=True):
    """An architecture: its AUDIT_ARCH constant, ``seccomp``'s number, a column of ``_NUMBERS``."""

    audit: int
    seccomp: int
    column: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 317, 0), "aarch64": _Machine(0xC00000B7, 277, 1)}

# System calls by name, with their numbers on x86-64 and 64-bit Arm; -1 for a missing call. With
# these calls a process could evade the rule on sockets, even through another process of its user.
_BYPASSES = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "process_madvise": (440, 440), "bpf": (321, 280),
    "perf_event_open": (298, 241),
}  # fmt: skip
_IO_URING = {
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
}  # fmt: skip
# The calls that a reader needs for its files, memory, threads and clocks. None changes a mode, a
# time, an owner or an attribute, sends anything, reaches another process or takes uncounted memory.
_READING = {
    "read": (0, 63), "write": (1, 64), "pread64": (17, 67), "pwrite64": (18, 68), "readv": (19, 65),
    "writev": (20, 66), "lseek": (8, 62), "close": (3, 57), "close_range": (436, 436),
    "dup": (32, 23), "dup2": (33, -1), "dup3": (292, 24), "open": (2, -1), "openat": (257, 56),
    "stat": (4, -1), "fstat": (5, 80), "lstat": (6, -1), "newfstatat": (262, 79),
    "statx": (332, 291), "fstatfs": (138, 44), "getdents64": (217, 61), "mkdir": (83, -1),
    "mkdirat": (258, 34), "rmdir": (84, -1), "unlink": (87, -1), "unlinkat": (263, 35),
    "rename": (82, -1), "renameat": (264, 38), "renameat2": (316, 276), "ftruncate": (77, 46),
    "access": (21, -1), "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, -1),
    "readlinkat": (267, 78), "getcwd": (79, 17), "umask": (95, 166), "munmap": (11, 215),
    "mremap": (25, 216), "mprotect": (10, 226), "madvise": (28, 233), "brk": (12, 214),
    "futex": (202, 98), "set_robust_list": (273, 99), "rseq": (334, 293),
    "set_tid_address": (218, 96), "exit": (60, 93), "exit_group": (231, 94),
    "sched_yield": (24, 124), "gettid": (186, 178), "getpid": (39, 172), "getppid": (110, 173),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, -1), "times": (100, 153), "getrusage": (98, 165),
    "getrandom": (318, 278), "uname": (63, 160), "sysinfo": (99, 179), "getuid": (102, 174),
    "geteuid": (107, 175), "getgid": (104, 176), "getegid": (108, 177), "getgroups": (115, 158),
    "getresuid": (118, 148), "getresgid": (120, 150), "sched_getaffinity": (204, 123),
    "getcpu": (309, 168), "poll": (7, -1), "ppoll": (271, 73), "select": (23, -1),
    "pselect6": (270, 72), "pipe": (22, -1), "pipe2": (293, 59),
}  # fmt: skip
# Calls that a reader also needs to start programs, for Tesseract and LibreOffice.
_RUNNING = {
    "fork": (57, -1), "vfork": (58, -1), "execve": (59, 221), "wait4": (61, 260),
    "waitid": (247, 95), "arch_prctl": (158, -1), "mmap": (9, 222), "kill": (62, 129),
    "tkill": (200, 130), "tgkill": (234, 131), "getpgrp": (111, -1), "getrlimit": (97, 163),
    "setrlimit": (160, 164), "chdir": (80, 49), "fchdir": (81, 50), "statfs": (137, 43),
    "fsync": (74, 82), "fdatasync": (75, 83), "fadvise64": (221, 223), "flock": (73, 32),
    "rt_sigtimedwait": (128, 137), "setitimer": (38, 103), "alarm": (37, -1), "eventfd2": (290, 19),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, -1),
    "epoll_pwait": (281, 22), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "getsockname": (51, 204), "getsockopt": (55, 209),
    "setsockopt": (54, 208), "recvfrom": (45, 207), "shutdown": (48, 210),
}  # fmt: skip
# Calls that are allowed for some arguments.
_SOMETIMES = {
    "clone": (56, 220), "clone3": (435, 435), "connect": (42, 203), "fcntl": (72, 25),
    "getpriority": (140, 141), "ioctl": (16, 29), "memfd_create": (319, 279), "prctl": (157, 167),
    "prlimit64": (302, 261), "sendto": (44, 206), "setpriority": (141, 140), "socket": (41, 198),
    "socketpair": (53, 199),
}  # fmt: skip
_NUMBERS = {**_BYPASSES, **_IO_URING, **_READING, **_RUNNING, **_SOMETIMES}
# F_DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC; and GETLK, SETLK, SETLKW.
_FCNTL, _FCNTL_LOCKS = (0, 1, 2, 3, 4, 1030), (5, 6, 7)
# TCGETS, TIOCGWINSZ, FIONREAD, FIOCLEX.
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5451)
# PR_SET_NAME, PR_GET_NAME.
_PRCTL = (15, 16)


def has_seccomp() -> bool:
    """Return whether there are filters for this system and processor."""
    return sys.platform == "linux" and os.uname().machine in _MACHINES


def deny_network() -> bool:
    """Deny this process, its threads and all that it starts the network, but not AF_UNIX.

    ``socket`` then fails with ``EAFNOSUPPORT``, as on a machine without that protocol, which
    libraries can handle. Open sockets stay usable. If ``has_seccomp`` is False, nothing is done and
    False is returned.

    Raises ``OSError`` if the kernel refuses the filter.
    """
    return has_seccomp() and _install(assemble_filter(tuple(_network_rules()), os.uname().machine))


def deny_unneeded(*, programs: bool = False) -> bool:
    """Deny a reader of documents all calls that it does not need, irrevocably.

    With ``programs`` it may start processes and programs, for Tesseract and LibreOffice. Threads
    may always be started. Programs may listen on AF_UNIX sockets but not connect, because a desktop
    has services on such sockets that start programs on request. Returns False as ``deny_network``
    does.

    Raises ``OSError`` if the kernel refuses the filter.
    """
    return has_seccomp() and _install(reading_filter(programs=programs, process=os.getpid()))


def reading_filter(*, programs: bool, process: int) -> bytes:
    """Assemble the filter of ``deny_unneeded`` for a process."""
    return _reading_filter(programs).replace(struct.pack("=I", _OWN), struct.pack("=I", process))


# A placeholder for the process id in a filter that is assembled once for all processes.
_OWN = 0x7E57_0A11


@functools.cache
def _reading_filter(programs: bool) -> bytes:  # noqa: FBT001  # cached
    rules = [*_program_rules()] if programs else []
    return assemble_filter(
        (*_reading_rules(), *rules, *_ERRORS), os.uname().machine, _ERRNO | errno.EPERM
    )


class _Rule(Struct, frozen=True):
    """A rule that allows or refuses a system call by its arguments. The first that fits applies.

    ``error`` is the errno that the call returns; 0 allows the call. All ``conditions`` must be
    true: the number of an argument, its value, and the mask of the bits that are compared.
    """

    name: str
    error: int = 0
    conditions: tuple[tuple[int, int, int], ...] = ()


def _if_equal(name: str, argument: int, *values: int, mask: int = _ALL_BITS) -> Iterator[_Rule]:
    """Allow a call if an argument is one of some values."""
    for value in values:
        yield _Rule(name, conditions=((argument, value, mask),))


# The errors of refused calls for which libraries expect another error than EPERM: instead of
# clone3, whose flags are behind a pointer, the C library then calls clone.
_ERRORS = (
    _Rule("clone3", errno.ENOSYS), _Rule("memfd_create", errno.ENOSYS),
    _Rule("ioctl", errno.ENOTTY), _Rule("fcntl", errno.EINVAL), _Rule("prctl", errno.EINVAL),
    _Rule("socket", errno.EAFNOSUPPORT), _Rule("socketpair", errno.EAFNOSUPPORT),
    _Rule("connect", errno.ECONNREFUSED),
    *(_Rule(name, errno.ENOSYS) for name in _IO_URING),
)  # fmt: skip


def _reading_rules() -> Iterator[_Rule]:
    yield from (_Rule(name) for name in _READING)
    yield from _if_equal("fcntl", 1, *_FCNTL)
    yield from _if_equal("ioctl", 1, *_IOCTL)
    yield from _if_equal("prctl", 0, *_PRCTL)
    yield from _if_equal("tgkill", 0, _OWN)  # abort
    # Shared pages would outlive their mapping in a file without a name.
    yield from _if_equal("mmap", 3, 0, mask=_MAP_SHARED)
    yield from _if_equal("clone", 0, _CLONE_THREAD, mask=_CLONE_THREAD | _CLONE_NEW)
    # It may read its own limits.
    unset = ((0, 0, _ALL_BITS), (2, 0, _ALL_BITS), (_high(2), 0, _ALL_BITS))
    yield _Rule("prlimit64", conditions=unset)


def _program_rules() -> Iterator[_Rule]:
    """Rules for programs. Landlock refuses signals to unconfined processes."""
    yield from (_Rule(name) for name in _RUNNING)
    yield from _if_equal("fcntl", 1, *_FCNTL_LOCKS)
    yield from _if_equal("clone", 0, 0, mask=_CLONE_NEW)
    yield from _if_equal("prlimit64", 0, 0)
    nice = ((0, 0, _ALL_BITS), (1, 0, _ALL_BITS))  # only for the process itself
    yield from (_Rule(name, conditions=nice) for name in ("getpriority", "setpriority"))
    deadly = ((0, PR_SET_PDEATHSIG, _ALL_BITS), (1, signal.SIGKILL, _ALL_BITS))
    yield _Rule("prctl", conditions=deadly)
    local = ((0, AF_UNIX, _ALL_BITS), (1, _SOCK_STREAM, _SOCK_TYPE))
    yield from (_Rule(name, conditions=local) for name in ("socket", "socketpair"))
    # Only without an address, that is over a connection.
    yield _Rule("sendto", conditions=((4, 0, _ALL_BITS), (_high(4), 0, _ALL_BITS)))


def _high(argument: int) -> int:
    """The number of the high half of a 64-bit argument, for a condition."""
    return argument + 8


def _network_rules() -> Iterator[_Rule]:
    yield from _if_equal("socket", 0, AF_UNIX)
    yield _Rule("socket", errno.EAFNOSUPPORT)
    yield from (_Rule(name, errno.ENOSYS) for name in _IO_URING)
    yield from (_Rule(name, errno.EPERM) for name in _BYPASSES)


def assemble_filter(rules: Iterable[_Rule], machine: str, otherwise: int = _ALLOW) -> bytes:
    """Assemble a filter of BPF instructions of eight bytes."""
    target = _MACHINES[machine]
    code = [
        _instruction(_LOAD, _AT_ARCHITECTURE),
        _instruction(_IF_EQUAL, target.audit, 1, 0),
        _instruction(_RETURN, _ERRNO | errno.ENOSYS),  # a call for another architecture
        _instruction(_LOAD, _AT_NUMBER),
    ]
    if machine == "x86_64":
        code += [
            _instruction(_IF_AT_LEAST, _X32, 0, 1),
            _instruction(_RETURN, _ERRNO | errno.ENOSYS),
        ]
    for rule in rules:
        code += _assembled(rule, _NUMBERS[rule.name][target.column])
    return b"".join([*code, _instruction(_RETURN, otherwise)])


def _assembled(rule: _Rule, number: int) -> list[bytes]:
    if number < 0:
        return []
    done = _instruction(_RETURN, _ERRNO | rule.error if rule.error else _ALLOW)
    tests: list[bytes] = []
    for left, (numbered, value, mask) in enumerate(reversed(rule.conditions)):
        half, argument = divmod(numbered, 8)
        tests = [
            _instruction(_LOAD, _AT_ARGUMENTS + 8 * argument + 4 * half),
            _instruction(_AND, mask),
            # The jump goes past the other tests and the return.
            _instruction(_IF_EQUAL, value, 0, 3 * left + 1),
            *tests,
        ]
    back = [_instruction(_LOAD, _AT_NUMBER)] if tests else []
    return [_instruction(_IF_EQUAL, number, 0, len(tests) + 1 + len(back)), *tests, done, *back]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _install(code: bytes) -> bool:
    installed = _Program(len(code) // 8, code)
    no_new_privileges()
    number = _MACHINES[os.uname().machine].seccomp
    call(number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(installed))
    return True
