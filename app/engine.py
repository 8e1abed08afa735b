"""The composition root of the engine: builds it, and imports its heavy parts only then."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from typing import TYPE_CHECKING

from app.machine import missing_instructions
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.config import EngineConfig
    from indexer.server.service import Host
    from indexer.server.work_queues import LocalEngine

    OpenEngine = Callable[[EngineConfig], LocalEngine]


def open_engine(config: EngineConfig) -> LocalEngine:
    """Open a library's engine in this process, under the library lock.

    Raises:
        WorldError: ``old_processor``, ``no_runtime`` without an ONNX Runtime, ``library_locked``,
            and what else opening a library may meet.
    """
    # Checked before heavy imports, and before a library is created.
    if lacks := missing_instructions():
        raise WorldError("old_processor", missing=lacks)
    if importlib.util.find_spec("onnxruntime") is None:
        raise WorldError("no_runtime")
    from indexer.engine.engine import Engine

    return Engine.open(config)


def open_host(config: EngineConfig, open_: OpenEngine, *, lasting: bool = False) -> Host:
    """Open an engine that other commands can use while this one does.

    Args:
        config: Which library, and how.
        open_: Makes the engine.
        lasting: The process exists to serve: it fails if it cannot.
    """
    from indexer.server.service import Host, Service

    # A lasting engine slows down for the person's own work; a command is waited for.
    engine = open_(replace(config, background=lasting or config.background))
    try:
        service = Service(engine, config.library, offline=config.offline, lasting=lasting)
        return Host(engine, service)
    except BaseException:
        engine.close()
        raise
