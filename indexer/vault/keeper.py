"""The process that keeps a library unlocked. It runs gocryptfs, and unmounts at the end.

It ends on SIGTERM, when nothing was open in the library for a while, when the process that converts
the library ends, and when the machine goes to sleep, which the system's login manager announces on
D-Bus and delays. It reads no document and no library. Once the folder is mounted, it no longer has
the passphrase; gocryptfs has the key until it ends.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.endpoint import end_engine
from indexer.api.errors import LecternError
from indexer.confine.process import PR_SET_PDEATHSIG, libc
from indexer.vault.mounting import GOCRYPTFS, MOUNTED, PATIENCE_S, QUIET, detach
from indexer.vault.place import OPEN, VaultPlace, place_of

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

_FAILED = 1
# The seconds for an engine to finish writing, out of the few that the login manager waits.
_ENGINE_S = 3.0
_UNMOUNT_S = 5.0
_LOGIN = "org.freedesktop.login1"


def main() -> int:
    """Mount and stay in the background; the exit status says whether mounting worked."""
    folder, worker, idle = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    passphrase = sys.stdin.buffer.read()
    told, telling = os.pipe()
    if os.fork():
        os.close(telling)
        return int(os.read(told, 8) or b"1")
    os.close(told)
    os.setsid()
    keeper = Keeper(place_of(folder / OPEN), worker)
    keeper.run(passphrase, idle, telling)
    os._exit(0)


class Keeper:
    """Runs gocryptfs for one mount.

    Args:
        place: The library.
        worker: The process with which the keeper ends, or 0.
    """

    def __init__(self, place: VaultPlace, worker: int) -> None:
        self._place = place
        self._point = place.work if worker else place.open
        self._worker = worker
        self._signalled, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        for number in (signal.SIGTERM, signal.SIGCHLD, signal.SIGINT, signal.SIGUSR1):
            signal.signal(number, lambda number, _frame: self._note(number))
        self._ending = self._ready = False

    def run(self, passphrase: bytes, idle_s: int, telling: int) -> None:
        """Mount, write the status to a pipe, and unmount when it is time."""
        import fcntl

        with self._place.keeper.open("a+b") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._tell(telling, _FAILED)
                return
            held.truncate(0)
            held.write(str(os.getpid()).encode())
            held.flush()
            self._point.mkdir(mode=0o700, exist_ok=True)
            process = self._start(passphrase, idle_s)
            status = self._mounted(process)
            try:
                if status == MOUNTED:
                    self._tell(telling, status)
                    self._wait(process)
            finally:
                self._unmount(process)
        if status != MOUNTED:
            self._tell(telling, status)

    def _start(self, passphrase: bytes, idle_s: int) -> subprocess.Popen[bytes]:
        idle = ["-idle", f"{idle_s}s"] if idle_s else []
        notified = ["-notifypid", str(os.getpid())]
        command = [GOCRYPTFS, *QUIET, "-fg", "-ko", "noexec", *notified, *idle, "--"]
        process = subprocess.Popen(
            [*command, str(self._place.cipher), str(self._point)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # No other thread runs here. The mount ends with its keeper.
            preexec_fn=lambda: libc().prctl(PR_SET_PDEATHSIG, signal.SIGTERM),  # noqa: PLW1509  # one thread
        )  # fmt: skip
        with contextlib.suppress(BrokenPipeError), process.stdin or contextlib.nullcontext():
            if process.stdin is not None:
                process.stdin.write(passphrase)
        return process

    def _mounted(self, process: subprocess.Popen[bytes]) -> int:
        """Wait until gocryptfs reports that it is mounted; return the status.

        Before that the folder must not be accessed, and gocryptfs not be ended: both would hang.
        """
        ends = time.monotonic() + PATIENCE_S
        while process.poll() is None and (left_s := ends - time.monotonic()) > 0:
            if self._ready:
                return MOUNTED
            self._pause([], left_s)
            if self._ending:
                ends = min(ends, time.monotonic() + _UNMOUNT_S)
        return process.poll() or _FAILED

    def _tell(self, telling: int, status: int) -> None:
        os.write(telling, str(status).encode())
        os.close(telling)
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end of gocryptfs, a signal, or the machine's sleep."""
        with contextlib.ExitStack() as until_asleep:
            bus = _login_manager(until_asleep)
            watched = []
            if self._worker:
                try:
                    watched.append(os.pidfd_open(self._worker))
                except OSError:
                    return
            while process.poll() is None and not self._ending:
                try:
                    if bus is not None and _is_going_to_sleep(bus):
                        # Unfinished work of an engine is not lost.
                        with contextlib.suppress(LecternError, OSError):
                            end_engine(self._place.library, _ENGINE_S)
                        self._unmount(process)
                        return
                except (OSError, EOFError):
                    bus = None  # the bus has ended
                ready = self._pause([*watched, *([bus.sock] if bus else [])])
                self._ending |= any(worker in ready for worker in watched)

    def _pause(self, watched: list[Any], seconds: float | None = None) -> list[Any]:
        """Wait for a signal or one of the watched objects; return those that are ready."""
        ready, _, _ = select.select([self._signalled, *watched], [], [], seconds)
        if self._signalled in ready:
            os.read(self._signalled, 64)
        return ready

    def _note(self, number: int) -> None:
        self._ready |= number == signal.SIGUSR1
        self._ending |= number in (signal.SIGTERM, signal.SIGINT)

    def _unmount(self, process: subprocess.Popen[bytes]) -> None:
        """End gocryptfs, which unmounts and forgets the key."""
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_UNMOUNT_S)
        process.kill()
        detach(self._point)  # gocryptfs may be waiting for itself
        process.wait()


def _login_manager(until_asleep: contextlib.ExitStack) -> DBusConnection | None:
    """Listen for the machine's sleep, which is delayed until the stack is closed."""
    from jeepney import DBusAddress, MatchRule, new_method_call
    from jeepney.auth import AuthenticationError
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import open_dbus_connection

    manager = DBusAddress("/org/freedesktop/login1", _LOGIN, f"{_LOGIN}.Manager")
    rule = MatchRule(type="signal", interface=f"{_LOGIN}.Manager", member="PrepareForSleep")
    why = ("sleep", "Lectern", "Locking the library", "delay")
    try:
        bus = until_asleep.enter_context(open_dbus_connection("SYSTEM", enable_fds=True))
        bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=5)
        held = bus.send_and_get_reply(new_method_call(manager, "Inhibit", "ssss", why), timeout=5)
        for descriptor in held.body:
            if hasattr(descriptor, "to_raw_fd"):
                until_asleep.callback(os.close, descriptor.to_raw_fd())
    except (OSError, EOFError, LookupError, ValueError, TimeoutError, AuthenticationError):
        return None
    return bus


def _is_going_to_sleep(bus: DBusConnection) -> bool:
    """Read the messages on the bus; return whether the machine is going to sleep.

    Raises ``OSError``, or ``EOFError`` if the bus has ended.
    """
    from jeepney import HeaderFields, MessageType

    going = False
    with contextlib.suppress(TimeoutError):
        while True:
            said = bus.receive(timeout=0)
            fields = said.header.fields
            if said.header.message_type is MessageType.signal:
                named = fields.get(HeaderFields.member) == "PrepareForSleep"
                going |= named and said.body == (True,)
    return going


if __name__ == "__main__":
    sys.exit(main())
