"""A kept passage, and its form in a file. It must not know when files are written."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError
from indexer.api.types import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def written(kept: Sequence[Kept]) -> str:
    """Return the content of the file."""
    content = {"version": VERSION, "passages": [encode(one) for one in kept]}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def read(text: str) -> tuple[list[Kept], bool]:
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
