"""The history of searches, and saved searches; on this machine only.

Their files are readable by their owner only and replaced atomically.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from indexer.query.grammar import MAX_CHARACTERS

if TYPE_CHECKING:
    from pathlib import Path

    from ui.file_worker import FileWorker

log = logging.getLogger(__name__)

MOST_SEARCHES = 200
MOST_SAVED = 500
MOST_DOCUMENTS = 50
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Saved:
    """A search with a name; ``new`` is its number of passages not shown yet."""

    name: str
    text: str
    new: int = 0


class Memory(QObject):
    """Recent and saved searches, the newest first.

    Signals:
        changed: One of the lists has changed.
        trouble: A file could not be written, with the OSError.
    """

    changed = Signal()
    trouble = Signal(object)

    def __init__(
        self, folder: Path, worker: FileWorker, *, remembers: bool, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.recent: tuple[str, ...] = ()
        self.documents: tuple[str, ...] = ()  # paths of opened documents, the newest first
        self.saved: tuple[Saved, ...] = ()
        self._history, self._saved = folder / "history.json", folder / "searches.json"
        self._worker = worker
        self._remembers = remembers
        worker.run(self._read, self._loaded)
        if not remembers:
            self.remember(on=False)

    def remember(self, *, on: bool) -> None:
        """Switch the history on, or off, which deletes it."""
        self._remembers = on
        if not on:
            self.forget_history()

    def forget_history(self) -> None:
        """Delete the history; saved searches stay."""
        self.recent = self.documents = ()
        history = self._history
        self._worker.run(lambda: history.unlink(missing_ok=True), self._written)
        self.changed.emit()

    def note_search(self, text: str) -> None:
        """Add a search to the history, if that is on."""
        text = " ".join(text.split())[:MAX_CHARACTERS]
        if not text or not self._remembers or self.recent[:1] == (text,):
            return
        others = (each for each in self.recent if each != text)
        self.recent = (text, *others)[:MOST_SEARCHES]
        self._write_history()

    def note_document(self, path: str) -> None:
        """Add a document to the history, if that is on."""
        if self._remembers and self.documents[:1] != (path,):
            others = (each for each in self.documents if each != path)
            self.documents = (path, *others)[:MOST_DOCUMENTS]
            self._write_history()

    def drop_entry(self, entry: str) -> None:
        """Remove a search, or a document by its path, from the history."""
        self.recent = tuple(each for each in self.recent if each != entry)
        self.documents = tuple(each for each in self.documents if each != entry)
        self._write_history()

    def _write_history(self) -> None:
        content = {"searches": list(self.recent), "documents": list(self.documents)}
        self._write(self._history, content)

    def save_search(self, name: str, text: str) -> None:
        """Save a search under a name, in place of one of that name."""
        name, text = " ".join(name.split()), " ".join(text.split())
        if name and text:
            others = (each for each in self.saved if each.name != name)
            self._keep((Saved(name, text), *others))

    def discard_search(self, name: str) -> Saved | None:
        """Delete a saved search; return it, for undoing."""
        gone = next((each for each in self.saved if each.name == name), None)
        self._keep(tuple(each for each in self.saved if each.name != name))
        return gone

    def name_of(self, text: str) -> str:
        """Return the name of a saved search; "" if the text is not saved."""
        text = " ".join(text.split())
        return next((each.name for each in self.saved if each.text == text), "")

    def _keep(self, saved: tuple[Saved, ...]) -> None:
        self.saved = saved[:MOST_SAVED]
        listed = [{"name": each.name, "text": each.text} for each in self.saved]
        self._write(self._saved, {"saved": listed})

    def _write(self, file: Path, content: dict[str, Any]) -> None:
        text = json.dumps({"version": _VERSION, **content}, ensure_ascii=False, indent=1) + "\n"
        self._worker.run(lambda: write_file(file, text), self._written)
        self.changed.emit()

    def _written(self, _result: object, error: OSError | None) -> None:
        if error is not None:
            log.warning("a list of searches cannot be written: %s", error)
            self.trouble.emit(error)

    def _read(self) -> tuple[list[str], list[str], list[Saved]]:
        history = load(self._history)
        searches, documents = _strings(history.get("searches")), _strings(history.get("documents"))
        entries = load(self._saved).get("saved")
        saved = [
            Saved(entry["name"], entry["text"])
            for entry in (entries if isinstance(entries, list) else [])
            if isinstance(entry, dict) and _strings([entry.get("name"), entry.get("text")])[1:]
        ]
        return searches, documents, saved

    def _loaded(
        self, result: tuple[list[str], list[str], list[Saved]] | None, _error: object
    ) -> None:
        """Append the entries of the files to those added meanwhile."""
        searches, documents, saved = result or ([], [], [])
        if self._remembers:
            known = dict.fromkeys((*self.documents, *documents))
            self.documents = tuple(known)[:MOST_DOCUMENTS]
            self.recent = tuple(dict.fromkeys((*self.recent, *searches)))[:MOST_SEARCHES]
        names = {each.name for each in self.saved}
        self.saved = (*self.saved, *(each for each in saved if each.name not in names))
        self.changed.emit()


def load(file: Path) -> dict[str, Any]:
    """Read a JSON object from a file; {} if it is missing or invalid."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read: %s", file.name, error)
        return {}
    return content if isinstance(content, dict) else {}


def _strings(values: object) -> list[str]:
    listed = values if isinstance(values, list) else []
    return [value for value in listed if isinstance(value, str) and value.strip()]
