"""What the states of files are called, and what each means to a person.

Owns the labels of ``FileState`` and the groups in which the coverage shows them.
"""

from __future__ import annotations

from indexer.api.translation import N_
from indexer.api.types import FileState
from ui.words.translate import say

# State, its label, and what it means.
_STATES = {
    FileState.QUEUED: (
        N_("Waiting"),
        N_("It will be read when its turn comes."),
    ),
    FileState.TEXT_ONLY: (
        N_("Found by words"),
        N_("Its words can be searched already; its meaning follows."),
    ),
    FileState.INDEXED: (
        N_("Ready"),
        N_("It is found by its words and by its meaning."),
    ),
    FileState.PARTIAL: (
        N_("Partly ready"),
        N_("Some of its pages could not be read; the others are found."),
    ),
    FileState.NO_TEXT: (
        N_("No text"),
        N_("Its pages hold pictures only."),
    ),
    FileState.NEEDS_PASSWORD: (
        N_("Needs a password"),
        N_("It can be read once you enter its password."),
    ),
    FileState.UNREADABLE: (
        N_("Damaged"),
        N_("Nothing in it could be read."),
    ),
    FileState.EMPTY: (
        N_("Empty"),
        N_("There is nothing in it to read."),
    ),
    FileState.TOO_LARGE: (
        N_("Too large"),
        N_("It is larger than the settings allow."),
    ),
    FileState.UNSUPPORTED: (
        N_("Not a document"),
        N_("Lectern cannot read files of this kind."),
    ),
    FileState.EXCLUDED: (
        N_("Left out"),
        N_("A rule or a pattern of yours leaves it out."),
    ),
    FileState.PLACEHOLDER: (
        N_("In the cloud"),
        N_("It is not on this computer and is never downloaded."),
    ),
    FileState.OFFLINE: (
        N_("Offline"),
        N_("Its drive or folder is away. What was read of it is still found."),
    ),
    FileState.FAILED: (
        N_("Failed"),
        N_("Reading it went wrong."),
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
