"""What the formats of documents are called.

Owns the labels of the engine's formats; a format that is not here goes by its extension.
"""

from __future__ import annotations

from ui.words.mark import QT_TRANSLATE_NOOP, say

_KINDS = {
    "pdf": QT_TRANSLATE_NOOP("Words", "PDF"),
    "html": QT_TRANSLATE_NOOP("Words", "Web page"),
    "markdown": QT_TRANSLATE_NOOP("Words", "Markdown"),
    "text": QT_TRANSLATE_NOOP("Words", "Plain text"),
    "code": QT_TRANSLATE_NOOP("Words", "Source code"),
    "csv": QT_TRANSLATE_NOOP("Words", "Table of values"),
    "docx": QT_TRANSLATE_NOOP("Words", "Word document"),
    "doc": QT_TRANSLATE_NOOP("Words", "Word document (old)"),
    "pptx": QT_TRANSLATE_NOOP("Words", "PowerPoint presentation"),
    "ppt": QT_TRANSLATE_NOOP("Words", "PowerPoint presentation (old)"),
    "xlsx": QT_TRANSLATE_NOOP("Words", "Excel workbook"),
    "xls": QT_TRANSLATE_NOOP("Words", "Excel workbook (old)"),
    "odt": QT_TRANSLATE_NOOP("Words", "OpenDocument text"),
    "odp": QT_TRANSLATE_NOOP("Words", "OpenDocument presentation"),
    "ods": QT_TRANSLATE_NOOP("Words", "OpenDocument spreadsheet"),
    "rtf": QT_TRANSLATE_NOOP("Words", "Rich text"),
    "epub": QT_TRANSLATE_NOOP("Words", "E-book"),
    "eml": QT_TRANSLATE_NOOP("Words", "Mail"),
    "mbox": QT_TRANSLATE_NOOP("Words", "Mailbox"),
    "msg": QT_TRANSLATE_NOOP("Words", "Outlook mail"),
    "zip": QT_TRANSLATE_NOOP("Words", "Archive"),
    "tar": QT_TRANSLATE_NOOP("Words", "Archive"),
    "image": QT_TRANSLATE_NOOP("Words", "Image"),
    "ipynb": QT_TRANSLATE_NOOP("Words", "Notebook"),
    "tex": QT_TRANSLATE_NOOP("Words", "TeX"),
}


def kind(name: str) -> str:
    """The label of a format."""
    known = _KINDS.get(name)
    return say(known) if known else name.upper()
