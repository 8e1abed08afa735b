"""Passages of a set as the model will read them, before anything is indexed.

It chooses a sample, and reads it by the extraction child of indexing. It must not know what the
sample is for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.config import Limits
from indexer.embed.batches import EmbedInput
from indexer.extract.process.sandbox import ExtractionChild
from indexer.search.calibration import thinned

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import DocumentInfo

# The most documents that are read for a sample; of more, an evenly spaced selection is read.
DOCUMENTS = 10


def sample(corpus: Path, count: int) -> list[EmbedInput]:
    """At most ``count`` passages in order, evenly spaced in an even selection of documents."""
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    found: list[EmbedInput] = []
    with ExtractionChild(Limits()) as child:
        for file in thinned(files, DOCUMENTS):
            found.extend(_read(child, file))
    return thinned(found, count)


def _read(child: ExtractionChild, file: Path) -> list[EmbedInput]:
    titles: list[str] = []

    def decide(info: DocumentInfo) -> bool:
        titles.append(info.title)
        return True

    return [
        EmbedInput(titles[-1], passage.heading_path, passage.view, passage.view_starts)
        for group in child.extract(file, "", None, decide)
        for passage in group
    ]
