"""Detects the format of a file by its bytes and its name, and imports its reader.

A new format is a module with ``open_source`` and a row in ``indexer.api.formats``.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, BinaryIO, cast

from indexer.api.errors import WorldError
from indexer.api.formats import (
    BY_EXTENSION,
    BY_NAME,
    FORMATS,
    OLE_MAGIC,
    PDF_MAGIC,
    PROPERTY_LIST,
    RTF_MAGIC,
    ZIP_MAGIC,
    Format,
    SizeClass,
    extension_of,
)
from indexer.extract.office.package import archive_errors, open_zip
from indexer.extract.plain.decode import wide_encoding

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path, PurePath

    from indexer.extract.base import Opener

_USE = re.compile(rb"-(?:template|master|web|master-template)$")  # ends OpenDocument's media types
_FOLDERS = {known.inside: known.name for known in FORMATS if known.inside.endswith("/")}
_MIMETYPES = {
    known.inside.encode(): known.name
    for known in FORMATS
    if known.magic == ZIP_MAGIC and known.inside and known.inside not in _FOLDERS
}
_STREAMS = {
    "EncryptedPackage": "encrypted",
    **{known.inside: known.name for known in FORMATS if known.magic == OLE_MAGIC},
    "Book": "xls",  # written by Excel 5
}


def inside_zip(path: Path, head: bytes, promised: str) -> str:
    """Return the format of a zip file with these first bytes, "" for a plain archive.

    If the file is too damaged to tell, the ``promised`` format of its extension is returned, so
    that the reader can report the damage.
    """
    # The first part of EPUB and OpenDocument files is the uncompressed media type.
    if head[30:38] == b"mimetype":
        for name, form in _MIMETYPES.items():
            if head[38:].startswith(name):
                return form
    try:
        with path.open("rb") as file, archive_errors():
            container = open_zip(file)
            names = set(container.namelist())
            if "mimetype" in names and container.getinfo("mimetype").file_size < 200:
                return _MIMETYPES.get(_USE.sub(b"", container.read("mimetype").strip()), "")
    except WorldError:
        return promised
    if "[Content_Types].xml" in names:
        for folder, form in _FOLDERS.items():
            if any(name.startswith(folder) for name in names):
                return form
    return "epub" if "META-INF/container.xml" in names else _by_parts(path, names)


def _by_parts(path: Path, names: Collection[str]) -> str:
    """Return the format of a zip file without a declared type, "" for a plain archive."""
    if any(_IWORK_PART.match(name) for name in names):
        return "iwork"
    lower = [name.lower() for name in names if not name.endswith("/")]
    if len(lower) == 1 and lower[0].endswith(".fb2"):
        return "fb2"
    ending = path.suffix.lower()
    if ending == ".xmind" and not {"content.json", "content.xml"}.isdisjoint(lower):
        return "opml"
    placed = ending == ".kmz" and any(name.endswith(".kml") for name in lower)
    return "entries" if placed else ""


def inside_ole(path: Path, promised: str) -> str:
    """Return the format of an OLE file, "" if unknown. ``promised`` is as in ``inside_zip``.

    An ``encrypted`` package has any of the newer office formats inside.
    """
    import olefile

    try:
        with path.open("rb") as file, olefile.OleFileIO(file) as container:
            for stream, form in _STREAMS.items():
                if container.exists(stream):
                    return form
    except Exception:  # noqa: BLE001  # olefile raises many types for damaged files
        return promised
    return ""


HEAD_BYTES = 4096
# The line before a mail in a mailbox: "From anna@example.org Fri Nov 20 13:32:27 2026".
BORDER = re.compile(rb"From \S.{0,200}\b(?:19[6-9]|20[0-9])\d\b.{0,20}$")
# Images without a decoder.
FOREIGN_IMAGES = frozenset({"heic"})
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
PDF, HTML, MARKDOWN, TEXT = (BY_NAME[name] for name in ("pdf", "html", "markdown", "text"))
CSV, RTF, EML, MBOX = (BY_NAME[name] for name in ("csv", "rtf", "eml", "mbox"))
ZIP, TAR, IMAGE, CODE = (BY_NAME[name] for name in ("zip", "tar", "image", "code"))
# A newer office file with a password, and any extension.
ENCRYPTED = Format("encrypted", "", "", "office.encrypted", SizeClass.PACKAGE)
CHAT, FB2, ENTRIES, IWORK = (BY_NAME[name] for name in ("chat", "fb2", "entries", "iwork"))
OPML = BY_NAME["opml"]
# A part of an old or new document of Pages, Keynote or Numbers.
_IWORK_PART = re.compile(r"Index/[^/]+\.iwa$|index\.(?:xml|apxl)$")
_ZIPPED = tuple(known for known in FORMATS if known.magic == ZIP_MAGIC and known.inside)
_OLE = tuple(known for known in FORMATS if known.magic == OLE_MAGIC)
# Office files with whose extensions programs of 2003 saved XML and web archives.
_OLD = tuple(BY_NAME[name] for name in ("doc", "docx", "xls", "xlsx"))
_XML_MARKS = {
    b"office/word/2003/wordml": BY_NAME["docx"],
    b"office/2006/xmlPackage": BY_NAME["docx"],
    b"schemas-microsoft-com:office:spreadsheet": BY_NAME["xlsx"],
    **{known.inside.encode(): known for known in _ZIPPED if known.name.startswith("od")},
    **dict.fromkeys(
        (b"www.tei-c.org/", b"<TEI.2", b"JATS", b"NLM//DTD ", b"docbook.org/", b"DTD DocBook"),
        BY_NAME["article"],
    ),
}
_XML = ".xml"  # read if it is an office file or an article
_ARCHIVED = re.compile(rb"\W*(?:[\w-]+:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*)*?(?i:mime-version):")
_BINARY = (PDF, IMAGE, ZIP, TAR, *_ZIPPED, *_OLE)
# The formats of text files with the extension of an old office file, mostly exports.
_TEXT_OF_OLE = {"doc": TEXT, "xls": CSV}
# Control characters, except tab, line ends, form feed, and escape, which ISO-2022 encodings use.
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_PADDING, _PADDING_BYTES = bytes(8), 1 << 20
_MAIL = re.compile(
    rb"(?:(?:From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|X-[\w-]+)"
    rb":[^\r\n]*\r?\n(?:[ \t]+[^\r\n]*\r?\n)*){2}",
    re.IGNORECASE,
)

# The first message of a chat that WhatsApp exported, such as "[01.02.24, 10:11:12] Anna: …".
_CHAT = re.compile(
    rb"(?:\xef\xbb\xbf|\xe2\x80\x8e)*\[?\d{1,4}[./-]\d{1,2}[./-]\s?\d{2,4},?\s+\d{1,2}[:.]\d{2}"
    rb"[^\n]{0,20}?(?:\]| -) [^\r\n]"
)

# Exports with the extension of another format: chats, and mind maps of FreeMind (.mm).
_EXPORTED = {"text": (_CHAT, CHAT), "code": (re.compile(rb"\s*<map version="), OPML)}
# A page, or a mere table, which many programs export as a workbook.
_PAGE = re.compile(rb"<(?:!doctype html|html|head|meta|style|body|table)\b")
_PACKED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))
_IMAGES = (
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)
# Images in the ISO base media file format, by the brand in the first box.
_BRANDS = {b"avif": "avif", b"avis": "avif", b"heic": "heic", b"heix": "heic", b"mif1": "heic"}
# Formats without a reader, as the error ``unsupported`` names them.
_FOREIGN = (
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"SQLite format 3\x00", "database"),
    *(
        (b"-----BEGIN PGP " + kind, "PGP")
        for kind in (b"PUBLIC", b"PRIVATE", b"MESSAGE", b"SIGNATURE")
    ),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf", "7z"),
)


def opener(known: Format) -> Opener:
    """Import a format's module and the library it needs."""
    return cast("Opener", importlib.import_module(known.module).open_source)


def by_name(path: PurePath) -> Format | None:
    """Return the format of a file's extension, if any, without reading the file."""
    return BY_EXTENSION.get(path.suffix.lower())


def promised_format(path: PurePath, name: str) -> Format | None:
    """Return the format called ``name``, else that of the extension, without reading the file."""
    return BY_NAME.get(name) or by_name(path)


def identify(path: Path, name: str = "") -> Format:
    """Return the format of a file, by its first bytes, else by its name.

    ``name`` is the format's name, if it is known from an earlier scan.

    Raises ``empty`` for a file of 0 bytes, ``unsupported`` for a format without a reader, and
    ``OSError`` if the file cannot be read.
    """
    with path.open("rb") as file:
        head = _first_bytes(file)
    if not head:
        raise WorldError("empty")
    promised = promised_format(path, name)
    if _is_pdf(head, promised):
        return PDF
    if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
        return _contained(path, head, promised)
    if head.startswith((RTF_MAGIC, b"{\\urtf")):
        return RTF
    saved = _saved_as_text(head) if path.suffix.lower() == _XML else None
    if found := saved or _image_or_archive(path, head, promised):
        return found
    # A text may begin with "MZ" as well.
    foreign = image_kind(head) or _labelled(head, _FOREIGN)
    if foreign == "program" and promised is not None and not _is_binary(head):
        foreign = ""
    extension = extension_of(path.name)
    if foreign or (promised is None and extension and name == ""):
        raise WorldError("unsupported", format=foreign or extension[1:])
    if promised is None or promised in _BINARY:
        return _guess(head, promised)
    if _is_binary(head) and not (promised is HTML and head.startswith(PROPERTY_LIST)):
        raise WorldError("unsupported", format="binary")
    exported = _EXPORTED.get(promised.name)
    return exported[1] if exported and exported[0].match(head) else promised


def _image_or_archive(path: Path, head: bytes, promised: Format | None) -> Format | None:
    """Detect images and tar files by their content, unless the extension is another format's."""
    nameless = promised is None and not extension_of(path.name)
    if (nameless or promised is IMAGE) and image_kind(head) not in {"", *FOREIGN_IMAGES}:
        return IMAGE
    archived = packed_with(head) or head[257:262] == b"ustar"
    return TAR if archived and (nameless or promised is TAR) else None


def packed_with(head: bytes) -> str:
    """Return the compression of a file, "" for none."""
    return _labelled(head, _PACKED)


def _labelled(head: bytes, table: Iterable[tuple[bytes, str]]) -> str:
    return next((label for magic, label in table if head.startswith(magic)), "")


def image_kind(head: bytes) -> str:
    """Return the format of an image by its first bytes, "" for other files."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "webp"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "")
    if head.startswith(b"BM") and head[6:10] == bytes(4) and _is_binary(head):
        return "bmp"
    return _labelled(head, _IMAGES)


def _is_pdf(head: bytes, promised: Format | None) -> bool:
    """Return whether a file is a PDF, whose magic bytes may follow junk, but not source code."""
    at = head[:1024].find(PDF_MAGIC)
    return at == 0 or (at > 0 and promised in (None, PDF, HTML, MARKDOWN, TEXT))


def _contained(path: Path, head: bytes, promised: Format | None) -> Format:
    """Return the format of a zip or OLE file."""
    zipped = head.startswith(ZIP_MAGIC)
    kin = (*_ZIPPED, FB2, ENTRIES, IWORK, OPML) if zipped else _OLE
    believed = promised.name if promised is not None and promised in kin else ""
    found = inside_zip(path, head, believed) if zipped else inside_ole(path, believed)
    if found:
        return ENCRYPTED if found == ENCRYPTED.name else BY_NAME[found]
    if zipped and (promised is ZIP or (promised is None and not extension_of(path.name))):
        return ZIP
    raise WorldError("unsupported", format="zip" if zipped else "office")


def _guess(head: bytes, promised: Format | None) -> Format:
    """Guess the format of a file whose extension is missing, or contradicts its content."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:256].lower()
    if _PAGE.match(start):
        return HTML
    binary = _is_binary(head)
    if promised in _OLD and not binary and (saved := _saved_as_text(head)):
        return saved
    if promised is not None:
        # The start may be damaged, and the reader decides whether it can be repaired.
        return promised if binary else _TEXT_OF_OLE.get(promised.name, promised)
    if binary:
        raise WorldError("unsupported", format="binary")
    first, _, rest = head.partition(b"\n")
    if first.startswith(b"#!"):
        return CODE
    if BORDER.match(first.rstrip(b"\r")) and _MAIL.match(rest):
        return MBOX
    return EML if _MAIL.match(head) else TEXT


def _saved_as_text(head: bytes) -> Format | None:
    """Return the format of an office file that was saved as XML or as a web archive."""
    plain = head.replace(b"\0", b"")  # UTF-16 has zeros
    for mark, known in _XML_MARKS.items():
        if mark in plain:
            return known
    return EML if _ARCHIVED.match(plain) else None


def _first_bytes(file: BinaryIO) -> bytes:
    """Return the first bytes of a file, without zeros that a power cut left before a text."""
    head = file.read(HEAD_BYTES)
    if not head.startswith(_PADDING):
        return head
    kept = head.lstrip(b"\x00")
    while not kept and (more := file.read(_PADDING_BYTES)):
        kept = more.lstrip(b"\x00")
    return kept[:HEAD_BYTES] or head


def _is_binary(head: bytes) -> bool:
    """Return whether bytes are not text, having control characters outside UTF-16 or 32.

    A text may have some zeros, between its records or where a crash left them.
    """
    if head.startswith(_UNICODE_MARKS):
        return False
    kept = head.strip(b"\x00")  # a file may be longer than the text written to it
    if len(head) - len(kept) > len(_PADDING) < len(kept) and 0 not in kept:
        head = kept
    others = head.translate(None, _CONTROLS)
    zeros = head.count(0)
    controls = len(head) - len(others) - zeros
    if controls * 10 < len(head) - zeros and zeros * 4 < len(head):
        return False
    return not wide_encoding(head)
