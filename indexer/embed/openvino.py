"""Runs a graph with OpenVINO where that is installed, computes the same and is faster here.

OpenVINO uses bfloat16 and matrix units where the processor has them. Its session has the methods of
ONNX Runtime's that are used, and the verdict is kept with the findings of the machine. A graph is
compared with itself, so the vectors belong to the same space and nothing is embedded again.
"""

from __future__ import annotations

import importlib.util
import logging
import os
import sys
import time
from dataclasses import asdict, dataclass
from queue import SimpleQueue
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.phrases import Note
from indexer.embed.batches import in_batches, unit
from indexer.embed.devices import OPENVINO, keep_finding, kept_finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.encoder import Encoder
    from indexer.embed.model_files import ModelForm

log = logging.getLogger(__name__)

LOWEST_COSINE = 0.999
# Below this a change of the path is not worth the memory of a second runtime.
LEAST_GAIN = 1.1
_LENGTHS = (512, 384, 256, 128, 128, 64, 64)
_ROUNDS = 3  # the first warms up
_TOKENS = 512
_SEED = 2


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was measured of OpenVINO with one graph on this machine.

    Attributes:
        cosine: The lowest of the vectors of a sequence by both runtimes.
        times: How many times as fast as ONNX Runtime it is, on one thread.
        failed: Why it does not run the graph.
    """

    cosine: float = 0.0
    times: float = 0.0
    failed: str = ""

    @property
    def taken(self) -> bool:
        return self.cosine >= LOWEST_COSINE and self.times >= LEAST_GAIN

    @property
    def note(self) -> Note:
        if self.failed:
            return Note("device_failed", {"device": OPENVINO, "said": self.failed})
        code = "openvino_taken" if self.taken else "openvino_refused"
        return Note(code, {"times": f"{self.times:.1f}", "cosine": f"{self.cosine:.4f}"})


class OpenVinoSession:
    """One graph on the processor. Thread-safe; each of several runs uses one thread."""

    def __init__(self, graph: Path) -> None:
        # OpenVINO reports its import with this package; without it nothing is sent.
        sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # blocks the import
        from openvino import Core

        core = Core()
        model = core.read_model(graph)
        threads = os.cpu_count() or 1
        settings = {
            "NUM_STREAMS": threads, "INFERENCE_NUM_THREADS": threads, "ENABLE_CPU_PINNING": False,
        }  # fmt: skip
        self._compiled = core.compile_model(model, "CPU", settings)
        facts = dict(model.rt_info).get("framework", {})
        self._facts = {name: fact.value for name, fact in facts.items()}
        self._idle: SimpleQueue[Any] = SimpleQueue()
        for _ in range(threads):
            self._idle.put(self._compiled.create_infer_request())

    def get_inputs(self) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(name=value.any_name, type=value.element_type.to_dtype().name)
            for value in self._compiled.inputs
        ]

    def get_outputs(self) -> list[SimpleNamespace]:
        return [SimpleNamespace(name=value.any_name) for value in self._compiled.outputs]

    def get_modelmeta(self) -> SimpleNamespace:
        return SimpleNamespace(custom_metadata_map=self._facts)

    def run(self, names: Sequence[str], feed: Mapping[str, Any]) -> list[NDArray[np.float32]]:
        request = self._idle.get()
        try:
            found = request.infer(dict(feed), share_inputs=True)
            return [np.array(found[name]) for name in names]
        finally:
            self._idle.put(request)


def faster(
    form: ModelForm, own: Encoder, opened: Callable[[], Encoder]
) -> tuple[Encoder, Verdict] | None:
    """The encoder to use, and the verdict on OpenVINO; None if that is not installed.

    Args:
        form: The graph.
        own: Its encoder with ONNX Runtime.
        opened: Opens the same graph with OpenVINO.
    """
    if importlib.util.find_spec("openvino") is None:
        return None
    before = verdict = _kept(form)
    if verdict is not None and not verdict.taken:
        return own, verdict
    try:
        other = opened()
        if verdict is None:
            record = form.record.encoder_of(form.side)
            verdict = measure(own, other, record.vocabulary, record.window)
    except Exception as error:  # noqa: BLE001  # a runtime of others may raise anything
        log.warning("OpenVINO does not run %s: %s", form.graph.name, error)
        verdict, other = Verdict(failed=_last_line(error)), own
    if verdict != before:
        keep_finding(form, OPENVINO, asdict(verdict))
    return other if verdict.taken else own, verdict


def measure(own: Encoder, other: Encoder, vocabulary: int, window: int) -> Verdict:
    """Run the same random tokens by both, in turns."""
    sequences = random_sequences(vocabulary, window)
    spent = {own: 0.0, other: 0.0}
    lowest = 1.0
    for number in range(_ROUNDS):
        for batch in in_batches(sequences, lambda: _TOKENS, padded=own.padded):
            vectors = []
            for encoder in spent:
                began = time.perf_counter()
                states = encoder.states(batch)
                spent[encoder] += (time.perf_counter() - began) * bool(number)
                rows = zip(states, batch.lengths, strict=True)
                vectors.append(unit(np.stack([one[:length].mean(axis=0) for one, length in rows])))
            lowest = min(lowest, float((vectors[0] * vectors[1]).sum(axis=1).min()))
    return Verdict(lowest, spent[own] / spent[other])


def random_sequences(vocabulary: int, window: int) -> list[NDArray[np.int32]]:
    """Ids of tokens in sequences of the lengths that documents come to, always the same."""
    random = np.random.default_rng(_SEED)
    return [
        random.integers(0, vocabulary, min(length, window)).astype(np.int32) for length in _LENGTHS
    ]


def _last_line(error: Exception) -> str:
    """What went wrong; before that OpenVINO says where in its source."""
    return (str(error).strip() or type(error).__name__).splitlines()[-1][:200]


def _kept(form: ModelForm) -> Verdict | None:
    try:
        return Verdict(**kept_finding(form, OPENVINO))
    except TypeError:
        return None
