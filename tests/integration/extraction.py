"""What the tests of the extraction child share: a document, and how it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil
import pytest

from indexer.api.errors import WorldError
from tests.unit.extract.pdfs import PROSE, box, save, text_at, together

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import DocumentInfo, Passage
    from indexer.extract.process.sandbox import ExtractionChild


class Seen:
    """Says yes to every document, and remembers what it was told."""

    def __init__(self, *, wanted: bool = True) -> None:
        self.wanted = wanted
        self.infos: list[DocumentInfo] = []

    def __call__(self, info: DocumentInfo) -> bool:
        self.infos.append(info)
        return self.wanted


def read(
    child: ExtractionChild, path: Path, password: str | None = None
) -> tuple[DocumentInfo, list[Passage]]:
    seen = Seen()
    passages = [passage for group in child.extract(path, "", password, seen) for passage in group]
    return seen.infos[0], passages


def reader_of(child: ExtractionChild) -> psutil.Process:
    """The process that reads the document in hand: a worker of the child, or the child itself."""
    started = psutil.Process(child.pid)
    return next(iter(started.children()), started)


def code_of(child: ExtractionChild, path: Path, password: str | None = None) -> str:
    with pytest.raises(WorldError) as caught:
        read(child, path, password)
    return caught.value.code


def keepers_tale(folder: Path) -> Path:
    """Save six pages of prose with a running head and page numbers."""

    def draw(n: int) -> Any:
        furniture = text_at((72, 40, "A Keeper's Tale"), (300, 800, str(n)))
        return together(furniture, box(72, 90, 540, 700, f"Night {n * n}. {PROSE}"))

    return save(folder / "tale.pdf", *(draw(n) for n in range(1, 7)))
