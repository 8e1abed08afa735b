"""What an engine is opened with: places, the model, how hard to work, and the limits.

Owns the values and their defaults, nothing else: it reads no file and no environment, and knows
no setting's name in the settings file (``app.settings`` maps those to this). Standard library
only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from indexer.api.formats import FORMATS, SizeClass

if TYPE_CHECKING:
    from pathlib import Path

GIB = 1 << 30
DEFAULT_MODEL = "lectern-minilm-late"
# For libraries in other languages than that one reads.
LANGUAGES_MODEL = "lectern-e5-late"


class Precision(StrEnum):
    """How the weights of the embedding model are held."""

    INT8 = "int8"
    FP32 = "fp32"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost. Sizes in bytes, times in seconds."""

    pdf_bytes: int = 2 * 1024**3
    text_bytes: int = 64 * 1024**2
    markup_bytes: int = 16 * 1024**2  # a parsed tree needs about ten times its source
    source_bytes: int = 8 * 1024**2  # of programs; larger ones were written by programs
    notebook_bytes: int = 32 * 1024**2  # parsed whole, pictures and all
    package_bytes: int = 1024**3  # zip files of XML: pictures and films are never unpacked
    image_bytes: int = 128 * 1024**2  # held whole while it is drawn
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
        """The size past which a file is not read, by the format its name promises."""
        sizes = {
            SizeClass.PDF: self.pdf_bytes,
            SizeClass.TEXT: self.text_bytes,
            SizeClass.MARKUP: self.markup_bytes,
            SizeClass.SOURCE: self.source_bytes,
            SizeClass.NOTEBOOK: self.notebook_bytes,
            SizeClass.PACKAGE: self.package_bytes,
            SizeClass.MESSAGE: self.message_bytes,
            SizeClass.MAILBOX: self.mailbox_bytes,
            SizeClass.IMAGE: self.image_bytes,
        }
        return {known.name: sizes[known.size_class] for known in FORMATS}

    @property
    def largest_bytes(self) -> int:
        """The size past which no file is opened, whatever it is."""
        return max(self.by_format.values())


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """Everything an engine needs to know to open a library.

    ``library`` is the folder of one library, ``models`` the folder of compiled models that all
    libraries share. 0 threads or children means: as many as suit this machine. A library of
    documents in other languages than ``model`` reads changes over to ``languages_model``; where
    that is empty, ``model`` is what was asked for.
    """

    library: Path
    models: Path
    model: str = DEFAULT_MODEL
    languages_model: str = ""
    precision: Precision = Precision.INT8
    query_precision: Precision = Precision.FP32
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
