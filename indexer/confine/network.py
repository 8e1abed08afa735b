"""Denies this process the network, by mechanisms of the system that need no special rights.

On Linux a seccomp filter refuses all but local sockets, and Landlock also refuses TCP. On macOS a
sandbox profile refuses all but local sockets. On Windows a process cannot restrict itself.
"""

from __future__ import annotations

import ctypes
import logging
import os
import socket
import sys

from msgspec import Struct

from indexer.confine import kernel

log = logging.getLogger(__name__)

# Services that resolve host names over local sockets and stay allowed.
_RESOLVERS = ("/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve")
# The name of a macOS profile and the flag SANDBOX_NAMED, see sandbox_init(3).
_NO_INTERNET, _NAMED = b"no-internet", 1
UNSUPPORTED = "on this system a process cannot deny itself the network"


class Denial(Struct, frozen=True):
    """How a process is denied the network: the active mechanisms, strongest first.

    ``why_not`` is a sentence that says why a mechanism is not active, "" if all are. ``refused``
    says whether the system refused a mechanism that it should support.
    """

    by: tuple[str, ...] = ()
    why_not: str = "this process has not restricted itself"
    refused: bool = False


_current = Denial()


def deny() -> None:
    """Deny this process and all that it starts the network. Call this before threads start.

    If the system refuses, this is recorded and is not an error: the program works, and ``doctor``
    reports it.
    """
    global _current  # noqa: PLW0603  # a process is confined as a whole, and once
    if sys.platform == "linux":
        _current = _deny_on_linux()
    elif sys.platform == "darwin":
        _current = _deny_on_macos()
    else:
        _current = Denial(why_not=UNSUPPORTED)
    if _current.why_not:
        log.warning("not completely cut off from the network: %s", _current.why_not)


def skip(why: str) -> None:
    """Record why this process is not denied the network."""
    global _current  # noqa: PLW0603  # as above
    _current = Denial(why_not=why)


def current() -> Denial:
    """Return how this process is denied the network."""
    return _current


def is_reachable() -> bool:
    """Whether this process can open a network socket, found by trying. Nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("127.0.0.1", 9))
    except OSError:
        return False
    return True


def verdict() -> tuple[bool, str, str]:
    """Return whether the network is denied as it should be, how, and advice for the person."""
    cut, reachable = _current, is_reachable()
    if not cut.by or reachable:
        wrong = cut.refused or bool(cut.by)
        advice = "Allow programs to install seccomp filters, in the container or the kernel."
        return not wrong, f"not cut off: {cut.why_not or 'a socket could be opened'}", advice
    value = f"cut off, with all it starts, by {' and '.join(cut.by)}; opening a socket failed"
    if cut.why_not:
        value += f" ({cut.why_not})"
    for place in filter(os.path.exists, _RESOLVERS):
        value += f"; {place} still resolves host names for every process"
    return True, value, ""


def _deny_on_linux() -> Denial:
    by, why_not = [], []
    try:
        if kernel.deny_network():
            by.append("seccomp")
        else:
            why_not.append("there is no filter for this processor")
    except OSError as error:
        why_not.append(f"seccomp: {error.strerror}")
    try:
        if version := kernel.restrict():
            by.append(f"Landlock {version}")
    except OSError as error:
        why_not.append(f"Landlock: {error.strerror}")
    return Denial(tuple(by), "; ".join(why_not), refused=not by)


def _deny_on_macos() -> Denial:
    said = ctypes.c_char_p()
    try:
        library = ctypes.CDLL("/usr/lib/libSystem.dylib")
        failed = library.sandbox_init(_NO_INTERNET, ctypes.c_uint64(_NAMED), ctypes.byref(said))
    except (OSError, AttributeError) as error:
        return Denial(why_not=f"sandbox: {error}", refused=True)
    if failed:
        return Denial(
            why_not=f"sandbox: {(said.value or b'').decode('utf-8', 'replace')}", refused=True
        )
    return Denial(("sandbox",), "")
