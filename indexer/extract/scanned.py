"""What the engine tells a child of a document's scanned pages, and how it is told of them.

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
    """What the library knows of a document's scanned pages, and who is told which they are.

    Args:
        library: The folder of the library, where a child looks up what was recognised.
        content: The hash of the document's bytes.
        textless: Told which pages show something and hold no text, before anything else is
            known of the document; only for formats whose pages may be scans.
    """

    library: Path
    content: str
    textless: Callable[[list[int]], None]
