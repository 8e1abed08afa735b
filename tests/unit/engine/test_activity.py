"""The counts that the window polls are at most a second old, unless counting is work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.catalog import Catalog
from indexer.config import EngineConfig
from indexer.embed.factory import ModelsInUse
from indexer.engine.activity import COUNT_EVERY_S, ActivityMonitor
from indexer.throttle.throttle import Throttle
from tests.unit.pipeline.test_rates import BusyClock

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_counts_are_renewed_on_a_busy_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = BusyClock()
    monkeypatch.setattr("indexer.engine.activity.time", clock)
    with Catalog(tmp_path / "catalog.sqlite") as catalog:
        models = ModelsInUse(EngineConfig(tmp_path, tmp_path / "models"))
        monitor = ActivityMonitor(catalog, models, Throttle())
        assert monitor.current_activity().embedded_share == 1
        assert monitor.current_activity().empty
        assert monitor._count_at <= clock.now + COUNT_EVERY_S
