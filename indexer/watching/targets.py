"""Maps changed paths to the entries and roots to scan.

Owns merging paths: which root each is below, which are inside a folder that is scanned anyway, and
that a change of patterns affects a whole folder. Pure.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.catalog.roots import below
from indexer.files.excludes import IGNORE_NAME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from indexer.catalog.records import Root
    from indexer.files.walk import Entries

_SEPARATOR = os.fsencode(os.sep)
_IGNORE_NAME = os.fsencode(IGNORE_NAME)


@dataclass(slots=True)
class Targets:
    """What to scan: single entries of roots, and ``whole`` roots, all by the roots' ids."""

    entries: dict[int, dict[bytes, set[bytes]]] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)

    @property
    def partial(self) -> dict[int, Entries]:
        return {
            root: {folder: frozenset(names) for folder, names in folders.items()}
            for root, folders in self.entries.items()
            if root not in self.whole
        }


def targets(paths: Iterable[bytes], roots: Collection[Root]) -> Targets:
    """Return what to scan for some absolute paths."""
    chosen = {_meant(path) for path in paths}
    found = Targets()
    for path in chosen:
        # A path below a chosen one is scanned with it.
        if not any(above in chosen for above in _above(path)):
            for root in roots:
                _place(path, root, found)
    return found


def _meant(path: bytes) -> bytes:
    """The path to scan for a changed one: for a file of patterns, its folder."""
    folder, _, name = path.rpartition(_SEPARATOR)
    return folder if name == _IGNORE_NAME else path


def _place(path: bytes, root: Root, found: Targets) -> None:
    relative = below(root.path, path)
    if relative is None:
        # A folder above the root was moved or deleted.
        if below(path, root.path) is not None:
            found.whole.add(root.id)
    elif root.file_name:
        if relative in {b"", root.file_name}:
            found.whole.add(root.id)
    elif relative:
        folder, _, name = relative.rpartition(b"/")
        found.entries.setdefault(root.id, {}).setdefault(folder, set()).add(name)
    else:
        found.whole.add(root.id)


def _above(path: bytes) -> list[bytes]:
    parts = path.split(_SEPARATOR)
    return [_SEPARATOR.join(parts[:end]) for end in range(2, len(parts))]
