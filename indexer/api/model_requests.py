"""The requests to an engine about language models, and the change from one to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from indexer.api.answers import ReindexCost
from indexer.api.contract import LibraryPart, Queue, Request
from indexer.api.models import ModelComparison, ModelInfo, Question
from indexer.api.status import ModelChoice
from indexer.api.types import Summary


@dataclass(frozen=True, slots=True)
class EstimateReindex(Request[ReindexCost]):
    """Estimate the cost of making all vectors with a model; None is the current one.

    Raises ``unknown_model``, ``model_absent`` for one that is not here, ``model_scores`` for a
    cross-encoder.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class ListModels(Request[tuple[ModelInfo, ...]]):
    """List the language models that are here, then those that could be fetched."""

    queue: ClassVar[Queue] = Queue.STATUS


@dataclass(frozen=True, slots=True)
class GetModel(Request[ModelInfo]):
    """Fetch and compile a model, without using it. Progress is in bytes.

    ``accepted``: the person accepts its terms. Raises ``unknown_model``, ``model_unsupported``,
    ``licence_not_accepted``, ``model_gated``, ``model_missing``, ``download_wrong``, ``disk_full``,
    ``model_refused``.
    """

    queue: ClassVar[Queue] = Queue.FETCH
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.MODELS,)
    reports: ClassVar[bool] = True
    model: str
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class RemoveModel(Request[int]):
    """Delete the files of a model that is not in use; the answer is the number of bytes freed.

    Raises ``unknown_model``, ``model_in_use``.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.MODELS,)
    model: str


@dataclass(frozen=True, slots=True)
class UseReranker(Request[str]):
    """Let a model that is here order the first hits; the answer is the one that does now, or "".

    ``model`` is its id, "" for the best that is here, or ``indexer.config.NO_RERANKER``. The
    vectors of a late-interaction model are made by the next ``Index``. Raises ``unknown_model``.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.MODELS,)
    model: str = ""


@dataclass(frozen=True, slots=True)
class CompareModels(Request[ModelComparison]):
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


@dataclass(frozen=True, slots=True)
class Reindex(Request[Summary]):
    """Make the missing vectors of a model, and index with it from now on.

    Searches use the old model until the new one is complete, which ends the request. Files that an
    older extractor read are read again. Raises ``unknown_model``.
    """

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (
        LibraryPart.FILES,
        LibraryPart.MODELS,
    )
    reports: ClassVar[bool] = True
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class RollBack(Request[ModelChoice]):
    """Search with the previous model again. Raises ``nothing_to_roll_back``."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (
        LibraryPart.FILES,
        LibraryPart.MODELS,
    )


@dataclass(frozen=True, slots=True)
class Discard(Request[int]):
    """Delete the vectors kept for ``RollBack``; the answer is the number of bytes freed."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (
        LibraryPart.FILES,
        LibraryPart.MODELS,
    )
