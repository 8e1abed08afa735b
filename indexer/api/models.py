"""Language models, on this machine or to be fetched, and the requests to an engine about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import ClassVar

from msgspec import Struct

from indexer.api.answers import ReindexCost
from indexer.api.contract import LibraryPart, Queue, Request
from indexer.api.status import ModelChoice
from indexer.api.types import Summary


class Origin(StrEnum):
    """Where the files of a model come from."""

    SHIPPED = "shipped"  # they are part of Lectern
    IMPORTED = "imported"  # from a folder of the person
    PUBLISHED = "published"  # from a hub of models


class ModelState(StrEnum):
    """What of a model is on this machine."""

    HERE = "here"
    ABSENT = "absent"


class ModelInfo(Struct, frozen=True):
    """A model as the person sees it; what nobody has verified is None.

    Attributes:
        precisions: Of the graphs that are here.
        tokens: The window of passages; ``query_tokens`` that of queries.
        pooling: As ``indexer.embed.models.Pooling``.
        late: Whether passages are pooled inside a whole window; else each is read alone.
        languages: ISO 639-1.
        language_count: How many there are at least, for a model that does not name them.
        licence: Of the weights, as an SPDX expression where there is one.
        repository: On a hub; ``revision`` is the commit that was fetched.
        files: The files that are here.
        bytes: Of its files; ``disk_bytes`` are in the folder of models.
    """

    id: str
    origin: Origin
    state: ModelState
    precisions: tuple[str, ...] = ()
    dimensions: int | None = None
    parameters: int | None = None
    layers: int | None = None
    tokens: int | None = None
    query_tokens: int | None = None
    pooling: str | None = None
    late: bool | None = None
    query_prefix: str | None = None
    document_prefix: str | None = None
    languages: tuple[str, ...] | None = None
    language_count: int | None = None
    licence: str | None = None
    homepage: str | None = None
    repository: str = ""
    revision: str = ""
    files: tuple[str, ...] | None = None
    bytes: int | None = None
    disk_bytes: int = 0


class Question(Struct, frozen=True):
    """A question for a comparison; ``right`` is the document that answers it, or "".

    It is a path or its end, with ``#page=N`` for a page.
    """

    text: str
    right: str = ""


def read_questions(text: str) -> Iterator[Question]:
    """The questions of a text, one a line, each with what is right behind a tab.

    Empty lines and those that begin with # are none.
    """
    for line in text.splitlines():
        asked, _, right = (part.strip() for part in line.partition("\t"))
        if asked and not asked.startswith("#"):
            yield Question(asked, right)


class ComparedPassage(Struct, frozen=True):
    """A passage that at least one of two models finds among its first ten.

    Attributes:
        place: Its file and page, as in ``Question.right``.
        text: Its best sentence.
        ranks: With either model, from 1; None if it is not among the ten.
        right: Whether it is where the answer is said to be.
    """

    place: str
    text: str
    ranks: tuple[int | None, int | None]
    right: bool = False


class ComparedQuestion(Struct, frozen=True):
    """What two models find for a question: the passages of the first model, then the others."""

    question: Question
    passages: tuple[ComparedPassage, ...]

    @property
    def shared(self) -> int:
        """The number of passages that both find."""
        return sum(None not in each.ranks for each in self.passages)

    def right_rank(self, model: int) -> int | None:
        """The best rank of a right passage with the first model, 0, or the second, 1."""
        return min((each.ranks[model] or 0 for each in self.passages
                    if each.right and each.ranks[model]), default=None)  # fmt: skip


class ModelComparison(Struct, frozen=True):
    """Two models on the same questions; each is named with its precision."""

    first: str
    second: str
    questions: tuple[ComparedQuestion, ...]


class RankScore(Struct, frozen=True):
    """How well a model ranks right passages: how often first and among ten, and mrr@10."""

    questions: int
    first: int
    ten: int
    reciprocal: float

    @classmethod
    def of(cls, ranks: Sequence[int | None]) -> RankScore:
        """The score of the ranks of some questions; None is a passage that was not found."""
        found = [rank for rank in ranks if rank is not None]
        reciprocal = sum(1 / rank for rank in found) / max(1, len(ranks))
        return cls(len(ranks), found.count(1), len(found), reciprocal)


class EstimateReindex(Request[ReindexCost], frozen=True):
    """Estimate the cost of making all vectors with a model; None is the current one.

    Raises ``unknown_model``, ``model_absent`` for one that is not here.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    model: str | None = None
    precision: str | None = None


class ListModels(Request[tuple[ModelInfo, ...]], frozen=True):
    """List the language models that are here, then those that could be fetched."""


class GetModel(Request[ModelInfo], frozen=True):
    """Fetch a model, without using it. Progress is in bytes.

    Raises ``unknown_model``, ``model_gated``, ``model_missing``, ``download_wrong``, ``disk_full``,
    ``model_refused``.
    """

    queue: ClassVar[Queue] = Queue.FETCH
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.MODELS,)
    reports: ClassVar[bool] = True
    model: str


class RemoveModel(Request[int], frozen=True):
    """Delete the files of a model that is not in use; the answer is the number of bytes freed.

    Raises ``unknown_model``, ``model_in_use``.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.MODELS,)
    model: str


class CompareModels(Request[ModelComparison], frozen=True):
    """Ask the same questions by the vectors of two models, of which the library must have both.

    ``first`` and ``second`` are models, with ``:int8`` or ``:fp32`` if there are both; empty for
    the one before the last change and the one in use. Raises ``model_not_embedded``, or
    ``nothing_to_roll_back`` without one before.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    reports: ClassVar[bool] = True
    first: str
    second: str
    questions: tuple[Question, ...]


class Reindex(Request[Summary], frozen=True):
    """Make the missing vectors of a model, and index with it from now on.

    Searches use the old model until the new one is complete, which ends the request. Files that an
    older extractor read are read again. Raises ``unknown_model``.
    """

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES, LibraryPart.MODELS)
    reports: ClassVar[bool] = True
    model: str | None = None
    precision: str | None = None


class RollBack(Request[ModelChoice], frozen=True):
    """Search with the previous model again. Raises ``nothing_to_roll_back``."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES, LibraryPart.MODELS)


class Discard(Request[int], frozen=True):
    """Delete the vectors kept for ``RollBack``; the answer is the number of bytes freed."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES, LibraryPart.MODELS)
