"""The names of states, steps, formats and languages, in the person's language.

A code that this version does not know is shown as its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale

from indexer.api import labels
from indexer.api.formats import BY_NAME, GROUPS
from indexer.api.progress import Progress, Step
from indexer.api.translation import N_
from indexer.api.types import FileRow, FileState, Hit
from ui.words import say
from ui.words.amounts import count, documents, share
from ui.words.failures import note

if TYPE_CHECKING:
    from indexer.api.status import Activity, Status

# States that a person may be able to resolve; "retry" reads files in them again.
TROUBLED = (
    FileState.FAILED,
    FileState.UNREADABLE,
    FileState.NEEDS_PASSWORD,
    FileState.NO_TEXT,
    FileState.PARTIAL,
)
_STATES = {str(code): label for code, label in labels.STATES.items()}


def state(code: str) -> str:
    """The label of a file's state."""
    return say(_STATES[code].name) if code in _STATES else code.replace("_", " ")


def row_state(row: FileRow) -> str:
    """The label of the state of a file, which differs if only its words can be found."""
    alone = row.by_words and row.state is FileState.INDEXED
    return say(labels.BY_WORDS.name) if alone else state(row.state)


def row_help(row: FileRow) -> str:
    """A sentence that says what the state of a file means."""
    if row.by_words and row.state is FileState.INDEXED:
        return say(labels.BY_WORDS.meaning).format(language=language(row.language))
    return state_help(row.state)


def state_help(code: str) -> str:
    """A sentence that says what a file's state means; "" for an unknown one."""
    return say(_STATES[code].meaning) if code in _STATES else ""


def speed(code: str) -> str:
    return say(labels.SPEEDS[code].name) if code in labels.SPEEDS else code


def speed_help(code: str) -> str:
    return say(labels.SPEEDS[code].meaning) if code in labels.SPEEDS else ""


def pause(code: str) -> str:
    """Why indexing waits or is slower than the setting says; "" without a reason."""
    return say(labels.PACE_REASONS[code]) if code in labels.PACE_REASONS else code.replace("_", " ")


def doing(progress: Progress) -> str:
    """The current step, without a full stop."""
    total, done = progress.files_total, progress.files_done
    if progress.step is Step.INDEX and 0 < total <= done and progress.passages_pending:
        return say(labels.EMBEDDING).format(left=count(progress.passages_pending))
    step = progress.step if progress.step in labels.STEPS else Step.INDEX
    if step is Step.INDEX and not total:
        step = Step.SCAN
    return say(labels.STEPS[step]).format(
        done=count(done), total=count(total), left=count(max(0, total - done))
    )


def why(hit: Hit) -> str:
    """Why a hit was found."""
    if hit.language:
        return say(labels.WHY_IN_LANGUAGE).format(language=language(hit.language))
    return say(labels.WHYS[hit.why].meaning)


_PLACES = {
    "page": N_("Page {n}"),
    "slide": N_("Slide {n}"),
    "sheet": N_("Sheet {n}"),
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


def language(code: str) -> str:
    """The name of a language in that language, or its code if Qt knows no name."""
    # The region is the whole world (001), since the name of plain "en" is "American English".
    locale = QLocale(code if "_" in code else f"{code}_001")
    known = locale.language() is not QLocale.Language.C
    return (locale.nativeLanguageName() if known else "") or code


def uncovered(status: Status) -> str:
    """A line for each language of the library that the current model does not cover."""
    return "\n".join(
        # The name is isolated, since one from right to left would turn the line around.
        f"\u2068{language(row.language)}\u2069, {documents(row.documents)}: {note(row.advice)}."
        for row in status.languages
        if row.advice is not None
    )


_CHANGING = N_("Changing to the language model {model}: {share} done.")
_REBUILDING = N_("Rebuilding after an update: {share} done.")


def change(state: Activity | Status) -> str:
    """Return the sentence about the change under way, "" if there is none."""
    if changing := state.changing:
        done = share(changing.embedded_share)
        return say(_CHANGING).format(model=changing.model, share=done)
    if state.rebuilding:
        return say(_REBUILDING).format(share=share(state.embedded_share))
    return ""
