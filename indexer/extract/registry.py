"""Which formats there are, and which one a file is.

Owns the table of formats and the guess from a name and the first bytes; it must not know how any
format is read. A new format is a module with ``open_source`` and one row here. Standard library
only: the scan asks by name, before any library is loaded.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from indexer.api.errors import WorldError
from indexer.extract.containers import OLE_MAGIC, ZIP_MAGIC, inside_ole, inside_zip

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path, PurePath

    from indexer.extract.base import Opener

HEAD_BYTES = 4096
# How a mail begins in a mailbox: "From anna@example.org Fri Nov 20 13:32:27 2026".
BORDER = re.compile(rb"From \S.{0,200}\b(?:19[6-9]|20[0-9])\d\b.{0,20}$")
_CONVERTED = "indexer.extract.office.libreoffice"
# Images that nothing here decodes.
FOREIGN_IMAGES = frozenset({"heic"})
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


@dataclass(frozen=True, slots=True)
class Format:
    """One readable format: its name, the extensions it goes by, the module that reads it."""

    name: str
    extensions: tuple[str, ...]
    module: str

    @property
    def needs_program(self) -> bool:
        """Whether another program has to be started to read it."""
        return self.module == _CONVERTED

    def opener(self) -> Opener:
        """Load the format's module, and with it the library it needs."""
        return cast("Opener", importlib.import_module(self.module).open_source)


def _format(name: str, extensions: str, module: str) -> Format:
    spelled = tuple(f".{extension}" for extension in extensions.split())
    return Format(name, spelled, f"indexer.extract.{module}")


PDF = _format("pdf", "pdf", "pdf.reader")
HTML = _format("html", "html htm xhtml", "markup.html")
MARKDOWN = _format("markdown", "md markdown mdown mkd qmd rmd", "markup.markdown")
TEXT = _format("text", "txt text rst adoc asciidoc org log srt vtt textile", "plain.text")
CSV = _format("csv", "csv tsv tab", "plain.table")
RTF = _format("rtf", "rtf", "office.rtf")
TEX = _format("tex", "tex ltx latex", "markup.tex")
NOTEBOOK = _format("ipynb", "ipynb", "markup.notebook")
EML = _format("eml", "eml emlx mht mhtml", "mail.eml")
MBOX = _format("mbox", "mbox mbx", "mail.mbox")
ZIP = _format("zip", "zip", "embedded.archive")
TAR = _format("tar", "tar tgz tbz tbz2 txz gz bz2 xz", "embedded.archive")
IMAGE = _format("image", "png jpg jpeg jpe jfif tif tiff webp avif bmp gif", "pdf.image")
CODE = _format(
    "code",
    "py pyi pyw pyx c h cc cpp cxx hpp hh hxx m mm java kt kts scala groovy clj cljs go rs swift "
    "js mjs cjs jsx ts tsx vue svelte php phtml rb pl pm lua r jl dart cs vb fs fsx ml mli hs erl "
    "ex exs elm sh bash zsh fish ps1 psm1 bat cmd sql css scss sass less f f77 f90 f95 f03 for pas "
    "pp asm s nim zig v vhd vhdl sv tcl awk sed el lisp scm rkt cl cob cbl ada adb ads d proto "
    "graphql thrift cmake mk gradle toml yaml yml ini cfg conf properties tf hcl bib sty cls",
    "plain.code",
)
_ZIPPED = (
    _format("docx", "docx docm dotx dotm", "office.docx"),
    _format("pptx", "pptx pptm potx potm ppsx ppsm", "office.pptx"),
    _format("xlsx", "xlsx xlsm xltx xltm", "office.xlsx"),
    _format("odt", "odt ott", "office.odt"),
    _format("odp", "odp otp", "office.odp"),
    _format("ods", "ods ots", "office.ods"),
    _format("epub", "epub", "markup.epub"),
)
_OLE = (
    _format("msg", "msg", "mail.msg"),
    _format("doc", "doc dot", "office.libreoffice"),
    _format("xls", "xls xlt", "office.libreoffice"),
    _format("ppt", "ppt pps pot", "office.libreoffice"),
)
# A newer office file behind a password, whatever it is called.
ENCRYPTED = _format("encrypted", "", "office.encrypted")
FORMATS = (
    PDF, HTML, MARKDOWN, TEXT, CSV, RTF, TEX, NOTEBOOK, EML, MBOX, IMAGE, ZIP, TAR, CODE,
    *_ZIPPED, *_OLE,
)  # fmt: skip
_BINARY = (PDF, IMAGE, ZIP, TAR, *_ZIPPED, *_OLE)
# Documents of other programs: worth telling the person that they are not read yet.
FOREIGN_DOCUMENTS = frozenset({
    "7z", "abw", "azw", "azw3", "cbr", "cbz", "chm", "djvu", "dvi", "fb2", "fodp", "fods", "fodt",
    "gdoc", "heic", "heif", "hwp", "json", "key", "lit", "lyx", "mobi", "numbers", "odf", "odg",
    "one", "opf",
    "ost", "oxps", "pages", "pcl", "prc", "ps", "pst", "pub", "rar", "sdw", "sxw", "tei", "vsd",
    "vsdx", "wpd", "wps", "wri", "xlsb", "xml", "xps", "zim", "zst",
})  # fmt: skip
_BY_EXTENSION = {extension: known for known in FORMATS for extension in known.extensions}
_BY_NAME = {known.name: known for known in FORMATS}
# What a text is that calls itself an office file: other programs' exports, mostly.
_TEXT_OF_OLE = {"doc": TEXT, "xls": CSV}
# No text holds these; tab, line ends, form feed and escape (of old Asian encodings) are apart.
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})
_MAIL = re.compile(
    rb"(?:(?:From|To|Subject|Date|Received|Return-Path|Message-ID|MIME-Version|X-[\w-]+)"
    rb":[^\r\n]*\r?\n(?:[ \t]+[^\r\n]*\r?\n)*){2}",
    re.IGNORECASE,
)

_PACKED = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"))
_IMAGES = (
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"II*\x00", "tiff"),
    (b"MM\x00*", "tiff"),
)
# Photographs in the container of films, by the brand in its first box.
_BRANDS = {b"avif": "avif", b"avis": "avif", b"heic": "heic", b"heix": "heic", b"mif1": "heic"}
# Other programs' files, so that the reason can name them: a content that contradicts its name.
_FOREIGN = (
    (b"\x7fELF", "program"),
    (b"MZ", "program"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"SQLite format 3\x00", "database"),
    (b"Rar!", "rar"),
    (b"7z\xbc\xaf", "7z"),
)


def by_name(path: PurePath) -> Format | None:
    """Return the format that the file's name promises, if any. Reads nothing."""
    return _BY_EXTENSION.get(path.suffix.lower())


def promised_format(path: PurePath, name: str = "") -> Format | None:
    """Return the format of that name, else the one that the file's name promises. Reads nothing."""
    return _BY_NAME.get(name) or by_name(path)


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
    promised = promised_format(path, name)
    if _is_pdf(head, promised):
        return PDF
    if head.startswith((ZIP_MAGIC, OLE_MAGIC)):
        return _contained(path, head, promised)
    if head.startswith((b"{\\rtf", b"{\\urtf")):
        return RTF
    if found := _image_or_archive(path, head, promised):
        return found
    # "MZ" alone is how a text may begin as well.
    foreign = image_kind(head) or _labelled(head, _FOREIGN)
    if foreign == "program" and promised is not None and not _is_binary(head):
        foreign = ""
    if foreign or (promised is None and path.suffix and name == ""):
        raise WorldError("unsupported", format=foreign or path.suffix.lower().lstrip("."))
    if promised is None or promised in _BINARY:
        return _guess(head, promised)
    if _is_binary(head):
        raise WorldError("unsupported", format="binary")
    return promised


def _image_or_archive(path: Path, head: bytes, promised: Format | None) -> Format | None:
    """Tell these where the name says nothing else."""
    nameless = promised is None and not path.suffix
    if (nameless or promised is IMAGE) and image_kind(head) not in {"", *FOREIGN_IMAGES}:
        return IMAGE
    archived = packed_with(head) or head[257:262] == b"ustar"
    return TAR if archived and (nameless or promised is TAR) else None


def packed_with(head: bytes) -> str:
    """Return what a single stream of bytes is packed with, "" if it is not."""
    return _labelled(head, _PACKED)


def _labelled(head: bytes, table: Iterable[tuple[bytes, str]]) -> str:
    return next((label for magic, label in table if head.startswith(magic)), "")


def image_kind(head: bytes) -> str:
    """Return what image a file is by its first bytes, "" if it is none."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "webp"
    if head[4:8] == b"ftyp":
        return _BRANDS.get(head[8:12], "")
    if head.startswith(b"BM") and head[6:10] == bytes(4) and _is_binary(head):
        return "bmp"
    return _labelled(head, _IMAGES)


def _is_pdf(head: bytes, promised: Format | None) -> bool:
    """Tell whether a file is a PDF: some have junk in front, but programs may speak of PDF too."""
    at = head[:1024].find(b"%PDF-")
    return at == 0 or (at > 0 and promised in (None, PDF, HTML, MARKDOWN, TEXT))


def _contained(path: Path, head: bytes, promised: Format | None) -> Format:
    """Look into a zip or OLE file, of which there are many kinds."""
    zipped = head.startswith(ZIP_MAGIC)
    believed = promised.name if promised in (_ZIPPED if zipped else _OLE) and promised else ""
    found = inside_zip(path, head, believed) if zipped else inside_ole(path, believed)
    if not found and zipped and (promised is ZIP or (promised is None and not path.suffix)):
        return ZIP
    if not found:
        raise WorldError("unsupported", format="zip" if zipped else "office")
    return ENCRYPTED if found == ENCRYPTED.name else _BY_NAME[found]


def _guess(head: bytes, promised: Format | None) -> Format:
    """Decide about a file without an extension, or one whose first bytes contradict its name."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:256].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return HTML
    binary = _is_binary(head)
    if promised is not None:
        # Damaged at its head, perhaps; the reader says whether it can be repaired.
        return promised if binary else _TEXT_OF_OLE.get(promised.name, promised)
    if binary:
        raise WorldError("unsupported", format="binary")
    first, _, rest = head.partition(b"\n")
    if first.startswith(b"#!"):
        return CODE
    if BORDER.match(first.rstrip(b"\r")) and _MAIL.match(rest):
        return MBOX
    return EML if _MAIL.match(head) else TEXT


def _is_binary(head: bytes) -> bool:
    """Tell whether bytes are no text: control characters, unless a wide encoding explains them."""
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if head.startswith(_UNICODE_MARKS) or controls * 10 < len(head):
        return False
    zeros = [head[i::4].count(0) * 4 for i in range(4)]
    # A Latin script in UTF-16 or UTF-32 without its mark: zeros on one side only.
    wide = max(zeros[0] + zeros[2], zeros[1] + zeros[3]) > 0.5 * len(head)
    return not (wide and min(zeros) < 0.1 * len(head))
