"""Opens embedders, and chooses the precision for a device and for a new library.

``OpenedLater`` opens a model in a thread, so that nobody has to wait for it.
"""

from __future__ import annotations

import logging
import os
import threading
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from indexer.api.errors import LecternError, WorldError
from indexer.api.phrases import Note
from indexer.config import Precision
from indexer.embed.devices import (
    AUTO,
    CPU,
    ProviderInUse,
    candidates,
    clash,
    keep_finding,
    kept_finding,
    load_runtime,
    openvino_version,
)
from indexer.embed.embedder import OnnxEmbedder
from indexer.embed.model_files import ModelForm, find_form, find_record
from indexer.embed.models import Side
from indexer.embed.openvino import LEAST_GAIN
from indexer.embed.token_vectors import TokenEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.config import EngineConfig
    from indexer.embed.models import ModelRecord

log = logging.getLogger(__name__)

M = TypeVar("M")
_COMPARED = "float32 beside 8 bits"  # the finding of ``fastest_precision``


def open_embedder(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    side: Side = Side.PASSAGES,
    *,
    threads: int = 0,
    provider: str = AUTO,
) -> OnnxEmbedder:
    """Open an embedder with its own session.

    Args:
        record: The model.
        models: The person's folder of models.
        precision: Of the weights, on the CPU.
        side: Which encoder; a model with one encoder reads both.
        threads: Concurrent runs; 0 for one per core.
        provider: A key of ``devices.PROVIDERS``, or ``devices.AUTO``.

    Raises:
        WorldError: ``no_runtime``, ``bad_setting`` for an unknown provider, and those of
            ``find_form``.
    """

    def opened(precision: Precision, provider: str, *, card: bool = False) -> OnnxEmbedder:
        form = find_form(record, models, precision, side, card=card)
        kind = OnnxEmbedder if record.interaction is None else TokenEmbedder
        return kind(form, threads or os.cpu_count() or 1, provider)

    runtime = load_runtime()
    *accelerators, _ = candidates(runtime.get_available_providers(), provider)
    if not accelerators:
        return opened(precision, provider)
    if precision is Precision.INT8:
        # The 8-bit graph is made for the CPU, and vectors of float32 are of another space.
        why = Note("device_eight_bits", {"device": accelerators[0]})
        reason = ProviderInUse(CPU, (why, *clash()))
    else:
        embedder = opened(precision, provider, card=True)
        if embedder.provider.name != CPU:
            return embedder
        reason = embedder.provider
    embedder = opened(precision, CPU)
    embedder.provider = reason
    return embedder


def fastest_precision(config: EngineConfig) -> Precision:
    """The precision in which passages are embedded fastest here; for a library without vectors.

    It is float32 where an accelerator, or OpenVINO as with matrix units, computes that faster than
    the processor does 8 bits; measured, and kept for OpenVINO, while accelerators and their drivers
    come and go. It is 8 bits elsewhere, and if a model cannot be opened, which is told when
    passages are embedded.

    Raises:
        WorldError: ``unknown_model``, ``no_runtime``, or ``bad_setting`` for an unknown provider.
    """
    *accelerators, _ = candidates(load_runtime().get_available_providers(), config.provider)
    if not accelerators and (config.provider != AUTO or not openvino_version()):
        return Precision.INT8
    found = None if accelerators else compared(config)
    if found is None:
        try:
            found = _compare(config)
        except Exception as error:  # noqa: BLE001  # drivers may raise anything
            log.warning("precisions cannot be compared: %s", error)
            return Precision.INT8
        keep_finding(_form(config), _COMPARED, astuple(found))
    log.info("float32 by %s is %.2f times as fast as 8 bits", found.device, found.times)
    return found.fastest


def precision_note(config: EngineConfig) -> Note | None:
    """What ``fastest_precision`` measured here; None if it did not.

    Raises:
        WorldError: ``unknown_model``.
    """
    found = compared(config)
    if found is None:
        return None
    faster = found.fastest is Precision.FP32
    code = "precision_faster" if faster else "precision_slower"
    return Note(code, {"device": found.device, "times": f"{found.times:.1f}"})


@dataclass(frozen=True, slots=True)
class Compared:
    """What computes float32 here, and how many times as fast as the processor does 8 bits.

    ``times`` is 0 where that is ONNX Runtime on the processor, which takes more than twice as long.
    """

    device: str
    times: float

    @property
    def fastest(self) -> Precision:
        return Precision.FP32 if self.times >= LEAST_GAIN else Precision.INT8


def compared(config: EngineConfig) -> Compared | None:
    """What was compared here; None if nothing was.

    Raises:
        WorldError: ``unknown_model``.
    """
    try:
        found = kept_finding(_form(config), _COMPARED)
    except WorldError as error:
        if error.code == "unknown_model":
            raise
        return None  # the model is not here, or damaged
    match found:
        case [str(device), float(times)]:
            return Compared(device, times)
    return None


def _compare(config: EngineConfig) -> Compared:
    record = find_record(config.model, config.models)
    eight, exact = (
        open_embedder(
            record, config.models, precision, threads=config.threads, provider=config.provider
        )
        for precision in (Precision.INT8, Precision.FP32)
    )
    device = exact.provider.name
    return Compared(device, 0.0 if device == CPU else exact.times_as_fast(eight))


def _form(config: EngineConfig) -> ModelForm:
    return find_form(find_record(config.model, config.models), config.models, Precision.INT8)


@dataclass(slots=True)
class OpenedLater(Generic[M]):
    """A model that is opened at its first use. Thread-safe.

    Args:
        open: Opens the model of a record; raises ``WorldError``.
    """

    open: Callable[[ModelRecord], M]
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _opened: tuple[ModelRecord, M] | None = None

    def get(self, record: ModelRecord, *, wait: bool) -> M | None:
        """The open model; None as long as it is not open, unless the caller waits for it.

        Raises:
            WorldError: If it cannot be opened, and the caller waits.
        """
        opened = self._opened
        if opened is not None and opened[0] == record:
            return opened[1]
        if wait:
            return self._get(record)
        if not self._opening.locked():
            threading.Thread(target=self._open_ahead, args=(record,), daemon=True).start()
        return None

    def _open_ahead(self, record: ModelRecord) -> None:
        try:
            self._get(record)
        except LecternError as error:
            log.warning("%s cannot be opened: %s", record.id, error)

    def _get(self, record: ModelRecord) -> M:
        with self._opening:
            if self._opened is None or self._opened[0] != record:
                self._opened = record, self.open(record)
            return self._opened[1]
