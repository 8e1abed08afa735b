"""The embedders of queries and of indexing, each opened at its first use.

Owns the sessions of an engine and their thread counts. Queries are encoded by the model of the
space that is searched, passages by the model of the space that is filled; after a change of the
settings these differ until the new space is complete. A model that reads queries and passages by
different encoders has one session for each. It must not know how models are built.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.api.phrases import Note
from indexer.config import Precision
from indexer.embed.compiled import CompiledModel, changed_files, compiled_folder
from indexer.embed.devices import CPU
from indexer.embed.embedder import OnnxEmbedder, space_of
from indexer.embed.factory import open_embedder
from indexer.embed.models import Side
from indexer.embed.record_files import find_record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import EngineConfig
    from indexer.embed.devices import ProviderInUse


@dataclass(slots=True)
class ModelsInUse:
    """The embedders of one engine. Thread-safe, as the embedders are."""

    config: EngineConfig
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _indexing: tuple[tuple[str, Precision], OnnxEmbedder] | None = None
    _device: ProviderInUse | None = None
    _for_queries: dict[Side, tuple[tuple[str, Precision], OnnxEmbedder]] = field(
        default_factory=dict
    )

    def space(self, catalog: Catalog) -> Space:
        """The space of the configured model; active at once if no space has vectors yet."""
        record = find_record(self.config.model, self.config.models)
        facts = {
            "model": record.id,
            "dimension": record.dimension,
            "languages": list(record.languages),
            "precision": str(self.config.precision),
            "late": record.late,
            "window": record.window,
            "cosine_centre": record.cosine_centre,
            "cosine_spread": record.cosine_spread,
            "cosine_between": record.cosine_between,
        }
        space = catalog.spaces.add(space_of(record, self.config.precision), facts)
        if not catalog.spaces.totals().embedded:
            catalog.spaces.activate(space.id)
        return space

    def use(self, config: EngineConfig) -> None:
        """Index with the model of another configuration from now on; no run may be under way."""
        with self._opening:
            changed = (config.model, config.precision) != (self.config.model, self.config.precision)
            self.config = config
            if changed:
                self._indexing = self._device = None

    def close_indexing(self) -> None:
        """Close the embedder of passages until it is needed again; nothing may be embedding.

        It keeps 150 MB once it has read long windows on two cores; the one of queries takes 50.
        A run that shrinks ONNX Runtime's arena frees 120 of it where nothing else runs, but hardly
        any between the runs of two workers.
        """
        with self._opening:
            self._indexing = None

    def indexing(self, space: Space | None = None) -> OnnxEmbedder:
        """The embedder of passages for a space, opened when another one was asked for before.

        Args:
            space: What it fills; that of the settings, if none is given.

        Raises:
            WorldError: ``no_runtime``, ``model_missing``, ``model_damaged`` or ``unknown_model``.
        """
        wanted = self.config.model, self.config.precision
        if space is not None:
            wanted = str(space.record["model"]), Precision(space.record["precision"])
        with self._opening:
            if self._indexing is None or self._indexing[0] != wanted:
                opened = self._open(*wanted, Side.PASSAGES, self.config.provider)
                self._indexing = wanted, opened
                self._device = opened.provider
            return self._indexing[1]

    def query(self, record: Mapping[str, Any]) -> OnnxEmbedder:
        """The embedder of queries for a space; it runs on the CPU, where one query is quickest.

        Args:
            record: The facts of the space that is searched.
        """
        return self._embedder(str(record["model"]), self.config.query_precision, Side.QUERIES)

    def passages(self, record: Mapping[str, Any]) -> OnnxEmbedder:
        """The embedder that reads a passage again for a query, to compare the two token by token.

        It is that of the queries, unless the model has one of its own for passages: then it is
        the one that the vectors are of.

        Args:
            record: The facts of the space that is searched.
        """
        query = self.query(record)
        if not query.record.adapted:
            return query
        return self._embedder(query.record.id, Precision(record["precision"]), Side.PASSAGES)

    def _embedder(self, model: str, precision: Precision, side: Side) -> OnnxEmbedder:
        with self._opening:
            known = self._for_queries.get(side)
            if known is None or known[0] != (model, precision):
                opened = self._open(model, precision, side, CPU)
                known = self._for_queries[side] = (model, precision), opened
            return known[1]

    def changed(self, catalog: Catalog) -> dict[Path, list[str]]:
        """List files of the compiled models in use that were changed since they were compiled.

        Raises:
            WorldError: ``unknown_model``.
        """
        active = catalog.spaces.active()
        names = {self.config.model, *([str(active.record["model"])] if active else [])}
        found = {}
        for record in (find_record(name, self.config.models) for name in sorted(names)):
            for precision, side in itertools.product(Precision, Side):
                folder = compiled_folder(record, self.config.models, precision, side)
                found[folder] = changed_files(CompiledModel(record, precision, folder, side))
        return {folder: files for folder, files in found.items() if files}

    @property
    def device(self) -> tuple[str, tuple[Note, ...]]:
        """The execution provider really in use for indexing and why; empty before it is opened."""
        if self._device is None:
            return "", (Note("device_unknown"),)
        return self._device.name, self._device.notes

    def _open(self, model: str, precision: Precision, side: Side, provider: str) -> OnnxEmbedder:
        config = self.config
        return open_embedder(
            find_record(model, config.models), config.models, precision, side,
            threads=config.threads, provider=provider, download=not config.offline,
        )  # fmt: skip
