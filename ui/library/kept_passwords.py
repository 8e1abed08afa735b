"""Sends the passwords of the keyring to each new engine.

Owns the list of documents whose password is in the keyring: without one the keyring is not asked,
and so nobody has to unlock it. The passwords themselves are in the keyring only.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from shiboken6 import isValid

from indexer.api.atomic import write_file
from indexer.api.requests import ListFiles, Unlock
from indexer.api.types import FileState
from ui.library.questions import Questions
from ui.ports import ignore

if TYPE_CHECKING:
    from indexer.api.answers import FileList
    from ui.passwords import Passwords
    from ui.ports import Context

log = logging.getLogger(__name__)

FILE_NAME = "in-keyring.json"
MOST = 1000


class KeptPasswords(QObject):
    """Unlocks documents after each connection to an engine."""

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
            request = ListFiles(FileState.NEEDS_PASSWORD, limit=MOST)
            self._questions.ask(request, self._handle_files, failed=ignore)

    def _handle_files(self, listed: FileList) -> None:
        kept = kept_paths(self._context.folder)
        for row in listed.files:
            # With another code the password was tried and is wrong.
            if row.path in kept and row.code == "needs_password":
                self._passwords.look_up(row.path, partial(self._found, row.path))

    def _found(self, path: str, password: str | None) -> None:
        if isValid(self) and password is not None:
            self._questions.send(Unlock(Path(path), password), ignore, failed=ignore)


def note_kept(folder: Path, path: str) -> None:
    """Record that the keyring has the password of a document."""
    paths = kept_paths(folder) | {path}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_file(folder / FILE_NAME, json.dumps(sorted(paths)))
    except OSError as error:
        log.warning("what the keyring keeps cannot be noted: %s", error.strerror)


def kept_paths(folder: Path) -> set[str]:
    """Return the paths of the documents whose passwords the keyring has."""
    with suppress(OSError, ValueError):
        paths = json.loads((folder / FILE_NAME).read_text(encoding="utf-8"))
        if isinstance(paths, list):
            return {path for path in paths if isinstance(path, str)}
    return set()
