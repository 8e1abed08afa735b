"""Paths with ``~`` for the home folder."""

from __future__ import annotations

from pathlib import Path


def from_home(path: str) -> str:
    """Replace the home folder at the beginning of a path by ``~``."""
    inside, home = Path(path), Path.home()
    below = inside != home and inside.is_relative_to(home)
    return str(Path("~") / inside.relative_to(home)) if below else path
