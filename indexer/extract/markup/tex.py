"""LaTeX documents: the printed text, with sections, lists, tables, captions and notes.

Owns opening the file and its metadata; ``tex_reader`` interprets commands. Unknown commands are
removed and their arguments kept, as most of them print these. Included files are separate
documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.extract.base import Metadata, PlainSource, RawPage
from indexer.extract.budget import Budget
from indexer.extract.markup.tex_reader import TexReader
from indexer.extract.page_writer import PageWriter
from indexer.extract.plain.decode import MARK, TextFile, open_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKENS_A_STRETCH = 20_000


class TexSource(PlainSource):
    """An open LaTeX document."""

    def __init__(self, file: TextFile, limits: Limits) -> None:
        self._file = file
        self._limits = limits

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        text = "\n".join(self._file.sections()).removeprefix(MARK).replace("\r\n", "\n")
        writer = PageWriter(Budget(self._limits))
        reader = TexReader(text, writer)
        while reader.read(_TOKENS_A_STRETCH):
            yield from writer.completed()
        fields = {name: " ".join(value.split())[:500] for name, value in reader.fields.items()}
        date = _DATE.match(fields.get("date", ""))
        self.metadata = Metadata(
            fields.get("title", ""), fields.get("author", ""), date[0] if date else ""
        )
        yield from writer.finish()


def open_source(path: Path, password: str | None, limits: Limits) -> TexSource:
    """Open a document (``indexer.extract.base.Opener``)."""
    return TexSource(open_text(path, limits.markup_bytes), limits)
