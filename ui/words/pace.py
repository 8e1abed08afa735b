"""What the speeds of indexing are called, and why it is slower than asked or waits.

Owns the labels of the codes in the engine's ``activity``.
"""

from __future__ import annotations

from ui.words.mark import QT_TRANSLATE_NOOP, say

SPEEDS = ("slow", "normal", "fast")

_SPEEDS = {
    "slow": (
        QT_TRANSLATE_NOOP("Words", "Slow"),
        QT_TRANSLATE_NOOP("Words", "Hardly noticeable while you work."),
    ),
    "normal": (
        QT_TRANSLATE_NOOP("Words", "Normal"),
        QT_TRANSLATE_NOOP("Words", "Leaves room for other programs."),
    ),
    "fast": (
        QT_TRANSLATE_NOOP("Words", "Fast"),
        QT_TRANSLATE_NOOP("Words", "As fast as this computer can."),
    ),
}

# Code: what the panel says.
_REASONS = {
    "paused": QT_TRANSLATE_NOOP("Words", "Paused"),
    "battery": QT_TRANSLATE_NOOP("Words", "Slower: on battery"),
    "busy": QT_TRANSLATE_NOOP("Words", "Slower: the computer is busy"),
    "typing": QT_TRANSLATE_NOOP("Words", "Slower: you are typing"),
    "query": QT_TRANSLATE_NOOP("Words", "Waits for a search"),
    "fullscreen": QT_TRANSLATE_NOOP("Words", "Slower: a program fills the screen"),
    "heat": QT_TRANSLATE_NOOP("Words", "Slower: the computer is hot"),
    "memory": QT_TRANSLATE_NOOP("Words", "Slower: memory is short"),
    "disk_full": QT_TRANSLATE_NOOP("Words", "Waits: the disk is nearly full"),
    "library_read_only": QT_TRANSLATE_NOOP("Words", "Only searched: the library is read-only"),
    "model_missing": QT_TRANSLATE_NOOP("Words", "Words only: the language model is not here"),
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
