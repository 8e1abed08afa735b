"""When OpenVINO takes the place of ONNX Runtime, and what is kept of the comparison."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import sentence
from indexer.config import Precision
from indexer.embed.batches import in_batches
from indexer.embed.devices import CPU, FINDINGS, OPENVINO
from indexer.embed.encoder import Encoder, OpenVinoSession, Verdict, faster, measure
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import ModelForm, find_form
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def compiled(tmp_path: Path) -> ModelForm:
    return find_form(install_tiny_model(tmp_path), tmp_path, Precision.FP32)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.embed.encoder.importlib.util.find_spec", lambda _name: object())
    monkeypatch.setattr("indexer.embed.devices.metadata.version", lambda _name: "1")


def _unable() -> Encoder:
    raise RuntimeError("Exception from core.cpp:84:\nConversion is failed for: Scan")


@pytest.mark.parametrize(
    ("verdict", "taken", "said"),
    [
        (Verdict(0.9999, 1.9), True, "computes the same (lowest cosine 0.9999) 1.9 times as fast"),
        (Verdict(0.9989, 3.0), False, "is not used: 3.0 times as fast here, lowest cosine 0.9989"),
        (Verdict(1.0, 1.05), False, "is not used: 1.1 times"),
        (Verdict(failed="no such node"), False, "failed (no such node)"),
    ],
)
def test_it_is_taken_if_it_computes_the_same_and_is_faster(
    verdict: Verdict, taken: bool, said: str
) -> None:
    assert verdict.taken is taken
    assert said in sentence(verdict.note)


def test_without_it_nothing_is_measured(
    compiled: ModelForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.embed.encoder.importlib.util.find_spec", lambda _name: None)
    assert faster(compiled, Encoder(compiled.path, CPU), _unable) is None


@pytest.mark.usefixtures("installed")
def test_a_verdict_is_kept_until_a_version_changes(
    compiled: ModelForm, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Encoder(compiled.path, CPU)
    assert faster(compiled, own, _unable) == (own, Verdict(failed="Conversion is failed for: Scan"))
    again = faster(compiled, own, lambda: pytest.fail("it was measured again"))
    assert again == (own, Verdict(failed="Conversion is failed for: Scan"))

    monkeypatch.setattr("indexer.embed.devices.metadata.version", lambda _name: "2")
    found = faster(compiled, own, lambda: Encoder(compiled.path, CPU))
    assert found is not None
    assert found[1].cosine == pytest.approx(1.0)
    (compiled.models / FINDINGS).write_text("[]", "utf-8")
    found = faster(compiled, own, _unable)
    assert found is not None
    assert found[1].failed


def test_other_numbers_are_told(compiled: ModelForm, tmp_path: Path) -> None:
    other = install_tiny_model(tmp_path, name="another")
    graph = find_form(other, tmp_path, Precision.FP32).path
    record = compiled.record
    verdict = measure(Encoder(compiled.path, CPU), Encoder(graph, CPU), record.vocabulary, 64)
    assert verdict.cosine < 0.9


def test_it_computes_what_onnx_runtime_does(tmp_path: Path) -> None:
    pytest.importorskip("openvino", reason="OpenVINO is an extra of its own")
    record = install_tiny_model(tmp_path, blocks=(16, 8, 4))
    compiled = find_form(record, tmp_path, Precision.FP32)
    own = Encoder(compiled.path, CPU)
    other = Encoder(compiled.path, OPENVINO, OpenVinoSession(compiled.path))
    with pytest.raises(ImportError):
        import_module("openvino_telemetry")
    ids = np.arange(100, dtype=np.int32) % record.vocabulary
    for batch in in_batches([ids, ids[:30]], lambda: 512, padded=own.padded):
        np.testing.assert_allclose(other.states(batch), own.states(batch), rtol=0.05, atol=0.05)
    embedder = open_embedder(record, tmp_path, Precision.FP32)
    assert embedder.provider.notes[-1].code in {"openvino_taken", "openvino_refused"}
