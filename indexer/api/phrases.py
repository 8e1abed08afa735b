"""What the engine tells besides its answers: a code for each phrase, and what the phrase is.

Owns the one table of notes on a query, reasons within errors and reasons for a device. Codes and
their details cross borders and are kept in the catalog; the command line speaks the English of
the table, and the window translates it. What is no code, such as the words of an operating system
or of a library, is told as it is. Standard library only.
"""

from __future__ import annotations

import errno
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: ARG001, N802
    """Mark a text for the window's translations; the name is what Qt's ``lupdate`` looks for."""
    return text


# Code: a format string over the keys of the detail. Sentences end with a stop; the others stand
# behind a colon.
PHRASES = {
    # notes on a query
    "query_cut": QT_TRANSLATE_NOOP("Words", "Only the first {limit} characters are searched."),
    "no_value": QT_TRANSLATE_NOOP("Words", "{typed} has no value, so it is searched as text."),
    "no_operator": QT_TRANSLATE_NOOP(
        "Words", "There is no operator {name}:, so it is searched as text."
    ),
    "not_excludable": QT_TRANSLATE_NOOP(
        "Words", "{name}: cannot be excluded, so it is searched as text."
    ),
    "not_a_value": QT_TRANSLATE_NOOP("Words", "{typed} is searched as text: {reason}."),
    "words_only": QT_TRANSLATE_NOOP("Words", "Only words are searched."),
    # what the values of operators are
    "value_missing": QT_TRANSLATE_NOOP("Words", "it has no value"),
    "date_is": QT_TRANSLATE_NOOP("Words", "a date is 2024, 2024-03 or 2024-03-15"),
    "date_beyond": QT_TRANSLATE_NOOP("Words", "no calendar goes that far"),
    "size_is": QT_TRANSLATE_NOOP("Words", "a size is 500kb, 10mb or 1.5gb"),
    "page_is": QT_TRANSLATE_NOOP("Words", "a page is a number"),
    "extension_is": QT_TRANSLATE_NOOP("Words", "an extension is pdf or docx"),
    "language_is": QT_TRANSLATE_NOOP("Words", "a language is de or German"),
    # why a device is in use
    "device_tested": QT_TRANSLATE_NOOP("Words", "installed, and passed a test run"),
    "device_asked": QT_TRANSLATE_NOOP("Words", "as asked"),
    "device_only": QT_TRANSLATE_NOOP(
        "Words", "the installed ONNX Runtime has no other provider for this machine"
    ),
    "device_absent": QT_TRANSLATE_NOOP(
        "Words", "{device} is not part of the installed ONNX Runtime"
    ),
    "device_failed": QT_TRANSLATE_NOOP("Words", "{device} failed ({said})"),
    "device_unknown": QT_TRANSLATE_NOOP("Words", "the model is loaded when it is first needed"),
    # why a file is passed by
    "secrets": QT_TRANSLATE_NOOP("Words", "keys and passwords are kept out"),
    "browser": QT_TRANSLATE_NOOP("Words", "a browser's own folder"),
    "mail": QT_TRANSLATE_NOOP("Words", "a mail program's own folder"),
    "cache": QT_TRANSLATE_NOOP("Words", "a cache"),
    "versions": QT_TRANSLATE_NOOP("Words", "a version control folder"),
    "dependencies": QT_TRANSLATE_NOOP("Words", "programs that others wrote"),
    "build": QT_TRANSLATE_NOOP("Words", "made from other files"),
    "trash": QT_TRANSLATE_NOOP("Words", "the trash"),
    "system": QT_TRANSLATE_NOOP("Words", "a file of the system"),
    "hidden": QT_TRANSLATE_NOOP("Words", "hidden"),
    "pattern": QT_TRANSLATE_NOOP("Words", "the pattern {pattern}"),
    "seen_elsewhere": QT_TRANSLATE_NOOP("Words", "the same folder stands elsewhere"),
    "own_library": QT_TRANSLATE_NOOP("Words", "Lectern's own library"),
    "another_root": QT_TRANSLATE_NOOP("Words", "it was added by itself"),
    "leads_nowhere": QT_TRANSLATE_NOOP("Words", "it leads nowhere"),
    "leads_inside": QT_TRANSLATE_NOOP("Words", "what it leads to is listed where it stands"),
    "leads_out": QT_TRANSLATE_NOOP("Words", "it leads out of the folders of this library"),
    "pipe": QT_TRANSLATE_NOOP("Words", "pipe"),
    "socket": QT_TRANSLATE_NOOP("Words", "socket"),
    "device": QT_TRANSLATE_NOOP("Words", "device"),
    "special": QT_TRANSLATE_NOOP("Words", "special file"),
    # what is wrong with a document
    "not_rich_text": QT_TRANSLATE_NOOP("Words", "it is no rich text"),
    "not_mailbox": QT_TRANSLATE_NOOP("Words", "it is no mailbox"),
    "not_mail": QT_TRANSLATE_NOOP("Words", "it is no mail"),
    "not_notebook": QT_TRANSLATE_NOOP("Words", "it is no notebook"),
    "no_slides": QT_TRANSLATE_NOOP("Words", "it has no list of slides"),
    "no_sheets": QT_TRANSLATE_NOOP("Words", "it has no list of sheets"),
    "sheet_missing": QT_TRANSLATE_NOOP("Words", "a sheet is missing"),
    "no_text_part": QT_TRANSLATE_NOOP("Words", "it has no text part"),
    "part_missing": QT_TRANSLATE_NOOP("Words", "it has no part {part}"),
    "parts_unknown": QT_TRANSLATE_NOOP("Words", "it does not say what it is made of"),
    "parts_damaged": QT_TRANSLATE_NOOP("Words", "its parts are damaged"),
    "container_damaged": QT_TRANSLATE_NOOP("Words", "its container is damaged"),
    "pdf_damaged": QT_TRANSLATE_NOOP("Words", "it is no PDF that can be repaired"),
    "no_pages": QT_TRANSLATE_NOOP("Words", "no page can be found in it"),
    "letters_unknown": QT_TRANSLATE_NOOP("Words", "the fonts do not say which letters they show"),
    "image_damaged": QT_TRANSLATE_NOOP("Words", "it is no image that can be decoded"),
    "content_damaged": QT_TRANSLATE_NOOP("Words", "its content is damaged"),
    "xml_damaged": QT_TRANSLATE_NOOP("Words", "its XML is damaged"),
    "xml_encoding": QT_TRANSLATE_NOOP("Words", "its XML is in an unknown encoding"),
    "xml_entities": QT_TRANSLATE_NOOP(
        "Words", "its XML declares entities, which no program writes"
    ),
    "not_converted": QT_TRANSLATE_NOOP("Words", "LibreOffice cannot read it either"),
    "page_missing": QT_TRANSLATE_NOOP("Words", "there is no page {page}"),
    "unpacks_too_much": QT_TRANSLATE_NOOP("Words", "it unpacks to too much"),
    "not_recognised": QT_TRANSLATE_NOOP("Words", "the text on it could not be recognised"),
    "stops_reader": QT_TRANSLATE_NOOP("Words", "it stops its reader"),
    "mail_too_large": QT_TRANSLATE_NOOP("Words", "a mail in it is too large"),
    "parts_unread": QT_TRANSLATE_NOOP("Words", "Not read of what is inside it: {unread}."),
    "part_locked": QT_TRANSLATE_NOOP("Words", "it is behind a password"),
    "part_unsupported": QT_TRANSLATE_NOOP("Words", "Lectern does not read files of its kind"),
    "part_of_programs": QT_TRANSLATE_NOOP(
        "Words", "LibreOffice is needed to read it, and reads it in a file of its own only"
    ),
    "part_of_pictures": QT_TRANSLATE_NOOP(
        "Words", "it has pages that are pictures, which are recognised in files of their own only"
    ),
    "part_without_text": QT_TRANSLATE_NOOP("Words", "no text was found in it"),
    "part_too_large": QT_TRANSLATE_NOOP("Words", "it is too large"),
    "part_too_deep": QT_TRANSLATE_NOOP("Words", "it stands too deep in other documents"),
    "part_out_of_memory": QT_TRANSLATE_NOOP("Words", "it needs too much memory"),
    "part_without_libreoffice": QT_TRANSLATE_NOOP("Words", "LibreOffice is needed to read it"),
    "too_many_inside": QT_TRANSLATE_NOOP("Words", "too many files came before it"),
    "stopped_answering": QT_TRANSLATE_NOOP("Words", "it stopped answering"),
    "write_cut_short": QT_TRANSLATE_NOOP("Words", "what was just written is cut short"),
    # what the operating system says of files
    "os_absent": QT_TRANSLATE_NOOP("Words", "it is not there"),
    "os_denied": QT_TRANSLATE_NOOP("Words", "the system does not permit it"),
    "os_fault": QT_TRANSLATE_NOOP("Words", "the drive reports a fault"),
    "os_full": QT_TRANSLATE_NOOP("Words", "the disk is full"),
    "os_read_only": QT_TRANSLATE_NOOP("Words", "the disk can only be read"),
    "os_gone": QT_TRANSLATE_NOOP("Words", "the drive does not answer"),
    "os_in_use": QT_TRANSLATE_NOOP("Words", "another program is using it"),
    "os_long_name": QT_TRANSLATE_NOOP("Words", "its name is too long"),
    "not_a_file": QT_TRANSLATE_NOOP("Words", "it is no regular file"),
    "not_listed": QT_TRANSLATE_NOOP("Words", "it cannot be listed"),
    # why the engine or the library cannot
    "connected": QT_TRANSLATE_NOOP("Words", "done"),
    "offline": QT_TRANSLATE_NOOP("Words", "working offline"),
    "package_wrong": QT_TRANSLATE_NOOP("Words", "its package lacks the expected files"),
    "no_tables": QT_TRANSLATE_NOOP("Words", "the tables of its passages are missing"),
    "not_a_catalog": QT_TRANSLATE_NOOP("Words", "its catalog is none"),
    "not_ours": QT_TRANSLATE_NOOP("Words", "its catalog is another program's"),
    "launcher_gone": QT_TRANSLATE_NOOP(
        "Words", "the process that may use the network has ended or does not answer"
    ),
    "not_offline": QT_TRANSLATE_NOOP("Words", "it was started without --offline"),
    "no_socket": QT_TRANSLATE_NOOP("Words", "no socket can be made"),
    "in_use": QT_TRANSLATE_NOOP("Words", "another command is using it, and will end it"),
    "many_clients": QT_TRANSLATE_NOOP("Words", "too many programs are connected"),
    "many_waiting": QT_TRANSLATE_NOOP("Words", "too many requests are waiting"),
    "compiling": QT_TRANSLATE_NOOP("Words", "another process prepares the model"),
    "finishing": QT_TRANSLATE_NOOP("Words", "it is finishing what it began"),
    "replaced": QT_TRANSLATE_NOOP("Words", "a newer request took its place"),
    "not_started": QT_TRANSLATE_NOOP("Words", "the engine did not start"),
    "no_answer": QT_TRANSLATE_NOOP("Words", "the answer is no answer"),
    # what a setting takes
    "takes_one": QT_TRANSLATE_NOOP("Words", "it takes one value"),
    "takes_flag": QT_TRANSLATE_NOOP("Words", "it is on or off"),
    "takes_integer": QT_TRANSLATE_NOOP("Words", "it is a whole number"),
    "takes_number": QT_TRANSLATE_NOOP("Words", "it is a number"),
    "takes_choice": QT_TRANSLATE_NOOP("Words", "choose {choices}"),
    "takes_text": QT_TRANSLATE_NOOP("Words", "it is a text"),
    "takes_folder": QT_TRANSLATE_NOOP("Words", "it is a folder"),
    "takes_list": QT_TRANSLATE_NOOP("Words", "it is a list"),
    "takes_range": QT_TRANSLATE_NOOP("Words", "it lies between {low} and {high}"),
    "no_setting": QT_TRANSLATE_NOOP("Words", "there is no such setting"),
    "not_a_pattern": QT_TRANSLATE_NOOP("Words", "it is no pattern"),
}

# Keys of details whose values are phrases themselves.
SPOKEN = ("reason", "kind")

# Not every system knows all of these.
_SYSTEM = {
    "os_absent": ("ENOENT",),
    "os_denied": ("EACCES", "EPERM"),
    "os_fault": ("EIO", "ENXIO"),
    "os_gone": ("ENODEV", "ENOTCONN", "ESTALE", "ETIMEDOUT", "EHOSTDOWN", "EHOSTUNREACH"),
    "os_full": ("ENOSPC", "EDQUOT"),
    "os_read_only": ("EROFS",),
    "os_in_use": ("EBUSY", "ETXTBSY"),
    "os_long_name": ("ENAMETOOLONG",),
}
_BY_NUMBER = {
    getattr(errno, name): code
    for code, names in _SYSTEM.items()
    for name in names
    if hasattr(errno, name)
}


@dataclass(frozen=True, slots=True)
class Note:
    """One thing the person should know; ``code`` is one of this table, or of an error."""

    code: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def english(code: str, detail: Mapping[str, Any]) -> str:
    """The phrase of a code in English; what is no code is given back."""
    text = PHRASES.get(code)
    return code if text is None else fill(text, detail)


def fill(text: str, detail: Mapping[str, Any]) -> str:
    """Put a detail into a format string, in English; what the detail lacks is a question mark."""
    return fill_with(english, text, detail)


def fill_with(
    speak: Callable[[str, Mapping[str, Any]], str], text: str, detail: Mapping[str, Any]
) -> str:
    """Put a detail into a format string, in the language of what speaks its phrases."""
    plain = {key: value for key, value in detail.items() if key not in SPOKEN}
    if isinstance(unread := plain.get("unread"), (list, tuple)):
        plain["unread"] = _listed(speak, unread, plain.get("more", 0))
    spoken = {key: speak(str(detail[key]), plain) for key in SPOKEN if key in detail}
    try:
        return text.format_map(defaultdict(lambda: "?", {**plain, **spoken}))
    except (LookupError, ValueError, AttributeError):
        return text


def _listed(
    speak: Callable[[str, Mapping[str, Any]], str], unread: Sequence[Any], more: object
) -> str:
    """Parts of a document as pairs of a name and a reason: each with its reason behind it."""
    told = []
    for part in unread:
        match part:
            case [str(name), str(reason)]:
                told.append(f"{name} ({speak(reason, {})})" if name else speak(reason, {}))
    return "; ".join(told) + (f"; + {more}" if more else "")


def read_detail(text: str) -> dict[str, Any]:
    """The detail of a failure as the catalog keeps it: as JSON; bare words are its reason."""
    try:
        known = json.loads(text)
    except ValueError:
        known = text
    if isinstance(known, dict):
        return known
    return {"reason": text} if text else {}


def reason_of(error: OSError) -> str:
    """A code for what the operating system says of a file, or its own words."""
    return _BY_NUMBER.get(error.errno or 0) or error.strerror or str(error)
