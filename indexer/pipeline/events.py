"""Messages from readers and the model to the indexing thread. Two of them expect a reply."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct, field

if TYPE_CHECKING:
    from indexer.api.errors import LecternError
    from indexer.api.types import DocumentInfo, Passage
    from indexer.catalog.records import QueuedFile
    from indexer.files.walk import ContentHash
    from indexer.store.values import VectorRows


class FileHashed(Struct, frozen=True):
    """A file was hashed; the reply is whether to extract it."""

    job: QueuedFile
    content: ContentHash
    reply: Future[bool] = field(default_factory=Future)


class PagesWithoutText(Struct, frozen=True):
    """Pages of a document with content but no text, which are candidates for recognition."""

    job: QueuedFile
    content: ContentHash
    pages: Sequence[int]


class TextExtracted(Struct, frozen=True):
    """The text of a document was extracted; the reply is whether to send its passages."""

    job: QueuedFile
    content: ContentHash
    info: DocumentInfo
    reply: Future[bool] = field(default_factory=Future)


class PassagesCut(Struct, frozen=True):
    """Some passages of a document, in order."""

    job: QueuedFile
    passages: Sequence[Passage]


class FileFinished(Struct, frozen=True):
    """The reader has finished a file; ``failure`` says why it ended early."""

    job: QueuedFile
    content: ContentHash | None = None  # None if the file could not be hashed
    failure: LecternError | None = None


class Embedded(Struct, frozen=True):
    """Vectors of some passages or names, and the number of tokens read for them.

    The keys of names are negative, see ``indexer.pipeline.vectors.NameFeed``.
    """

    rows: VectorRows
    tokens: int


class EmbeddingFailed(Struct, frozen=True):
    """The model failed; the run ends with this error."""

    failure: Exception


Event: TypeAlias = (
    FileHashed
    | PagesWithoutText
    | TextExtracted
    | PassagesCut
    | FileFinished
    | Embedded
    | EmbeddingFailed
)
