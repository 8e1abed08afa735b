"""Patterns in gitignore syntax as text. It must not know how they are matched."""

from __future__ import annotations

_SPECIAL = "\\*?["


def pattern_for(file: str) -> str:
    r"""Return the pattern that matches one file only.

    Args:
        file: Its path relative to the root, with forward slashes.

    >>> pattern_for("notes/what? [1].txt")
    '/notes/what\\? \\[1].txt'
    """
    escaped = "".join(f"\\{sign}" if sign in _SPECIAL else sign for sign in file)
    if escaped.endswith(" "):
        escaped = f"{escaped[:-1]}\\ "
    return f"/{escaped}"


def lines_of(text: str) -> list[str]:
    """Return the patterns of a text, one per line without the empty ones."""
    return [line for line in text.splitlines() if line.strip()]
