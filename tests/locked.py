"""Office files behind a password, locked as their programs do it."""

from __future__ import annotations

import io

import docx
from msoffcrypto.format.ooxml import OOXMLFile


def word(sentence: str) -> bytes:
    """A Word document, not encrypted."""
    document, made = docx.Document(), io.BytesIO()
    document.add_paragraph(sentence)
    document.save(made)
    return made.getvalue()


def locked(content: bytes, password: str) -> bytes:
    """An office file of today, encrypted."""
    made = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(password, made)
    return made.getvalue()
