"""How a child that reads documents keeps itself small, low and mortal.

Owns what the child does to its own process: priority, memory ceiling, dying with the engine, the
alarm clock, and a stdout that no library can write to. The engine's side is
``indexer.extract.sandbox``. Standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import os
import signal
import sys
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Sequence

NICENESS = 10
_PR_SET_PDEATHSIG = 1


class Alarm:
    """Ends the process when it was silent for too long, whatever it is stuck in.

    The engine has its own watch and is faster; this one is for a child whose engine is gone. It
    runs in C without the interpreter's lock, which a stuck library may never give back.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def wind(self) -> None:
        if self._seconds > 0:
            faulthandler.dump_traceback_later(self._seconds, exit=True)

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def take_stdout() -> BinaryIO:
    """Return the real stdout, and give everything else that prints the error stream."""
    private = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(private, "wb")


def confine(arguments: Sequence[str], *, background: bool = True) -> Alarm:
    """Apply the limits given on the command line to this process.

    Args:
        arguments: ``--engine PID --address-space BYTES --silence SECONDS``; 0 means no limit.
        background: Whether the work gives way to everything else.
    """
    parser = argparse.ArgumentParser(prog="lectern child")
    parser.add_argument("--engine", type=int, default=0)
    parser.add_argument("--address-space", type=int, default=0)
    parser.add_argument("--silence", type=float, default=0.0)
    options = parser.parse_args(arguments)
    faulthandler.enable()
    if background:
        _lower_priority()
    _limit_memory(options.address_space)
    _die_with(options.engine)
    return Alarm(options.silence)


def _lower_priority() -> None:
    if hasattr(os, "nice"):  # elsewhere the engine starts us below normal
        with contextlib.suppress(OSError):
            os.nice(NICENESS)


def _limit_memory(address_space: int) -> None:
    """Make allocations fail that no honest document needs; no dump of the rest."""
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if address_space and sys.platform == "linux":  # macOS does not keep it
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def _die_with(engine: int) -> None:
    """Ask Linux to kill us when the engine dies, even by SIGKILL."""
    if sys.platform != "linux" or not engine:
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != engine:  # it died before we asked
        os._exit(1)
