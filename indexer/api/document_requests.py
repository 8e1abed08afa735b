"""The requests for documents, their text and vectors of texts, as other programs ask for them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from indexer.api.answers import Document, DocumentList, DocumentText
from indexer.api.contract import LibraryPart, Queue, Request, between
from indexer.api.errors import WorldError

MOST_TEXTS = 256
MOST_LETTERS = 1000  # of a title or the authors
MOST_CHARACTERS = 20_000  # of a text to embed


class ListDocuments(Request[DocumentList], frozen=True):
    """List the documents that a query's filters select, in the order in which they were read.

    Attributes:
        filters: A query of filters alone; its words are ignored.
        within: Only documents of this collection; "" for the whole library.
        paths: Only the documents of these files, if there are any.
        offset: How many to skip.
        limit: The most documents to return, 1 to 10,000.

    Raises ``unknown_collection``.
    """

    filters: str = ""
    within: str = ""
    paths: tuple[Path, ...] = ()
    offset: int = 0
    limit: int = 100


class CorrectDocument(Request[Document], frozen=True):
    """Correct the title, author and year of a document; they stay when it is read again or renamed.

    The answer is the document as it is now. Raises ``not_a_root`` for an unknown file.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    path: Path
    title: str
    author: str = ""
    year: str = ""

    def __post_init__(self) -> None:
        short = all(len(text) <= MOST_LETTERS for text in (self.title, self.author))
        if not short or not re.fullmatch(r"(\d{4})?", self.year, re.ASCII):
            raise WorldError("bad_request", reason="a year has four digits, a title one line")


class ReadPassages(Request[DocumentText], frozen=True):
    """Read passages of a document from the library, as they were indexed.

    Attributes:
        path: The document.
        start: The first offset in the canonical text.
        end: The last one, exclusive; 0 for the end of the document.
        page: Only passages that are, in part, on this page; 0 for all.
        most: The most characters to return; the first passage is returned whole.

    Raises ``not_a_root`` for an unknown file.
    """

    path: Path
    start: int = 0
    end: int = 0
    page: int = 0
    most: int = 1 << 20

    def __post_init__(self) -> None:
        super().__post_init__()
        between("most", self.most, 1, 1 << 24)


class EmbedTexts(Request[tuple[tuple[float, ...], ...]], frozen=True):
    """Embed texts with the model that the library is searched by; searches go first.

    Attributes:
        texts: 1 to ``MOST_TEXTS`` of them.
        passages: Embed them as passages of documents, not as questions.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    texts: tuple[str, ...]
    passages: bool = False

    def __post_init__(self) -> None:
        between("texts", len(self.texts), 1, MOST_TEXTS)
        for text in self.texts:
            between("characters", len(text), 1, MOST_CHARACTERS)
            if not text.strip():
                raise WorldError("bad_request", reason="a text is empty")
