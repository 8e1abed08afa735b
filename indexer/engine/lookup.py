"""Requests on one path: its document, another try, a password. Files are not opened here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.answers import Document
from indexer.api.errors import WorldError
from indexer.api.types import FileState

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.pipeline.reading import PasswordsByPath


def describe_document(catalog: Catalog, path: Path) -> Document:
    """Return one file and its document. Raises ``not_a_root``, if the library has no such file."""
    known = catalog.coverage.document(path)
    if known is None:
        raise WorldError("not_a_root", path=str(path))
    row, form, doc = known
    return Document(
        path=row.path,
        root=row.root,
        file=row.file,
        title=(doc.title if doc else "") or row.file.rpartition("/")[2],
        author=doc.author if doc else "",
        created=doc.created if doc else "",
        language=doc.language if doc else "",
        pages=row.pages or (doc.pages if doc else 0),
        format=form,
        size=row.size,
        mtime_ns=row.mtime_ns,
        state=row.state,
        code=row.code,
        bad_pages=row.bad_pages,
    )


# The states in which reading may succeed if it is tried again.
FAILED = (FileState.FAILED, FileState.UNREADABLE)


def retry_files(catalog: Catalog, paths: Sequence[Path]) -> int:
    """Queue single files, what failed under folders, or, without paths, all that failed.

    Returns how many files are queued. Raises ``not_a_root``, if the library has nothing at a path;
    nothing is queued then.
    """
    if not paths:
        return catalog.queue.retry(states=FAILED)
    chosen: list[int] = []
    for path in paths:
        known = catalog.files.at(path)
        if known is not None:
            chosen.append(known[0])
        elif catalog.coverage.holds(path):
            chosen += catalog.coverage.under(path, FAILED)
        else:
            raise WorldError("not_a_root", path=str(path))
    return catalog.queue.retry(files=chosen)


def unlock_document(catalog: Catalog, passwords: PasswordsByPath, path: Path, password: str) -> int:
    """Queue a protected file and its copies, to be opened with a password.

    Raises ``not_a_root``, if the library has no such file.
    """
    known = catalog.files.at(path)
    if known is None:
        raise WorldError("not_a_root", path=str(path))
    # A copy read without the password would fail, and the failure would be shared.
    copies = {known[0], *catalog.queue.copies(known[0])}
    for row in catalog.files.get(copies).values():
        passwords.set_password(row.path, password)
    return catalog.queue.retry(files=copies)
