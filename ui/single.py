"""One window for each library: a second start hands its query over to the first.

It does so through a local socket that only its owner can open. A start names the device and inode
of the library's folder, since another library may be in its place by now.
"""

from __future__ import annotations

import json
import logging
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from indexer.api.codec import decode, encode
from indexer.api.endpoint import window_address
from indexer.api.errors import WorldError
from indexer.api.lock import identity

if TYPE_CHECKING:
    from collections.abc import Sequence

log = logging.getLogger(__name__)

# Milliseconds after which a first window that does not answer counts as hung.
TIMEOUT_MS = 2000
MAX_BYTES = 64_000
DONE = b"ok\n"


@dataclass(frozen=True, slots=True)
class Start:
    """A further start of the window.

    Attributes:
        query: To be searched for.
        token: The XDG activation token, without which Wayland raises no window.
        paths: Files and folders to open.
        folder: Device and inode of the library's folder, set by ``hand_over``.
    """

    query: str = ""
    token: str = ""
    paths: tuple[str, ...] = ()
    folder: Any = None  # JSON: the codec's integers have 63 bits, an inode may have 64

    @classmethod
    def from_arguments(cls, given: Sequence[str], token: str = "") -> Start:
        """Split arguments into the words of a query and the paths to open.

        A path is absolute or a ``file:`` address, as file managers pass it, and exists; everything
        else belongs to the query.
        """
        paths = [_path_of(argument) for argument in given]
        words = [argument for argument, path in zip(given, paths, strict=True) if not path]
        return cls(" ".join(words), token, tuple(filter(None, paths)))


def _path_of(argument: str) -> str:
    """Return the existing path that an argument names; "" if it names none."""
    path = argument
    if argument.startswith("file:"):
        from urllib.request import url2pathname

        try:
            address = urlsplit(argument)
        except ValueError:
            return ""
        path = url2pathname(address.path) if address.netloc in {"", "localhost"} else ""
    # The system refuses NUL bytes with an error of another kind.
    if "\0" in path or not Path(path).is_absolute() or not os.path.lexists(path):
        return ""
    return os.path.normpath(path)


def hand_over(library: Path, start: Start) -> bool:
    """Send a start to the window of the library; False if there is none.

    Blocks for up to three times ``TIMEOUT_MS``: there is no window yet.
    """
    socket = QLocalSocket()
    socket.connectToServer(window_address(library))
    if not socket.waitForConnected(TIMEOUT_MS):
        return False
    start = replace(start, folder=identity(library))
    socket.write(json.dumps(encode(start)).encode() + b"\n")
    answered = socket.waitForBytesWritten(TIMEOUT_MS) and socket.waitForReadyRead(TIMEOUT_MS)
    accepted = answered and bytes(socket.readAll().data()) == DONE
    socket.disconnectFromServer()
    return accepted


class Single(QObject):
    """Listens for further starts. Signals: ``handed_over`` with a ``Start``."""

    handed_over = Signal(object)

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._folder = identity(library)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._accept)
        name = window_address(library)
        # Checked first, since ``removeServer`` would take a live window's socket away.
        if _is_served(name):
            log.warning("no second start can hand over: another window answers at %s", name)
            return
        QLocalServer.removeServer(name)  # left by a crash
        if not self._server.listen(name):
            log.warning("no second start can hand over: %s", self._server.errorString())

    def close(self) -> None:
        self._server.close()

    def _accept(self) -> None:
        socket = self._server.nextPendingConnection()
        socket.readyRead.connect(self._read)
        socket.disconnected.connect(socket.deleteLater)

    def _read(self) -> None:
        socket = self.sender()
        assert isinstance(socket, QLocalSocket)  # noqa: S101  # who else would send it
        if not socket.canReadLine():
            if socket.bytesAvailable() > MAX_BYTES:
                socket.abort()
            return
        try:
            start = decode(Start, json.loads(bytes(socket.readLine(MAX_BYTES).data())))
        except (ValueError, RecursionError, WorldError):
            log.warning("a second start sent an invalid message")
            socket.abort()
            return
        if not self._is_for_this_library(start.folder):
            socket.abort()
            return
        socket.write(DONE)
        socket.flush()
        self.handed_over.emit(start)

    def _is_for_this_library(self, folder: object) -> bool:
        """Whether a start is for our library, whose folder may be newer than the window."""
        self._folder = self._folder or identity(self._library)
        return self._folder is None or folder == list(self._folder)


def _is_served(name: str) -> bool:
    socket = QLocalSocket()
    socket.connectToServer(name)
    served = socket.waitForConnected(TIMEOUT_MS)
    socket.abort()
    return served
