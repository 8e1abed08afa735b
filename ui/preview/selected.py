"""The selection of the preview as a passage of its document.

It must not know what becomes of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from ui.preview.frame import PreviewFrame


def selected_passage(frame: PreviewFrame, hit: Hit) -> Hit | None:
    """Return what is selected in the document of a hit; None without a selection.

    The offsets are 0 for a selection on a page, which is found by its text.
    """
    if frame.shown is frame.text:
        start, end = frame.text.selected
        first = frame.text.loaded[0]
        text = frame.text.loaded_text[start - first : end - first]
        page = hit.page + frame.text.parts_between(hit.start, start)
    else:
        selection = frame.pages.selection
        text, page, start, end = selection.text, selection.page, 0, 0
    if not text.strip():
        return None
    inside = hit.start <= start < end <= hit.end or text in hit.text
    whole = (0, len(text))
    return replace(
        hit, page=page, page_last=page, start=start, end=end, text=text, best=whole,
        marks=(whole,), left_out=(), heading_path=hit.heading_path if inside else (),
        explain=None, also=(),
    )  # fmt: skip
