"""Accepts connections to a service: its socket, its published address, and the accepting thread.

Owns listening.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING

from indexer.api import endpoint as places
from indexer.api.endpoint import Endpoint, StreamListener, connect
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.api.endpoint import MessageStream
    from indexer.api.lock import LibraryLock

log = logging.getLogger(__name__)

BACKLOG = 128
RETRY_S = 0.05


class Acceptor:
    """Accepts clients from ``open`` to ``close``.

    Args:
        library: The folder of the library.
        lock: Its lock.
        stopping: Whether no more clients are accepted.
    """

    def __init__(self, library: Path, lock: LibraryLock, stopping: Callable[[], bool]) -> None:
        self._library = library
        self._lock = lock
        self._stopping = stopping
        self._listener: StreamListener | None = None
        self._address = ""

    def open(self, welcome: Callable[[MessageStream, Endpoint], None]) -> None:
        """Start listening.

        Raises:
            WorldError: ``library_unwritable``, if there is no private folder for the socket;
                ``busy``, if it cannot be created there.
        """
        may_write = self._lock.refusal is None
        places.clear(self._library, self._lock.holding, inside=may_write)
        endpoint = places.new_endpoint(self._lock.holding)
        try:
            listener = StreamListener(endpoint.address, BACKLOG)
            self._listener, self._address = listener, endpoint.address
            threading.Thread(
                target=self._accept, args=(listener, endpoint, welcome), name="accept", daemon=True
            ).start()
            places.publish(self._library, endpoint, inside=may_write)
        except OSError as error:
            raise WorldError("busy", reason="no_socket", said=error.strerror) from error

    def close(self) -> None:
        """Stop accepting; ``stopping`` must return True already."""
        if self._listener is None:
            return
        # Closing a socket does not wake a thread that is accepting; a connection does.
        with contextlib.suppress(OSError):
            connect(self._address).close()
        with contextlib.suppress(OSError):
            self._listener.close()
        if self._lock.is_intact():
            inside = self._lock.refusal is None
            places.clear(self._library, self._lock.holding, inside=inside)

    def _accept(
        self,
        listener: StreamListener,
        endpoint: Endpoint,
        welcome: Callable[[MessageStream, Endpoint], None],
    ) -> None:
        while not self._stopping():
            try:
                connection = listener.accept()
            except OSError:
                # The client disconnected; or the listener was closed, which ends the loop; or
                # there are too many open files, which is retried after a delay.
                log.debug("a client could not be accepted", exc_info=True)
                time.sleep(RETRY_S)
                continue
            if self._stopping():
                connection.close()
            else:
                welcome(connection, endpoint)
