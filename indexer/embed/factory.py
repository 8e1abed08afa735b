"""Opens embedders: weights are found or fetched, compiled, and loaded into a session.

Owns the choice of the precision for a device. It must not know its callers (``models_in_use``).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indexer.config import Precision
from indexer.embed.compiled import ensure_compiled
from indexer.embed.devices import AUTO, CPU, candidates, load_runtime
from indexer.embed.embedder import OnnxEmbedder
from indexer.embed.models import Side
from indexer.embed.token_vectors import TokenEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.models import ModelRecord


def open_embedder(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    side: Side = Side.PASSAGES,
    *,
    threads: int = 0,
    provider: str = AUTO,
    download: bool = True,
) -> OnnxEmbedder:
    """Open an embedder with its own session.

    Args:
        record: The model.
        models: The folder of compiled models.
        precision: Of the weights, on the CPU.
        side: Which encoder; a model with one encoder reads both.
        threads: Concurrent runs; 0 for one per core.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.
        download: Whether the network may be used.

    Raises:
        WorldError: ``no_runtime``, ``bad_setting`` for an unknown provider, and those of
            ``ensure_compiled``.
    """

    def opened(precision: Precision, provider: str, *, padded: bool = False) -> OnnxEmbedder:
        compiled = ensure_compiled(
            record, models, precision, side, padded=padded, download=download
        )
        kind = OnnxEmbedder if record.interaction is None else TokenEmbedder
        return kind(compiled, threads or os.cpu_count() or 1, provider)

    runtime = load_runtime()  # first, since without a runtime a download is useless
    *accelerators, _ = candidates(runtime.get_available_providers(), provider)
    if not accelerators:
        return opened(precision, provider)
    # The 8-bit graph is made for the CPU; on an accelerator float32 is faster.
    half = precision is Precision.FP16
    embedder = opened(precision if half else Precision.FP32, provider, padded=True)
    if embedder.provider.name != CPU:
        return embedder
    reason = embedder.provider
    embedder = opened(precision, CPU)
    embedder.provider = reason
    return embedder
