"""System calls that the standard library has no function for."""

from __future__ import annotations

import ctypes
import functools
import os

PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library; errors are read by ``check``."""
    return ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number.

    Raises:
        OSError: If it fails.
    """
    # Integer arguments of a variadic function must have the kernel's width.
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return check(libc().syscall(ctypes.c_long(number), *wide))


def check(result: int) -> int:
    """Raise ``OSError`` for a call that failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def no_new_privileges() -> None:
    """Set PR_SET_NO_NEW_PRIVS, which Landlock and seccomp require."""
    check(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def become_subreaper() -> None:
    """Become the parent of all processes below whose own parent ends (PR_SET_CHILD_SUBREAPER)."""
    check(libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
