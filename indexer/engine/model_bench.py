"""Measures a model on this machine, and what late chunking is worth with it on the person's text.

Owns the sample and both measurements; nothing is stored. A sentence of a passage stands for a
question, and the rest of the passage, among all of the sample, for the answer: read together with
its neighbours it may be found better, or worse by a model that was not trained for that. It must
not know when a change of model happens (``reindex``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.models import ContextBenefit, ModelBench
from indexer.api.progress import Progress, Step
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.models import Pooling, Side
from indexer.embed.record_files import find_record
from indexer.search.calibration import own_sentence
from indexer.store.values import key_of
from indexer.text.sentences import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indexer.api.progress import Reporter
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow
    from indexer.config import EngineConfig
    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models import ModelRecord
    from indexer.store.store import Store

# Documents of the sample, the longest ones, and consecutive passages of each.
DOCUMENTS, PASSAGES = 8, 16
FEWEST = 20  # questions
_QUERIES = 8
_PASSES = 3  # over the sample: timed, together, alone


@dataclass(frozen=True, slots=True)
class _Part:
    """Consecutive passages of a document; ``asked`` are their questions, or ""."""

    passages: list[EmbedInput]
    asked: list[str]
    rest: list[EmbedInput]  # the passages without their questions


@dataclass(slots=True)
class _Steps:
    """Reports how many parts were read, of all passes."""

    reporter: Reporter
    total: int
    done: int = 0

    def of(self, parts: list[_Part]) -> Iterator[_Part]:
        for part in parts:
            step = Progress(Step.MEASURE, files_done=self.done, files_total=self.total)
            self.reporter.report(step)
            yield part
            self.done += 1


def measure(catalog: Catalog, store: Store, config: EngineConfig, reporter: Reporter) -> ModelBench:
    """Measure the model of a configuration; see ``BenchModel``."""
    record = find_record(config.model, config.models)
    parts = _sample(catalog, store)
    queries = _open(record, config, Side.QUERIES)
    embedder = _open(record, config, Side.PASSAGES)
    steps = _Steps(reporter, _PASSES * len(parts))
    for part in parts[:1]:  # the first run allocates
        embedder.encode_passages(part.passages)
    tokens = sum(len(ids) for part in parts for ids in embedder.sequences(part.passages))
    started = time.perf_counter()
    for part in steps.of(parts):
        embedder.encode_passages(part.passages)
    seconds = time.perf_counter() - started
    return ModelBench(
        model=record.id,
        precision=str(config.precision),
        provider=embedder.provider.name,
        passages=sum(len(part.passages) for part in parts),
        tokens=tokens,
        seconds=seconds,
        query_seconds=_query_seconds(queries, parts),
        benefit=_benefit(record, config, queries, parts, steps),
    )


def _open(record: ModelRecord, config: EngineConfig, side: Side) -> OnnxEmbedder:
    precision = config.query_precision if side is Side.QUERIES else config.precision
    provider = "cpu" if side is Side.QUERIES else config.provider
    return open_embedder(
        record, config.models, precision, side, threads=config.threads, provider=provider,
        download=False,
    )  # fmt: skip


def _sample(catalog: Catalog, store: Store) -> list[_Part]:
    rows = sorted(catalog.docs.get(catalog.docs.expected()).values(), key=lambda row: -row.passages)
    return [_part(store, row) for row in rows[:DOCUMENTS] if row.passages]


def _part(store: Store, row: DocRow) -> _Part:
    """The middle of a document."""
    begin = max(0, row.passages - PASSAGES) // 2
    keys = [key_of(row.doc, number) for number in range(begin, min(begin + PASSAGES, row.passages))]
    columns = ("heading_path", "view", "view_starts")
    found = store.passages_of(np.array(keys, np.int64), columns)
    held = [found[key] for key in keys if key in found]
    passages = [
        EmbedInput(row.title_used, each["heading_path"], each["view"], each["view_starts"])
        for each in held
    ]
    asked = [own_sentence(each["view"], row.language) for each in held]
    rest = [
        _without(passage, sentence, row.language)
        for passage, sentence in zip(passages, asked, strict=True)
    ]
    return _Part(passages, asked, rest)


def _without(passage: EmbedInput, sentence: str, language: str) -> EmbedInput:
    if not sentence:
        return passage
    view = " ".join(passage.view.replace(sentence, " ", 1).split(" "))
    return replace(passage, view=view, view_starts=tuple(split(view, language)))


def _query_seconds(queries: OnnxEmbedder, parts: list[_Part]) -> float:
    asked = [text for part in parts for text in part.asked if text][:_QUERIES]
    taken = []
    for text in asked:
        started = time.perf_counter()
        queries.encode_query(text)
        taken.append(time.perf_counter() - started)
    return median(taken) if taken else 0.0


def _benefit(
    record: ModelRecord,
    config: EngineConfig,
    queries: OnnxEmbedder,
    parts: list[_Part],
    steps: _Steps,
) -> ContextBenefit | None:
    asked = [text for part in parts for text in part.asked]
    own = np.array([index for index, text in enumerate(asked) if text], np.int64)
    if record.pooling is not Pooling.MEAN or len(own) < FEWEST:
        return None
    vectors = np.array([queries.encode_query(asked[index]) for index in own])
    ranks = []
    for late in (True, False):
        embedder = _open(record.reading(late=late), config, Side.PASSAGES)
        made = []
        for part in steps.of(parts):
            made += [each.vector for each in embedder.encode_passages(part.rest)]
        ranks.append(_reciprocal_rank(vectors, np.array(made), own))
    return ContextBenefit(len(own), *ranks)


def _reciprocal_rank(
    queries: NDArray[np.float32], passages: NDArray[np.float32], right: NDArray[np.int64]
) -> float:
    """The mean reciprocal rank of the right passages, (n,) indices, by the dot product."""
    scores = queries @ passages.T
    own = scores[np.arange(len(right)), right]
    return float((1 / (scores >= own[:, None]).sum(axis=1)).mean())
