"""The window's words for each failure code.

Owns the table behind ``ui.words.failures``; a test proves it complete.
"""

from __future__ import annotations

from typing import NamedTuple

from ui.words.mark import QT_TRANSLATE_NOOP


class Failure(NamedTuple):
    """``label`` fits a column; ``sentence`` and ``step`` may hold keys of the code's detail."""

    label: str
    sentence: str
    step: str = ""


FAILURES = {
    # the person's request
    "path_missing": Failure(
        QT_TRANSLATE_NOOP("Words", "Not there"),
        QT_TRANSLATE_NOOP("Words", "There is nothing at {path}."),
        QT_TRANSLATE_NOOP("Words", "Check the path, or connect the drive it is on."),
    ),
    "path_denied": Failure(
        QT_TRANSLATE_NOOP("Words", "Not permitted"),
        QT_TRANSLATE_NOOP("Words", "The system does not let Lectern read it."),
        QT_TRANSLATE_NOOP("Words", "Give yourself permission to read it, or leave it out."),
    ),
    "not_empty": Failure(
        QT_TRANSLATE_NOOP("Words", "Not empty"),
        QT_TRANSLATE_NOOP("Words", "{path} is not empty."),
        QT_TRANSLATE_NOOP("Words", "Choose an empty folder."),
    ),
    "not_a_root": Failure(
        QT_TRANSLATE_NOOP("Words", "Not in the library"),
        QT_TRANSLATE_NOOP("Words", "{path} is not in this library."),
        QT_TRANSLATE_NOOP("Words", "Add its folder first."),
    ),
    "bad_query": Failure(
        QT_TRANSLATE_NOOP("Words", "Query not understood"),
        QT_TRANSLATE_NOOP("Words", "The query cannot be read: {reason}."),
        QT_TRANSLATE_NOOP("Words", "The help beside the search box shows what works."),
    ),
    "not_understood": Failure(
        QT_TRANSLATE_NOOP("Words", "Not yet understood"),
        QT_TRANSLATE_NOOP("Words", "Nothing is known yet of what {path} means."),
        QT_TRANSLATE_NOOP("Words", "Wait until it is read; its folder tells how far that is."),
    ),
    "bad_setting": Failure(
        QT_TRANSLATE_NOOP("Words", "Not possible"),
        QT_TRANSLATE_NOOP("Words", "“{value}” is not possible here: {reason}."),
    ),
    "bad_request": Failure(
        QT_TRANSLATE_NOOP("Words", "Not understood"),
        QT_TRANSLATE_NOOP("Words", "The engine did not understand the window."),
        QT_TRANSLATE_NOOP("Words", "Quit Lectern and start it again."),
    ),
    "no_window": Failure(
        QT_TRANSLATE_NOOP("Words", "No window"),
        QT_TRANSLATE_NOOP("Words", "The window cannot be opened: {reason}."),
    ),
    # the library
    "library_locked": Failure(
        QT_TRANSLATE_NOOP("Words", "In use"),
        QT_TRANSLATE_NOOP("Words", "The library is in use by {holder}."),
        QT_TRANSLATE_NOOP("Words", "Quit that program, or wait for it to finish."),
    ),
    "library_newer": Failure(
        QT_TRANSLATE_NOOP("Words", "Too new"),
        QT_TRANSLATE_NOOP("Words", "The library was written by a newer version of Lectern."),
        QT_TRANSLATE_NOOP("Words", "Update Lectern."),
    ),
    "library_damaged": Failure(
        QT_TRANSLATE_NOOP("Words", "Library damaged"),
        QT_TRANSLATE_NOOP("Words", "The library is damaged: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Run “lectern repair” in a terminal."),
    ),
    "library_unwritable": Failure(
        QT_TRANSLATE_NOOP("Words", "Not writable"),
        QT_TRANSLATE_NOOP("Words", "Lectern may not write to {library}."),
        QT_TRANSLATE_NOOP("Words", "Choose another place for the library in the settings."),
    ),
    "library_moved": Failure(
        QT_TRANSLATE_NOOP("Words", "Library moved"),
        QT_TRANSLATE_NOOP(
            "Words", "The library {library} was moved, deleted or replaced while it was open."
        ),
        QT_TRANSLATE_NOOP(
            "Words", "If it has another place now, choose that in the settings; else try again."
        ),
    ),
    "library_read_only": Failure(
        QT_TRANSLATE_NOOP("Words", "Read-only"),
        QT_TRANSLATE_NOOP(
            "Words", "The library {library} can only be read: it is searched, but not changed."
        ),
        QT_TRANSLATE_NOOP(
            "Words", "Make its folder writable, or copy it and choose the copy in the settings."
        ),
    ),
    "library_older": Failure(
        QT_TRANSLATE_NOOP("Words", "Too old"),
        QT_TRANSLATE_NOOP(
            "Words",
            "The library {library} was written by an older version and has to be brought up to "
            "date, but it can only be read.",
        ),
        QT_TRANSLATE_NOOP(
            "Words", "Make its folder writable, or copy it and choose the copy in the settings."
        ),
    ),
    "disk_full": Failure(
        QT_TRANSLATE_NOOP("Words", "Disk nearly full"),
        QT_TRANSLATE_NOOP("Words", "Less than {needed} is free on the disk of {path}."),
        QT_TRANSLATE_NOOP("Words", "Free some space; indexing goes on where it stopped."),
    ),
    # the model
    "no_runtime": Failure(
        QT_TRANSLATE_NOOP("Words", "Runtime missing"),
        QT_TRANSLATE_NOOP("Words", "No ONNX Runtime is installed, so only words are found."),
        QT_TRANSLATE_NOOP("Words", "Install Lectern with its part “cpu”, “gpu” or “directml”."),
    ),
    "model_missing": Failure(
        QT_TRANSLATE_NOOP("Words", "Model missing"),
        QT_TRANSLATE_NOOP("Words", "The language model {model} could not be fetched: {reason}."),
        QT_TRANSLATE_NOOP(
            "Words", "Connect to the network once. Until then, search finds words only."
        ),
    ),
    "model_damaged": Failure(
        QT_TRANSLATE_NOOP("Words", "Model damaged"),
        QT_TRANSLATE_NOOP("Words", "The files of the language model {model} are damaged."),
        QT_TRANSLATE_NOOP("Words", "Delete {path}; it is fetched again."),
    ),
    "unknown_model": Failure(
        QT_TRANSLATE_NOOP("Words", "Unknown model"),
        QT_TRANSLATE_NOOP("Words", "There is no language model named {model}."),
        QT_TRANSLATE_NOOP("Words", "Choose another one in the settings."),
    ),
    # one document
    "needs_password": Failure(
        QT_TRANSLATE_NOOP("Words", "Protected by a password"),
        QT_TRANSLATE_NOOP("Words", "The document is protected by a password."),
        QT_TRANSLATE_NOOP("Words", "Enter the password below."),
    ),
    "unreadable": Failure(
        QT_TRANSLATE_NOOP("Words", "Damaged"),
        QT_TRANSLATE_NOOP("Words", "The document is damaged beyond repair: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Open it in its own program and save it again."),
    ),
    "no_text": Failure(
        QT_TRANSLATE_NOOP("Words", "No text on its pages"),
        QT_TRANSLATE_NOOP("Words", "No page of the document holds text."),
    ),
    "scan_waits": Failure(
        QT_TRANSLATE_NOOP("Words", "A scan, to be recognised"),
        QT_TRANSLATE_NOOP(
            "Words", "The document is a scan; the text on its pages is yet to be recognised."
        ),
        QT_TRANSLATE_NOOP("Words", "It is read when nothing else is to be done."),
    ),
    "needs_ocr": Failure(
        QT_TRANSLATE_NOOP("Words", "A scan"),
        QT_TRANSLATE_NOOP(
            "Words", "The document is a scan, and Tesseract, which recognises text, is missing."
        ),
        QT_TRANSLATE_NOOP("Words", "Install it and try again: {command}"),
    ),
    "ocr_off": Failure(
        QT_TRANSLATE_NOOP("Words", "A scan"),
        QT_TRANSLATE_NOOP("Words", "The document is a scan, and text recognition is switched off."),
        QT_TRANSLATE_NOOP("Words", "Switch it on in the settings."),
    ),
    "empty": Failure(
        QT_TRANSLATE_NOOP("Words", "Nothing in it"),
        QT_TRANSLATE_NOOP("Words", "The file holds nothing to read."),
    ),
    "wrong_password": Failure(
        QT_TRANSLATE_NOOP("Words", "Wrong password"),
        QT_TRANSLATE_NOOP("Words", "The password does not open the document."),
        QT_TRANSLATE_NOOP("Words", "Enter it again; capitals count."),
    ),
    "too_complex": Failure(
        QT_TRANSLATE_NOOP("Words", "Unpacks to too much"),
        QT_TRANSLATE_NOOP("Words", "The document unpacks to more than {limit}."),
        QT_TRANSLATE_NOOP("Words", "Open it in its own program and save the parts you need."),
    ),
    "copy_protected": Failure(
        QT_TRANSLATE_NOOP("Words", "Copy protected"),
        QT_TRANSLATE_NOOP("Words", "The document is locked by copy protection."),
        QT_TRANSLATE_NOOP("Words", "Read it in the program it was bought for."),
    ),
    "needs_libreoffice": Failure(
        QT_TRANSLATE_NOOP("Words", "Needs LibreOffice"),
        QT_TRANSLATE_NOOP(
            "Words", "A {format} document is read through LibreOffice, which is not installed."
        ),
        QT_TRANSLATE_NOOP("Words", "Install LibreOffice and retry, or save it in a newer format."),
    ),
    "too_large": Failure(
        QT_TRANSLATE_NOOP("Words", "Too large"),
        QT_TRANSLATE_NOOP("Words", "The file is larger than {limit}."),
        QT_TRANSLATE_NOOP("Words", "Raise the limit in the settings, or split the file."),
    ),
    "unsupported": Failure(
        QT_TRANSLATE_NOOP("Words", "Format not read yet"),
        QT_TRANSLATE_NOOP("Words", "Lectern does not read {format} files yet."),
        QT_TRANSLATE_NOOP(
            "Words", "Save it as PDF, HTML or text; unpack an archive, or pack it as zip."
        ),
    ),
    # what is passed by
    "excluded": Failure(
        QT_TRANSLATE_NOOP("Words", "Left out by a rule"),
        QT_TRANSLATE_NOOP("Words", "It is left out: {reason}."),
        QT_TRANSLATE_NOOP(
            "Words", "To let it in, add a pattern that begins with “!” to its folder."
        ),
    ),
    "not_document": Failure(
        QT_TRANSLATE_NOOP("Words", "Not a document"),
        QT_TRANSLATE_NOOP("Words", "A {format} file is no document that Lectern could read."),
    ),
    "placeholder": Failure(
        QT_TRANSLATE_NOOP("Words", "Only in the cloud"),
        QT_TRANSLATE_NOOP("Words", "Its content is in the cloud, not on this computer."),
        QT_TRANSLATE_NOOP("Words", "Make it available offline in its own program."),
    ),
    "special_file": Failure(
        QT_TRANSLATE_NOOP("Words", "Not a regular file"),
        QT_TRANSLATE_NOOP("Words", "It is no regular file but a {kind}."),
    ),
    "symlink": Failure(
        QT_TRANSLATE_NOOP("Words", "A link"),
        QT_TRANSLATE_NOOP("Words", "It is a link that is not followed: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Add the folder it leads to."),
    ),
    "changed_while_read": Failure(
        QT_TRANSLATE_NOOP("Words", "Changed meanwhile"),
        QT_TRANSLATE_NOOP("Words", "The file changed while it was read."),
        QT_TRANSLATE_NOOP("Words", "It is read again by itself."),
    ),
    "vanished": Failure(
        QT_TRANSLATE_NOOP("Words", "Gone"),
        QT_TRANSLATE_NOOP("Words", "The file was gone when its turn came."),
    ),
    "out_of_time": Failure(
        QT_TRANSLATE_NOOP("Words", "Took too long"),
        QT_TRANSLATE_NOOP("Words", "Reading the document took longer than {limit}."),
        QT_TRANSLATE_NOOP("Words", "Open it in its own program and save it again."),
    ),
    "out_of_memory": Failure(
        QT_TRANSLATE_NOOP("Words", "Needs too much memory"),
        QT_TRANSLATE_NOOP("Words", "Reading the document needed more than {limit}."),
        QT_TRANSLATE_NOOP("Words", "Split the file, or raise the limit in the settings."),
    ),
    "child_died": Failure(
        QT_TRANSLATE_NOOP("Words", "Reader stopped"),
        QT_TRANSLATE_NOOP("Words", "The reader stopped while it read the document ({reason})."),
        QT_TRANSLATE_NOOP("Words", "Open it in its own program and save it again."),
    ),
    "crashed_engine": Failure(
        QT_TRANSLATE_NOOP("Words", "Set aside"),
        QT_TRANSLATE_NOOP("Words", "Reading the document stopped the engine more than once."),
        QT_TRANSLATE_NOOP("Words", "Open it in its own program, save it again, then retry."),
    ),
    "read_error": Failure(
        QT_TRANSLATE_NOOP("Words", "Cannot be read"),
        QT_TRANSLATE_NOOP("Words", "The file could not be read: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Check the drive, then retry."),
    ),
    # the engine
    "engine_gone": Failure(
        QT_TRANSLATE_NOOP("Words", "Engine starts again"),
        QT_TRANSLATE_NOOP("Words", "The engine stopped answering and is started again."),
        QT_TRANSLATE_NOOP("Words", "Finished work is kept; try again in a moment."),
    ),
    "engine_version": Failure(
        QT_TRANSLATE_NOOP("Words", "Other version"),
        QT_TRANSLATE_NOOP("Words", "The engine that runs is of another version."),
        QT_TRANSLATE_NOOP("Words", "Quit the other Lectern and try again."),
    ),
    "busy": Failure(
        QT_TRANSLATE_NOOP("Words", "Busy"),
        QT_TRANSLATE_NOOP("Words", "The engine is busy: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Try again in a moment."),
    ),
    "internal": Failure(
        QT_TRANSLATE_NOOP("Words", "Fault in Lectern"),
        QT_TRANSLATE_NOOP("Words", "Something went wrong inside Lectern: {reason}."),
        QT_TRANSLATE_NOOP("Words", "Please report it with the log."),
    ),
}
