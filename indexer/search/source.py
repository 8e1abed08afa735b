"""Resolves a reference to a document, a page or a range of text.

Owns its forms: a path or the end of one, ``path#page=N``, ``path#start-end``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.api.requests import Order
from indexer.catalog.coverage import CoverageFilter
from indexer.store.values import key_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.api.types import FileRow
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow
    from indexer.store.store import Store

    Keys = NDArray[np.int64]

_PLACE = re.compile(r"(?P<path>.+?)(?:#page=(?P<page>\d+)|#(?P<start>\d+)-(?P<end>\d+))?")


@dataclass(frozen=True, slots=True)
class SourcePassages:
    """A document, and the passages of it that are referred to; all of them if ``whole``."""

    doc: DocRow
    keys: Keys
    whole: bool


def find_source(catalog: Catalog, store: Store, text: str) -> SourcePassages:
    """Find the file by its path or by the end of it, and the passages of the given part.

    Raises:
        WorldError: ``not_a_root``, if the library has no such file; ``not_indexed``, if
            nothing of it could be read.
    """
    doc, rest = _document(catalog, text)
    keys = np.array([key_of(doc.doc, ordinal) for ordinal in range(doc.passages)], np.int64)
    if rest is None:
        return SourcePassages(doc, keys, whole=True)
    columns = ("page_first", "page_last", "char_start", "char_end")
    rows = store.passages_of(keys, columns)
    first, last, low, high = (
        (rest[0], rest[0], "page_first", "page_last")
        if len(rest) == 1
        else (rest[0], rest[1] - 1, "char_start", "char_end")
    )
    # A page number is inclusive, the end of a range exclusive.
    ends = 0 if len(rest) == 1 else 1
    meant = [k for k, row in rows.items() if row[low] <= last and row[high] - ends >= first]
    return SourcePassages(doc, np.array(sorted(meant), np.int64), whole=False)


def _document(catalog: Catalog, text: str) -> tuple[DocRow, tuple[int, ...] | None]:
    """The document, and the page or range behind its name."""
    candidates: list[tuple[str, tuple[int, ...] | None]] = [(text, None)]
    if match := _PLACE.fullmatch(text):
        numbers = tuple(int(n) for n in (match["page"], match["start"], match["end"]) if n)
        # "#…" may also be part of the file's name.
        candidates.append((match["path"], numbers or None))
    for path, rest in candidates:
        known = catalog.coverage.document(Path(path).expanduser()) or _by_end(catalog, path)
        if known is not None:
            if known[2] is None or not known[2].passages:
                raise WorldError("not_indexed", path=path)
            return known[2], rest
    raise WorldError("not_a_root", path=text)


def _by_end(catalog: Catalog, path: str) -> tuple[FileRow, str, DocRow | None] | None:
    """The first file whose path ends with these components."""
    end = path.replace(os.sep, "/").strip("/").casefold()
    if not end:
        return None
    for row in catalog.coverage.page(CoverageFilter(text=end), Order.PATH, 0, 100):
        whole = "/" + row.path.replace(os.sep, "/").casefold()
        if whole.endswith("/" + end):
            return catalog.coverage.document(row.path)
    return None
