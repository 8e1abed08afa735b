"""Which passages of a document the model reads together.

Owns the runs of passages: single ones, or neighbours together for a late-chunking model. The
boundaries of runs depend only on the text near them, so that an interrupted document continues with
the same vectors, and an edit changes only the runs around it. Pure; it must not know models or
stores.
"""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.embed.base import EmbedInput, passage_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.store.values import StoredPassage

# Windows per run: long enough that most passages have neighbours on both sides, short enough that
# an edit re-embeds little.
_WINDOWS = 2
_CHARACTERS_A_TOKEN = 4
_CHARACTERS_A_PASSAGE = 900
# Characters of context from the passage before a run: about 32 tokens, as between windows.
_CONTEXT_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class SectionReader:
    """How a model reads a document.

    Attributes:
        title: Prefix of every input.
        window: Tokens read together; 0 for a model that reads each passage alone.
    """

    title: str
    window: int

    def input(self, passage: StoredPassage) -> EmbedInput:
        """Return the model's input for a passage."""
        return EmbedInput(self.title, passage.heading_path, passage.view, passage.view_starts)

    def runs(self, passages: Iterable[StoredPassage]) -> Iterator[SectionRun]:
        """Split the passages of one document, in order, into runs."""
        if not self.window:
            yield from (SectionRun(None, (passage,)) for passage in passages)
            return
        before = None
        for section in _sections(passages, self.window):
            yield SectionRun(before and _end_of(before, section[0]), section)
            before = section[-1]

    def digest(self, run: SectionRun) -> bytes:
        """Hash everything that the vectors of a run depend on: equal digests, equal vectors."""
        read = run.passages if run.before is None else (run.before, *run.passages)
        fed = [
            (passage_prefix(self.title, one.heading_path), one.view, one.view_starts)
            for one in read
        ]
        return hashlib.blake2b(repr(fed).encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class SectionRun:
    """Passages that are read together, and the end of the one before as their context."""

    before: StoredPassage | None
    passages: Sequence[StoredPassage]


def _end_of(before: StoredPassage, following: StoredPassage) -> StoredPassage:
    """Return the end of a passage with the headings of the next, as its context."""
    words = before.view[-_CONTEXT_CHARACTERS:]
    if len(words) < len(before.view):
        words = words[words.find(" ") + 1 :]
    starts = (0,) if words else ()
    path = following.heading_path
    return replace(before, view=words, view_starts=starts, heading_path=path)


def _sections(passages: Iterable[StoredPassage], window: int) -> Iterator[list[StoredPassage]]:
    wanted = window * _WINDOWS * _CHARACTERS_A_TOKEN
    # The mean length of runs in passages, as one in so many may begin a run.
    one_in = max(1, wanted // 2 // _CHARACTERS_A_PASSAGE)
    section: list[StoredPassage] = []
    size = 0
    for passage in passages:
        border = 2 * size >= wanted and zlib.crc32(passage.view.encode()) % one_in == 0
        if section and (border or size >= 2 * wanted):
            yield section
            section, size = [], 0
        section.append(passage)
        size += len(passage.view)
    if section:
        yield section
