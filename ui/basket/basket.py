"""The kept passages, their order and their notes, in a file on this machine.

The file is readable by its owner only, replaced atomically, and never overwritten while something
in it could not be read.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError
from indexer.api.types import Hit
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from ui.file_worker import FileWorker

VERSION = 1


@dataclass(frozen=True, slots=True)
class Kept:
    """A passage of the basket.

    Attributes:
        key: Its own, whatever becomes of the document.
        hit: The passage as it was found last; its file may have moved since.
        note: By the person.
        query: What it was found with.
    """

    key: str
    hit: Hit
    note: str = ""
    query: str = ""

    @classmethod
    def from_hit(cls, hit: Hit, query: str = "") -> Kept:
        return cls(uuid4().hex, replace(hit, explain=None, also=()), "", query)

    def is_of(self, hit: Hit) -> bool:
        """Whether a hit is this passage."""
        mine = self.hit
        return (mine.path, mine.start, mine.text) == (hit.path, hit.start, hit.text)


def written_passages(kept: Sequence[Kept]) -> str:
    """Return the content of the file."""
    content = {"version": VERSION, "passages": [encode(one) for one in kept]}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def read_passages(text: str) -> tuple[list[Kept], bool]:
    """Return the passages of a file's content, and whether that was all of it."""
    try:
        content: Any = json.loads(text)
    except ValueError:
        return [], False
    entries = content.get("passages") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        return [], False
    kept: dict[str, Kept] = {}
    for entry in entries:
        try:
            one = decode(Kept, entry)
        except LecternError:
            continue
        kept.setdefault(one.key, one)
    return list(kept.values()), len(kept) == len(entries) and content.get("version") == VERSION


log = logging.getLogger(__name__)

FILE_NAME = "basket.json"
# A file that could not be read, or not whole, is kept under this name and a number.
_ASIDE = "basket-unread-{number}.json"
# Milliseconds after the last letter of a note before it is written.
_TYPING_MS = 400


class Basket(QObject):
    """The passages in their order.

    Signals:
        changed: Passages have come, gone, or changed places.
        trouble: The file could not be read or written; an OSError.
    """

    changed = Signal()
    trouble = Signal(object)

    def __init__(self, folder: Path, worker: FileWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.file = folder / FILE_NAME
        self.set_aside: Path | None = None  # what could not be read
        self._worker = worker
        self._content = ""  # of the file, as it was read or written last
        self._seen: set[str] = set()  # keys that were here: others come from another window
        self._writes = True
        self._timer = timer(self, _TYPING_MS, self._write)
        self.kept: tuple[Kept, ...] = ()
        self._read()

    def __len__(self) -> int:
        return len(self.kept)

    def add_passage(self, hit: Hit, query: str = "") -> Kept | None:
        """Append a passage; None if it is here already."""
        if any(one.is_of(hit) for one in self.kept):
            return None
        one = Kept.from_hit(hit, query)
        self._set((*self.kept, one))
        return one

    def replace_passages(self, kept: Iterable[Kept]) -> None:
        """Replace all passages, as to sort them or to undo something."""
        self._set(tuple(kept))

    def remove_passage(self, key: str) -> None:
        self._set(tuple(one for one in self.kept if one.key != key))

    def move_passage(self, key: str, place: int) -> None:
        """Move a passage to a place of the list without it."""
        moved = next((one for one in self.kept if one.key == key), None)
        if moved is not None:
            others = [one for one in self.kept if one is not moved]
            others.insert(max(0, min(place, len(others))), moved)
            if tuple(others) != self.kept:
                self._set(tuple(others))

    def annotate(self, key: str, note: str) -> None:
        """Set the note of a passage; ``changed`` is not emitted."""
        self.kept = tuple(replace(one, note=note) if one.key == key else one for one in self.kept)
        self._timer.start()

    def relocate_passages(self, found: dict[str, Hit]) -> None:
        """Set where passages are now, by their keys."""
        if found:
            self._set(tuple(replace(one, hit=found.get(one.key, one.hit)) for one in self.kept))

    def flush(self) -> None:
        """Write what has just been typed."""
        if self._timer.isActive():
            self._timer.stop()
            self._write()

    def _set(self, kept: tuple[Kept, ...]) -> None:
        self.kept = kept
        self._seen.update(one.key for one in kept)
        self._write()
        self.changed.emit()

    def _write(self) -> None:
        self._timer.stop()
        if not self._writes:
            self.trouble.emit(OSError(f"{self.file.name} could not be read"))
            return
        text = written_passages(self.kept)

        def work() -> list[Kept]:
            """Write the file; first return what another window has put into it."""
            there = self.file.read_text("utf-8") if self.file.exists() else ""
            if there != self._content:
                self._content = there
                found, whole = read_passages(there)
                if there and not whole:
                    write_file(self._free_name(), there)
                if others := [one for one in found if one.key not in self._seen]:
                    return others
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(self.file, text)
            self._content = text
            return []

        self._worker.run(work, self._written)

    def _written(self, others: list[Kept] | None, error: OSError | None) -> None:
        if error is not None:
            log.warning("the basket cannot be written: %s", error)
            self.trouble.emit(error)
        elif others:
            new = tuple(one for one in others if one.key not in self._seen)
            self._set((*self.kept, *new))

    def _read(self) -> None:
        try:
            self._content = self.file.read_text("utf-8")
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            log.warning("the basket cannot be read: %s", error)
            self._put_aside(move=True)
            return
        found, whole = read_passages(self._content)
        self.kept = tuple(found)
        self._seen.update(one.key for one in found)
        if not whole:
            self._put_aside(move=False)

    def _put_aside(self, *, move: bool) -> None:
        """Keep a copy of what cannot be read; without one nothing is written over it."""
        aside = self._free_name()
        try:
            if move:
                self.file.replace(aside)
            else:
                write_file(aside, self._content)
            self.set_aside = aside
        except OSError as error:
            log.warning("the basket cannot be put aside: %s", error)
            self._writes = False

    def _free_name(self) -> Path:
        names = (self.file.with_name(_ASIDE.format(number=number)) for number in count(1))
        return next(name for name in names if not name.exists())
