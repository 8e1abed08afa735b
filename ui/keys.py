"""The keys of the window: a table with the text of each.

The parts of the window take their keys from here; a test presses every one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QKeySequence

from indexer.api.translation import N_

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Key(NamedTuple):
    """``keys`` in Qt's portable notation; several are alternatives, or a pair."""

    keys: tuple[str, ...]
    text: str


class KeyGroup(NamedTuple):
    """The keys of one part of the window."""

    title: str
    keys: tuple[Key, ...]


SEARCH_BOX, PREVIEW, SETTINGS, LIST, PAUSE = "Ctrl+L", "F9", "Ctrl+,", "?", "Ctrl+Shift+P"
HELP = "F1"
SIDE = "F7"
STEPS = ("Alt+Left", "Alt+Right")
BACK, CLOSE, QUIT = "Esc", "Ctrl+W", "Ctrl+Q"
PAGES = ("Ctrl+1", "Ctrl+2", "Ctrl+3", "Ctrl+4")
HIGHLIGHT, NOTE = "Ctrl+H", "Ctrl+Shift+H"
PRINT, OWN_WINDOW = "Ctrl+P", "Ctrl+N"
CITE, COLLECT, ELSEWHERE, COMPARE = "Ctrl+Shift+C", "Ctrl+B", "Ctrl+Shift+F", "F6"
REASONS, READ = "Ctrl+E", "F11"

KEYS = (
    KeyGroup(N_("Everywhere"), (
        Key((SEARCH_BOX, BACK), N_("Go to the search box")),
        Key(PAGES, N_("Search, library, basket, highlights")),
        Key(STEPS, N_("Back to the search before, or forward again")),
        Key((PREVIEW,), N_("Show or hide the preview")),
        Key((PAUSE,), N_("Pause reading, or go on")),
        Key(("Ctrl+Z",), N_("Undo the last action")),
        Key((SETTINGS,), N_("Settings")),
        Key((HELP,), N_("Help for what you are doing")),
        Key((LIST,), N_("This list")),
        Key((CLOSE,), N_("Close the window")),
        Key((QUIT,), N_("Quit Lectern")),
    )),
    KeyGroup(N_("Search box and results"), (
        Key(("Up", "Down"), N_("Previous or next passage")),
        Key(("Ctrl+Up", "Ctrl+Down"), N_("Previous or next document")),
        Key(("Return",), N_("Go to the results; there, open the document at its page")),
        Key(("Ctrl+Return",), N_("Show the file in its folder")),
        Key(("Space",), N_("Show or hide the preview, in the results")),
        Key((REASONS,), N_("Show the words that count, and what they match in meaning")),
        Key(("Ctrl+Space",), N_("Suggestions, in the search box")),
        Key(("Ctrl+C",), N_("Copy the passage, in the results")),
        Key((CITE,), N_("Copy the passage, or what is selected in the preview, with its source")),
        Key((COLLECT,), N_("Put the passage into the basket, or what is selected in the preview")),
    )),
    KeyGroup(N_("Preview"), (
        Key(("Alt+Up", "Alt+Down"),
            N_("Previous or next hit in this document")),
        Key(("Ctrl+F",), N_("Find in this document; in the list of files, filter by name")),
        Key(("F3", "Shift+F3"), N_("Next or previous place")),
        Key((ELSEWHERE,), N_("Find this text elsewhere in the library")),
        Key((HIGHLIGHT, NOTE), N_("Highlight what is selected, or write a note on it")),
        Key(("Ctrl++", "Ctrl+-"), N_("Larger or smaller")),
        Key(("Ctrl+0",), N_("Fit the width")),
        Key(("Ctrl+R", "Ctrl+Shift+R"), N_("Turn the pages clockwise or anticlockwise")),
        Key((READ,), N_("Read in the whole window, or go back to the results")),
        Key((SIDE,), N_("Headings beside the page")),
        Key((OWN_WINDOW,), N_("Open the document in a window of its own")),
        Key((PRINT,), N_("Print the document")),
    )),
    KeyGroup(N_("List of files"), (
        Key(("F5",), N_("Read the file again")),
        Key((COMPARE,), N_("Compare two selected documents")),
        Key(("Del",), N_("Leave the file out; in the basket, take the passage out")),
    )),
    KeyGroup(N_("Basket"), (
        Key(("Ctrl+Shift+Up", "Ctrl+Shift+Down"), N_("Move the passage up or down")),
    )),
)  # fmt: skip


def shown(keys: Sequence[str]) -> str:
    """Return the names of keys on this system."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(QKeySequence(each).toString(native) for each in keys)


def key_tables(say: Callable[[str], str] = str, named: Callable[[str], str] = str) -> list[str]:
    """Return the lines of the help's tables of keys, in Markdown.

    Args:
        say: Translates a text.
        named: Returns the name of a key on a system.
    """
    lines = []
    for group in KEYS:
        lines += [f"| {say(group.title)} | |", "|---|---|"]
        for key in group.keys:
            shown = " ".join(f"<kbd>{named(each)}</kbd>" for each in key.keys)
            lines.append(f"| {shown} | {say(key.text)} |")
        lines.append("")
    return lines
