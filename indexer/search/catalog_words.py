"""The words of texts that the catalog numbers, such as titles: packed, and kept between runs.

Owns which texts are counted already. It must not know how they are counted, nor what for.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from indexer.store.document_counting import joined, with_part
from indexer.store.document_counts import Part

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.catalog.packed_words import PackedWords
    from indexer.store.values import Int32s

T = TypeVar("T")

#: Of the packed bytes; those of another version are counted again.
VERSION = 1
# Texts that are counted anew at every start rather than packed again, and their share of all.
LEAST, SHARE = 256, 0.125
# Texts that are counted at once, which bounds the memory that it takes.
_AT_ONCE = 4_096


class CatalogWords(Generic[T]):
    """The words of one kind of texts. Any thread may ask.

    Args:
        packed: Where they are kept.
        kind: What the texts are.
        newer: Returns the texts with ids above one; a text never changes, nor is its id reused.
        count: Counts texts by id.
    """

    def __init__(
        self,
        packed: PackedWords,
        kind: str,
        newer: Callable[[int], Mapping[int, T]],
        count: Callable[[Mapping[int, T]], Part],
    ) -> None:
        self._packed, self._kind = packed, kind
        self._newer, self._count = newer, count
        self._lock = threading.Lock()
        self._parts: Sequence[Part] | None = None
        self._last = self._unsaved = 0

    def parts(self) -> Sequence[Part]:
        """The words of all texts, and of some that are gone."""
        with self._lock:
            return self._current()

    def save(self, there: Int32s) -> bool:
        """Keep them for the next run, if enough are new; for the thread that writes.

        Args:
            there: The ids of the texts that are not gone, ascending.

        Returns:
            Whether they were kept.
        """
        with self._lock:
            parts, last, unsaved = self._current(), self._last, self._unsaved
        kept = [np.isin(one.docs, there) for one in parts]
        if unsaved < max(LEAST, SHARE * len(there)) or not any(of.any() for of in kept):
            return False
        self._packed.save(self._kind, VERSION, last, b"".join(joined(parts, kept)))
        with self._lock:
            self._unsaved -= unsaved
        return True

    def _current(self) -> Sequence[Part]:
        """See ``parts``; with the lock held."""
        if self._parts is None:
            self._parts = self._loaded()
        new = self._newer(self._last)
        ids = sorted(new)
        for start in range(0, len(ids), _AT_ONCE):
            some = {number: new[number] for number in ids[start : start + _AT_ONCE]}
            self._parts = with_part(self._parts, self._count(some))
            self._last = max(some)
            self._unsaved += len(some)
        return self._parts

    def _loaded(self) -> Sequence[Part]:
        saved = self._packed.load(self._kind, VERSION)
        if saved is None:
            return ()
        self._last = saved[0]
        return [Part.in_memory(iter([saved[1]]))]
