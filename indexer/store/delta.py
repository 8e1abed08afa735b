"""The canonical text of a passage, stored as its difference from the view.

The view is the canonical text with line breaks, hyphens and running heads smoothed away, so the
two are nearly the same and keeping both in full would cost the index half the bytes of the
text. Deflate with the view as its dictionary brings the canonical text down to about a tenth.
Pure functions of strings.
"""

from __future__ import annotations

import zlib

_LEVEL = 6
_RAW = -15  # no header and no checksum: Lance guards the bytes, and they are many and small
_WINDOW = 32_768  # deflate cannot look further back


def _dictionary(view: str) -> bytes:
    return view.encode()[-_WINDOW:]


def encode(text: str, view: str) -> bytes:
    """What must be known beside ``view`` to have ``text``."""
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=_dictionary(view))
    return squeeze.compress(text.encode()) + squeeze.flush()


def decode(delta: bytes, view: str) -> str:
    """The text that ``encode`` was given with the same view."""
    stretch = zlib.decompressobj(_RAW, zdict=_dictionary(view))
    return (stretch.decompress(delta) + stretch.flush()).decode()
