"""Patterns in gitignore syntax, made from files and read from what people type.

Owns the text of patterns. It must not know how they are matched.
"""

from __future__ import annotations

_SPECIAL = "\\*?["


def pattern_for(file: str) -> str:
    r"""The pattern that matches one file only.

    Args:
        file: Its path relative to the root, with forward slashes.

    >>> pattern_for("notes/what? [1].txt")
    '/notes/what\\\\? \\\\[1].txt'
    """
    escaped = "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in file)
    if escaped.endswith(" "):
        escaped = f"{escaped[:-1]}\\ "
    return f"/{escaped}"


def lines_of(text: str) -> list[str]:
    """The patterns of a text, one per line; empty lines are ignored."""
    return [line for line in text.splitlines() if line.strip()]
