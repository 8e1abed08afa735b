"""Labels and explanations of files' states, steps of indexing and reasons of hits."""

from __future__ import annotations

from typing import NamedTuple

from indexer.api.progress import Step
from indexer.api.translation import N_
from indexer.api.types import FileState, Why


class Label(NamedTuple):
    """``name`` fits a column, ``meaning`` is a sentence."""

    name: str
    meaning: str


STATES = {
    FileState.QUEUED: Label(N_("Waiting"), N_("It will be read when its turn comes.")),
    FileState.TEXT_ONLY: Label(
        N_("Found by words"), N_("Its words can be searched already; its meaning follows.")
    ),
    FileState.INDEXED: Label(N_("Ready"), N_("It is found by its words and by its meaning.")),
    FileState.PARTIAL: Label(
        N_("Partly ready"), N_("Some of its pages could not be read; the others are found.")
    ),
    FileState.NO_TEXT: Label(N_("No text"), N_("Its pages contain only pictures.")),
    FileState.NEEDS_PASSWORD: Label(
        N_("Needs a password"), N_("It can be read once you enter its password.")
    ),
    FileState.UNREADABLE: Label(N_("Unreadable"), N_("Nothing in it could be read.")),
    FileState.EMPTY: Label(N_("Empty"), N_("There is nothing in it to read.")),
    FileState.TOO_LARGE: Label(N_("Too large"), N_("It is larger than the settings allow.")),
    FileState.UNSUPPORTED: Label(N_("Not read"), N_("Lectern cannot read files of this kind.")),
    FileState.EXCLUDED: Label(N_("Left out"), N_("A rule or one of your patterns leaves it out.")),
    FileState.PLACEHOLDER: Label(
        N_("In the cloud"), N_("It is not on this computer and is never downloaded.")
    ),
    FileState.OFFLINE: Label(
        N_("Offline"),
        N_("Its drive or folder is not available. What was read of it can still be found."),
    ),
    FileState.FAILED: Label(N_("Failed"), N_("Reading it went wrong.")),
}

# Replaces ``INDEXED`` if the model does not read the language.
BY_WORDS = Label(
    N_("Found by words"),
    N_("It is found by its words alone: the language model does not read {language}."),
)

WHYS = {
    Why.WORDS: Label("words", N_("Found by its words")),
    Why.MEANING: Label("meaning", N_("Found by its meaning")),
    Why.BOTH: Label("words and meaning", N_("Found by its words and its meaning")),
    Why.PHRASE: Label("exact phrase", N_("Contains the exact phrase")),
    Why.NAME: Label("file name", N_("Found by its name")),
}

WHY_IN_LANGUAGE = N_("Found by its meaning, in another language: {language}")

STEPS = {
    Step.SCAN: N_("Looking for new and changed files"),
    Step.INDEX: N_("Reading: {done} of {total} files"),
    Step.RECOGNISE: N_("Recognising text: {left} scanned pages left"),
    Step.MAINTAIN: N_("Tidying up the library"),
}
# Replaces ``Step.INDEX`` once every file is read.
EMBEDDING = N_("Understanding: {left} passages to go")

SPEEDS = {
    "slow": Label(N_("Slow"), N_("Hardly noticeable while you work.")),
    "normal": Label(N_("Normal"), N_("Leaves room for other programs.")),
    "fast": Label(N_("Fast"), N_("As fast as this computer can.")),
}

# Reasons why indexing is slowed down or waits.
PACE_REASONS = {
    "paused": N_("Paused"),
    "battery": N_("Slower: on battery"),
    "busy": N_("Slower: the computer is busy"),
    "typing": N_("Slower: you are typing"),
    "query": N_("Waiting for a search"),
    "in_use": N_("Waiting for another command"),
    "disk_full": N_("Waits: the disk is nearly full"),
    "library_read_only": N_("Search only: the library is read-only"),
    "library_published": N_("Search only: the library is published"),
    **dict.fromkeys(
        ("model_missing", "model_absent"), N_("Words only: the language model is missing")
    ),
}
