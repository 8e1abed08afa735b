"""Files that are either the old ones or the new ones, never half of each.

Owns the writing of small owner-only files; it must not know what is in them. Standard library
only.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_file(path: Path, text: str) -> None:
    """Write a file for its owner's eyes only, all at once.

    Args:
        path: What to write or replace; its folder exists.
        text: The content, written as UTF-8; what is not UTF-8 becomes escapes.

    Raises:
        OSError: If it cannot be written; the old file, if any, is then still there.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
