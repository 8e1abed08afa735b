"""What an engine is opened with: places, the model, how hard to work, and the limits.

Owns the values and their defaults, nothing else: it reads no file and no environment, and knows
no setting's name in the settings file (``app.settings`` maps those to this). Standard library
only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30
MIB = 1 << 20
DEFAULT_MODEL = "all-MiniLM-L6-v2"


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
class DocumentLimits:
    """What one document may cost before its reader is stopped.

    ``seconds`` counts from the request to the last passage, apart from the time the engine keeps
    the reader waiting; ``memory_bytes`` is the resident memory of the child that reads.
    """

    seconds: float = 60.0
    memory_bytes: int = GIB
    file_bytes: int = GIB

    def to_wire(self) -> dict[str, Any]:
        return asdict(self)


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
    threads: int = 0
    children: int = 0
    offline: bool = False
    min_free_bytes: int = 2 * GIB
    limits: DocumentLimits = field(default_factory=DocumentLimits)
    hidden: bool = False
    exclude: tuple[str, ...] = ()  # patterns in gitignore syntax, beside the built-in ones
