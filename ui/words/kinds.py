"""What the formats of documents are called.

Owns the labels of the engine's formats; a format that is not here goes by its extension.
"""

from __future__ import annotations

from indexer.api.translation import N_
from ui.words.translate import say

_KINDS = {
    "pdf": N_("PDF"),
    "html": N_("Web page"),
    "markdown": N_("Markdown"),
    "text": N_("Plain text"),
    "code": N_("Source code"),
    "csv": N_("Table of values"),
    "docx": N_("Word document"),
    "doc": N_("Word document (old)"),
    "pptx": N_("PowerPoint presentation"),
    "ppt": N_("PowerPoint presentation (old)"),
    "xlsx": N_("Excel workbook"),
    "xls": N_("Excel workbook (old)"),
    "odt": N_("OpenDocument text"),
    "odp": N_("OpenDocument presentation"),
    "ods": N_("OpenDocument spreadsheet"),
    "rtf": N_("Rich text"),
    "epub": N_("E-book"),
    "eml": N_("Mail"),
    "mbox": N_("Mailbox"),
    "msg": N_("Outlook mail"),
    "zip": N_("Archive"),
    "tar": N_("Archive"),
    "image": N_("Image"),
    "ipynb": N_("Notebook"),
    "tex": N_("TeX"),
}


def kind(name: str) -> str:
    """The label of a format."""
    known = _KINDS.get(name)
    return say(known) if known else name.upper()
