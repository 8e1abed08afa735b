"""The choice of the execution provider, and its notes."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError, sentence
from indexer.api.phrases import Note
from indexer.config import EngineConfig, Precision
from indexer.embed.batches import EmbedInput
from indexer.embed.devices import (
    AUTO,
    CPU,
    PROVIDERS,
    candidates,
    choose,
    clash,
    load_runtime,
    open_on,
)
from indexer.embed.encoder import ENDS, IDS
from indexer.embed.factory import ModelsInUse, open_embedder
from indexer.embed.model_files import find_form
from indexer.embed.models import Side
from tests.tiny_model import TINY, install_tiny_model
from tests.unit.embed.pretended_cuda import no_harm, noise, pretend_cuda

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models import ModelRecord
    from tests.unit.embed.pretended_cuda import Feed, Harm

EVERYTHING = list(PROVIDERS.values())


def _opens(name: str) -> str:
    return name


def test_accelerators_come_first_and_the_cpu_last() -> None:
    assert candidates(EVERYTHING) == list(PROVIDERS)
    assert candidates(EVERYTHING)[:2] == ["cuda", "tensorrt"]
    assert candidates(["CPUExecutionProvider"]) == ["cpu"]


def test_only_the_wanted_provider_and_the_cpu_are_tried() -> None:
    assert candidates(EVERYTHING, "coreml") == ["coreml", "cpu"]
    assert candidates(EVERYTHING, "cpu") == ["cpu"]
    assert candidates(["CPUExecutionProvider"], "cuda") == ["cpu"]


def test_an_unknown_provider_is_rejected() -> None:
    with pytest.raises(WorldError, match="choose auto, cuda") as caught:
        candidates(EVERYTHING, "abacus")
    assert caught.value.code == "bad_setting"


def test_the_cpu_is_used_when_asked_for() -> None:
    assert choose(CPU, _opens)[1].notes == (Note("device_asked"),)


def test_a_missing_provider_is_noted() -> None:
    proven, provider = choose("directml", _opens)
    assert proven == provider.name == CPU
    assert provider.notes == (Note("device_absent", {"device": "directml"}),)


def test_a_failing_provider_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: EVERYTHING)

    def without_driver(name: str) -> str:
        if name != CPU:
            raise RuntimeError(f"no driver for {name}\nand a long trace")
        return name

    _, provider = choose(AUTO, without_driver)
    assert provider.name == CPU
    assert provider.notes == tuple(
        Note("device_failed", {"device": name, "said": f"no driver for {name}"})
        for name in list(PROVIDERS)[:-1]
    )
    assert choose(AUTO, _opens)[1].name == "cuda"


def _rounding(states: NDArray[np.float32], _feed: Feed) -> None:
    states[:] = states.astype(np.float16)


def _second_sequence(states: NDArray[np.float32], _feed: Feed) -> None:
    states[1:] = states[:1]


def _long_sequence(states: NDArray[np.float32], _feed: Feed) -> None:
    states[:, 128:] = 0


def _not_finite(states: NDArray[np.float32], _feed: Feed) -> None:
    states[0, -1, 0] = np.nan


def _sums(found: NDArray[np.float32], feed: Feed) -> None:
    if feed[ENDS].any():
        found += np.float32(1)


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (no_harm, "device_tested"), (_rounding, "device_tested"), (noise, "device_wrong"),
        (_second_sequence, "device_wrong"), (_long_sequence, "device_wrong"),
        (_not_finite, "device_failed"), (_sums, "device_wrong"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("blocks", [(0, 0, 0), (16, 8, 4)])
def test_a_provider_that_lies_is_refused(
    harm: Harm,
    code: str,
    blocks: tuple[int, int, int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend_cuda(monkeypatch, harm)
    record = install_tiny_model(tmp_path, blocks=blocks, late=bool(blocks[0]))
    embedder = open_embedder(record, tmp_path, Precision.FP32, threads=1)
    assert embedder.precision is Precision.FP32
    assert embedder.provider.notes[0].code == code
    assert embedder.provider.name == ("cuda" if code == "device_tested" else CPU)
    if code == "device_tested":
        _same_vectors(embedder, record, tmp_path)
    if code == "device_wrong":
        said = sentence(embedder.provider.notes[0])
        assert re.fullmatch(
            r"cuda computes other numbers than the processor \(error [\d.]+\) and is not used", said
        )


def _same_vectors(embedder: OnnxEmbedder, record: ModelRecord, models: Path) -> None:
    """An accelerator, which sums states itself, has the vectors of the processor."""
    on_cpu = open_embedder(record, models, Precision.FP32, provider=CPU)
    starts = (0, 16, 23)
    passages = [
        EmbedInput("Log", (), "The storm broke. Nobody slept." * number, starts[: 1 + number])
        for number in (1, 9, 2, 1)
    ]
    for one, two in zip(*(e.encode_passages(passages) for e in (embedder, on_cpu)), strict=True):
        np.testing.assert_allclose(one.vector, two.vector, atol=2e-3)
        np.testing.assert_allclose(one.sentences, two.sentences, atol=2e-3)
        assert one.tokens == two.tokens


def test_a_device_without_memory_gets_smaller_runs_from_then_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, most = [], 4000

    def small(_states: NDArray[np.float32], feed: Feed) -> None:
        if feed[IDS].size > most:
            refused.append(feed[IDS].shape)
            raise RuntimeError("CUDA failure 2: out of memory")

    pretend_cuda(monkeypatch, small)
    record = install_tiny_model(tmp_path)
    embedder = open_embedder(record, tmp_path, Precision.FP32, threads=1)
    before = embedder.token_budget
    passages = [EmbedInput("", (), f"a b c {number} " * 20, (0,)) for number in range(200)]
    made = embedder.encode_passages(passages)
    assert embedder.token_budget <= most < before
    learned = len(refused)
    assert learned
    again = embedder.encode_passages(passages)
    assert len(refused) == learned
    on_cpu = open_embedder(record, tmp_path, Precision.FP32, provider=CPU)
    for one, two, wanted in zip(made, again, on_cpu.encode_passages(passages), strict=True):
        np.testing.assert_allclose(one.vector, wanted.vector, atol=1e-5)
        np.testing.assert_allclose(two.vector, wanted.vector, atol=1e-5)
    most = 10  # not even one sequence fits
    with pytest.raises(RuntimeError, match="out of memory"):
        embedder.encode_passages(passages[:1])


def _on_cpu(record: ModelRecord, models: Path) -> NDArray[np.float32]:
    embedder = open_embedder(record, models, Precision.FP32, Side.QUERIES, provider=CPU)
    return embedder.encode_query("Who slept?")


def test_each_provider_is_surveyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_tiny_model(tmp_path)
    models = ModelsInUse(EngineConfig(tmp_path / "library", tmp_path, TINY, offline=True))
    for harm, code in ((no_harm, "device_tested"), (noise, "device_wrong")):
        with monkeypatch.context() as patch:
            pretend_cuda(patch, harm)
            found = {name: note.code for name, note in models.survey_devices().items()}
        absent = dict.fromkeys(PROVIDERS, "device_absent")
        assert found == absent | {"cuda": code, CPU: "device_runs"}
    assert models.survey_devices()[CPU] == Note("device_runs")


def test_two_packages_of_the_runtime_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    assert clash() == ()
    versions = {"onnxruntime": "1.2", "onnxruntime-gpu": "1.1"}

    def version(name: str) -> str:
        if name not in versions:
            raise PackageNotFoundError
        return versions[name]

    monkeypatch.setattr("importlib.metadata.version", version)
    note = Note("runtimes_clash", {"names": "onnxruntime 1.2, onnxruntime-gpu 1.1"})
    assert clash() == (note,)
    assert choose(CPU, _opens)[1].notes == (Note("device_asked"), note)
    assert "uninstall all of them, then install one" in sentence(note)


@pytest.mark.parametrize("precision", [Precision.FP32, Precision.FP16])
def test_the_cpu_is_used_if_the_accelerator_fails(
    precision: Precision, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: EVERYTHING)
    record = install_tiny_model(tmp_path)
    embedder = open_embedder(record, tmp_path, precision, provider="coreml")
    assert embedder.precision is precision
    assert embedder.provider.name == CPU
    assert [note.code for note in embedder.provider.notes] == ["device_failed"]


def test_vectors_in_8_bits_stay_those_of_the_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_cuda(monkeypatch, no_harm)
    record = install_tiny_model(tmp_path)
    embedder = open_embedder(record, tmp_path, Precision.INT8)
    assert (embedder.precision, embedder.provider.name) == (Precision.INT8, CPU)
    assert embedder.provider.notes == (Note("device_eight_bits", {"device": "cuda"}),)
    assert "cuda computes fp32" in sentence(embedder.provider.notes[0])


def test_a_session_that_falls_back_to_the_cpu_raises(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    compiled = find_form(record, tmp_path, Precision.FP32)
    runtime = load_runtime()
    if PROVIDERS["cuda"] in runtime.get_available_providers():
        pytest.skip("it would not fall back")
    with (
        pytest.warns(UserWarning, match="CUDAExecutionProvider"),
        pytest.raises(RuntimeError, match="fell back to CPUExecutionProvider"),
    ):
        open_on(runtime, compiled.path, "cuda")


def test_a_leftover_folder_of_the_runtime_is_not_a_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnxruntime").mkdir()
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(WorldError) as caught:
        load_runtime()
    assert caught.value.code == "no_runtime"


def test_a_missing_runtime_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(WorldError, match="No ONNX Runtime is installed") as caught:
        open_embedder(install_tiny_model(tmp_path), tmp_path, Precision.INT8)
    assert caught.value.code == "no_runtime"
    assert "lectern[cpu]" in caught.value.next_step
