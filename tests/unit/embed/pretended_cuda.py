"""CUDA that is none: the CPU in its place, which may harm what it computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.devices import CPU, PROVIDERS, open_on

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from numpy.typing import NDArray

    Feed = dict[str, NDArray[np.int32]]
    # Changes what was computed from the inputs.
    Harm = Callable[[NDArray[np.float32], Feed], None]


class Liar:
    """A session of the CPU in the place of another provider, which harms what it computes."""

    def __init__(self, session: Any, harm: Harm) -> None:
        self._session, self._harm = session, harm

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)

    def run(self, names: list[str], feed: dict[str, Any]) -> list[NDArray[np.float32]]:
        outputs: list[NDArray[np.float32]] = self._session.run(names, feed)
        self._harm(outputs[0], feed)
        return outputs


def no_harm(_states: NDArray[np.float32], _feed: Feed) -> None:
    pass


def noise(states: NDArray[np.float32], _feed: Feed) -> None:
    states += np.float32(0.1) * np.roll(states, 1, axis=-1)


def pretend_cuda(monkeypatch: pytest.MonkeyPatch, harm: Harm) -> None:
    """Let ONNX Runtime have CUDA, which is the CPU harmed."""
    import onnxruntime

    def opened(runtime: Any, model: Path, name: str) -> Any:
        session = open_on(runtime, model, CPU)
        return session if name == CPU else Liar(session, harm)

    available = [PROVIDERS["cuda"], PROVIDERS[CPU]]
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: available)
    monkeypatch.setattr("indexer.embed.encoder.open_on", opened)
