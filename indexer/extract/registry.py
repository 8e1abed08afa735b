"""Which formats there are, and which one a file is.

Owns the table of formats and the guess from a name and the first bytes; it must not know how any
format is read. A new format is a module with ``open_source`` and one row here. Standard library
only: the scan asks by name, before any library is loaded.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from indexer.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path, PurePath

    from indexer.extract.base import Opener

HEAD_BYTES = 4096
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class Format:
    """One readable format: its name, the extensions it goes by, the module that reads it."""

    name: str
    extensions: tuple[str, ...]
    module: str

    def opener(self) -> Opener:
        """Load the format's module, and with it the library it needs."""
        return cast("Opener", importlib.import_module(self.module).open_source)


PDF = Format("pdf", (".pdf",), "indexer.extract.pdf")
HTML = Format("html", (".html", ".htm", ".xhtml"), "indexer.extract.html")
MARKDOWN = Format("markdown", (".md", ".markdown"), "indexer.extract.markdown")
TEXT = Format("text", (".txt", ".text"), "indexer.extract.text")
FORMATS = (PDF, HTML, MARKDOWN, TEXT)
_BY_EXTENSION = {extension: known for known in FORMATS for extension in known.extensions}
_BY_NAME = {known.name: known for known in FORMATS}
# No text holds these; tab, line ends, form feed and escape (of old Asian encodings) are apart.
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})

# Other programs' files, so that the reason can name them: a content that contradicts its name.
_FOREIGN = (
    (b"PK\x03\x04", "zip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"{\\rtf", "rtf"),
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"SQLite format 3\x00", "database"),
)


def by_name(path: PurePath) -> Format | None:
    """Return the format that the file's name promises, if any. Reads nothing."""
    return _BY_EXTENSION.get(path.suffix.lower())


def identify(path: Path, name: str = "") -> Format:
    """Return the format of a file: what its first bytes are, else what it is called.

    Args:
        path: The file.
        name: The format already known by its name, or "" to find it out.

    Raises:
        WorldError: ``empty`` for a file of no bytes, ``unsupported`` for one nobody here reads.
        OSError: If the file cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head:
        raise WorldError("empty")
    promised = _BY_NAME.get(name) or by_name(path)
    if b"%PDF-" in head[:1024]:
        return PDF
    foreign = next((label for magic, label in _FOREIGN if head.startswith(magic)), "")
    if foreign or (promised is None and path.suffix and name == ""):
        raise WorldError("unsupported", format=foreign or path.suffix.lower().lstrip("."))
    if promised is None or promised is PDF:
        return _guess(head, promised)
    if _is_binary(head):
        raise WorldError("unsupported", format="binary")
    return promised


def _guess(head: bytes, promised: Format | None) -> Format:
    """Decide about a file without an extension, or a .pdf that does not say it is one."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:256].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return HTML
    if promised is not None:
        return promised  # damaged at its head, perhaps; the reader says whether it can be repaired
    if _is_binary(head):
        raise WorldError("unsupported", format="binary")
    return TEXT


def _is_binary(head: bytes) -> bool:
    """Tell whether bytes are no text: control characters, unless a wide encoding explains them."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if head.startswith(_UNICODE_MARKS) or controls * 10 < len(head):
        return False
    zeros = [head[i::4].count(0) * 4 for i in range(4)]
    # A Latin script in UTF-16 or UTF-32 without its mark: zeros on one side only.
    wide = max(zeros[0] + zeros[2], zeros[1] + zeros[3]) > 0.5 * len(head)
    return not (wide and min(zeros) < 0.1 * len(head))
