"""Measures, removes and moves the folder of a library.

No engine may have the library open. This module knows the names of a library's files, but not their
contents, and never touches other files in the folder.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from pathlib import Path

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.private_files import (
    COPY_NAME,
    HOLDER_NAME,
    LOCK_NAME,
    LibraryLock,
    bytes_under,
    check_room,
    is_copy,
    library_errors,
)
from indexer.catalog import schema
from indexer.catalog.choices import CHOICES_NAME, save_copy
from indexer.database import Layout, remove_database, version_of
from indexer.library.crashes import MARK_NAME
from indexer.ocr.cache import FILE_NAME, SIDE_NAME
from indexer.store import texts, vectors
from indexer.store.texts import TEXTS_NAME
from indexer.store.vectors import VECTORS_PREFIX, vector_files
from indexer.store.words import WORDS
from indexer.vault.convert import compare_folders, copy_folder
from indexer.vault.place import LOG, TEMPORARY, WINDOW

CATALOG_NAME = "catalog.sqlite"
# Words and vectors, which are derived from the texts.
INDEX_NAME = "index"
_OLDER_INDEX = "lance"  # the name before layout 17 of the catalog
# The catalog is deleted first. Without it the folder is not a library any more.
_OURS = (
    CATALOG_NAME,
    f"{CATALOG_NAME}-wal",
    f"{CATALOG_NAME}-shm",
    INDEX_NAME,
    _OLDER_INDEX,
    TEXTS_NAME,
    f"{TEXTS_NAME}-wal",
    f"{TEXTS_NAME}-shm",
    FILE_NAME,
    SIDE_NAME,
    "engine.json",
    HOLDER_NAME,
    MARK_NAME,
    COPY_NAME,
    CHOICES_NAME,
)


def shared_files(library: Path) -> list[Path]:
    """Return the files to copy to another machine, without those of an open engine."""
    own = {"engine.json", HOLDER_NAME, MARK_NAME, COPY_NAME}
    found: list[Path] = []
    for name in sorted(set(_OURS) - own):
        path = library / name
        found += sorted(path.rglob("*")) if path.is_dir() else [path]
    return [path for path in found if path.is_file() and not path.name.endswith(("-wal", "-shm"))]


def clear_older(library: Path) -> None:
    """Delete the contents of a library of an earlier layout, so that its documents are read again.

    The person's choices and the text of recognised pages are kept. Raises ``library_newer``,
    ``library_damaged``, ``library_unwritable`` or ``disk_full``.
    """
    catalog = library / CATALOG_NAME
    older = [_is_older(catalog, schema.LAYOUT), _is_older(library / TEXTS_NAME, texts.LAYOUT)]
    older += [_is_older(path, vectors.LAYOUT) for path in vector_files(library / INDEX_NAME)]
    if not any(older):
        return
    with library_errors(library):
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(catalog)) as old,
        ):
            save_copy(old, library / CHOICES_NAME, rebuilding=True)
        faults.reached("older-saved")
        for name in (INDEX_NAME, _OLDER_INDEX):
            if (library / name).exists():
                shutil.rmtree(library / name)
        remove_database(library / TEXTS_NAME)
        faults.reached("older-cleared")
        remove_database(catalog)  # last, since it shows that the library has an earlier layout


def _is_older(path: Path, layout: Layout) -> bool:
    found = version_of(path, layout) or layout.version
    if found > layout.version:
        library = str(path.parent)
        raise WorldError("library_newer", library=library, found=found, known=layout.version)
    return found < layout.version


def exists(library: Path) -> bool:
    """Whether there is a library. Raises ``path_denied`` if the system denies access."""
    for name in (CATALOG_NAME, INDEX_NAME):
        try:
            (library / name).stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:  # also raised for a link that leads to itself
            raise WorldError("path_denied", path=str(library)) from error
        return True
    return False


def has_other_files(library: Path) -> bool:
    """Whether a folder has files that do not belong to a library; hidden files do not count."""
    known = {*_OURS, LOCK_NAME, "lost+found", WINDOW, LOG, TEMPORARY}
    try:
        return any(not (each.name in known or each.name[0] == ".") for each in library.iterdir())
    except OSError:
        return False


def is_writable(library: Path) -> bool:
    """Whether a library is not a copy, and the system permits writing to it or creating it."""
    if is_copy(library):
        return False
    parts = [
        library,
        *(library / name for name in (LOCK_NAME, CATALOG_NAME, TEXTS_NAME, INDEX_NAME)),
    ]
    return all(os.access(part, os.W_OK) for part in parts if part.exists())


def remove_everything(library: Path) -> int:
    """Delete a library. The person's documents stay untouched.

    Returns the bytes that were freed. Raises ``library_locked`` while an engine has it open,
    ``library_unwritable`` if the file system refuses.
    """
    if not library.is_dir() or not _is_ours(library):
        return 0
    with LibraryLock.acquire(library, "lectern remove"), library_errors(library):
        before = bytes_under(library)
        for path in (library / name for name in _OURS):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        (library / LOCK_NAME).unlink()
    freed = before - bytes_under(library)
    with contextlib.suppress(OSError):  # not empty: it has other files
        library.rmdir()
    return freed


def _is_ours(library: Path) -> bool:
    """Whether a folder is a library, and does not just have files of the same names."""
    if (library / CATALOG_NAME).exists():
        return True
    try:
        found = list((library / INDEX_NAME).iterdir())
    except OSError:
        return not (library / INDEX_NAME).exists()
    return all(path.name == WORDS or path.name.startswith(VECTORS_PREFIX) for path in found)


def move(library: Path, destination: Path) -> None:
    """Move a library to a place that does not exist yet, or is an empty folder.

    Across file systems it is copied and then deleted, so that a failure leaves the old library
    complete. Raises ``path_missing`` without a library, ``not_empty``, ``disk_full``,
    ``library_locked`` or ``library_unwritable``.
    """
    if not exists(library):
        raise WorldError("path_missing", path=str(library))
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise WorldError("not_empty", path=str(destination))
    # Windows does not move a folder that has an open file, so the lock is released first.
    LibraryLock.acquire(library, "lectern move-library").release()
    try:
        destination.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if destination.exists():
            destination.rmdir()
        library.rename(destination)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise WorldError("library_unwritable", library=str(destination)) from error
        _copy(library, destination)
        remove_everything(library)


def _copy(library: Path, destination: Path) -> None:
    check_room(bytes_under(library), destination.parent)
    part = destination.with_name(f"{destination.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        copy_folder(library, part)
        compare_folders(library, part)
        part.rename(destination)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise WorldError("library_unwritable", library=str(destination)) from error
