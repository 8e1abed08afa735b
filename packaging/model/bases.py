"""The genuine models that late-chunked ones are made from, and how each is taught.

Owns what differs between them. The recipe is the same, and what it makes is exported in one way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import e5

from indexer.embed.fetch import ensure_source
from indexer.embed.models import MINILM, RECORDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.embed.models import ModelRecord


@dataclass(frozen=True, slots=True)
class Base:
    """One genuine model.

    Attributes:
        texts: The files it is taught with, and the share of each.
        settings: Of a run, where they are not the usual ones.
        centred: Whether the mean of all vectors is taken out at the end (``centre``).
        cosines: Centre and spread of its cosines, and their centre between two passages.
    """

    texts: Mapping[str, float]
    settings: Mapping[str, Any] = field(default_factory=dict)
    multilingual: bool = False
    centred: bool = False
    cosines: tuple[float, float, float] = (0.0, 1.0, 0.0)

    def files(self, folder: Path) -> list[Path]:
        """The files of texts in a folder, in the order of their shares."""
        return [folder / f"{name}.jsonl.xz" for name in self.texts]

    def open(self, work: Path, given: Path | None) -> tuple[ModelRecord, Path]:
        """Its record, and the folder of its files, which are fetched unless they are given."""
        if self.multilingual:
            folder = work / e5.GENUINE
            return e5.make(folder), folder
        record = RECORDS[MINILM]
        places = [given] if given else []
        return record, ensure_source(record, work / "genuine", places=places)


BASES = {
    "minilm": Base({"books": 0.5, "peps": 0.3, "rfcs": 0.2}),
    # Its cosines lie four times closer together; languages are as much as all English. Twelve
    # layers would cost twice what the other's six do; those skipped are among the least missed.
    "e5": Base(
        {"books": 0.25, "languages": 0.5, "peps": 0.15, "rfcs": 0.1},
        {"temperature": 1 / 64, "skipped": (2, 4, 6, 8), "cool": 0.4, "held_tokens": 4096},
        multilingual=True,
        centred=True,
        cosines=(0.32, 0.55, 0.47),
    ),
}
