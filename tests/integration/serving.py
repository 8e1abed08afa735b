"""The fake engine behind a real service, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.requests import Index
from indexer.config import EngineConfig
from indexer.server.service import Host, Service
from tests.fake_engine import FakeEngine

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.contract import EngineApi


def open_host(library: Path, *, offline: bool = False, lasting: bool = False) -> Host:
    engine = FakeEngine.open(EngineConfig(library, library / "models", offline=offline))
    return Host(engine, Service(engine, library, offline=offline, lasting=lasting))


def fake(host: Host) -> FakeEngine:
    assert isinstance(host.engine, FakeEngine)
    return host.engine


def index(engine: EngineApi, *paths: Path) -> None:
    engine.call(Index(tuple(paths)))
