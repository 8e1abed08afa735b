"""seccomp: which system calls this process may make.

The filter is in the kernel's classic BPF (``Documentation/userspace-api/seccomp_filter.rst``), for
x86-64 and 64-bit Arm. A filter sees the arguments of a call but not the memory they point to, such
as paths, so access to files is restricted by Landlock.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import struct
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.confine.kernel import call, no_new_privileges

if TYPE_CHECKING:
    from collections.abc import Iterable

AF_UNIX = 1
CLONE_THREAD = 0x10000

_SET_MODE_FILTER = 1
_ALL_THREADS = 1  # SECCOMP_FILTER_FLAG_TSYNC
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
# The offsets in struct seccomp_data; arguments are eight bytes each, the low half first.
_AT_NUMBER, _AT_ARCHITECTURE, _AT_ARGUMENTS = 0, 4, 16
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL, _IF_AT_LEAST, _IF_BITS = 0x15, 0x35, 0x45  # BPF_JMP | BPF_JEQ, BPF_JGE, BPF_JSET | BPF_K
_RETURN = 0x06
# From this number on, calls of x86-64 are those of its x32 interface: the same calls again.
_X32 = 0x40000000


@dataclass(frozen=True, slots=True)
class _Machine:
    """An architecture: its AUDIT_ARCH constant, number of ``seccomp``, column of ``_NUMBERS``."""

    audit: int
    seccomp: int
    column: int


_MACHINES = {"x86_64": _Machine(0xC000003E, 317, 0), "aarch64": _Machine(0xC00000B7, 277, 1)}

# System calls by name: the number on x86-64 and on 64-bit Arm; -1 where there is none.
_NUMBERS: dict[str, tuple[int, int]] = {
    "socket": (41, 198), "connect": (42, 203),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "process_madvise": (440, 440),
    "fork": (57, -1), "vfork": (58, -1), "clone": (56, 220), "clone3": (435, 435),
    "execve": (59, 221), "execveat": (322, 281),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "shmget": (29, 194), "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186),
    "mq_open": (240, 180),
}  # fmt: skip

# With these a process could evade the rule on sockets, also through another process of its user.
_BYPASSES = (
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp", "process_madvise",
    "bpf", "perf_event_open",
)  # fmt: skip
_IO_URING = ("io_uring_setup", "io_uring_enter", "io_uring_register")
# Calls that readers do not need; many had faults in the kernel, or they affect other processes.
_NEVER_NEEDED = (
    "userfaultfd", "add_key", "request_key", "keyctl", "mount", "umount2", "pivot_root", "chroot",
    "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
    "unshare", "setns", "open_by_handle_at", "kexec_load", "kexec_file_load", "init_module",
    "finit_module", "delete_module", "shmget", "shmat", "semget", "msgget", "mq_open",
)  # fmt: skip


def is_available() -> bool:
    """Return whether there are filters for this system and processor."""
    return sys.platform == "linux" and os.uname().machine in _MACHINES


def deny_network() -> bool:
    """Deny this process, all its threads and all that it starts the network, but not AF_UNIX.

    ``socket`` then fails with ``EAFNOSUPPORT``, as on a machine without that protocol, a case that
    libraries handle. Sockets that are open already stay usable.

    Returns:
        Whether it was done; False if ``is_available`` is.

    Raises:
        OSError: If the kernel refuses the filter.
    """
    return _install(_assemble(_network_rules(local_sockets=True)))


def deny_unneeded(*, programs: bool = False, local_sockets: bool = False) -> bool:
    """Deny a reader of documents what it does not need: network, tracing, mounts, keys.

    Args:
        programs: Whether it may start processes and programs, for Tesseract and LibreOffice;
            threads may always be started.
        local_sockets: Whether those programs need AF_UNIX sockets. They can listen but not connect,
            because a desktop has services on such sockets that start programs on request.

    Returns:
        Whether it was done; False if ``is_available`` is.

    Raises:
        OSError: If the kernel refuses the filter.
    """
    return _install(reading_filter(programs=programs, local_sockets=local_sockets))


@functools.cache
def reading_filter(*, programs: bool, local_sockets: bool) -> bytes:
    """Assemble the filter of ``deny_unneeded``, once for all processes forked later."""
    rules = [*_network_rules(local_sockets=local_sockets)]
    rules += [_Rule(name, errno.EPERM) for name in _NEVER_NEEDED]
    rules.append(_Rule("connect", errno.ECONNREFUSED))
    if not programs:
        rules += [_Rule(name, errno.EPERM) for name in ("fork", "vfork", "execve", "execveat")]
        # The flags of clone3 are behind a pointer. On ENOSYS the C library calls clone instead,
        # which is allowed for threads.
        rules += [_Rule("clone3", errno.ENOSYS), _Rule("clone", errno.EPERM, bits=CLONE_THREAD)]
    return _assemble(rules)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A call that fails with an error, unless its first argument permits it.

    Attributes:
        name: Of the call.
        error: The errno that it returns.
        equal: It is permitted if its first argument equals this.
        bits: It is permitted if its first argument has one of these bits.
    """

    name: str
    error: int
    equal: int | None = None
    bits: int | None = None


def _network_rules(*, local_sockets: bool) -> list[_Rule]:
    allowed = AF_UNIX if local_sockets else None
    return [
        _Rule("socket", errno.EAFNOSUPPORT, equal=allowed),
        *(_Rule(name, errno.ENOSYS) for name in _IO_URING),
        *(_Rule(name, errno.EPERM) for name in _BYPASSES),
    ]


def _assemble(rules: Iterable[_Rule]) -> bytes:
    return program(tuple(rules), os.uname().machine) if is_available() else b""


def program(rules: tuple[_Rule, ...], machine: str) -> bytes:
    """Assemble a filter: BPF instructions of eight bytes."""
    target = _MACHINES[machine]
    code = [
        _instruction(_LOAD, _AT_ARCHITECTURE),
        _instruction(_IF_EQUAL, target.audit, 1, 0),
        _instruction(_RETURN, _ERRNO | errno.ENOSYS),  # a call of another architecture
        _instruction(_LOAD, _AT_NUMBER),
    ]
    if machine == "x86_64":
        code += [
            _instruction(_IF_AT_LEAST, _X32, 0, 1),
            _instruction(_RETURN, _ERRNO | errno.ENOSYS),
        ]
    for rule in rules:
        code += _assembled(rule, _NUMBERS[rule.name][target.column])
    return b"".join([*code, _instruction(_RETURN, _ALLOW)])


def _assembled(rule: _Rule, number: int) -> list[bytes]:
    if number < 0:
        return []
    refuse = _instruction(_RETURN, _ERRNO | rule.error)
    if rule.equal is None and rule.bits is None:
        return [_instruction(_IF_EQUAL, number, 0, 1), refuse]
    test = (_IF_EQUAL, rule.equal) if rule.equal is not None else (_IF_BITS, rule.bits or 0)
    return [
        _instruction(_IF_EQUAL, number, 0, 4),
        _instruction(_LOAD, _AT_ARGUMENTS),
        _instruction(*test, 0, 1),
        _instruction(_RETURN, _ALLOW),
        refuse,
    ]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def _install(code: bytes) -> bool:
    if not code:
        return False
    installed = _Program(len(code) // 8, code)
    no_new_privileges()
    number = _MACHINES[os.uname().machine].seccomp
    call(number, _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(installed))
    return True
