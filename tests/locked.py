"""Office files that other libraries have written, and the same behind a password."""

from __future__ import annotations

import io

import docx
import openpyxl
from msoffcrypto.format.ooxml import OOXMLFile


def word(sentence: str) -> bytes:
    """A Word document, not encrypted."""
    document, made = docx.Document(), io.BytesIO()
    document.add_paragraph(sentence)
    document.save(made)
    return made.getvalue()


def workbook(sentence: str) -> bytes:
    """A workbook of Excel, not encrypted."""
    document, made = openpyxl.Workbook(), io.BytesIO()
    document.worksheets[0]["B2"] = sentence
    document.save(made)
    return made.getvalue()


def locked(content: bytes, password: str) -> bytes:
    """An office file of today, encrypted."""
    made = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(password, made)
    return made.getvalue()
