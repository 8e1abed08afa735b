"""The launcher, an unconfined process that acts for a process without network.

Confinement cannot be undone, and started processes inherit it. So a viewer or a download must be
started by another process, the launcher, which is forked before the filter is set. Requests are
sent over a private socket pair in frames of ``indexer.api.codec``; the caller provides their
handlers. The launcher ends with the last process that is connected to it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from indexer.api.codec import Header, read_answer, read_frame, write_frame
from indexer.api.contract import Answered
from indexer.api.errors import InternalError, LecternError, WorldError
from indexer.confine.process import close_all_but

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    # A handler is called with the request and a function that returns whether the client has ended.
    Command = Callable[[Any, Callable[[], bool]], object]
    Commands = Mapping[type["LauncherRequest[Any]"], Command]


# The environment variable with the descriptor of the socket of an inherited launcher.
VARIABLE = "LECTERN_LAUNCHER"
# The timeout of a request in seconds.
PATIENCE_S = 10.0


A = TypeVar("A")


class LauncherRequest(Answered[A], frozen=True):
    """A request to a launcher, which answers with an ``A``."""

    kinds: ClassVar[dict[str, type[Any]]] = {}


class FetchModel(LauncherRequest[None], frozen=True):
    """Download the files of a published model into a folder (``indexer.embed.hub``)."""

    model: str
    folder: Path


class PublishLibrary(LauncherRequest[int], frozen=True):
    """Publish a library below a URI; the answer is the number of the version."""

    library: Path
    uri: str


class PullLibrary(LauncherRequest[Path], frozen=True):
    """Pull a library (``indexer.shards.exchange.pull``); the answer is its folder."""

    uri: str
    folder: Path
    by_name: bool = False


class BuildLibrary(LauncherRequest[str], frozen=True):
    """Build a library of many shards below a URI (``indexer.shards.build``).

    ``options`` and the answer are ``BuildOptions`` and ``Built`` as JSON. Without options nothing
    is built, and the answer is the present version.
    """

    uri: str
    sources: tuple[str, ...] = ()
    options: str = ""


class OpenPath(LauncherRequest[bool], frozen=True):
    """Open a file or folder as the desktop does; the answer is whether a program was started."""

    path: Path


class OpenInViewer(LauncherRequest[bool], frozen=True):
    """Start a viewer at a page, "" for the person's viewer; the answer is whether it started."""

    viewer: str
    path: Path
    page: int


class StartAgain(LauncherRequest[bool], frozen=True):
    """Start the program again in the same way; the answer is whether it started."""


class _Share(LauncherRequest[None], frozen=True):
    """Send another socket of the same launcher."""


class Launcher:
    """The connection to a launcher, whose process may be a child of this one. Thread-safe.

    One request is sent at a time.
    """

    def __init__(self, connection: socket.socket, process: int = 0) -> None:
        self._connection = connection
        self._process = process
        self._incoming = connection.makefile("rb")
        self._outgoing = connection.makefile("wb")
        self._lock = threading.Lock()

    def ask_launcher(self, request: LauncherRequest[A], *, seconds: float = PATIENCE_S) -> A:
        """Send a request and return its answer.

        Raises the error of the command, or ``internal`` if the launcher has ended, does not answer
        in time or does not know the command.
        """
        with self._lock:
            try:
                self._connection.settimeout(seconds)
                write_frame(self._outgoing, request.header())
                frame = read_frame(self._incoming)
            except (OSError, ValueError) as error:
                self.close()  # a late answer would be taken for that to the next request
                raise InternalError("internal", reason="launcher_gone") from error
        if frame is None:
            raise InternalError("internal", reason="launcher_gone")
        answer: A = read_answer(frame[0], request.answer)
        return answer

    def share(self) -> socket.socket | None:
        """Return another socket of the same launcher, for a confined process to be started."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._connection.settimeout(PATIENCE_S)
            write_frame(self._outgoing, _Share().header())
            _byte, descriptors, *_ = socket.recv_fds(self._connection, 1, 1)
            if descriptors:
                self._process = 0  # the launcher may outlive this process
                return socket.socket(fileno=descriptors[0])
        return None

    def close(self) -> None:
        for part in (self._outgoing, self._incoming, self._connection):
            with contextlib.suppress(OSError):
                part.close()

    def end(self) -> None:
        """Close the connection, and wait for the launcher to end unless it has other clients."""
        self.close()
        process, self._process = self._process, 0
        if process:
            with contextlib.suppress(OSError):
                os.waitpid(process, 0)


_current: Launcher | None = None


def current() -> Launcher | None:
    """The launcher of this process; None if the process is not confined."""
    return _current


def use(launcher: Launcher | None) -> None:
    """Set the launcher of this process."""
    global _current  # noqa: PLW0603  # a process is confined as a whole, and once
    _current = launcher


@contextlib.contextmanager
def shared_environment() -> Iterator[dict[str, str]]:
    """Share the launcher of this process with a process that is started in the block.

    Yields:
        The variables for its environment.
    """
    connection = _current.share() if _current is not None else None
    if connection is None:
        yield {}
        return
    with connection:
        connection.set_inheritable(True)
        yield {VARIABLE: str(connection.fileno())}


def inherited() -> Launcher | None:
    """Return the launcher inherited from the parent process, if any."""
    value = os.environ.pop(VARIABLE, "")
    try:
        connection = socket.socket(fileno=int(value))
    except (ValueError, OSError):
        return None
    connection.set_inheritable(False)
    return Launcher(connection)


def fork(commands: Commands) -> Launcher:
    """Fork a launcher with handlers for some requests. Call it before threads are started.

    Raises ``OSError`` if no process can be forked.
    """
    ours, theirs = socket.socketpair()
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process == 0:
        ours.close()
        _run_launcher(theirs, commands)
    theirs.close()
    launcher = Launcher(ours, process)
    atexit.register(launcher.end)
    return launcher


def _run_launcher(connection: socket.socket, commands: Commands) -> NoReturn:
    """Run the launcher: close the parent's descriptors, serve, and exit."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the parent handles Ctrl+C
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in range(3):
            os.dup2(nothing, standard)
        close_all_but((connection.fileno(),))
        _serve(connection, commands)
        while others := set(threading.enumerate()) - {threading.current_thread()}:
            others.pop().join()
    finally:
        os._exit(0)


def _serve(connection: socket.socket, commands: Commands) -> None:
    """Serve one process until it disconnects."""

    def gone() -> bool:
        readable, _, _ = select.select([connection], [], [], 0)
        return bool(readable)  # before the answer it is readable only at the end of the connection

    incoming, outgoing = connection.makefile("rb"), connection.makefile("wb")
    with connection, contextlib.suppress(OSError, WorldError):
        while (frame := read_frame(incoming)) is not None:
            if frame[0].get("type") == _Share.wire_name:
                _share(connection, commands)
            else:
                write_frame(outgoing, _answer(frame[0], commands, gone))


def _share(connection: socket.socket, commands: Commands) -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        socket.send_fds(connection, [b"."], [theirs.fileno()])
    threading.Thread(target=_serve, args=(ours, commands)).start()


def _answer(header: Header, commands: Commands, gone: Callable[[], bool]) -> Header:
    try:
        request: LauncherRequest[Any] = LauncherRequest.from_header(header)
        if type(request) not in commands:
            raise WorldError("bad_request", reason="no such command")
        return {"type": "reply", "answer": commands[type(request)](request, gone)}
    except LecternError as error:
        failure = error.failure()
    except Exception as error:  # noqa: BLE001  # a launcher that died could not be started again
        reason = f"{type(error).__name__}: {error}"
        failure = InternalError("internal", reason=reason).failure()
    return {"type": "error", "error": failure}
