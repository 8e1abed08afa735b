"""The passwords of documents: in memory while the window runs, in the system's keyring if wished.

Owns where a password may be kept. Only keyrings of the operating system are good enough; those
that keep plain text, or nothing, are refused. It must not know what a password opens.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

SERVICE = "Lectern"
# Where the password lies encrypted under the person's login; any other backend may keep it as is.
TRUSTED = frozenset({
    "keyring.backends.SecretService",
    "keyring.backends.libsecret",
    "keyring.backends.kwallet",
    "keyring.backends.macOS",
    "keyring.backends.Windows",
})  # fmt: skip


class Keyring(Protocol):
    """The interface of ``keyring``'s backends; any method may block, and raise anything."""

    def get_password(self, service: str, username: str) -> str | None: ...
    def set_password(self, service: str, username: str, password: str) -> None: ...
    def delete_password(self, service: str, username: str) -> None: ...


def system_keyring() -> Keyring | None:
    """Find the keyring of this system; None where there is none that can be trusted. May block."""
    import keyring

    chosen = keyring.get_keyring()
    # A chain of several has its members in order of preference.
    members = getattr(chosen, "backends", None)
    return next(filter(is_trusted, members or [chosen]), None)


def is_trusted(backend: object) -> bool:
    """Whether a backend is a keyring of the operating system, not a plain file or none."""
    return type(backend).__module__ in TRUSTED


class Passwords(QObject):
    """Keeps passwords by the paths of their documents. Used on Qt's main thread only.

    Args:
        find: Finds the keyring; called in a worker's thread, once.
        parent: Owns this.
    """

    _answered = Signal(object, object)

    def __init__(
        self, find: Callable[[], Keyring | None] = system_keyring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._find = find
        self._memory: dict[str, str] = {}
        self._keyring: Keyring | None = None
        self._looked = False
        self._one_at_a_time = threading.Lock()
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def remember(self, path: str, password: str) -> None:
        """Keep a password until the window closes."""
        self._memory[path] = password

    def remembered(self, path: str) -> str | None:
        """The password of a document as far as memory goes."""
        return self._memory.get(path)

    def look_up(self, path: str, done: Callable[[str | None], None]) -> None:
        """Find a password in memory or, in a while, in the keyring."""
        known = self._memory.get(path)
        if known is not None:
            self._answered.emit(done, known)
            return

        def found(password: object) -> None:
            if isinstance(password, str):
                self._memory.setdefault(path, password)
            done(password if isinstance(password, str) else None)

        self._work(partial(self._get, path), found)

    def keep(self, path: str, password: str, done: Callable[[bool], None]) -> None:
        """Put a password into the keyring; ``done`` is called with whether it is stored."""
        self._work(partial(self._set, path, password), lambda kept: done(kept is True))

    def forget(self, path: str, done: Callable[[bool], None] | None = None) -> None:
        """Drop a password, from the keyring too."""
        self._memory.pop(path, None)
        self._work(
            partial(self._delete, path),
            lambda gone: done(gone is True) if done is not None else None,
        )

    def check(self, done: Callable[[bool], None]) -> None:
        """Find out whether this system has a keyring that can be trusted."""
        self._work(lambda: self._backend() is not None, lambda there: done(there is True))

    def _get(self, path: str) -> str | None:
        backend = self._backend()
        return backend.get_password(SERVICE, path) if backend else None

    def _set(self, path: str, password: str) -> bool:
        backend = self._backend()
        if backend is None:
            return False
        backend.set_password(SERVICE, path, password)
        return backend.get_password(SERVICE, path) == password

    def _delete(self, path: str) -> bool:
        backend = self._backend()
        if backend is None:
            return False
        backend.delete_password(SERVICE, path)
        return True

    def _backend(self) -> Keyring | None:
        if not self._looked:
            self._keyring = self._find()
            self._looked = True
        return self._keyring

    def _work(self, job: Callable[[], object], done: Callable[[object], None]) -> None:
        """Do on another thread what may wait for the person to unlock the keyring.

        The thread ends with its job. It is a daemon, because nothing can end a question that the
        system asks, and the window must close nevertheless.
        """
        threading.Thread(target=self._run, args=(job, done), name="keyring", daemon=True).start()

    def _run(self, job: Callable[[], object], done: Callable[[object], None]) -> None:
        answer: object = None
        with self._one_at_a_time:
            try:
                answer = job()
            except Exception as error:  # noqa: BLE001  # each backend has its own
                # Its message may quote what it was asked for.
                log.warning("the keyring failed: %s", type(error).__name__)
        with contextlib.suppress(RuntimeError):  # the window has closed meanwhile
            self._answered.emit(done, answer)

    @Slot(object, object)
    def _deliver(self, done: Callable[[object], None], answer: object) -> None:
        done(answer)


_shared: list[Passwords] = []


def shared() -> Passwords:
    """The passwords of this window, which the coverage asks for and the preview uses."""
    if not _shared:
        _shared.append(Passwords(parent=QCoreApplication.instance()))
    return _shared[0]
