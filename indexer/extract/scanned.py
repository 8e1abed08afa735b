"""The interface between engine and child for a document's scanned pages.

Owns this one value; which pages wait and what was read on them is ``indexer.ocr``'s. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scanned:
    """The recognised pages of a document, and the callback that receives pages without text.

    Args:
        library: The folder of the library, where a child looks up what was recognised.
        content: The hash of the document's bytes.
        textless: Told which pages show something and hold no text, before anything else is
            known of the document; only for formats whose pages may be scans.
    """

    library: Path
    content: str
    textless: Callable[[list[int]], None]
