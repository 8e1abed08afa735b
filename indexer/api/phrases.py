"""Phrases by code: notes on a query, reasons inside errors, and reasons for the use of a device.

Codes and details travel between processes and are stored in the catalog; the command line prints
the English of the table, the window translates it. Any other text, such as a message of the
operating system or of a library, is shown unchanged.
"""

from __future__ import annotations

import errno
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from indexer.api.translation import N_

# Code: a format string over the keys of the detail. A phrase with a full stop is a whole sentence;
# any other is shown after a colon.
PHRASES = {
    # notes on a query
    "query_cut": N_("Only the first {limit} characters are searched."),
    "no_value": N_("{typed} has no value, so it is searched as text."),
    "no_operator": N_("There is no operator {name}:, so it is searched as text."),
    "not_excludable": N_("{name}: cannot be excluded, so it is searched as text."),
    "not_a_value": N_("{typed} is searched as text: {reason}."),
    "only_left_out": N_("A minus leaves passages out; say what to look for as well."),
    "only_signs": N_("{typed} has no words; signs such as these are not searched."),
    "phrase_nowhere": N_("No passage contains {phrases}."),
    "name_nowhere": N_("No document contains {names}."),
    "page_nowhere": N_("No page with text has the printed number {labels}."),
    "words_only": N_("Only words are searched."),
    # invalid values of operators
    "value_missing": N_("it has no value"),
    "date_is": N_("a date is 2024, 2024-03 or 2024-03-15"),
    "date_beyond": N_("the date is out of range"),
    "size_is": N_("a size is 500kb, 10mb or 1.5gb"),
    "page_is": N_("a page is a number, such as 12 or iv"),
    "extension_is": N_("an extension is pdf or docx"),
    "language_is": N_("a language is de or German"),
    "kind_is": N_("the kind of a passage is annotation"),
    # why a device is in use
    "device_tested": N_("installed, and a test run gave the numbers of the processor"),
    "device_runs": "it runs",
    "device_asked": N_("as chosen in the settings"),
    "device_only": N_("no supported graphics card"),
    "device_absent": N_("{device} is not part of the installed ONNX Runtime"),
    "device_failed": N_("{device} failed ({said})"),
    "device_wrong": N_(
        "{device} computes other numbers than the processor (error {error}) and is not used"
    ),
    "device_eight_bits": N_(
        "{device} computes fp32, and these vectors are int8, which are not close enough to those; "
        "`lectern reindex --precision fp32` embeds all anew for it"
    ),
    "runtimes_clash": N_(
        "{names} are installed together and overwrite each other's files; uninstall all of them, "
        "then install one"
    ),
    "device_unknown": N_("the model is loaded when it is first needed"),
    # why a model cannot be removed
    "chosen_model": N_("it is the one of the settings"),
    "library_model": N_("the vectors of the library {library} are its"),
    # why a model is not imported
    "model_file_missing": N_("{file} is missing, or cannot be read"),
    "model_file_large": N_("{file} is larger than {limit}"),
    "model_file_damaged": N_("{file} is damaged, or is not what it should be"),
    "model_not_onnx": N_(
        "it has no ONNX file; make one: optimum-cli export onnx --model {source} {source}/onnx"
    ),
    "model_option": N_("{option} is {value}, which is not known here"),
    "model_late": N_("late chunking takes a model that pools by the mean"),
    "model_name_bad": N_(
        "{name} is no name for a model: up to 64 letters, digits, . _ and -, which --name gives"
    ),
    "model_name_taken": N_("there is a model named {name}; give it another with --name"),
    # a language that the model does not cover
    "language_uncovered": N_("found by words only: no available language model covers it"),
    "language_offered": N_("found by words only: the language model {model} covers it"),
    "language_coming": N_("found by words only until the change to {model} is complete"),
    "question_unread": N_(
        "Only the words of this question are searched: the language model of this library does not "
        "read its language; {model} does"
    ),
    # why a file is not read
    "secrets": N_("keys and passwords are left out"),
    "browser": N_("a browser's own folder"),
    "mail": N_("a mail program's own folder"),
    "cache": N_("a cache"),
    "versions": N_("a version control folder"),
    "dependencies": N_("third-party code"),
    "build": N_("generated from other files"),
    "trash": N_("the trash"),
    "system": N_("a file of the system"),
    "hidden": N_("hidden"),
    "pattern": N_("the pattern {pattern}"),
    "seen_elsewhere": N_("the same folder is listed elsewhere"),
    "own_library": N_("Lectern's own library"),
    "another_root": N_("it was added on its own"),
    "leads_nowhere": N_("its target does not exist"),
    "leads_inside": N_("its target is listed in its own place"),
    "leads_out": N_("its target is outside the folders of this library"),
    "pipe": N_("pipe"),
    "socket": N_("socket"),
    "device": N_("device"),
    "special": N_("special file"),
    # what is wrong with a document
    "not_rich_text": N_("it is not a rich text file"),
    "not_mailbox": N_("it is not a mailbox"),
    "not_mail": N_("it is not a mail"),
    "not_json": N_("it is not JSON"),
    "not_notebook": N_("it is not a notebook"),
    "no_slides": N_("it has no list of slides"),
    "no_sheets": N_("it has no list of sheets"),
    "sheet_missing": N_("a sheet is missing"),
    "no_text_part": N_("it has no text part"),
    "part_missing": N_("it has no part {part}"),
    "parts_unknown": N_("its list of parts is missing"),
    "parts_damaged": N_("its parts are damaged"),
    "container_damaged": N_("its container is damaged"),
    "pdf_damaged": N_("the PDF cannot be repaired"),
    "no_pages": N_("no page can be found in it"),
    "stamped_picture": N_("the pictures of pages with a line of text on them are not recognised"),
    "letters_unknown": N_("the fonts do not say which letters they show"),
    "image_damaged": N_("the image cannot be decoded"),
    "content_damaged": N_("its content is damaged"),
    "xml_damaged": N_("its XML is damaged"),
    "xml_entities": N_("its XML declares entities"),
    "not_converted": N_("LibreOffice cannot read it either"),
    "page_missing": N_("there is no page {page}"),
    "unpacks_too_much": N_("it is too large when unpacked"),
    # why a scanned page is not recognised
    "script_cyrillic": N_("Cyrillic, which nothing installed here reads"),
    "script_greek": N_("Greek, which nothing installed here reads"),
    "script_arabic": N_("Arabic, which nothing installed here reads"),
    "script_hebrew": N_("Hebrew, which nothing installed here reads"),
    "script_korean": N_("Korean, which nothing installed here reads"),
    "script_devanagari": N_("Devanagari, which nothing installed here reads"),
    "script_thai": N_("Thai, which nothing installed here reads"),
    "script_bengali": N_("Bengali, which nothing installed here reads"),
    "script_georgian": N_("Georgian, which nothing installed here reads"),
    "script_armenian": N_("Armenian, which nothing installed here reads"),
    "script_vietnamese": N_("Vietnamese, which nothing installed here reads"),
    "script_other": N_("in a script that nothing installed here reads"),
    "not_recognised": N_("the text on it could not be recognised"),
    "stops_reader": N_("its reader crashed or hung"),
    "reason_unknown": N_("its reader does not say why"),
    "mail_too_large": N_("a mail in it is too large"),
    "parts_unread": N_("Not read inside it: {unread}."),
    "part_locked": N_("it is behind a password"),
    "part_unsupported": N_("Lectern does not read files of its kind"),
    "part_of_programs": N_("LibreOffice is needed to read it, and only as a separate file"),
    "part_of_pictures": N_("its pages are pictures, which are recognised only in separate files"),
    "part_without_text": N_("no text was found in it"),
    "part_too_large": N_("it is too large"),
    "part_too_deep": N_("it is nested too deeply in other documents"),
    "part_out_of_memory": N_("it needs too much memory"),
    "part_without_libreoffice": N_("LibreOffice is needed to read it"),
    "too_many_inside": N_("too many files came before it"),
    "stopped_answering": N_("it stopped answering"),
    # errors of the operating system on files
    "os_absent": N_("it does not exist"),
    "os_denied": N_("the system does not permit it"),
    "os_fault": N_("the drive reports an error"),
    "os_full": N_("the disk is full"),
    "os_read_only": N_("the disk is read-only"),
    "os_gone": N_("the drive does not answer"),
    "os_in_use": N_("another program is using it"),
    "os_long_name": N_("its name is too long"),
    "not_a_file": N_("it is not a regular file"),
    "not_listed": N_("it cannot be listed"),
    # why a folder is polled
    "network": N_("its drive does not report changes by others"),
    "exhausted": N_(
        "the system watches no more folders (on Linux raise fs.inotify.max_user_watches)"
    ),
    # outcomes of connections, and failures of the engine or the library
    "connected": N_("done"),
    "offline": N_("working offline"),
    "was_imported": N_("it was imported from a folder, and its files are gone"),
    "fetch_again": N_("its files are gone"),
    "not_built": N_("its ONNX files were not built; run `make`"),
    "not_fetched": N_("it was not fetched yet"),
    "not_on_hub": N_("the hub has no such model or file"),
    "no_tables": N_("the tables of its passages are missing"),
    "not_a_catalog": N_("its catalog is not a database"),
    "not_ours": N_("its catalog belongs to another program"),
    "linux_only": N_("it is there on Linux only"),
    "no_gocryptfs": N_("gocryptfs is not installed"),
    "no_fuse": N_("this system has no FUSE that you may use"),
    "gocryptfs_failed": N_("gocryptfs failed ({status})"),
    "stays_mounted": N_("it does not unmount"),
    "own_drive": N_("the library is a drive of its own"),
    "launcher_gone": N_("the process that may use the network has ended or does not answer"),
    "not_offline": N_("it was started without --offline"),
    "no_socket": N_("no socket can be opened"),
    "in_use": N_("another command is using it and will stop it"),
    "many_clients": N_("too many programs are connected"),
    "many_waiting": N_("too many requests are waiting"),
    "collection_changed": N_("the collection was changed meanwhile"),
    "importing": N_("another process is importing a model"),
    "fetching": N_("another process is fetching the model"),
    "finishing": N_("it is finishing its work"),
    "replaced": N_("a newer request replaced it"),
    "not_started": N_("the engine did not start"),
    "no_answer": N_("the answer is invalid"),
    # invalid values of settings
    "takes_one": N_("it takes one value"),
    "takes_flag": N_("it is on or off"),
    "takes_integer": N_("it is a whole number"),
    "takes_number": N_("it is a number"),
    "takes_choice": N_("choose {choices}"),
    "takes_text": N_("it is a text"),
    "takes_list": N_("it is a list"),
    "takes_range": N_("it must be between {low} and {high}"),
    "no_setting": N_("there is no such setting"),
    "not_a_pattern": N_("it is not a pattern"),
}

# Keys of details whose values are phrases themselves.
SPOKEN = ("reason", "kind")

# Phrases by the name of an errno; not every system has all of these.
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


class Note(Struct, frozen=True):
    """A note for the person; ``code`` is a key of this table, or the code of an error."""

    code: str
    detail: Mapping[str, Any] = field(default_factory=dict)


def english(code: str, detail: Mapping[str, Any]) -> str:
    """The English phrase of a code; any other text is returned unchanged."""
    text = PHRASES.get(code)
    return code if text is None else fill(text, detail)


def fill(text: str, detail: Mapping[str, Any]) -> str:
    """Fill a format string from a detail, in English; missing values become question marks."""
    return fill_with(english, text, detail)


def fill_with(
    speak: Callable[[str, Mapping[str, Any]], str], text: str, detail: Mapping[str, Any]
) -> str:
    """Fill a format string from a detail; ``speak`` translates its phrases."""
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
    """Format pairs of a name of a part and the reason why that part was not read."""
    listed = []
    for part in unread:
        match part:
            case [str(name), str(reason)]:
                listed.append(f"{name} ({speak(reason, {})})" if name else speak(reason, {}))
    return "; ".join(listed) + (f"; + {more}" if more else "")


def read_detail(text: str) -> dict[str, Any]:
    """Parse a failure's detail from the catalog: JSON, or the plain text of a reason."""
    try:
        known = json.loads(text)
    except ValueError:
        known = text
    if isinstance(known, dict):
        return known
    return {"reason": text} if text else {}


def reason_in(detail: Mapping[str, Any], other: str = "") -> str:
    """The reason in a failure's detail, a code of this table or a text; ``other`` if none."""
    return str(detail.get("reason", other))


def reason_of(error: OSError) -> str:
    """The phrase code of an error of the operating system, or its own message."""
    return _BY_NUMBER.get(error.errno or 0) or error.strerror or str(error)
