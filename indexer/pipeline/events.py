"""The messages from readers and the model to the indexing thread; two have a slot for a reply."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from queue import Full, Queue
from typing import TYPE_CHECKING, TypeAlias

from indexer.api.errors import Cancelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from indexer.api.errors import LecternError
    from indexer.api.types import DocumentInfo, Passage
    from indexer.catalog.records import QueuedFile
    from indexer.files.walk import ContentHash


# Seconds between checks of a waiting thread whether the run stops.
WAIT_S = 0.1


class Reply:
    """A boolean that one thread waits for and another sets, once."""

    def __init__(self) -> None:
        self._given = threading.Event()
        self._value = False

    def set_reply(self, value: bool) -> None:  # noqa: FBT001  # the reply itself
        self._value = value
        self._given.set()

    def wait_for_reply(self, stopping: threading.Event) -> bool:
        """Wait for the reply.

        Raises:
            Cancelled: If the run stops first.
        """
        while not self._given.wait(0.1):
            if stopping.is_set():
                raise Cancelled
        return self._value


@dataclass(frozen=True, slots=True)
class FileHashed:
    """A file was hashed; the reply is whether to extract it."""

    job: QueuedFile
    content: ContentHash
    reply: Reply = field(default_factory=Reply)


@dataclass(frozen=True, slots=True)
class PagesWithoutText:
    """Pages of a document that have content but no text: candidates for recognition."""

    job: QueuedFile
    content: ContentHash
    pages: Sequence[int]


@dataclass(frozen=True, slots=True)
class TextExtracted:
    """The text of a document was extracted; the reply is whether to send its passages."""

    job: QueuedFile
    content: ContentHash
    info: DocumentInfo
    reply: Reply = field(default_factory=Reply)


@dataclass(frozen=True, slots=True)
class PassagesCut:
    """Some passages of a document, in order."""

    job: QueuedFile
    passages: Sequence[Passage]


@dataclass(frozen=True, slots=True)
class FileFinished:
    """The reader is done with a file; ``failure`` is why, if it ended early."""

    job: QueuedFile
    content: ContentHash | None = None  # unless the file could not even be hashed
    failure: LecternError | None = None


@dataclass(frozen=True, slots=True)
class PendingPassage:
    """A passage to be embedded."""

    doc: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of some passages.

    ``vectors`` is (n, dim); the sentence vectors of passage ``i`` are
    ``sentences[offsets[i]:offsets[i + 1]]``. All are float32 of length 1.
    """

    pending: Sequence[PendingPassage]
    vectors: npt.NDArray[np.float32]
    sentences: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.int64]
    tokens: int


@dataclass(frozen=True, slots=True)
class EmbeddingFailed:
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


def offer(events: Queue[Event], event: Event, stopping: threading.Event) -> bool:
    """Put an event, waiting while the queue is full; False if the run stops."""
    while not stopping.is_set():
        try:
            events.put(event, timeout=WAIT_S)
        except Full:
            continue
        else:
            return True
    return False
