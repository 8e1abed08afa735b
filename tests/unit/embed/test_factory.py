"""The precision of a library without vectors: what this processor embeds fastest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.config import EngineConfig, Precision
from indexer.embed import factory
from indexer.embed.devices import CPU
from indexer.embed.embedder import OnnxEmbedder
from indexer.embed.factory import fastest_precision
from tests.tiny_model import TINY, install_tiny_model
from tests.unit.embed.pretended_cuda import no_harm, noise, pretend_cuda

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    install_tiny_model(tmp_path)
    return EngineConfig(tmp_path / "library", tmp_path, TINY, offline=True, fastest_precision=True)


def test_without_an_accelerator_it_is_8_bits_and_nothing_is_opened(config: EngineConfig) -> None:
    assert fastest_precision(config) is Precision.INT8
    assert not any((config.models / TINY).glob(f"{Precision.INT8}-*"))


def test_a_new_library_has_the_precision_of_an_accelerator_that_is_faster(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(factory, "LEAST_GAIN", 0.0)
        pretend_cuda(patch, no_harm)
        assert fastest_precision(config) is Precision.FP32
        assert fastest_precision(replace(config, provider="cuda")) is Precision.FP32
        assert fastest_precision(replace(config, provider=CPU)) is Precision.INT8
    # With another driver.
    with monkeypatch.context() as patch:
        pretend_cuda(patch, noise)
        assert fastest_precision(config) is Precision.INT8
        # With one that fails in the middle.
        pretend_cuda(patch, no_harm)
        patch.setattr(OnnxEmbedder, "bare_throughput", _ended)
        assert fastest_precision(config) is Precision.INT8


def _ended(_self: OnnxEmbedder, _sequences: object) -> float:
    raise RuntimeError("CUDA failure 700: an illegal memory access")
