"""The configuration of an engine: folders, the model, the speed, and the limits.

It reads no file and no environment, and knows no names of settings (``app.settings`` maps those to
this).
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from indexer.api.formats import FORMATS

GIB = 1 << 30
DEFAULT_MODEL = "lectern-minilm-late"
# The model for libraries in languages that the default does not cover.
LANGUAGES_MODEL = "lectern-e5-late"


class Precision(StrEnum):
    """The number format of the embedding model's weights."""

    INT8 = "int8"
    FP16 = "fp16"
    FP32 = "fp32"


class Limits(Struct, frozen=True):
    """The limits on one document. Sizes in bytes, times in seconds."""

    pdf_bytes: int = 2 * 1024**3
    text_bytes: int = 64 * 1024**2
    markup_bytes: int = 16 * 1024**2  # a parsed tree needs about ten times its source
    source_bytes: int = 8 * 1024**2  # of programs; larger ones are generated
    notebook_bytes: int = 32 * 1024**2  # parsed whole, with pictures
    package_bytes: int = 1024**3  # zip files of XML: pictures and films are not unpacked
    image_bytes: int = 128 * 1024**2  # held in memory while it is rendered
    mailbox_bytes: int = 2 * 1024**3
    message_bytes: int = 256 * 1024**2  # of one mail with all that is attached to it
    unpacked_bytes: int = 512 * 1024**2  # of all that is unpacked for one document
    elements: int = 30_000_000  # of its XML
    tree_nodes: int = 1_000_000  # of its XML held at once: elements and attributes
    characters: int = 64 * 1024**2  # of its text
    silence_s: float = 60.0  # without a sign of progress
    resident_bytes: int = 350 * 1024**2  # of the whole child

    @property
    def by_format(self) -> dict[str, int]:
        """The size beyond which a file is not read, by the format of its name."""
        return {known.name: getattr(self, known.size_class) for known in FORMATS}

    @property
    def largest_bytes(self) -> int:
        """The size beyond which no file is opened."""
        return max(self.by_format.values())


class EngineConfig(Struct, frozen=True):
    """The configuration with which an engine opens a library.

    ``library`` is the folder of one library, ``models`` the folder of compiled models that all
    libraries share. 0 threads or children means a number by the machine. A library of documents and
    questions in languages that ``model`` does not cover switches to ``languages_model``, unless
    that is empty; before the first question, that of the interface counts (ISO 639-1).
    With ``fastest_precision`` a library with vectors keeps their precision, whatever ``precision``
    is, and one without takes that in which passages are embedded fastest here.
    """

    library: Path
    models: Path
    model: str = DEFAULT_MODEL
    languages_model: str = ""
    interface_language: str = ""
    precision: Precision = Precision.INT8
    fastest_precision: bool = False
    query_precision: Precision = Precision.FP32
    provider: str = "auto"  # a key of ``indexer.embed.devices.PROVIDERS``, or "auto"
    threads: int = 0
    children: int = 0
    offline: bool = False
    background: bool = False  # a long-running engine: slows down for the person, waits for disk
    min_free_bytes: int = 2 * GIB
    limits: Limits = field(default_factory=Limits)
    hidden: bool = False
    ocr: bool = True  # recognise text on scanned pages, if Tesseract is installed
    ocr_languages: tuple[str, ...] = ()  # the most likely first; empty: all that are installed
    exclude: tuple[str, ...] = ()  # patterns in gitignore syntax, besides the built-in ones
