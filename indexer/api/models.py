"""Language models, and the requests to an engine about them."""

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
    IMPORTED = "imported"  # the person imported a folder
    PUBLISHED = "published"  # from a hub of models


class ModelState(StrEnum):
    """Whether a model is on this machine."""

    HERE = "here"
    ABSENT = "absent"


class ModelInfo(Struct, frozen=True):
    """A model as the person sees it; a field that nobody has verified is None.

    Attributes:
        precisions: The precisions of the graphs on this machine.
        tokens: The length of a window of passages. ``query_tokens`` is the one of queries.
        pooling: A value of ``indexer.embed.models.Pooling``.
        late: Whether passages are pooled inside a whole window; else each is read alone.
        languages: The codes of ISO 639-1.
        language_count: The least number of languages, for a model that does not name them.
        licence: The licence of the weights, as an SPDX expression where there is one.
        repository: The repository on a hub; ``revision`` is the commit that was fetched.
        files: The files on this machine.
        bytes: The size of its files; ``disk_bytes`` are in the folder of models.
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
    """A question for a comparison of models.

    ``right`` is the answering document (a path or its end, with ``#page=N`` for a page) or "".
    """

    text: str
    right: str = ""


def read_questions(text: str) -> Iterator[Question]:
    """Read one question from each line; a tab and the document that answers it may follow.

    Empty lines and lines that begin with # are skipped.
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
        ranks: Its rank with each model, from 1; None if it is not among the ten.
        right: Whether the passage is in the document (and on the page) that answers the question.
    """

    place: str
    text: str
    ranks: tuple[int | None, int | None]
    right: bool = False


class ComparedQuestion(Struct, frozen=True):
    """The passages that two models find for a question: all of the first, then the others."""

    question: Question
    passages: tuple[ComparedPassage, ...]

    @property
    def shared(self) -> int:
        """The number of passages that both models find."""
        return sum(None not in each.ranks for each in self.passages)

    def right_rank(self, model: int) -> int | None:
        """The best rank of a right passage with model 0 or 1."""
        return min((each.ranks[model] or 0 for each in self.passages
                    if each.right and each.ranks[model]), default=None)  # fmt: skip


class ModelComparison(Struct, frozen=True):
    """Two models, each named with its precision, on the same questions."""

    first: str
    second: str
    questions: tuple[ComparedQuestion, ...]


class RankScore(Struct, frozen=True):
    """How often a model ranks a right passage first and among ten, and its mrr@10."""

    questions: int
    first: int
    ten: int
    reciprocal: float

    @classmethod
    def of(cls, ranks: Sequence[int | None]) -> RankScore:
        """Compute the score from one rank per question; None means that nothing right was found."""
        found = [rank for rank in ranks if rank is not None]
        reciprocal = sum(1 / rank for rank in found) / max(1, len(ranks))
        return cls(len(ranks), found.count(1), len(found), reciprocal)


class EstimateReindex(Request[ReindexCost], frozen=True):
    """Estimate the cost of making all vectors with a model; None stands for the current model.

    Raises ``unknown_model``, or ``model_absent`` for a model that is not on this machine.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    model: str | None = None
    precision: str | None = None


class ListModels(Request[tuple[ModelInfo, ...]], frozen=True):
    """List the language models on this machine, then those that can be fetched."""


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
    """Ask the same questions with two models; the library must have the vectors of both.

    ``first`` and ``second`` name models, with ``:int8`` or ``:fp32`` if the library has both. Empty
    names stand for the model before the last change and the model in use. Raises
    ``model_not_embedded``, or ``nothing_to_roll_back`` if no model was in use before.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    reports: ClassVar[bool] = True
    first: str
    second: str
    questions: tuple[Question, ...]


class Reindex(Request[Summary], frozen=True):
    """Make the missing vectors of a model, and index with it from now on.

    Searches use the old model until the new vectors are complete; then the request ends. Files that
    an older extractor read are read again. Raises ``unknown_model``.
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
