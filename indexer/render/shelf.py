"""The documents that are open because someone looks at them.

Owns how many stay open, and that a file which changed is opened again. Runs in the render child.
"""

from __future__ import annotations

import hashlib
import importlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from indexer.extract.base import Limits
from indexer.extract.registry import identify
from indexer.ocr.reading import RecognisedPages
from indexer.render.text import TextDocument

if TYPE_CHECKING:
    from indexer.render.pdf import PdfPages

OPEN_DOCUMENTS = 4
# Formats with pages of their own to show, and the module that shows them; only it loads a library.
_PAGED = {"pdf": "indexer.render.pdf"}


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes when a file does: size, time of change in nanoseconds, identity."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        status = path.stat()
        return cls(status.st_size, status.st_mtime_ns, status.st_ino)

    def __str__(self) -> str:
        return f"{self.size}-{self.mtime_ns}-{self.inode}"


@dataclass(frozen=True, slots=True)
class Opened:
    """An open document and the state of its file when it was opened."""

    document: PdfPages | TextDocument
    stamp: Stamp
    password: str | None


class Shelf:
    """Opens documents and keeps the last few.

    Args:
        limits: What one may cost.
        library: The folder of the library that knows what was recognised on scanned pages.
    """

    def __init__(self, limits: Limits | None = None, library: Path | None = None) -> None:
        self._limits = limits or Limits()
        self._library = library
        self._open: OrderedDict[str, Opened] = OrderedDict()

    def get(self, path: str, form: str = "", password: str | None = None) -> Opened:
        """Return an open document as its file is now.

        Args:
            path: The file.
            form: Its format's name if it is known, else "".
            password: To open it with.

        Raises:
            WorldError: If it cannot be opened.
            OSError: If the file cannot be read.
        """
        stamp = Stamp.of(Path(path))
        opened = self._open.get(path)
        if opened is not None and (opened.stamp != stamp or opened.password != password):
            self.close(path)
            opened = None
        if opened is None:
            opened = Opened(self._load(Path(path), form, password), stamp, password)
            self._open[path] = opened
            while len(self._open) > OPEN_DOCUMENTS:
                self._open.popitem(last=False)[1].document.close()
        self._open.move_to_end(path)
        return opened

    def close(self, path: str) -> None:
        if (opened := self._open.pop(path, None)) is not None:
            opened.document.close()

    def close_all(self) -> None:
        for path in list(self._open):
            self.close(path)

    def _load(self, path: Path, form: str, password: str | None) -> PdfPages | TextDocument:
        known = identify(path, form)
        if (module := _PAGED.get(known.name)) is None:
            return TextDocument(path, known, password, self._limits)
        pages = cast("type[PdfPages]", importlib.import_module(module).PdfPages)
        recognised = RecognisedPages(self._library, path.stat().st_size, lambda: _hash(path))
        return pages(path, password, self._limits, recognised)


def _hash(path: Path) -> str:
    """Return the hash of a file's bytes, as ``indexer.hashing.content_id`` does."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
