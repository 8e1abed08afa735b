"""The precision of a library without vectors: what this processor embeds fastest."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import sentence
from indexer.config import EngineConfig, Precision
from indexer.embed import encoder as openvino
from indexer.embed import factory
from indexer.embed.devices import CPU, OPENVINO, load_runtime, open_on
from indexer.embed.embedder import OnnxEmbedder
from indexer.embed.factory import Compared, compared, fastest_precision, precision_note
from tests.tiny_model import TINY, install_tiny_model
from tests.unit.embed.pretended_cuda import no_harm, noise, pretend_cuda

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    install_tiny_model(tmp_path)
    return EngineConfig(tmp_path / "library", tmp_path, TINY, offline=True, fastest_precision=True)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """ONNX Runtime in the place of OpenVINO, however fast; and the graphs that it opened."""
    opened: list[Path] = []

    def session(graph: Path) -> object:
        opened.append(graph)
        return open_on(load_runtime(), graph, CPU, "")

    monkeypatch.setattr("indexer.embed.encoder.importlib.util.find_spec", lambda _name: object())
    monkeypatch.setattr("indexer.embed.devices.metadata.version", lambda _name: "1")
    monkeypatch.setattr("indexer.embed.embedder.OpenVinoSession", session)
    monkeypatch.setattr(openvino, "LEAST_GAIN", 0.0)
    return opened


def test_without_openvino_it_is_8_bits_and_nothing_is_opened(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "openvino_version", lambda: "")
    assert fastest_precision(config) is Precision.INT8
    assert compared(config) is None
    assert precision_note(config) is None
    assert not any((config.models / TINY).glob(f"{Precision.INT8}-*"))


@pytest.mark.parametrize(("least", "chosen"), [(0.0, Precision.FP32), (math.inf, Precision.INT8)])
def test_it_is_float32_where_that_is_faster_and_is_measured_once(
    config: EngineConfig,
    stand_in: list[Path],
    monkeypatch: pytest.MonkeyPatch,
    least: float,
    chosen: Precision,
) -> None:
    monkeypatch.setattr(factory, "LEAST_GAIN", least)
    assert fastest_precision(config) is chosen
    found = compared(config)
    assert found is not None
    assert (found.device, found.times > 0) == (OPENVINO, True)
    stand_in.clear()
    assert fastest_precision(config) is chosen
    assert compared(config) == found
    note = precision_note(config)
    assert note is not None
    assert ("not faster" in sentence(note)) is (chosen is Precision.INT8)
    assert not stand_in, "it was measured again"


@pytest.mark.usefixtures("stand_in")
def test_it_is_8_bits_where_float32_is_not_taken_or_a_device_was_chosen(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "LEAST_GAIN", 0.1)
    assert fastest_precision(replace(config, provider=CPU)) is Precision.INT8
    assert compared(config) is None
    monkeypatch.setattr(openvino, "LEAST_GAIN", math.inf)
    assert fastest_precision(config) is Precision.INT8
    assert compared(config) == Compared(CPU, 0.0)


@pytest.mark.usefixtures("stand_in")
def test_a_model_that_cannot_be_opened_is_told_later(config: EngineConfig) -> None:
    for file in (config.models / TINY).rglob("*.safetensors"):
        file.write_bytes(b"damaged")
    assert fastest_precision(config) is Precision.INT8
    assert compared(config) is None


def test_with_openvino_it_is_what_was_measured(config: EngineConfig) -> None:
    pytest.importorskip("openvino", reason="OpenVINO is an extra of its own")
    chosen = fastest_precision(config)
    found = compared(config)
    assert found is not None
    assert found.device in {CPU, OPENVINO}
    assert chosen is found.fastest


def test_a_new_library_has_the_precision_of_an_accelerator_that_is_faster(
    config: EngineConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(factory, "LEAST_GAIN", 0.0)
        pretend_cuda(patch, no_harm)
        assert fastest_precision(config) is Precision.FP32
        found = compared(config)
        assert found is not None
        assert (found.device, found.times > 0) == ("cuda", True)
        assert fastest_precision(replace(config, provider="cuda")) is Precision.FP32
        assert fastest_precision(replace(config, provider=CPU)) is Precision.INT8
    # With another driver; what was measured before does not count.
    with monkeypatch.context() as patch:
        pretend_cuda(patch, noise)
        assert fastest_precision(config) is Precision.INT8
        assert compared(config) == Compared(CPU, 0.0)
        # With one that fails in the middle.
        pretend_cuda(patch, no_harm)
        patch.setattr(OnnxEmbedder, "bare_throughput", _ended)
        assert fastest_precision(config) is Precision.INT8


def _ended(_self: OnnxEmbedder, _sequences: object) -> float:
    raise RuntimeError("CUDA failure 700: an illegal memory access")
