"""The passwords of documents: in memory while the window runs, on request in the keyring.

A password is only stored in a keyring of the operating system, not in a backend that stores plain
text or nothing. A file lists the documents whose passwords the keyring has. If it lists none, the
keyring is not asked, so that nobody has to unlock it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from shiboken6 import isValid

from indexer.api.json_files import changing, put_aside, read_object
from indexer.api.requests import ListFiles, Unlock
from indexer.api.system_keyring import SERVICE, Keyring, store_password, system_keyring
from indexer.api.types import FileState
from ui.ports import Context, ignore
from ui.requests import Questions

if TYPE_CHECKING:
    from indexer.api.answers import FileList

log = logging.getLogger(__name__)


class Passwords(QObject):
    """Keeps passwords by the paths of their documents. Use it on the main thread only.

    ``find`` finds the keyring; it is called once, on a worker's thread.
    """

    _answered = Signal(object, object)

    def __init__(
        self, find: Callable[[], Keyring | None] = system_keyring, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._find = find
        self._memory: dict[str, str] = {}
        self._one_at_a_time = threading.Lock()
        self._answered.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def remember_password(self, path: str, password: str) -> None:
        """Keep a password until the window closes."""
        self._memory[path] = password

    def remembered_password(self, path: str) -> str | None:
        """Return the password of a document if it is in memory."""
        return self._memory.get(path)

    def find_password(self, path: str, done: Callable[[str | None], None]) -> None:
        """Find a password in memory, else in the keyring; ``done`` is called later."""
        known = self._memory.get(path)
        if known is not None:
            self._answered.emit(done, known)
            return

        def found(password: object) -> None:
            if isinstance(password, str):
                self._memory.setdefault(path, password)
            done(password if isinstance(password, str) else None)

        self._work(partial(self._get, path), found)

    def keep_in_keyring(self, path: str, password: str, done: Callable[[bool], None]) -> None:
        """Put a password into the keyring, then call ``done`` with True if it is stored."""
        self._work(partial(self._set, path, password), lambda kept: done(kept is True))

    def check_keyring(self, done: Callable[[bool], None]) -> None:
        """Call ``done`` with True if this system has a trusted keyring, else with False."""
        self._work(lambda: self._backend is not None, lambda there: done(there is True))

    def _get(self, path: str) -> str | None:
        return self._backend.get_password(SERVICE, path) if self._backend else None

    def _set(self, path: str, password: str) -> bool:
        return self._backend is not None and store_password(self._backend, path, password)

    @cached_property
    def _backend(self) -> Keyring | None:
        return self._find()

    def _work(self, job: Callable[[], object], done: Callable[[object], None]) -> None:
        """Run a job on a thread of its own, since it may wait for the person to unlock the keyring.

        It is a daemon thread: the window must be able to close while the system's dialog is open.
        """
        threading.Thread(target=self._run, args=(job, done), name="keyring", daemon=True).start()

    def _run(self, job: Callable[[], object], done: Callable[[object], None]) -> None:
        answer: object = None
        with self._one_at_a_time:
            try:
                answer = job()
            except Exception as error:  # noqa: BLE001  # each backend has its own
                # The message of the error may hold the path or the password.
                log.warning("the keyring failed: %s", type(error).__name__)
        with suppress(RuntimeError):  # the window has closed meanwhile
            self._answered.emit(done, answer)

    @Slot(object, object)
    def _deliver(self, done: Callable[[object], None], answer: object) -> None:
        done(answer)


_shared: list[Passwords] = []


def shared() -> Passwords:
    """Return the passwords of this process, shared by the list of files and the preview."""
    if not _shared:
        _shared.append(Passwords(parent=QCoreApplication.instance()))
    return _shared[0]


KEPT_FILE_NAME = "in-keyring.json"
MOST_LISTED = 1000


class KeptPasswords(QObject):
    """Unlocks documents by the passwords in the keyring, after each connection to an engine."""

    def __init__(self, context: Context, passwords: Passwords, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._passwords = passwords
        self._questions = Questions(context, self)
        context.link.connected.connect(self.unlock)
        if context.link.is_connected:
            self.unlock()

    def unlock(self) -> None:
        if kept_paths(self._context.folder):
            request = ListFiles(FileState.NEEDS_PASSWORD, limit=MOST_LISTED)
            self._questions.ask_engine(request, self._handle_files, failed=ignore)

    def _handle_files(self, listed: FileList) -> None:
        kept = kept_paths(self._context.folder)
        for row in listed.files:
            # Another code says that the password was tried and is wrong.
            if row.path in kept and row.code == "needs_password":
                self._passwords.find_password(row.path, partial(self._found, row.path))

    def _found(self, path: str, password: str | None) -> None:
        if isValid(self) and password is not None:
            self._questions.send_lasting(Unlock(Path(path), password), ignore, failed=ignore)


def note_kept(folder: Path, path: str) -> None:
    """Record that the keyring has the password of a document."""
    file = folder / KEPT_FILE_NAME
    try:
        put_aside(file)
        with changing(file) as content:
            content[path] = True
    except (OSError, ValueError) as error:
        log.warning("what the keyring keeps cannot be noted: %s", error)


def kept_paths(folder: Path) -> set[str]:
    """Return the paths of the documents whose passwords the keyring has."""
    with suppress(OSError, ValueError):
        return set(read_object(folder / KEPT_FILE_NAME))
    return set()
