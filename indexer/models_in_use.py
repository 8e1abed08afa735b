"""Which embedder answers queries and which one indexes, each opened when it is first needed.

Owns the two sessions of an engine and their thread counts. Queries are encoded by the model of
the space that is searched, passages by the model the settings name; after a change of the
settings these differ until the new space is complete. It must not know how models are built.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.embed.devices import CPU
from indexer.embed.onnx import EmbedderFactory, OnnxEmbedder, SessionOptions, space_of
from indexer.embed.record_files import find_record
from indexer.phrases import Note

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from indexer.catalog import Catalog, Space
    from indexer.config import EngineConfig


@dataclass(slots=True)
class ModelsInUse:
    """The embedders of one engine. Thread-safe, as the embedders are."""

    config: EngineConfig
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _indexing: OnnxEmbedder | None = None
    _query: tuple[str, OnnxEmbedder] | None = None

    def space(self, catalog: Catalog) -> Space:
        """The space that indexing fills; the first one of a library is searched from the start."""
        record = find_record(self.config.model, self.config.models)
        facts = {
            "model": record.id,
            "dimension": record.dimension,
            "languages": list(record.languages),
            "precision": str(self.config.precision),
            "late": record.late,
            "window": record.window,
        }
        space = catalog.spaces.add(space_of(record, self.config.precision), facts)
        if catalog.spaces.active() is None:
            catalog.spaces.activate(space.id)
        return space

    def use(self, config: EngineConfig) -> None:
        """Index with the model of another configuration from now on; no run may be under way."""
        with self._opening:
            changed = (config.model, config.precision) != (self.config.model, self.config.precision)
            self.config = config
            if changed:
                self._indexing = None

    def indexing(self) -> OnnxEmbedder:
        """The embedder of passages, opened at the first call.

        Raises:
            WorldError: ``no_runtime``, ``model_missing``, ``model_damaged`` or ``unknown_model``.
        """
        with self._opening:
            if self._indexing is None:
                options = SessionOptions(self.config.threads)
                factory = self._factory(self.config.model, self.config.provider)
                self._indexing = factory.open(self.config.precision, options)
            return self._indexing

    def query(self, record: Mapping[str, Any]) -> OnnxEmbedder:
        """The embedder of queries for a space; it runs on the CPU, where one query is quickest.

        Args:
            record: The facts of the space that is searched.
        """
        model = str(record["model"])
        with self._opening:
            if self._query is None or self._query[0] != model:
                options = SessionOptions(self.config.threads)
                factory = self._factory(model, CPU)
                self._query = model, factory.open(self.config.query_precision, options)
            return self._query[1]

    @property
    def device(self) -> tuple[str, tuple[Note, ...]]:
        """The execution provider really in use for indexing and why; empty before it is opened."""
        if self._indexing is None:
            return "", (Note("device_unknown"),)
        return self._indexing.provider.name, self._indexing.provider.notes

    def _factory(self, model: str, provider: str) -> EmbedderFactory:
        return EmbedderFactory(
            find_record(model, self.config.models),
            self.config.models,
            download=not self.config.offline,
            provider=provider,
        )
