"""The arguments with which a window is started: words of a query, and what is to be opened.

Owns how a path is told from a query. It must not know the window.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence


def query_and_paths(given: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Split arguments into the words of a query and the paths to open.

    A path is absolute or a ``file:`` address, as file managers pass it, and exists; everything
    else belongs to the query.
    """
    paths = [_path_of(argument) for argument in given]
    words = [argument for argument, path in zip(given, paths, strict=True) if not path]
    return " ".join(words), tuple(filter(None, paths))


def _path_of(argument: str) -> str:
    """Return the existing path that an argument names; "" if it names none."""
    path = argument
    if argument.startswith("file:"):
        from urllib.request import url2pathname

        try:
            address = urlsplit(argument)
        except ValueError:
            return ""
        path = url2pathname(address.path) if address.netloc in {"", "localhost"} else ""
    # The system refuses NUL bytes with an error of another kind.
    if "\0" in path or not Path(path).is_absolute() or not os.path.lexists(path):
        return ""
    return os.path.normpath(path)
