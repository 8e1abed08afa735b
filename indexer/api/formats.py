"""The formats of documents, one row each.

Extensions, limits, units, labels and the groups of ``type:`` derive from this table;
``indexer.extract.registry`` detects a format by content.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

from indexer.api.translation import N_

PDF_MAGIC = b"%PDF-"
RTF_MAGIC = b"{\\rtf"
ZIP_MAGIC = b"PK\x03\x04"
PROPERTY_LIST = b"bplist00"  # of a web archive of Safari
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_CONVERTED = "office.libreoffice"


class SizeClass(StrEnum):
    """The formats of one class share the size limit of files, a field of ``config.Limits``."""

    PDF = "pdf_bytes"
    TEXT = "text_bytes"
    MARKUP = "markup_bytes"
    SOURCE = "source_bytes"
    NOTEBOOK = "notebook_bytes"
    PACKAGE = "package_bytes"
    MESSAGE = "message_bytes"
    MAILBOX = "mailbox_bytes"
    IMAGE = "image_bytes"


# The values of ``type:``, with labels for the window.
GROUPS = {
    "document": N_("Documents"),
    "text": N_("Plain text"),
    "web": N_("Web pages"),
    "book": N_("Books"),
    "spreadsheet": N_("Spreadsheets"),
    "presentation": N_("Presentations"),
    "mail": N_("Mail"),
    "code": N_("Source code"),
}


class Format(Struct, frozen=True):
    """One readable format.

    Attributes:
        name: Stored in catalogs; never change it.
        label: For the person.
        endings: Its extensions, without dots, separated by spaces.
        reader: The module with its ``open_source``, below ``indexer.extract``.
        size_class: The class of its size limit.
        group: A key of ``GROUPS``, or "".
        unit: The unit of its pages, "" for a format without pages. The name of a sheet, chapter or
            mail, and the title of a slide, are in the heading paths of its passages.
        magic: The first bytes of its files; b"" if they vary or ``registry`` decides by more rules.
        inside: What identifies it in a zip file (a declared type or a folder) or in OLE (a stream).
        drawn: Whether MuPDF renders its pages, to show them as images and recognise scans.
        page_bytes: The average bytes of a file per page, for estimates.
    """

    name: str
    label: str
    endings: str
    reader: str
    size_class: SizeClass
    group: str = ""
    unit: str = ""
    magic: bytes = b""
    inside: str = ""
    drawn: bool = False
    page_bytes: int = 10_000

    @property
    def extensions(self) -> tuple[str, ...]:
        """The extensions with their dots."""
        return tuple(f".{ending}" for ending in self.endings.split())

    @property
    def module(self) -> str:
        return f"indexer.extract.{self.reader}"

    @property
    def needs_program(self) -> bool:
        """Whether another program has to be started to read it."""
        return self.reader == _CONVERTED


_CODE = (
    "py pyi pyw pyx c h cc cpp cxx hpp hh hxx m mm java kt kts scala groovy clj cljs go rs swift "
    "js mjs cjs jsx ts tsx vue svelte php phtml rb pl pm lua r jl dart cs vb fs fsx ml mli hs erl "
    "ex exs elm sh bash zsh fish ps1 psm1 bat cmd sql css scss sass less f f77 f90 f95 f03 for pas "
    "pp asm s nim zig v vhd vhdl sv tcl awk sed el lisp scm rkt cl cob cbl ada adb ads d proto "
    "graphql thrift cmake mk gradle toml yaml yml ini cfg conf properties tf hcl sty cls patch "
    "diff"
)
FORMATS = (
    Format("pdf", N_("PDF"), "pdf", "pdf.reader", SizeClass.PDF, "document", "page",
           PDF_MAGIC, drawn=True, page_bytes=11_000),
    Format("docx", N_("Word document"), "docx docm dotx dotm", "office.docx", SizeClass.PACKAGE,
           "document", "page", ZIP_MAGIC, "word/"),
    Format("doc", N_("Word document (old)"), "doc dot", _CONVERTED, SizeClass.PACKAGE, "document",
           "page", OLE_MAGIC, "WordDocument"),
    Format("odt", N_("OpenDocument text"), "odt ott odm oth fodt", "office.odt",
           SizeClass.PACKAGE, "document", "page", ZIP_MAGIC, f"{_OPEN_DOCUMENT}.text"),
    Format("rtf", N_("Rich text"), "rtf", "office.rtf", SizeClass.TEXT, "document",
           magic=RTF_MAGIC),
    Format("text", N_("Plain text"), "txt text rst adoc asciidoc asc org log textile wiki "
           "mediawiki typ po pot nfo fountain",
           "plain.text", SizeClass.TEXT, "text", page_bytes=3_000),
    Format("markdown", N_("Markdown"), "md markdown mdown mkd qmd rmd mdx", "markup.markdown",
           SizeClass.TEXT, "text", page_bytes=3_000),
    Format("subtitles", N_("Subtitles"), "srt vtt ass ssa sbv lrc sub ttml dfxp smi sami",
           "plain.subtitles", SizeClass.TEXT, "text", page_bytes=3_000),
    Format("chat", N_("Exported chat"), "", "plain.chat", SizeClass.TEXT, "mail"),
    Format("references", N_("References"), "bib ris nbib enw rdf", "plain.references",
           SizeClass.MARKUP, "text"),
    Format("json", N_("Exported records"), "json jsonl ndjson geojson canvas", "plain.records",
           SizeClass.NOTEBOOK, "text"),
    Format("entries", N_("Places, notes or translations"), "kml kmz gpx enex xlf xliff tmx abw fdx",
           "markup.entries", SizeClass.PACKAGE, "text"),
    Format("opml", N_("Outline"), "opml xmind drawio", "markup.opml", SizeClass.MARKUP, "text"),
    Format("cards", N_("Calendar or contacts"), "ics ical vcs vcf vcard", "plain.cards",
           SizeClass.TEXT, "text"),
    Format("tex", N_("TeX"), "tex ltx latex rnw", "markup.tex", SizeClass.MARKUP, "text"),
    Format("html", N_("Web page"), "html htm xhtml webarchive svg", "markup.html",
           SizeClass.MARKUP, "web", page_bytes=12_000),
    Format("epub", N_("E-book"), "epub", "markup.epub", SizeClass.PACKAGE, "book", "",
           ZIP_MAGIC, "application/epub+zip"),
    Format("fb2", N_("FictionBook"), "fb2 fbz", "markup.article", SizeClass.PACKAGE, "book"),
    Format("article", N_("Article in XML"), "nxml tei dbk docbook", "markup.article",
           SizeClass.PACKAGE, "document"),
    Format("iwork", N_("iWork document"), "pages key numbers", "office.iwork", SizeClass.PACKAGE,
           "document", "", ZIP_MAGIC),
    Format("pptx", N_("PowerPoint presentation"), "pptx pptm potx potm ppsx ppsm", "office.pptx",
           SizeClass.PACKAGE, "presentation", "slide", ZIP_MAGIC, "ppt/"),
    Format("visio", N_("Visio drawing"), "vsdx vsdm vstx vssx", "office.visio", SizeClass.PACKAGE,
           "presentation", "page", ZIP_MAGIC, "visio/"),
    Format("ppt", N_("PowerPoint presentation (old)"), "ppt pps pot", _CONVERTED,
           SizeClass.PACKAGE, "presentation", "slide", OLE_MAGIC, "PowerPoint Document"),
    Format("odp", N_("OpenDocument presentation"), "odp otp fodp", "office.odp", SizeClass.PACKAGE,
           "presentation", "slide", ZIP_MAGIC, f"{_OPEN_DOCUMENT}.presentation"),
    Format("odg", N_("OpenDocument drawing"), "odg otg", "office.odp", SizeClass.PACKAGE,
           "presentation", "page", ZIP_MAGIC, f"{_OPEN_DOCUMENT}.graphics"),
    Format("xlsx", N_("Excel workbook"), "xlsx xlsm xltx xltm", "office.xlsx", SizeClass.PACKAGE,
           "spreadsheet", "sheet", ZIP_MAGIC, "xl/"),
    Format("xls", N_("Excel workbook (old)"), "xls xlt", _CONVERTED, SizeClass.PACKAGE,
           "spreadsheet", "sheet", OLE_MAGIC, "Workbook"),
    Format("ods", N_("OpenDocument spreadsheet"), "ods ots fods", "office.ods", SizeClass.PACKAGE,
           "spreadsheet", "sheet", ZIP_MAGIC, f"{_OPEN_DOCUMENT}.spreadsheet"),
    Format("csv", N_("Table of values"), "csv tsv tab", "plain.table", SizeClass.TEXT,
           "spreadsheet"),
    Format("eml", N_("Mail"), "eml emlx mht mhtml", "mail.eml", SizeClass.MESSAGE, "mail"),
    Format("msg", N_("Outlook mail"), "msg oft", "mail.msg", SizeClass.PACKAGE, "mail", "",
           OLE_MAGIC, "__properties_version1.0"),
    Format("mbox", N_("Mailbox"), "mbox mbx", "mail.mbox", SizeClass.MAILBOX, "mail", "message"),
    Format("code", N_("Source code"), _CODE, "plain.code", SizeClass.SOURCE, "code"),
    Format("ipynb", N_("Notebook"), "ipynb", "markup.notebook", SizeClass.NOTEBOOK, "code",
           "cell"),
    Format("image", N_("Image"), "png jpg jpeg jpe jfif tif tiff webp avif bmp gif", "pdf.image",
           SizeClass.IMAGE, "", "page", drawn=True),
    Format("zip", N_("Archive"), "zip maff", "embedded.archive", SizeClass.PACKAGE,
           magic=ZIP_MAGIC),
    Format("tar", N_("Archive"), "tar tgz tbz tbz2 txz gz bz2 xz", "embedded.archive",
           SizeClass.PACKAGE),
)  # fmt: skip
BY_NAME = {known.name: known for known in FORMATS}
BY_EXTENSION = {extension: known for known in FORMATS for extension in known.extensions}
# Web pages that browsers keep as mails.
_SAVED_PAGES = {"mht": "web", "mhtml": "web"}
DRAWN = tuple(known.name for known in FORMATS if known.drawn)
# Extensions of documents that Lectern does not read; it reports them to the person.
FOREIGN_DOCUMENTS = frozenset({
    "7z", "azw", "azw3", "cbr", "cbz", "chm", "djvu", "dvi",
    "gdoc", "heic", "heif", "hwp", "lit", "lyx", "mobi", "odf",
    "one", "opf", "ost", "oxps", "pcl", "prc", "ps", "pst", "pub", "rar", "sdw", "sxw",
    "vsd", "wpd", "wps", "wri", "xlsb", "xml", "xps", "zim", "zst",
})  # fmt: skip


# Not extensions: "2", "15" and "v2" are versions and days, "Smith" is a name, "final" a state.
_NO_EXTENSION = re.compile(r"v?\d+|[A-Z][a-z]{4,}|draft|final|FINAL|1st|first|me|ascii|utf8")
_EXTENSION = re.compile(r"[A-Za-z0-9]{1,10}")


def extension_of(name: str) -> str:
    """Return the extension of a file's name in lower case with its dot.

    "" means that the name has none, even if it has dots; the format is then known from the content.
    """
    head, _, tail = name.rpartition(".")
    extension = f".{tail.lower()}"
    if not head.strip(".") or not _EXTENSION.fullmatch(tail):
        return ""
    if extension not in BY_EXTENSION and _NO_EXTENSION.fullmatch(tail):
        return ""
    return extension


def page_unit(form: str) -> str:
    """Return the unit of a format's pages, "" for formats without pages."""
    return BY_NAME[form].unit if form in BY_NAME else ""


def page_name(unit: str, page: int, label: str) -> str:
    """Return the name of a page by its printed label, if that differs from the number of the sheet.

    >>> page_name("page", 6, "iv"), page_name("page", 6, "")
    ('page iv (sheet 6)', 'page 6')
    """
    return f"{unit} {label} (sheet {page})" if label else f"{unit} {page}"


def endings_of(group: str) -> tuple[str, ...]:
    """Return the extensions, without dots, of the formats of a group."""
    return tuple(
        ending
        for known in FORMATS
        for ending in known.endings.split()
        if _SAVED_PAGES.get(ending, known.group) == group
    )
