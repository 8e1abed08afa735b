"""A library for the person's own Python programs: ``with open_library() as library``.

It is the person's own program, so it sees the whole library, as the command line does. A running
engine is used. Otherwise this process opens one, which commands and the window can use, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from indexer.api.requests import ListDocuments, ReadPassages, Search

if TYPE_CHECKING:
    import os

    from app.engine import LastingEngine
    from indexer.api.answers import Document, TextPassage
    from indexer.api.types import Hit

_AT_A_TIME = 500


def open_library(folder: str | os.PathLike[str] | None = None) -> PythonLibrary:
    """Return a library, which is opened at the first question.

    Args:
        folder: Its folder; by default that of the command ``lectern``.
    """
    from app.cli import library_folder
    from app.cli_common import CommandContext
    from app.engine import open_engine
    from app.settings import Settings

    settings = Settings()
    place = library_folder(None if folder is None else str(folder), settings)
    context = CommandContext(settings, place, offline=False, open_engine=open_engine)
    return PythonLibrary(context.lasting_engine())


@dataclass(frozen=True, slots=True)
class PythonLibrary:
    """An open library. Thread-safe; every method raises ``indexer.api.errors.LecternError``."""

    engine: LastingEngine

    def search(self, query: str, *, collection: str = "", limit: int = 10) -> tuple[Hit, ...]:
        """Find the passages that answer a query in the grammar of ``lectern search``."""
        return self.engine.call(Search(query, limit, within=collection)).hits

    def read(
        self, document: str | os.PathLike[str], *, page: int = 0, start: int = 0, end: int = 0
    ) -> Iterator[TextPassage]:
        """Read a page, a range of characters, or a whole document, passage by passage."""
        path = Path(document)
        while True:
            part = self.engine.call(ReadPassages(path, start, end, page))
            yield from part.passages
            if not (start := part.following):
                return

    def documents(self, filters: str = "", *, collection: str = "") -> Iterator[Document]:
        """List the documents that filters select, such as ``type:pdf after:2024``."""
        offset = 0
        while True:
            request = ListDocuments(filters, collection, offset=offset, limit=_AT_A_TIME)
            found = self.engine.call(request)
            yield from found.documents
            offset += _AT_A_TIME
            if offset >= found.total:
                return

    def close(self) -> None:
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
