"""Deletes all that Lectern made from a person's documents, after its window has closed.

That is the library, what the window stores, and the log. Settings, models and documents stay.
"""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from app import logs, paths
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

# Seconds to wait for the engine, which was just ended, to release the library.
PATIENCE_S = 10.0
RETRY_S = 0.2


def forget_everything(library: Path) -> None:
    """Delete the library, what the window stores and the log.

    Raises:
        WorldError: ``library_locked`` if another program keeps the library open,
            ``library_unwritable`` if the system denies it.
    """
    _remove_library(library)
    shutil.rmtree(paths.window_folder(), ignore_errors=True)
    logs.remove()


def _remove_library(library: Path) -> None:
    from indexer.library.library import remove_everything

    ends = time.monotonic() + PATIENCE_S
    while True:
        try:
            remove_everything(library)
        except WorldError as error:
            if error.code != "library_locked" or time.monotonic() > ends:
                raise
            time.sleep(RETRY_S)
        else:
            return
