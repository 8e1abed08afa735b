"""The names of formats of documents, and of groups of them."""

from __future__ import annotations

from indexer.api.formats import BY_NAME, GROUPS
from indexer.api.translation import N_
from ui.words.translate import say

_PLACES = {
    "page": N_("Page {n}"),
    "slide": N_("Slide {n}"),
    "sheet": N_("Sheet {n}"),
    "chapter": N_("Chapter {n}"),
    "message": N_("Message {n}"),
    "cell": N_("Cell {n}"),
}


def place(unit: str, number: str) -> str:
    """The page, slide or chapter of a document; "" for documents without such units."""
    return say(_PLACES[unit]).format(n=number) if unit in _PLACES else ""


def kind(name: str) -> str:
    """The label of a format; the name of an unknown one."""
    return say(BY_NAME[name].label) if name in BY_NAME else name.upper()


def group(name: str) -> str:
    """The label of a group of formats, as in ``type:``."""
    return say(GROUPS[name])
