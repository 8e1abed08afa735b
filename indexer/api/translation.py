"""Marks texts in tables for translation; they are translated when shown (``ui.words``)."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802  # gettext's name for it
    """Return the text unchanged; ``make translations`` collects the arguments of these calls."""
    return text
