"""What the formats of documents, and the groups of them, are called."""

from __future__ import annotations

from indexer.api.formats import BY_NAME, GROUPS
from ui.words.translate import say


def kind(name: str) -> str:
    """The label of a format; one that this version does not know goes by its name."""
    return say(BY_NAME[name].label) if name in BY_NAME else name.upper()


def group(name: str) -> str:
    """The label of what ``type:`` can be followed by."""
    return say(GROUPS[name])
