"""The words of the window: labels and explanations of whatever the engine tells by code.

Owns the translated tables, keyed by code, and how amounts are written. It must not know who shows
them.
"""

from ui.words.amounts import (
    about,
    alike,
    count,
    documents,
    exact,
    files,
    hits,
    instant,
    moment,
    pages,
    rate,
    share,
    size,
    unreadable,
    waiting,
)
from ui.words.changes import change
from ui.words.failures import (
    cause,
    failure,
    note,
    notes,
    phrase,
    reason,
    row_reason,
    sentence,
    step,
)
from ui.words.formats import kind, place
from ui.words.languages import language, uncovered
from ui.words.states import TROUBLED, doing, pause, speed, speed_help, state, state_help, why

__all__ = [
    "TROUBLED",
    "about",
    "alike",
    "cause",
    "change",
    "count",
    "documents",
    "doing",
    "exact",
    "failure",
    "files",
    "hits",
    "instant",
    "kind",
    "language",
    "moment",
    "note",
    "notes",
    "pages",
    "pause",
    "phrase",
    "place",
    "rate",
    "reason",
    "row_reason",
    "sentence",
    "share",
    "size",
    "speed",
    "speed_help",
    "state",
    "state_help",
    "step",
    "uncovered",
    "unreadable",
    "waiting",
    "why",
]
