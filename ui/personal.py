"""Lists that the person keeps (searches, documents, passages), in JSON files on this machine.

The files are readable by their owner only. Several windows may change them at the same time.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, Signal
from shiboken6 import isValid

from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError
from indexer.api.json_files import changing, copies, lock_for, put_aside, read_object
from ui.ports import Notice, Notices

if TYPE_CHECKING:
    from ui.file_worker import FileWorker

log = logging.getLogger(__name__)

E = TypeVar("E")


class PersonalList(QObject, Generic[E]):
    """A list that the person keeps: ``entries``, stored in a file under a name.

    A change is a function of the list. It is applied here at once and then, by the worker, to the
    content of the file, so that several windows keep each other's changes. A change that could not
    be written is tried again with the next one. Entries and fields of another version stay in the
    file, and a file that cannot be read is put aside.

    Args:
        key: Returns the identity of an entry.

    Signals:
        changed: ``entries`` has changed.
        trouble: The file could not be read or written; carries the OSError.
    """

    changed = Signal()
    trouble = Signal(object)

    def __init__(
        self, file: Path, name: str, kind: type[E], worker: FileWorker, *,
        key: Callable[[E], str] = str, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.file = file
        self.entries: tuple[E, ...] = ()
        self.set_aside: Path | None = None  # where an unreadable file was moved
        self._name, self._kind, self._key = name, kind, key
        self._worker = worker
        self._pending = 0
        self._unwritten: list[Callable[[tuple[E, ...]], Iterable[E]]] = []  # used by the worker
        try:
            self.set_aside = put_aside(file)
            self.entries = self._parse(read_object(file))[0]
        except (OSError, ValueError) as error:
            log.warning("%s cannot be read: %s", file.name, error)

    def change(self, change: Callable[[tuple[E, ...]], Iterable[E]]) -> None:
        """Apply a function to the list, here and in the file."""
        self.entries = tuple(change(self.entries))
        self._run(partial(self._write, change))

    def delete(self) -> None:
        """Delete the file, and a file that was put aside."""
        self.entries = ()
        self._run(self._delete)

    def tell_trouble(self, notices: Notices) -> None:
        """Post a notice now if the file could not be read, and later if it cannot be written."""

        def told(error: OSError) -> None:
            text = QCoreApplication.translate(
                "PersonalList", "{file} could not be written: {reason}."
            )
            reason = error.strerror or str(error)
            notices.post(Notice(text.format(file=self.file, reason=reason)))

        self.trouble.connect(told)
        if self.set_aside is not None:
            text = QCoreApplication.translate(
                "PersonalList", "{file} could not be read. It was kept as {copy}."
            )
            notices.post(Notice(text.format(file=self.file, copy=self.set_aside.name), seconds=0))

    def _run(self, work: Callable[[], tuple[E, ...]]) -> None:
        self._pending += 1
        self._worker.run(work, self._done)
        self.changed.emit()

    def _done(self, entries: tuple[E, ...] | None, error: OSError | None) -> None:
        """Take over the content of the file, unless it is about to be changed again."""
        if not isValid(self):
            return  # the window has closed
        self._pending -= 1
        if error is not None:
            log.warning("%s cannot be changed: %s", self.file.name, error)
            self.trouble.emit(error)
        elif not self._pending and entries is not None and entries != self.entries:
            self.entries = entries
            self.changed.emit()

    def _write(self, change: Callable[[tuple[E, ...]], Iterable[E]]) -> tuple[E, ...]:
        self._unwritten.append(change)
        put_aside(self.file)
        with changing(self.file) as content:
            entries, known, strange = self._parse(content)
            for each in self._unwritten:
                entries = tuple(each(entries))
            listed = [_joined(known.get(self._key(one)), encode(one)) for one in entries]
            content[self._name] = listed + strange
            if not any(content.values()):
                content.clear()
        self._unwritten.clear()
        return entries

    def _delete(self) -> tuple[E, ...]:
        self._unwritten.clear()
        with lock_for(self.file):
            for each in (self.file, *copies(self.file)):
                each.unlink(missing_ok=True)
        return ()

    def _parse(self, content: dict[str, Any]) -> tuple[tuple[E, ...], dict[str, Any], list[Any]]:
        """Return the entries, their stored forms by their keys, and values that are no entries."""
        listed = content.get(self._name, [])
        entries: dict[str, E] = {}
        known: dict[str, Any] = {}
        strange = []
        for raw in listed if isinstance(listed, list) else [listed]:
            try:
                entry = decode(self._kind, raw)
            except LecternError:
                strange.append(raw)
            else:
                entries.setdefault(self._key(entry), entry)
                known.setdefault(self._key(entry), raw)
        return tuple(entries.values()), known, strange


def _joined(before: Any, now: Any) -> Any:
    """Add to an entry the fields that another version gave it."""
    return {**before, **now} if isinstance(before, dict) else now
