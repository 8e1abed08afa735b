"""Estimates the cost of a change of model: texts, tokens, seconds, bytes.

Owns the estimate, from a sample of the library that the model reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.api.answers import ReindexCost
from indexer.api.errors import LecternError
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import space_of
from indexer.extract.base import EXTRACTOR_VERSION
from indexer.pipeline.rates import load_throughput
from indexer.store.quantise import width
from indexer.store.values import key_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow
    from indexer.config import EngineConfig
    from indexer.embed.models import ModelRecord
    from indexer.store.store import Store

# Sizes of the samples of passages, for counting tokens and for measuring the model.
SAMPLE = 48
# Of a row without its vectors: its key and checksum, key and id in the flat file, and overhead.
_ROW_BYTES = 64
# The bytes of a component of a pooled vector: float16 in the table and in the flat file.
_POOLED_BYTES = 2 + 2
# The copies of its metadata that a table of any size has.
_COPIES_BYTES = 10_000


def cost(catalog: Catalog, store: Store, config: EngineConfig) -> ReindexCost:
    """Return the cost of making all vectors with a model."""
    record = find_record(config.model, config.models)
    key = space_of(record, config.precision)
    space = next((one for one in catalog.spaces.all() if one.key == key), None)
    rows = list(catalog.docs.get(catalog.docs.expected()).values())
    if space is not None:
        missing = {doc for doc, _ in catalog.spaces.pending(space.id, -1)}
        rows = [row for row in rows if row.doc in missing]
    passages = sum(row.passages for row in rows)
    sample = _sample(store, rows)
    tokens, rate = _try_out(config, record, sample)
    rates = load_throughput(catalog, key, record.depth)
    sentences = sum(len(one.view_starts) for one in sample) / max(1, len(sample))
    a_row = _POOLED_BYTES * record.dimension + sentences * width(record.dimension) + _ROW_BYTES
    per_second = rates.passages if rates.measured or not rate else rate
    return ReindexCost(
        model=record.id,
        precision=str(config.precision),
        space=key,
        documents=len(rows),
        passages=passages,
        tokens=round(tokens * passages),
        seconds=round(passages / per_second, 3),
        measured=bool(rates.measured or rate),
        bytes=round(a_row * passages + _COPIES_BYTES * bool(passages)),
        outdated=catalog.upkeep.outdated(EXTRACTOR_VERSION),
    )


def _sample(store: Store, rows: Sequence[DocRow]) -> list[EmbedInput]:
    """Some passages from all over the library."""
    ends = np.cumsum([row.passages for row in rows])
    if not len(ends) or not ends[-1]:
        return []
    places = np.unique(np.linspace(0, int(ends[-1]) - 1, SAMPLE, dtype=np.int64))
    owners = np.searchsorted(ends, places, side="right")
    keys = [
        key_of(rows[owner].doc, int(place - ends[owner] + rows[owner].passages))
        for owner, place in zip(owners.tolist(), places.tolist(), strict=True)
    ]
    columns = ("heading_path", "view", "view_starts")
    found = store.passages_of(np.array(keys, np.int64), columns)
    return [
        EmbedInput(rows[owner].title_used, row["heading_path"], row["view"], row["view_starts"])
        for owner, key in zip(owners.tolist(), keys, strict=True)
        if (row := found.get(key)) is not None
    ]


def _try_out(
    config: EngineConfig, record: ModelRecord, sample: Sequence[EmbedInput]
) -> tuple[float, float]:
    """Tokens per passage and passages per second, measured on a sample; 0 if unknown."""
    if not sample:
        return 0.0, 0.0
    try:
        embedder = open_embedder(
            record, config.models, config.precision,
            threads=config.threads, provider=config.provider,
        )  # fmt: skip
    except LecternError:
        # The model is not available yet: estimate its tokens from words.
        words = sum(len(one.view.split()) for one in sample)
        return 1.35 * words / len(sample), 0.0
    sequences = embedder.sequences(sample)
    tokens = sum(len(ids) for ids in sequences)
    return tokens / len(sample), embedder.bare_throughput(sequences) * len(sample) / tokens
