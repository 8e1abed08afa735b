"""The folders that a search can be narrowed to.

Owns which ones are offered first. Pure; it must not know menus.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def folders_of(roots: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
    """The roots of the library, and the folders in which these files are, the fullest first."""
    counts: dict[str, int] = {}
    for path in paths:
        folder = str(PurePath(path).parent)
        counts[folder] = counts.get(folder, 0) + 1
    fullest = sorted(counts, key=lambda folder: -counts[folder])
    return tuple(dict.fromkeys((*roots, *fullest)))
