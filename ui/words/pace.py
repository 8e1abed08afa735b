"""What the speeds of indexing are called, and why it is slower than asked or waits.

Owns the labels of the codes in the engine's ``activity``.
"""

from __future__ import annotations

from indexer.api.translation import N_
from ui.words.translate import say

SPEEDS = ("slow", "normal", "fast")

_SPEEDS = {
    "slow": (
        N_("Slow"),
        N_("Hardly noticeable while you work."),
    ),
    "normal": (
        N_("Normal"),
        N_("Leaves room for other programs."),
    ),
    "fast": (
        N_("Fast"),
        N_("As fast as this computer can."),
    ),
}

# Code: what the panel says.
_REASONS = {
    "paused": N_("Paused"),
    "battery": N_("Slower: on battery"),
    "busy": N_("Slower: the computer is busy"),
    "typing": N_("Slower: you are typing"),
    "query": N_("Waits for a search"),
    "fullscreen": N_("Slower: a program fills the screen"),
    "heat": N_("Slower: the computer is hot"),
    "memory": N_("Slower: memory is short"),
    "disk_full": N_("Waits: the disk is nearly full"),
    "library_read_only": N_("Only searched: the library is read-only"),
    "model_missing": N_("Words only: the language model is not here"),
}


def speed(code: str) -> str:
    known = _SPEEDS.get(code)
    return say(known[0]) if known else code


def speed_help(code: str) -> str:
    known = _SPEEDS.get(code)
    return say(known[1]) if known else ""


def pause(code: str) -> str:
    """Why indexing is slower than asked, or waits; "" for no reason."""
    return say(_REASONS[code]) if code in _REASONS else code.replace("_", " ")
