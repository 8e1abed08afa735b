"""Opens the embedders of an engine, for queries and for indexing, each at its first use.

Queries are encoded by the model of the searched space, passages by the model of the space that is
being filled. After a change of the settings these differ until the new space is complete. A model
with two encoders has a session for each. The precision fits the device and, in a new library, is
the faster one. Accelerators encode only documents. Questions are encoded on the CPU, so that they
never wait for indexing.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from indexer.api.phrases import Note
from indexer.config import EngineConfig, Precision
from indexer.embed.devices import AUTO, CPU, ProviderInUse, candidates, clash, load_runtime, survey
from indexer.embed.embedder import OnnxEmbedder, open_tested
from indexer.embed.model_files import changed_files, find_form, find_record, model_folder
from indexer.embed.models import ModelRecord, Side, space_of

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space


log = logging.getLogger(__name__)

# A smaller gain in speed is not worth the memory of float32.
LEAST_GAIN = 1.1


def open_embedder(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    side: Side = Side.PASSAGES,
    *,
    threads: int = 0,
    provider: str = AUTO,
) -> OnnxEmbedder:
    """Open an embedder with its own session.

    A model with one encoder reads both sides with it. ``precision`` is that of the weights on the
    CPU, ``provider`` a key of ``devices.PROVIDERS`` or ``AUTO``. 0 ``threads`` means one per core.
    Raises ``no_runtime``, ``bad_setting`` for an unknown provider, and the errors of ``find_form``.
    """

    def opened(precision: Precision, provider: str, *, card: bool = False) -> OnnxEmbedder:
        form = find_form(record, models, precision, side, card=card)
        return OnnxEmbedder(form, threads or os.cpu_count() or 1, provider)

    runtime = load_runtime()
    *accelerators, _ = candidates(runtime.get_available_providers(), provider)
    if not accelerators:
        return opened(precision, provider)
    if precision is Precision.INT8:
        # The 8-bit graph is made for the CPU, and float32 vectors belong to another space.
        why = Note("device_eight_bits", {"device": accelerators[0]})
        reason = ProviderInUse(CPU, (why, *clash()))
    else:
        embedder = opened(precision, provider, card=True)
        if embedder.provider.name != CPU:
            return embedder
        reason = embedder.provider
    embedder = opened(precision, CPU)
    embedder.provider = reason
    return embedder


def fastest_precision(config: EngineConfig) -> Precision:
    """The precision in which this machine embeds passages fastest, for a library without vectors.

    It is float32 if an accelerator computes float32 faster than the processor computes 8 bits. This
    is measured for each library, as accelerators and drivers change. Otherwise it is 8 bits, even
    if a model cannot be opened; then embedding reports why. Raises ``no_runtime``, or
    ``bad_setting`` for an unknown provider.
    """
    *accelerators, _ = candidates(load_runtime().get_available_providers(), config.provider)
    if not accelerators:
        return Precision.INT8
    try:
        record = find_record(config.model, config.models)
        eight, exact = (
            open_embedder(
                record, config.models, precision, threads=config.threads, provider=config.provider
            )
            for precision in (Precision.INT8, Precision.FP32)
        )
        # Without an accelerator float32 takes more than twice as long as 8 bits.
        times = exact.times_as_fast(eight) if exact.provider.name != CPU else 0.0
    except Exception as error:  # noqa: BLE001  # drivers may raise anything
        log.warning("precisions cannot be compared: %s", error)
        return Precision.INT8
    log.info("float32 by %s is %.2f times as fast as 8 bits", exact.provider.name, times)
    return Precision.FP32 if times >= LEAST_GAIN else Precision.INT8


class ModelsInUse(Struct):
    """The embedders of one engine. Thread-safe."""

    config: EngineConfig
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _indexing: tuple[tuple[str, Precision], OnnxEmbedder] | None = None
    _device: ProviderInUse | None = None
    _for_queries: dict[Side, tuple[tuple[str, Precision], OnnxEmbedder]] = field(
        default_factory=dict
    )

    def space(self, catalog: Catalog) -> Space:
        """Return the space of the configured model, and activate it if no space has vectors yet."""
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
        space = catalog.spaces.add_space(space_of(record, self.config.precision), facts)
        if not catalog.spaces.totals().embedded:
            catalog.spaces.activate(space.id)
        return space

    def configure_models(self, config: EngineConfig) -> None:
        """Replace the configuration and thus the model of indexing. No run may be active."""
        with self._opening:
            changed = (config.model, config.precision) != (self.config.model, self.config.precision)
            self.config = config
            if changed:
                self._indexing = self._device = None

    def close_indexing(self) -> None:
        """Close the embedder of passages until its next use. No run may be active.

        Its arena keeps 150 MB after long windows on two cores (that of queries keeps 50 MB). Arena
        shrinkage frees 120 MB with one worker, but almost nothing with two.
        """
        with self._opening:
            self._indexing = None

    def close_queries(self) -> None:
        """Close the embedders of queries until their next use; running queries finish."""
        with self._opening:
            self._for_queries = {}

    def indexing(self, space: Space | None = None) -> OnnxEmbedder:
        """The embedder of passages for a space that is being filled, or for the configured model.

        Raises ``unknown_model``, and those of ``open_embedder``.
        """
        wanted = self.config.model, self.config.precision
        if space is not None:
            wanted = str(space.record["model"]), Precision(space.record["precision"])
        with self._opening:
            if self._indexing is None or self._indexing[0] != wanted:
                record = find_record(wanted[0], self.config.models)
                opened = self._open(record, wanted[1], Side.PASSAGES, self.config.provider)
                self._indexing = wanted, opened
                self._device = opened.provider
            return self._indexing[1]

    def query(self, record: Mapping[str, Any]) -> OnnxEmbedder:
        """The embedder of queries for a space, on the CPU, as an accelerator may be indexing."""
        return self._embedder(record, self.config.query_precision, Side.QUERIES)

    def passages(self, record: Mapping[str, Any]) -> OnnxEmbedder:
        """The embedder that encodes a passage again, to compare its tokens with a query.

        It is the embedder of queries, unless the searched space's model has an encoder of passages.
        """
        query = self.query(record)
        if not query.record.adapted:
            return query
        return self._embedder(record, Precision(record["precision"]), Side.PASSAGES)

    def _embedder(self, space: Mapping[str, Any], precision: Precision, side: Side) -> OnnxEmbedder:
        wanted = str(space["model"]), precision
        with self._opening:
            known = self._for_queries.get(side)
            if known is None or known[0] != wanted:
                record = find_record(wanted[0], self.config.models)
                known = self._for_queries[side] = wanted, self._open(record, precision, side, CPU)
            return known[1]

    def changed(self, catalog: Catalog) -> dict[Path, list[str]]:
        """The damaged files of the models in use, by folder. Raises ``unknown_model``."""
        active = catalog.spaces.active()
        names = {self.config.model, *([str(active.record["model"])] if active else [])}
        found = {}
        for record in (find_record(name, self.config.models) for name in sorted(names)):
            folder = model_folder(record.id, self.config.models)
            found[folder] = changed_files(folder)
        return {folder: files for folder, files in found.items() if files}

    @property
    def device(self) -> tuple[str, tuple[Note, ...]]:
        """The execution provider of indexing, and why; the name is "" before it is open."""
        if self._device is None:
            return "", (Note("device_unknown"),)
        return self._device.name, self._device.notes

    def survey_devices(self) -> dict[str, Note]:
        """Return the result of ``survey`` for the configured model.

        Raises ``unknown_model``, and those of ``open_embedder``.
        """
        config = self.config
        record = find_record(config.model, config.models)

        def test(provider: str) -> None:
            if provider != CPU:  # the provider on which the model is already open
                form = find_form(record, config.models, Precision.FP32, card=True)
                open_tested(form, provider)

        return survey(test)

    def _open(
        self, record: ModelRecord, precision: Precision, side: Side, provider: str
    ) -> OnnxEmbedder:
        config = self.config
        return open_embedder(
            record, config.models, precision, side, threads=config.threads, provider=provider
        )
