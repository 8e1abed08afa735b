"""The execution provider of the model: which one is in use, and why.

Owns the choice among CUDA, DirectML, CoreML and the CPU, and testing that it works: the
session must name the provider and must survive a run. It must not know models or tokens.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.api.errors import WorldError
from indexer.api.phrases import Note

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

log = logging.getLogger(__name__)

T = TypeVar("T")

AUTO = "auto"
CPU = "cpu"
# In the order they are tried; the last works everywhere.
PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    CPU: "CPUExecutionProvider",
}


@dataclass(frozen=True, slots=True)
class ProviderInUse:
    """The execution provider of a session, and notes with the reasons."""

    name: str  # a key of ``PROVIDERS``
    notes: tuple[Note, ...]


def load_runtime() -> Any:
    """Import ONNX Runtime.

    Raises:
        WorldError: ``no_runtime`` if none is installed.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise WorldError("no_runtime") from error
    # The leftover folder of an uninstalled package imports as an empty namespace.
    if not hasattr(onnxruntime, "InferenceSession"):
        raise WorldError("no_runtime")
    # Windows' own tracing, which ``indexer.TELEMETRY_OFF`` does not reach.
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def candidates(available: list[str], wanted: str = AUTO) -> list[str]:
    """The providers to try, best first; the CPU is always the last.

    Args:
        available: Provider names as ONNX Runtime reports them.
        wanted: A key of ``PROVIDERS``, or ``AUTO``.

    Raises:
        WorldError: ``bad_setting`` if ``wanted`` is neither.
    """
    if wanted != AUTO and wanted not in PROVIDERS:
        raise WorldError(
            "bad_setting",
            name="provider",
            value=wanted,
            reason="takes_choice",
            choices=", ".join((AUTO, *PROVIDERS)),
        )
    names = [key for key, provider in PROVIDERS.items() if provider in available]
    if wanted != AUTO:
        names = [key for key in names if key == wanted]
    return [*(key for key in names if key != CPU), CPU]


def choose(wanted: str, prove: Callable[[str], T]) -> tuple[T, ProviderInUse]:
    """Find the best provider that works.

    Args:
        wanted: A key of ``PROVIDERS``, or ``AUTO``.
        prove: Opens a model on the provider of that key and runs it; raises when it cannot.

    Returns:
        What ``prove`` returned, and the provider with the reason.

    Raises:
        WorldError: ``no_runtime``, or ``bad_setting`` for an unknown provider.
    """
    available = list(load_runtime().get_available_providers())
    *accelerators, last = candidates(available, wanted)
    failures: list[Note] = []
    if wanted not in (AUTO, CPU) and not accelerators:
        failures.append(Note("device_absent", {"device": wanted}))
    for name in accelerators:
        try:
            proven = prove(name)
        except Exception as error:  # noqa: BLE001  # drivers may raise anything
            log.warning("the provider %s does not work here: %s", name, error)
            failures.append(Note("device_failed", {"device": name, "said": _first_line(error)}))
            continue
        return proven, ProviderInUse(name, (Note("device_tested"),))
    return prove(last), ProviderInUse(last, _why_cpu(wanted, failures))


def open_on(runtime: Any, model: Path, name: str) -> Any:
    """Open a session on one provider.

    Each run keeps to its own thread, so several may run side by side: for sequences of a few
    hundred tokens that is faster than to share out every operator, and nothing spins in waiting.

    Raises:
        RuntimeError: If the session came up on another provider.
    """
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.inter_op_num_threads = 1
    settings.log_severity_level = 3
    # Lengths differ between runs, so that cached memory plans would accumulate.
    settings.enable_mem_pattern = False
    # The graph is written fused; what the optimizer would fuse further is slower.
    settings.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    wanted = list(dict.fromkeys((PROVIDERS[name], PROVIDERS[CPU])))
    session = runtime.InferenceSession(str(model), settings, providers=wanted)
    in_use = session.get_providers()[0]
    if in_use != PROVIDERS[name]:
        raise RuntimeError(f"the session fell back to {in_use}")
    return session


def _why_cpu(wanted: str, failures: list[Note]) -> tuple[Note, ...]:
    if failures:
        return tuple(failures)
    return (Note("device_asked" if wanted == CPU else "device_only"),)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
