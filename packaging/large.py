"""Compares the table "What is large" of README.md with a frozen tree.

Its first column names files by the beginning of their names, which may start with ``*`` for any
text, or by a part of their paths, which has a ``/``.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

LARGE = 1_000_000  # bytes
_README = Path(__file__).with_name("README.md")


def unexplained(tree: Path) -> list[str]:
    """Return the large files of a tree that the table does not name, each with its size."""
    section = _README.read_text("utf-8").split("\n## What is large\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (.*?) \|", section, re.MULTILINE)
    names = [name for cell in cells for name in re.findall(r"`(.+?)`", cell)]
    found = []
    for path in sorted(tree.rglob("*")):
        size = 0 if path.is_symlink() or path.is_dir() else path.stat().st_size
        place = path.relative_to(tree).as_posix()
        if size > LARGE and not any(_is_named(place, name) for name in names):
            found.append(f"{place}: {size / 1e6:.1f} MB")
    return found


def _is_named(place: str, name: str) -> bool:
    return name in place if "/" in name else fnmatch(place.rpartition("/")[2], f"{name}*")
