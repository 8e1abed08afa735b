"""Requests on one path: its document, and the sentences of a range.

Read-only; it must not search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.api.answers import Document
from indexer.api.errors import WorldError
from indexer.store.values import key_of

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import FileRow, Span
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow
    from indexer.store.store import Store


def describe_document(catalog: Catalog, path: Path) -> Document:
    """Return one file and its document.

    Raises:
        WorldError: ``not_a_root``, if the library has no such file.
    """
    row, form, doc = _known(catalog, path)
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


def sentences(catalog: Catalog, store: Store, path: Path, start: int, end: int) -> tuple[Span, ...]:
    """Find the sentences of a file's passages that overlap a range of its canonical text.

    Raises:
        WorldError: ``not_a_root``, if the library has no such file.
    """
    _, _, doc = _known(catalog, path)
    if doc is None:
        return ()
    keys = np.array([key_of(doc.doc, ordinal) for ordinal in range(doc.passages)], np.int64)
    places = store.passages_of(keys, ("char_start", "char_end"))
    overlapping = [
        key
        for key in keys.tolist()
        if key in places and places[key]["char_start"] < end and places[key]["char_end"] > start
    ]
    found = store.passages_of(
        np.array(overlapping, np.int64), ("char_start", "char_end", "text_starts")
    )
    spans: list[Span] = []
    for key in overlapping:
        passage = found[key]
        first = passage["char_start"]
        starts = [first + at for at in passage["text_starts"]]
        spans += zip(starts, [*starts[1:], passage["char_end"]], strict=True)
    return tuple(spans)


def _known(catalog: Catalog, path: Path) -> tuple[FileRow, str, DocRow | None]:
    known = catalog.coverage.document(path)
    if known is None:
        raise WorldError("not_a_root", path=str(path))
    return known
