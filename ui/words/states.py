"""What the states of files are called, and what each means to a person.

Owns the labels of ``FileState`` and the groups in which the coverage shows them.
"""

from __future__ import annotations

from indexer.api.types import FileState
from ui.words.mark import QT_TRANSLATE_NOOP, say

# State, its label, and what it means.
_STATES = {
    FileState.QUEUED: (
        QT_TRANSLATE_NOOP("Words", "Waiting"),
        QT_TRANSLATE_NOOP("Words", "It will be read when its turn comes."),
    ),
    FileState.TEXT_ONLY: (
        QT_TRANSLATE_NOOP("Words", "Found by words"),
        QT_TRANSLATE_NOOP("Words", "Its words can be searched already; its meaning follows."),
    ),
    FileState.INDEXED: (
        QT_TRANSLATE_NOOP("Words", "Ready"),
        QT_TRANSLATE_NOOP("Words", "It is found by its words and by its meaning."),
    ),
    FileState.PARTIAL: (
        QT_TRANSLATE_NOOP("Words", "Partly ready"),
        QT_TRANSLATE_NOOP("Words", "Some of its pages could not be read; the others are found."),
    ),
    FileState.NO_TEXT: (
        QT_TRANSLATE_NOOP("Words", "No text"),
        QT_TRANSLATE_NOOP("Words", "Its pages hold pictures only."),
    ),
    FileState.NEEDS_PASSWORD: (
        QT_TRANSLATE_NOOP("Words", "Needs a password"),
        QT_TRANSLATE_NOOP("Words", "It can be read once you enter its password."),
    ),
    FileState.UNREADABLE: (
        QT_TRANSLATE_NOOP("Words", "Damaged"),
        QT_TRANSLATE_NOOP("Words", "Nothing in it could be read."),
    ),
    FileState.EMPTY: (
        QT_TRANSLATE_NOOP("Words", "Empty"),
        QT_TRANSLATE_NOOP("Words", "There is nothing in it to read."),
    ),
    FileState.TOO_LARGE: (
        QT_TRANSLATE_NOOP("Words", "Too large"),
        QT_TRANSLATE_NOOP("Words", "It is larger than the settings allow."),
    ),
    FileState.UNSUPPORTED: (
        QT_TRANSLATE_NOOP("Words", "Not a document"),
        QT_TRANSLATE_NOOP("Words", "Lectern cannot read files of this kind."),
    ),
    FileState.EXCLUDED: (
        QT_TRANSLATE_NOOP("Words", "Left out"),
        QT_TRANSLATE_NOOP("Words", "A rule or a pattern of yours leaves it out."),
    ),
    FileState.PLACEHOLDER: (
        QT_TRANSLATE_NOOP("Words", "In the cloud"),
        QT_TRANSLATE_NOOP("Words", "It is not on this computer and is never downloaded."),
    ),
    FileState.OFFLINE: (
        QT_TRANSLATE_NOOP("Words", "Offline"),
        QT_TRANSLATE_NOOP(
            "Words", "Its drive or folder is away. What was read of it is still found."
        ),
    ),
    FileState.FAILED: (
        QT_TRANSLATE_NOOP("Words", "Failed"),
        QT_TRANSLATE_NOOP("Words", "Reading it went wrong."),
    ),
}

# Those a person may be able to do something about, and that "retry" takes up again.
TROUBLED = (
    FileState.FAILED,
    FileState.UNREADABLE,
    FileState.NEEDS_PASSWORD,
    FileState.NO_TEXT,
    FileState.PARTIAL,
)


def state(value: str) -> str:
    """The label of a state; of one that this version does not know, its name."""
    known = _find(value)
    return say(known[0]) if known else value.replace("_", " ")


def state_help(value: str) -> str:
    """A sentence that says what a state means; "" for an unknown one."""
    known = _find(value)
    return say(known[1]) if known else ""


def _find(value: str) -> tuple[str, str] | None:
    try:
        return _STATES[FileState(value)]
    except ValueError:
        return None
