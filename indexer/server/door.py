"""The door of a service: its socket, who is told where it is, and the thread that lets clients in.

Owns listening. It must not know what becomes of a connection.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from multiprocessing.connection import Listener
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api import endpoint as places
from indexer.api.endpoint import FAMILY, Endpoint, connect
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from indexer.api.lock import LibraryLock

log = logging.getLogger(__name__)

BACKLOG = 128
RETRY_S = 0.05


class Door:
    """Lets clients in from ``open`` to ``close``.

    Args:
        library: The folder of the library.
        lock: Its lock.
        stopping: Whether nobody is let in any more.
    """

    def __init__(self, library: Path, lock: LibraryLock, stopping: Callable[[], bool]) -> None:
        self._library = library
        self._lock = lock
        self._stopping = stopping
        self._listener: Listener | None = None
        self._address = ""

    def open(self, welcome: Callable[[Connection, Endpoint], None]) -> None:
        """Listen from now on.

        Raises:
            WorldError: ``library_unwritable``, if there is no private place for the socket;
                ``busy``, if it cannot be made there.
        """
        may_write = self._lock.refusal is None
        places.clear(self._library, self._lock.holding, inside=may_write)
        endpoint = places.new_endpoint(self._lock.holding)
        try:
            listener = Listener(endpoint.address, family=FAMILY, backlog=BACKLOG)
            self._listener, self._address = listener, endpoint.address
            if sys.platform != "win32":
                Path(endpoint.address).chmod(0o600)
            threading.Thread(
                target=self._accept, args=(listener, endpoint, welcome), name="accept", daemon=True
            ).start()
            places.publish(self._library, endpoint, inside=may_write)
        except OSError as error:
            raise WorldError("busy", reason="no_socket", said=error.strerror) from error

    def close(self) -> None:
        """Let nobody in any more; ``stopping`` says so already."""
        if self._listener is None:
            return
        # Closing a socket does not wake a thread that waits on it; a connection does.
        with contextlib.suppress(OSError):
            connect(self._address).close()
        with contextlib.suppress(OSError):
            self._listener.close()
        if self._lock.is_intact():
            inside = self._lock.refusal is None
            places.clear(self._library, self._lock.holding, inside=inside)

    def _accept(
        self,
        listener: Listener,
        endpoint: Endpoint,
        welcome: Callable[[Connection, Endpoint], None],
    ) -> None:
        while not self._stopping():
            try:
                connection = listener.accept()
            except OSError:
                # A client that gave up half-way; or the listener was closed, and the loop ends;
                # or there are too many open files, which one should not ask about all the time.
                log.debug("a client could not be accepted", exc_info=True)
                time.sleep(RETRY_S)
                continue
            if self._stopping():
                connection.close()
            else:
                welcome(connection, endpoint)
