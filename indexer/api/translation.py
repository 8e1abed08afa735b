"""How texts in tables are marked for the window's translations.

Owns the mark alone: texts are translated where they are shown (``ui.words``). Standard library
only.
"""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802  # gettext's name for it
    """Give the text as it is; ``make translations`` collects what stands in calls of this name."""
    return text
