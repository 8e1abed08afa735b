"""The engine knows whether its process serves or runs a single command."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from app.engine import open_host
from indexer.config import EngineConfig
from tests.fake_engine import FakeEngine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("lasting", [False, True])
def test_only_a_lasting_engine_slows_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, lasting: bool
) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    opened: list[EngineConfig] = []

    def open_(config: EngineConfig) -> FakeEngine:
        opened.append(config)
        return FakeEngine.open(config)

    config = EngineConfig(tmp_path / "library", tmp_path / "models")
    with contextlib.closing(open_host(config, open_, lasting=lasting)):
        pass
    assert [one.background for one in opened] == [lasting]
