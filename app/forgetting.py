"""Deleting all that Lectern has made of a person's documents, once its window is gone.

Owns what "everything" is: the library, what the window keeps, and the log. Settings and models
stay, and so do the documents.
"""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

from app import logs, paths
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

# The engine that was just ended may still be letting go of the library.
PATIENCE_S = 10.0
RETRY_S = 0.2


def forget_everything(library: Path) -> None:
    """Delete the library, the window's memory and the log.

    Raises:
        WorldError: ``library_locked`` if another program keeps the library open,
            ``library_unwritable`` if the system does not let us.
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
