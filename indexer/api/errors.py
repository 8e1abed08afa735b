"""Every failure Lectern can report: a stable code, a sentence for the person, a next step.

Two roots: ``WorldError`` is the world's fault (a missing file, a full disk) and is shown as one
sentence; anything else is ours and keeps its traceback. ``Cancelled`` is neither. Only code,
message and detail cross a process border; ``from_wire`` rebuilds the error on the other side and
degrades unknown codes to ``internal``. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.api.phrases import Note, english, fill

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One declared failure. ``message`` is a format string over the keys of the detail."""

    code: str
    message: str
    next_step: str
    exit_status: int = 1


def _declare(*codes: ErrorCode) -> dict[str, ErrorCode]:
    table = {code.code: code for code in codes}
    if len(table) != len(codes):
        raise ValueError("an error code is declared twice")
    return table


# The one table of failures: help, documentation, dialogs and exit statuses come from here.
CODES = _declare(
    # the person's request
    ErrorCode(
        "path_missing",
        "There is nothing at {path}.",
        "Check the path, or mount the drive it is on.",
        2,
    ),
    ErrorCode(
        "path_denied",
        "Lectern may not read {path}.",
        "Give yourself permission to read it, or leave it out.",
        2,
    ),
    ErrorCode("not_empty", "{path} is not empty.", "Name a folder that does not exist yet.", 2),
    ErrorCode(
        "not_a_root",
        "{path} is not in this library.",
        "`lectern status` lists its folders, and `lectern files` its files.",
        2,
    ),
    ErrorCode(
        "bad_query",
        "The query cannot be read: {reason}.",
        "See `lectern search --help` for the grammar.",
        2,
    ),
    ErrorCode(
        "not_understood",
        "Nothing is known yet of what {path} means.",
        "Wait until it is indexed; `lectern files` tells its state.",
        2,
    ),
    ErrorCode(
        "bad_setting",
        "The setting {name} cannot be {value}: {reason}.",
        "See `lectern settings --help`.",
        2,
    ),
    ErrorCode(
        "bad_usage", "The command line makes no sense: {reason}.", "See `{command} --help`.", 2
    ),
    ErrorCode(
        "bad_request",
        "The request cannot be read: {reason}.",
        "Update both sides to the same version of Lectern.",
        2,
    ),
    ErrorCode(
        "no_window",
        "The window cannot be opened: {reason}.",
        "Install what is missing, or work in the terminal: `lectern search`.",
        7,
    ),
    # the library
    ErrorCode(
        "library_locked",
        "The library {library} is in use by {holder}.",
        "Quit that program, or wait for it to finish.",
        3,
    ),
    ErrorCode(
        "library_newer",
        "The library {library} was written by a newer version ({found}; "
        "this one reads up to {known}).",
        "Update Lectern.",
        3,
    ),
    ErrorCode(
        "library_damaged",
        "The library {library} is damaged: {reason}.",
        "Run `lectern repair`: what is lost is read again from your files.",
        3,
    ),
    ErrorCode(
        "needs_closing",
        "The catalog of the library {library} is damaged, and it is in use.",
        "Quit Lectern everywhere and run `lectern repair` again.",
        3,
    ),
    ErrorCode(
        "library_unwritable",
        "Lectern may not write to {library}.",
        "Choose another place with --library.",
        3,
    ),
    ErrorCode(
        "library_moved",
        "The library {library} was moved, deleted or replaced while it was open.",
        "Open it at its new place with --library, or run the command again.",
        3,
    ),
    ErrorCode(
        "library_read_only",
        "The library {library} can only be read: it is searched, and nothing in it is changed.",
        "Make its folder writable, or copy it to one that is and name that with --library.",
        3,
    ),
    ErrorCode(
        "library_older",
        "The library {library} was written by an older version and has to be brought up to date, "
        "but it can only be read.",
        "Make its folder writable, or copy it to one that is and name that with --library.",
        3,
    ),
    ErrorCode(
        "disk_full",
        "Less than {needed} is free at {path}.",
        "Free some space; indexing goes on where it stopped.",
        4,
    ),
    # the model
    ErrorCode(
        "no_runtime",
        "No ONNX Runtime is installed.",
        "Install one with `pip install 'lectern[cpu]'` (or [gpu], or [directml]).",
        5,
    ),
    ErrorCode(
        "model_missing",
        "The model {model} is not here and could not be fetched: {reason}.",
        "Connect to the network once, or copy the package beside the library.",
        5,
    ),
    ErrorCode(
        "model_damaged",
        "The files of the model {model} are not the ones it was made of.",
        "Delete {path} and run `lectern doctor`.",
        5,
    ),
    ErrorCode(
        "unknown_model", "There is no model named {model}.", "`lectern doctor` lists the models.", 5
    ),
    ErrorCode(
        "nothing_to_roll_back",
        "There is no earlier model whose vectors are still here.",
        "Choose a model with `lectern reindex --model`.",
        2,
    ),
    # one document
    ErrorCode(
        "needs_password",
        "The document is protected by a password.",
        "Enter its password in the coverage list, or save a copy without one.",
    ),
    ErrorCode(
        "wrong_password",
        "The password does not open the document.",
        "Enter it again; capitals count.",
    ),
    ErrorCode(
        "unreadable",
        "The document is damaged beyond repair: {reason}.",
        "Open it in its own program and save it again.",
    ),
    ErrorCode(
        "no_text",
        "No page of the document holds text.",
        "Nothing to do; it holds pictures, or nothing.",
    ),
    ErrorCode(
        "scan_waits",
        "The document is a scan; the text on its pages is yet to be recognised.",
        "Nothing to do; it is read when nothing else is to be done.",
    ),
    ErrorCode(
        "needs_ocr",
        "The document is a scan. To have its text recognised, install Tesseract: {command}.",
        "Install it, then index again.",
    ),
    ErrorCode(
        "ocr_off",
        "The document is a scan, and text recognition is switched off.",
        "Switch the setting `ocr` on.",
    ),
    ErrorCode("empty", "The file holds nothing to read.", "Nothing to do."),
    ErrorCode(
        "too_large", "The file is larger than {limit}.", "Raise the limit, or split the file."
    ),
    ErrorCode(
        "too_complex",
        "The document unpacks to more than {limit}.",
        "Open it in its own program and save the parts you need.",
    ),
    ErrorCode(
        "copy_protected",
        "The document is locked by copy protection.",
        "Read it in the program it was bought for.",
    ),
    ErrorCode(
        "needs_libreoffice",
        "A {format} document is read through LibreOffice, which is not installed.",
        "Install LibreOffice, or save it in a newer format, and try again.",
    ),
    ErrorCode(
        "unsupported",
        "Lectern does not read {format} files yet.",
        "Save it as PDF, HTML or text; unpack an archive, or pack it as zip.",
    ),
    # what is passed by, with the reason in the coverage list
    ErrorCode(
        "excluded", "It is left out: {reason}.", 'Let it in with a pattern that begins with "!".'
    ),
    ErrorCode(
        "not_document", "A {format} file is no document that Lectern could read.", "Nothing to do."
    ),
    ErrorCode(
        "placeholder",
        "Its bytes are in the cloud, not on this disk.",
        "Make it available offline in its own program.",
    ),
    ErrorCode("special_file", "It is no regular file but a {kind}.", "Nothing to do."),
    ErrorCode(
        "symlink", "It is a link that is not followed: {reason}.", "Index the folder it leads to."
    ),
    ErrorCode(
        "changed_while_read",
        "The file changed while it was read.",
        "It is read again at the next run.",
    ),
    ErrorCode("vanished", "The file was gone when its turn came.", "Nothing to do."),
    ErrorCode(
        "out_of_time",
        "Reading the document took longer than {limit}.",
        "Open it in its own program and save it again.",
    ),
    ErrorCode(
        "out_of_memory",
        "Reading the document needed more than {limit}.",
        "Split the file into smaller ones.",
    ),
    ErrorCode(
        "child_died",
        "The reader stopped while it read the document ({reason}).",
        "Open it in its own program and save it again.",
    ),
    ErrorCode(
        "crashed_engine",
        "Lectern itself stopped more than once while it read this file, so it is left alone.",
        "Try it once more with `lectern retry`, and report it if it happens again.",
    ),
    ErrorCode(
        "read_error", "The file could not be read: {reason}.", "Check the drive, then index again."
    ),
    # the engine
    ErrorCode(
        "engine_gone",
        "The engine stopped answering.",
        "Run the command again; finished work is kept.",
        6,
    ),
    ErrorCode(
        "engine_version",
        "The engine speaks protocol {found}, this program {known}.",
        "Quit the other Lectern and try again.",
        6,
    ),
    ErrorCode("busy", "The engine is busy: {reason}.", "Wait, or stop the other command.", 6),
    ErrorCode(
        "internal",
        "Something went wrong inside Lectern: {reason}.",
        "Please report it with the log.",
        70,
    ),
)


# Failures that say it all, as reasons within others.
_AS_REASONS = {"too_complex": "unpacks_too_much", "too_large": "unpacks_too_much"}


class LecternError(Exception):
    """Root of the failures that carry a code.

    Args:
        code: A key of ``CODES``.
        detail: What the message's format string needs, as JSON-able values.

    Raises:
        KeyError: If the code is not declared.
    """

    def __init__(self, code: str, **detail: Any) -> None:
        self.declared = CODES[code]
        self.code = code
        self.detail = detail
        super().__init__(self.message)

    @property
    def message(self) -> str:
        return fill(self.declared.message, self.detail)

    @property
    def next_step(self) -> str:
        return fill(self.declared.next_step, self.detail)

    @property
    def reason(self) -> str:
        """What is behind it, as a code of ``indexer.api.phrases``; its own code if nothing is."""
        return str(self.detail.get("reason") or _AS_REASONS.get(self.code, self.code))

    def note(self) -> Note:
        """The failure as something to know besides an answer."""
        return Note(self.code, self.detail)

    def to_wire(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "detail": dict(self.detail)}


class WorldError(LecternError):
    """The world's fault: shown as a sentence and a next step, never as a traceback."""


class InternalError(LecternError):
    """Our fault, met on the far side of a process border; the log there has the traceback."""


class Cancelled(Exception):  # noqa: N818  # an outcome, not an error
    """The work was told to stop. Nothing is shown for it."""


def sentence(note: Note) -> str:
    """What a note says in English: the phrase, or the failure and the next step."""
    if note.code in CODES:
        failure = WorldError(note.code, **note.detail)
        return f"{failure.message} {failure.next_step}"
    return english(note.code, note.detail)


def from_wire(data: Mapping[str, Any]) -> LecternError:
    """Rebuild an error that crossed a border; unknown codes become ``internal``."""
    code = data.get("code")
    detail = data.get("detail")
    known = {str(k): v for k, v in detail.items()} if isinstance(detail, dict) else {}
    known.pop("code", None)
    if not isinstance(code, str) or code not in CODES:
        return InternalError("internal", reason=str(data.get("message", code)))
    return InternalError(code, **known) if code == "internal" else WorldError(code, **known)
