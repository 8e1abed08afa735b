"""Chooses the execution provider of ONNX Runtime.

A provider is accepted if the session reports it and a test run gives the same numbers as the CPU.
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from indexer.api.codec import program_version
from indexer.api.errors import WorldError, not_a_choice
from indexer.api.phrases import Note

log = logging.getLogger(__name__)

T = TypeVar("T")

AUTO = "auto"
CPU = "cpu"
# The order in which providers are tried. The CPU always works.
PROVIDERS = {
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",  # comes with CUDA, slow to open
    "migraphx": "MIGraphXExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino-gpu": "OpenVINOExecutionProvider",
    CPU: "CPUExecutionProvider",
}


# Packages of ONNX Runtime. They install the same files, so at best the last one installed works.
RUNTIMES = (
    "onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino",
    "onnxruntime-migraphx",
)  # fmt: skip
_OPTIONS = {"openvino-gpu": {"device_type": "GPU"}}
# The largest accepted error of a token's state on another provider, relative to its size on the
# CPU. Half precision has about 0.01, a wrong operator about 1.
MOST_ERROR = 0.03


# Instruction sets for products of 8-bit numbers in ONNX Runtime, which uses the first that a
# processor has. Keys are names in ``/proc/cpuinfo``, of x86 and then of Arm.
_BY_8_BITS = {
    "amx_int8": "AMX", "avx512_vnni": "AVX-512 VNNI", "avx512bw": "AVX-512", "avx_vnni": "AVX VNNI",
    "avx2": "AVX2", "i8mm": "I8MM", "asimddp": "dot products of NEON", "asimd": "NEON",
}  # fmt: skip
# The names of the lists of features in that file, on x86 and on Arm.
_FEATURES = ("flags", "Features")
CPUINFO = Path("/proc/cpuinfo")
# Parts of the messages of providers and drivers.
_NO_MEMORY = (
    "out of memory", "failed to allocate", "bad allocation", "bad_alloc", "not enough memory",
    "8007000e",
)  # fmt: skip


class WrongNumbersError(Exception):
    """A provider computes token states with this relative error compared with the CPU."""

    def __init__(self, error: float) -> None:
        super().__init__(f"error {error:.2g}")
        self.error = error


class ProviderInUse(Struct, frozen=True):
    """The execution provider of a session, and notes on why it was chosen."""

    name: str  # a key of ``PROVIDERS``
    notes: tuple[Note, ...]


def load_runtime() -> Any:
    """Import ONNX Runtime. Raises ``no_runtime`` if none is installed."""
    try:
        import onnxruntime
    except ImportError as error:
        raise WorldError("no_runtime") from error
    # An uninstalled package may leave a folder, which is imported as an empty namespace package.
    if not hasattr(onnxruntime, "InferenceSession"):
        raise WorldError("no_runtime")
    # This disables event tracing of Windows, which ``indexer.TELEMETRY_OFF`` does not.
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def installed_runtimes() -> list[str]:
    """The installed packages of ONNX Runtime, with their versions."""
    return [f"{name} {found}" for name in RUNTIMES if (found := program_version(name))]


def instruction_sets() -> frozenset[str]:
    """The features of the processor by their names in Linux; empty on other systems."""
    try:
        lines = CPUINFO.read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    listed = {line.partition(":")[2] for line in lines if line.startswith(_FEATURES)}
    return frozenset(feature for found in listed for feature in found.split())


def kernels(features: frozenset[str]) -> str:
    """The instruction set for products of 8-bit numbers, given a processor's features; or ""."""
    return next((said for name, said in _BY_8_BITS.items() if name in features), "")


def clash() -> tuple[Note, ...]:
    """A note if packages of ONNX Runtime overwrite each other's files."""
    found = installed_runtimes()
    return (Note("runtimes_clash", {"names": ", ".join(found)}),) if len(found) > 1 else ()


def candidates(available: list[str], wanted: str = AUTO) -> list[str]:
    """The keys of the providers to try, best first; the CPU is always last.

    Raises ``bad_setting`` if ``wanted`` is neither ``AUTO`` nor a key of ``PROVIDERS``.
    """
    if wanted != AUTO and wanted not in PROVIDERS:
        raise not_a_choice("provider", wanted, (AUTO, *PROVIDERS))
    names = [key for key, provider in PROVIDERS.items() if provider in available]
    if wanted != AUTO:
        names = [key for key in names if key == wanted]
    return [*(key for key in names if key != CPU), CPU]


def choose(wanted: str, test: Callable[[str], T]) -> tuple[T, ProviderInUse]:
    """Return the result of ``test`` on the best provider that works, and this provider.

    ``test`` opens a model on a provider, given by its key, and runs it. It raises any exception if
    that fails, ``WrongNumbersError`` if the numbers differ from the CPU's. Raises ``no_runtime``,
    or ``bad_setting`` for an unknown provider.
    """
    available = list(load_runtime().get_available_providers())
    *accelerators, last = candidates(available, wanted)
    failures: list[Note] = []
    if wanted not in (AUTO, CPU) and not accelerators:
        failures.append(Note("device_absent", {"device": wanted}))
    for name in accelerators:
        try:
            opened = test(name)
        except WrongNumbersError as error:
            log.warning("the provider %s computes wrong numbers: %s", name, error)
            failures.append(Note("device_wrong", {"device": name, "error": f"{error.error:.2g}"}))
            continue
        except Exception as error:  # noqa: BLE001  # drivers may raise anything
            log.warning("the provider %s does not work here: %s", name, error)
            failures.append(Note("device_failed", {"device": name, "said": _first_line(error)}))
            continue
        return opened, ProviderInUse(name, (Note("device_tested"), *failures, *clash()))
    why = failures or [Note("device_asked" if wanted == CPU else "device_only")]
    return test(last), ProviderInUse(last, (*why, *clash()))


def survey(test: Callable[[str], object]) -> dict[str, Note]:
    """Return the provider used for each value of the setting ``device``; see ``choose``."""
    available = load_runtime().get_available_providers()
    found = {}
    for name, provider in PROVIDERS.items():
        if provider not in available:
            found[name] = Note("device_absent", {"device": name})
        else:
            in_use = choose(name, test)[1]
            found[name] = Note("device_runs") if name == CPU else in_use.notes[0]
    return found


def open_on(runtime: Any, model: Path, name: str) -> Any:
    """Open a session on one provider.

    Each run uses one thread, and several runs are concurrent. For sequences of a few hundred tokens
    this is faster than several threads per operator, and no thread spins while it waits. Raises
    ``RuntimeError`` if the session uses another provider.
    """
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.inter_op_num_threads = 1
    settings.log_severity_level = 3
    # Memory plans are cached by input shape, but lengths differ between runs.
    settings.enable_mem_pattern = False
    # The graph already has fused operators, and further fusions by the optimizer are slower.
    settings.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    wanted = list(dict.fromkeys((PROVIDERS[name], PROVIDERS[CPU])))
    options = [_OPTIONS.get(name, {}), {}][: len(wanted)]
    session = runtime.InferenceSession(
        str(model), settings, providers=wanted, provider_options=options
    )
    release_memory()
    in_use = session.get_providers()[0]
    if in_use != PROVIDERS[name]:
        raise RuntimeError(f"the session fell back to {in_use}")
    return session


# Parameters of glibc's mallopt: few arenas, and large blocks are unmapped when freed. The arrays of
# a query are below that limit, as new pages would cost a millisecond.
_HEAPS = {"M_ARENA_MAX": (-8, 4), "M_MMAP_THRESHOLD": (-3, 4 << 20), "M_TRIM": (-1, 32 << 20)}


def limit_heaps() -> None:
    """Limit glibc's arenas, which keep freed memory for each thread: hundreds of MB in all."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # this is another C library
        libc = ctypes.CDLL("libc.so.6")
        for knob, setting in _HEAPS.values():
            libc.mallopt(knob, setting)


def release_memory() -> None:
    """Return freed memory to the system; merging weights on opening leaves up to 380 MB."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # other C libraries lack it
        ctypes.CDLL(None).malloc_trim(0)


def out_of_memory(error: Exception) -> bool:
    """Whether a run failed because the device has too little memory."""
    said = str(error).lower()
    return isinstance(error, MemoryError) or any(words in said for words in _NO_MEMORY)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
