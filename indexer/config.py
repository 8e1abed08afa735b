"""What an engine is opened with: places, the model, how hard to work, and the limits.

Owns the values and their defaults, nothing else: it reads no file and no environment, and knows
no setting's name in the settings file (``app.settings`` maps those to this). Standard library
only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from indexer.extract.base import Limits

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30
DEFAULT_MODEL = "lectern-minilm-late"


class Precision(StrEnum):
    """How the weights of the embedding model are held."""

    INT8 = "int8"
    FP32 = "fp32"


class SentenceVectors(StrEnum):
    """How the vectors of single sentences are kept beside those of passages."""

    NONE = "none"
    INT8 = "int8"
    FP16 = "fp16"


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Everything an engine needs to know to open a library.

    ``library`` is the folder of one library, ``models`` the folder of compiled models that all
    libraries share. 0 threads or children means: as many as suit this machine.
    """

    library: Path
    models: Path
    model: str = DEFAULT_MODEL
    precision: Precision = Precision.INT8
    query_precision: Precision = Precision.FP32
    sentence_vectors: SentenceVectors = SentenceVectors.INT8
    provider: str = "auto"  # a key of ``indexer.embed.devices.PROVIDERS``, or "auto"
    threads: int = 0
    children: int = 0
    offline: bool = False
    background: bool = False  # serves for long: gives way to the person, waits for disk space
    min_free_bytes: int = 2 * GIB
    limits: Limits = field(default_factory=Limits)
    hidden: bool = False
    ocr: bool = True  # recognise text on scanned pages, where the program for it is installed
    ocr_languages: tuple[str, ...] = ()  # the likeliest first; none: those that are installed
    exclude: tuple[str, ...] = ()  # patterns in gitignore syntax, beside the built-in ones
