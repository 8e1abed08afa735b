"""The names of states, steps of indexing and reasons of hits, in the person's language.

A code that this version does not know is shown as its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.labels import EMBEDDING, PACE_REASONS, SPEEDS, STATES, STEPS, WHY_IN_LANGUAGE, WHYS
from indexer.api.progress import Progress, Step
from indexer.api.types import FileState
from ui.words.amounts import count
from ui.words.languages import language
from ui.words.translate import say

if TYPE_CHECKING:
    from indexer.api.types import Hit

# States that a person may be able to mend, and whose files "retry" reads again.
TROUBLED = (
    FileState.FAILED,
    FileState.UNREADABLE,
    FileState.NEEDS_PASSWORD,
    FileState.NO_TEXT,
    FileState.PARTIAL,
)
_STATES = {str(code): label for code, label in STATES.items()}


def state(code: str) -> str:
    """The label of a file's state."""
    return say(_STATES[code].name) if code in _STATES else code.replace("_", " ")


def state_help(code: str) -> str:
    """A sentence that says what a file's state means; "" for an unknown one."""
    return say(_STATES[code].meaning) if code in _STATES else ""


def speed(code: str) -> str:
    return say(SPEEDS[code].name) if code in SPEEDS else code


def speed_help(code: str) -> str:
    return say(SPEEDS[code].meaning) if code in SPEEDS else ""


def pause(code: str) -> str:
    """Why indexing is slower than set, or waits; "" for no reason."""
    return say(PACE_REASONS[code]) if code in PACE_REASONS else code.replace("_", " ")


def doing(progress: Progress) -> str:
    """The current step, without a full stop."""
    total, done = progress.files_total, progress.files_done
    if progress.step is Step.INDEX and 0 < total <= done and progress.passages_pending:
        return say(EMBEDDING).format(left=count(progress.passages_pending))
    step = progress.step if progress.step in STEPS else Step.INDEX
    if step is Step.INDEX and not total:
        step = Step.SCAN
    return say(STEPS[step]).format(
        done=count(done), total=count(total), left=count(max(0, total - done))
    )


def why(hit: Hit) -> str:
    """Why a hit was found."""
    if hit.language:
        return say(WHY_IN_LANGUAGE).format(language=language(hit.language))
    return say(WHYS[hit.why].meaning)
