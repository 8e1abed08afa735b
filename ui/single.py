"""One window for each person and library: a second start hands over to the first.

Owns the local socket that starts are announced on. Only its owner can open it. It must not know
what is done with what is handed over.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from indexer.endpoint import new_endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

# A first instance that does not take a line within this time hangs.
PATIENCE_MS = 2000
MAX_BYTES = 64_000
DONE = b"ok\n"


def hand_over(library: Path, message: Mapping[str, Any]) -> bool:
    """Give a message to the program that has the library's window; False if there is none.

    Called before there is a window, so that waiting hurts nobody.
    """
    socket = QLocalSocket()
    socket.connectToServer(_name(library))
    if not socket.waitForConnected(PATIENCE_MS):
        return False
    socket.write(json.dumps(dict(message)).encode() + b"\n")
    taken = socket.waitForBytesWritten(PATIENCE_MS) and socket.waitForReadyRead(PATIENCE_MS)
    socket.disconnectFromServer()
    return bool(taken)


class Single(QObject):
    """Listens for further starts. Signals: ``handed_over`` with their message, a dictionary."""

    handed_over = Signal(object)

    def __init__(self, library: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._welcome)
        name = _name(library)
        if not self._server.listen(name):
            # Nobody answered there, or we would not be here: it was left behind by a crash.
            QLocalServer.removeServer(name)
            if not self._server.listen(name):
                log.warning("no second start can hand over: %s", self._server.errorString())

    def close(self) -> None:
        self._server.close()

    def _welcome(self) -> None:
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
            message = json.loads(bytes(socket.readLine(MAX_BYTES).data()))
        except ValueError:
            log.warning("a second start said something odd")
            socket.abort()
            return
        socket.write(DONE)
        socket.flush()
        if isinstance(message, dict):
            self.handed_over.emit(message)


def _name(library: Path) -> str:
    """Where the window of a library listens: beside the socket of its engine."""
    address = new_endpoint(library).address
    return (
        f"{address}-window" if sys.platform == "win32" else address.removesuffix(".sock") + ".win"
    )
