"""The kept passages and highlights, their order and their notes, in files on this machine.

A note is written to the file shortly after its last letter was typed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.types import Hit
from ui.personal import PersonalList
from ui.widgets import timer

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from ui.file_worker import FileWorker


class Kept(Struct, frozen=True):
    """A passage of the basket, or a highlight.

    Attributes:
        key: Identifies it, whatever becomes of the document.
        hit: The passage as it was found last; its file may have moved since.
        note: The person's note.
        query: The query that found it.
        colour: The key of a highlight's colour in ``COLOURS``; "" for a passage of the basket.
        place: A highlight's offset in the text of its page, or of a document without pages.
    """

    key: str
    hit: Hit
    note: str = ""
    query: str = ""
    colour: str = ""
    place: int = 0

    @classmethod
    def from_hit(cls, hit: Hit, query: str = "", colour: str = "", place: int = 0) -> Kept:
        return cls(uuid4().hex, replace(hit, explain=None, also=()), "", query, colour, place)

    def is_of(self, hit: Hit, place: int = 0) -> bool:
        """Whether a hit is this passage."""
        mine = self.hit
        same = (mine.path, mine.start, mine.text) == (hit.path, hit.start, hit.text)
        return same and self.place == place


FILE_NAME, HIGHLIGHTS = "basket.json", "highlights.json"
# The colours of highlights; the first is the usual one.
COLOURS = {"yellow": "#fff07a", "green": "#bdf0b0", "blue": "#b3ddff", "pink": "#ffc4dd"}
# Milliseconds after the last letter of a note before it is written.
_TYPING_MS = 400


class Basket(PersonalList[Kept]):
    """The passages in their order."""

    def __init__(
        self, folder: Path, worker: FileWorker, parent: QObject | None = None, name: str = FILE_NAME
    ) -> None:
        super().__init__(
            folder / name, "passages", Kept, worker, key=lambda one: one.key, parent=parent
        )
        # The passages that were taken out together the last time.
        self.last = PersonalList(
            folder / name, "last", Kept, worker, key=lambda one: one.key, parent=self
        )
        self._notes: dict[str, str] = {}  # typed and not written yet, by keys
        self._timer = timer(self, _TYPING_MS, self.flush)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def kept(self) -> tuple[Kept, ...]:
        """The passages, with the notes as typed."""
        return tuple(_annotated(self.entries, self._notes))

    def add_passage(
        self, hit: Hit, query: str = "", *, colour: str = "", place: int = 0
    ) -> Kept | None:
        """Append a passage; None if it is here already."""
        new = Kept.from_hit(hit, query, colour, place)

        def add(kept: tuple[Kept, ...]) -> tuple[Kept, ...]:
            return kept if any(one.is_of(hit, place) for one in kept) else (*kept, new)

        if new not in add(self.entries):
            return None
        self.change(add)
        return new

    def replace_passages(self, passages: Iterable[Kept]) -> None:
        """Replace the whole list, for example to sort it or to undo a removal."""
        new = tuple(passages)
        here = {one.key for one in (*self.entries, *new)}
        self.change(lambda kept: (*new, *(one for one in kept if one.key not in here)))

    def empty(self) -> None:
        """Take all passages out, and remember them."""
        before = self.kept
        self.last.change(lambda _last: before)
        self.replace_passages(())

    def remove_passage(self, key: str) -> None:
        self.change(lambda kept: (one for one in kept if one.key != key))

    def move_passage(self, key: str, place: int) -> None:
        """Move a passage; ``place`` is its index among the others."""

        def move(kept: tuple[Kept, ...]) -> list[Kept]:
            others = [one for one in kept if one.key != key]
            at = max(0, min(place, len(others)))
            return [*others[:at], *(one for one in kept if one.key == key), *others[at:]]

        self.change(move)

    def annotate(self, key: str, note: str) -> None:
        """Set the note of a passage; ``changed`` is emitted shortly after the last letter."""
        self._notes[key] = note
        self._timer.start()

    def relocate_passages(self, found: dict[str, Hit]) -> None:
        """Replace the hits of passages that have moved, given by their keys."""
        if found:
            self.change(
                lambda kept: (replace(one, hit=found.get(one.key, one.hit)) for one in kept)
            )

    def flush(self) -> None:
        """Write what has just been typed."""
        self._timer.stop()
        if notes := self._notes:
            self._notes = {}
            self.change(lambda kept: _annotated(kept, notes))


def _annotated(passages: Iterable[Kept], notes: Mapping[str, str]) -> Iterable[Kept]:
    return (replace(one, note=notes.get(one.key, one.note)) for one in passages)
