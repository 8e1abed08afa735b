"""The open documents of the render child.

Owns how many stay open, and reopening a file that changed.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from indexer.catalog.stamps import Stamp
from indexer.config import Limits
from indexer.extract.registry import identify
from indexer.ocr.cache_file import FILE_NAME
from indexer.ocr.recognised_pages import RecognisedPages
from indexer.render.text import TextDocument

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.api.pages import DocumentSource
    from indexer.render.pdf import PdfPages

MAX_OPEN = 4
NOTHING = RecognisedPages()
# Renders pages; imported at the first such request, since it loads a library.
DRAWS = "indexer.render.pdf"


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """An open document and the state of its file when it was opened."""

    document: PdfPages | TextDocument
    stamp: Stamp
    password: str | None
    recognised: RecognisedPages


class OpenDocuments:
    """Opens documents and keeps the last ``MAX_OPEN``.

    Args:
        limits: On the memory and size of a document.
        recognised: Returns the recognised pages of a file.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        recognised: Callable[[Path, Stamp], RecognisedPages] = lambda _path, _stamp: NOTHING,
    ) -> None:
        self._limits = limits or Limits()
        self._recognised = recognised
        self._open: OrderedDict[Path, OpenDocument] = OrderedDict()

    def get(self, source: DocumentSource) -> OpenDocument:
        """Return a document, opened again if its file, password or recognised pages changed.

        Raises:
            WorldError: If it cannot be opened.
            OSError: If the file cannot be read.
        """
        path = source.path
        stamp = Stamp.from_status(path.stat())
        known = self._recognised(path, stamp)
        opened = self._open.get(path)
        if opened is not None and (opened.stamp, opened.password, opened.recognised) != (
            stamp, source.password, known
        ):  # fmt: skip
            self.close(path)
            opened = None
        if opened is None:
            opened = OpenDocument(self._load(source, known), stamp, source.password, known)
            self._open[path] = opened
            while len(self._open) > MAX_OPEN:
                self._open.popitem(last=False)[1].document.close()
        self._open.move_to_end(path)
        return opened

    def close(self, path: Path) -> None:
        if (opened := self._open.pop(path, None)) is not None:
            opened.document.close()

    def close_all(self) -> None:
        for path in list(self._open):
            self.close(path)

    def _load(self, source: DocumentSource, recognised: RecognisedPages) -> PdfPages | TextDocument:
        path, password = source.path, source.password
        known = identify(path, source.format)
        if not known.drawn:
            return TextDocument(path, known, password, self._limits)
        pages = cast("type[PdfPages]", importlib.import_module(DRAWS).PdfPages)
        return pages(path, password, self._limits, recognised)


class RecognitionLookup:
    """Looks up the recognised pages of files in a library; cached until the library's file changes.

    Args:
        library: Its folder; None for no recognised pages.
    """

    def __init__(self, library: Path | None) -> None:
        self._library = library
        self._kept: dict[tuple[Path, Stamp], tuple[Stamp | None, RecognisedPages]] = {}

    def pages(self, path: Path, stamp: Stamp) -> RecognisedPages:
        """Return the recognised pages of the current bytes of a file."""
        if self._library is None:
            return NOTHING
        cache = _stamp_if_there(self._library / FILE_NAME)
        kept, pages = self._kept.get((path, stamp), (None, NOTHING))
        if cache is None or kept != cache:
            pages = RecognisedPages.load(self._library, stamp.size, lambda: _hash(path))
            while len(self._kept) >= MAX_OPEN:
                del self._kept[next(iter(self._kept))]
            self._kept[path, stamp] = cache, pages
        return pages


def _stamp_if_there(path: Path) -> Stamp | None:
    try:
        return Stamp.from_status(path.stat())
    except OSError:
        return None


def _hash(path: Path) -> str:
    """Return the SHA-256 of a file, which is its ``indexer.files.hashing.content_id``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
