"""Every failure Lectern can report: a stable code, a sentence for the person, a next step.

``WorldError`` has a cause outside the program (a missing file, a full disk) and is shown as one
sentence; any other exception is a fault of the program and keeps its traceback. ``Cancelled`` is
neither. Code, message and detail travel between processes as a ``Failure``, which maps unknown
codes to ``internal``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from indexer.api.phrases import Note, english, fill
from indexer.api.translation import N_


class ErrorCode(Struct, frozen=True):
    """One declared failure; its texts are format strings over the keys of the detail.

    ``label`` fits a column. ``in_window`` replaces ``next_step`` in the window where the command
    line needs another next step.
    """

    code: str
    label: str
    message: str
    next_step: str = ""
    exit_status: int = 1
    in_window: str | None = None

    @property
    def step_in_window(self) -> str:
        return self.next_step if self.in_window is None else self.in_window


# The one table of failures: help, documentation, dialogs and exit statuses derive from it. Texts
# that only the command line shows are not marked for translation.
_DECLARED = (
    # the person's request
    ErrorCode("path_missing", N_("Not there"), N_("There is nothing at {path}."),
              N_("Check the path, or connect the drive it is on."), 2),
    ErrorCode("path_denied", N_("Not permitted"), N_("Lectern may not read {path}."),
              N_("Give yourself permission to read it, or leave it out."), 2),
    ErrorCode("not_empty", N_("Not empty"), N_("{path} is not empty."),
              N_("Name a folder that does not exist yet."), 2),
    ErrorCode("not_a_root", N_("Not in the library"), N_("{path} is not in this library."),
              "`lectern status` lists its folders, and `lectern files` its files.", 2,
              in_window=N_("Add its folder first.")),
    ErrorCode("bad_query", N_("Not a query"), N_("The query cannot be read: {reason}."),
              "See `lectern search --help` for the grammar.", 2,
              in_window=N_("The help beside the search box shows what works.")),
    ErrorCode("unknown_collection", N_("No such collection"),
              N_("There is no collection {name}."),
              "`lectern doors` lists the collections.", 2, in_window=""),
    ErrorCode("door_closed", N_("Closed"),
              N_("The person has opened no collection for {door}."),
              "`lectern doors allow {door} COLLECTION` opens one, `lectern doors allow {door} "
              "--everything` all.", 2, in_window=""),
    ErrorCode("not_indexed", N_("Not indexed yet"), N_("{path} is still being read."),
              "Wait until it is indexed; `lectern files` shows its state.", 2,
              in_window=N_("Try again once its folder is up to date.")),
    ErrorCode("bad_setting", N_("Not possible"),
              N_("The setting {name} cannot be {value}: {reason}."),
              "See `lectern settings --help`.", 2, in_window=""),
    ErrorCode("settings_unreadable", N_("Settings unreadable"),
              N_("The settings in {file} cannot be read; look at line {line}, column {column}."),
              N_("Correct the file. Until then Lectern is offline and changes no setting."), 2),
    ErrorCode("bad_usage", N_("Wrong command line"),
              N_("The command line is invalid: {reason}."), "See `{command} --help`.", 2,
              in_window=""),
    ErrorCode("bad_request", N_("Not understood"), N_("The request cannot be read: {reason}."),
              N_("Quit Lectern everywhere and start it again: two versions may be running."), 2),
    ErrorCode("no_window", N_("No window"), N_("The window cannot be opened: {reason}."),
              "Install what is missing, or work in the terminal: `lectern search`.", 7,
              in_window=""),
    ErrorCode("old_processor", N_("Processor too old"),
              N_("The processor of this computer lacks {missing}, which Lectern's libraries need."),
              N_("Use Lectern on a computer from 2013 or later."), 5),
    # the library
    ErrorCode("library_locked", N_("In use"), N_("The library {library} is in use by {holder}."),
              N_("Quit that program, or wait for it to finish."), 3),
    ErrorCode("library_newer", N_("Too new"),
              N_("The library {library} was written by a newer version ({found}; this one reads "
                 "up to {known})."), N_("Update Lectern."), 3),
    ErrorCode("library_damaged", N_("Library damaged"),
              N_("The library {library} is damaged: {reason}."),
              "Run `lectern repair`: what is lost is read again from your files.", 3,
              in_window=N_("Run “lectern repair” in a terminal.")),
    ErrorCode("needs_closing", N_("In use"),
              N_("The catalog of the library {library} is damaged, and it is in use."),
              "Quit Lectern everywhere and run `lectern repair` again.", 3,
              in_window=N_("Run “lectern repair” in a terminal.")),
    ErrorCode("library_unwritable", N_("Not writable"), N_("Lectern may not write to {library}."),
              "Choose another place with --library.", 3,
              in_window=N_("Choose another place for the library in the settings.")),
    ErrorCode("library_moved", N_("Library moved"),
              N_("The library {library} was moved, deleted or replaced while it was open."),
              "Open it at its new place with --library, or run the command again.", 3,
              in_window=N_("If it has another place now, choose that in the settings; else try "
                           "again.")),
    ErrorCode("vault_locked", N_("Locked"), N_("The library {library} is encrypted and locked."),
              "`lectern unlock` opens it.", 3,
              in_window=N_("Start Lectern again to give its passphrase.")),
    ErrorCode("vault_passphrase", N_("Wrong passphrase"),
              N_("This is not the passphrase of the library {library}."),
              N_("Try again. Without the passphrase nobody can open it."), 3),
    ErrorCode("vault_unavailable", N_("Cannot encrypt"),
              N_("The library cannot be encrypted or unlocked here: {reason}."),
              "Libraries are encrypted by gocryptfs on Linux (apt install gocryptfs fuse3).", 3,
              in_window=N_("Libraries are encrypted by gocryptfs on Linux. Install it, with "
                           "fuse3.")),
    ErrorCode("no_keyring", N_("No keyring"),
              N_("The keyring of this system does not keep the passphrase."),
              N_("Type it each time, or set up a keyring first."), 3),
    ErrorCode("vault_conflict", N_("Not as expected"),
              N_("{path} is not what an encrypted library has there."),
              N_("Nothing was changed. Move it elsewhere if it is another library."), 3),
    ErrorCode("library_read_only", N_("Read-only"),
              N_("The library {library} can only be read: it is searched, but not changed."),
              "Make its folder writable, or copy it to one that is and name that with --library.",
              3,
              in_window=N_("Make its folder writable, or copy it and choose the copy in the "
                           "settings.")),
    ErrorCode("library_published", N_("Published"),
              N_("The library {library} is published: it is searched, but not changed."),
              "`lectern library pull` makes a library of your own of it; else ask who publishes "
              "it.", 3,
              in_window=N_("“lectern library pull” in a terminal makes a library of your own of "
                           "it; else ask who publishes it.")),
    ErrorCode("library_older", N_("Too old"),
              N_("The library {library} was written by an older version and has to be brought up "
                 "to date, but it can only be read."),
              "Make its folder writable, or copy it to one that is and name that with --library.",
              3,
              in_window=N_("Make its folder writable, or copy it and choose the copy in the "
                           "settings.")),
    ErrorCode("store_failed", "Object storage",
              "The library {library} was neither published nor pulled: {reason}.",
              "Nothing was changed; try again. `lectern library --help` names what it needs.", 4,
              in_window=""),
    ErrorCode("disk_full", N_("Disk nearly full"),
              N_("Less than {needed} is free on the disk of {path}."),
              N_("Free some space; indexing goes on where it stopped."), 4),
    # the model
    ErrorCode("no_runtime", N_("Runtime missing"), N_("No ONNX Runtime is installed."),
              "Install one with `pip install 'lectern[cpu]'` (or [gpu], or [directml]).", 5,
              in_window=N_("Install Lectern with its part “cpu”, “gpu” or “directml”.")),
    ErrorCode("model_missing", N_("Model missing"),
              N_("The language model {model} could not be fetched: {reason}."),
              "Try again with a network; without one, `lectern models import` takes a folder.", 5,
              in_window=N_("Try again with a network, or choose another one in the settings.")),
    ErrorCode("model_absent", N_("Model missing"),
              N_("The language model {model} is not installed: {reason}."),
              "Get it with `lectern models get {model}`, or with `lectern models import` from its "
              "folder.", 5, in_window=N_("Get it in the settings, or choose another one there.")),
    ErrorCode("model_damaged", N_("Model damaged"),
              N_("The files of the language model {model} are damaged."),
              "Remove it with `lectern models remove {model}` and get it again; if it came with "
              "Lectern, install Lectern again.", 5,
              in_window=N_("Remove it in the settings and get it again; if it came with Lectern, "
                           "install Lectern again.")),
    ErrorCode("unknown_model", N_("Unknown model"), N_("There is no language model named {model}."),
              "`lectern models` lists the models.", 5,
              in_window=N_("Choose another one in the settings.")),
    ErrorCode("model_refused", N_("Not imported"),
              N_("{path} cannot be imported as a language model: {reason}."),
              "Import a folder with ONNX files; `optimum-cli export onnx` makes them.", 2,
              in_window=N_("Choose another one.")),
    ErrorCode("model_in_use", N_("In use"),
              N_("The language model {model} is in use: {reason}."),
              "Choose another one with `lectern models use`; `lectern reindex --discard` gives up "
              "the one before.", 2, in_window=N_("Choose another one first.")),
    ErrorCode("model_gated", N_("Access denied"),
              N_("The hub gives the language model {model} only to people whom its makers let in."),
              N_("Ask for access on its page there, and set HF_TOKEN to your access token."), 5),
    ErrorCode("download_wrong", N_("Wrong download"),
              N_("{file} of the language model {model} is not the file that the hub described."),
              N_("It was deleted. Try again later, or without the mirror in HF_ENDPOINT."), 5),
    ErrorCode("model_not_embedded", N_("No vectors"),
              N_("The library has no complete vectors of the language model {model}."),
              "Make them with `lectern models use {model}`; those of the model before are kept.",
              2, in_window=N_("Choose it in the settings first.")),
    ErrorCode("nothing_to_roll_back", N_("No earlier model"),
              N_("The vectors of no earlier model are kept."),
              "Choose a model with `lectern reindex --model`.", 2,
              in_window=N_("Choose another one in the settings.")),
    # one document
    ErrorCode("needs_password", N_("Protected by a password"),
              N_("The document is protected by a password."),
              "Enter its password in the window, or save a copy without one.",
              in_window=N_("Enter the password below.")),
    ErrorCode("wrong_password", N_("Wrong password"),
              N_("The password does not open the document."),
              N_("Try again. Passwords are case-sensitive.")),
    ErrorCode("unreadable", N_("Unreadable"), N_("The document cannot be read: {reason}."),
              N_("Open it in its own program and save it again.")),
    ErrorCode("no_text", N_("No text on its pages"), N_("No page of the document has text.")),
    ErrorCode("ocr_pending", N_("Scanned, to be recognised"),
              N_("Its pages are scanned; the text on them is yet to be recognised."),
              N_("They are recognised after everything else.")),
    ErrorCode("needs_ocr", N_("Scanned"),
              N_("Its pages are scanned: {reason}."),
              N_("Install Tesseract with its language: {command}")),
    ErrorCode("ocr_off", N_("Scanned"),
              N_("Its pages are scanned, and text recognition is switched off."),
              "Switch the setting `ocr` on.", in_window=N_("Switch it on in the settings.")),
    ErrorCode("empty", N_("Empty file"), N_("The file has no content.")),
    ErrorCode("too_large", N_("Too large"), N_("The file is larger than {limit}."),
              N_("Raise the limit in the settings, or split the file.")),
    ErrorCode("too_complex", N_("Too large when unpacked"),
              N_("The document unpacks to more than {limit}."),
              N_("Open it in its own program and save the parts you need.")),
    ErrorCode("copy_protected", N_("Copy protected"),
              N_("The document is locked by copy protection."),
              N_("Read it in the program it was bought for.")),
    ErrorCode("needs_libreoffice", N_("Needs LibreOffice"),
              N_("Files of {format} are read through LibreOffice, which is not installed."),
              N_("Install LibreOffice and retry, or save it in a newer format.")),
    ErrorCode("unsupported", N_("Format not read yet"),
              N_("Lectern does not read {format} files yet."),
              N_("Save it as PDF, HTML or text; unpack an archive, or pack it as zip.")),
    # files that are not read; the coverage list shows the reason
    ErrorCode("excluded", N_("Left out by a rule"), N_("It is left out: {reason}."),
              N_("To include it, add a pattern that begins with “!” to its folder.")),
    ErrorCode("not_document", N_("Not a document"),
              N_("{format} files are not documents that Lectern can read.")),
    ErrorCode("placeholder", N_("Only in the cloud"),
              N_("Its content is in the cloud, not on this computer."),
              N_("Make it available offline in its own program.")),
    ErrorCode("special_file", N_("Not a regular file"),
              N_("It is not a regular file but a {kind}.")),
    ErrorCode("symlink", N_("A link"), N_("It is a link that is not followed: {reason}."),
              N_("Add the folder it leads to.")),
    ErrorCode("changed_while_read", N_("Changed meanwhile"),
              N_("The file changed while it was read."), N_("It is read again at the next run.")),
    ErrorCode("vanished", N_("Gone"), N_("The file was gone before it was read.")),
    ErrorCode("out_of_time", N_("Took too long"),
              N_("Reading the document took longer than {limit}."),
              N_("Open it in its own program and save it again.")),
    ErrorCode("out_of_memory", N_("Needs too much memory"),
              N_("Reading the document needed more than {limit}."),
              N_("Split the file, or raise the limit in the settings.")),
    ErrorCode("child_died", N_("Reader stopped"),
              N_("The reader stopped while it read the document ({reason})."),
              N_("Open it in its own program and save it again.")),
    ErrorCode("reader_killed", N_("Reader ended by the system"),
              N_("The system ended the reader of the document, as it does for want of memory."),
              N_("It is read again, alone. Close other programs if that does not help.")),
    ErrorCode("crashed_engine", N_("Set aside"),
              N_("Reading the document stopped the engine more than once."),
              "Try it once more with `lectern retry`, and report it if it happens again.",
              in_window=N_("Open it in its own program, save it again, then retry.")),
    ErrorCode("read_error", N_("Cannot be read"), N_("The file could not be read: {reason}."),
              N_("Check the drive, then retry.")),
    # the engine
    ErrorCode("engine_gone", N_("Engine restarting"), N_("The engine stopped answering."),
              "Run the command again; finished work is kept.", 6,
              in_window=N_("It is restarted, and finished work is kept.")),
    ErrorCode("engine_version", N_("Other version"),
              N_("The engine uses protocol {found}, this program {known}."),
              N_("Quit the other Lectern and try again."), 6),
    ErrorCode("busy", N_("Busy"), N_("The engine is busy: {reason}."),
              "Wait, or stop the other command.", 6, in_window=N_("Try again in a moment.")),
    ErrorCode("internal", N_("Fault in Lectern"),
              N_("Something went wrong inside Lectern: {reason}."),
              "`lectern report` shows what to send.", 70,
              in_window=N_("Run “lectern report” in a terminal: it shows what to send.")),
)  # fmt: skip
CODES = {declared.code: declared for declared in _DECLARED}


# The failures that have another code where they are the reason of a failure.
_AS_REASONS = {"too_complex": "unpacks_too_much", "too_large": "unpacks_too_much"}


class LecternError(Exception):
    """Root of the failures that carry a code.

    Args:
        code: A key of ``CODES``.
        detail: The values of the message's placeholders, JSON-able.

    Raises ``KeyError`` if the code is not declared.
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
        """The reason code in the detail (``indexer.api.phrases``), or the error's own code."""
        return str(self.detail.get("reason") or _AS_REASONS.get(self.code, self.code))

    def note(self) -> Note:
        """The failure as a note beside an answer."""
        return Note(self.code, self.detail)

    def failure(self) -> Failure:
        """The failure as it travels between processes."""
        return Failure(self.code, self.message, self.detail)


class WorldError(LecternError):
    """A cause outside the program: shown as a sentence and a next step, never as a traceback."""


def bad_usage(command: str, reason: str) -> WorldError:
    """The error for a command line that cannot be parsed."""
    return WorldError("bad_usage", command=f"lectern {command}", reason=reason)


def not_a_choice(setting: str, value: object, choices: Iterable[str]) -> WorldError:
    """The error for a value that is not one of the choices."""
    return WorldError(
        "bad_setting", name=setting, value=value, reason="takes_choice", choices=", ".join(choices)
    )


class InternalError(LecternError):
    """A fault of the program in another process, whose log has the traceback."""


class Cancelled(Exception):  # noqa: N818  # an outcome, not an error
    """The work was cancelled. Nothing is shown for it."""


def sentence(note: Note) -> str:
    """The English text of a note: the phrase, or the failure and the next step."""
    if note.code in CODES:
        failure = WorldError(note.code, **note.detail)
        return f"{failure.message} {failure.next_step}".strip()
    return english(note.code, note.detail)


class Failure(Struct, frozen=True):
    """An error between processes; ``message`` is for programs that do not know its code."""

    code: str
    message: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)

    def error(self) -> LecternError:
        """Rebuild the error; unknown codes become ``internal``."""
        detail = {key: value for key, value in self.detail.items() if key != "code"}
        if self.code not in CODES:
            return InternalError("internal", reason=self.message or self.code)
        kind = InternalError if self.code == "internal" else WorldError
        return kind(self.code, **detail)
