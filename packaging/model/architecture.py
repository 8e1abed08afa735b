"""The shape of a BERT encoder as data, and the checkpoints that the graphs are compiled from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

WEIGHTS, CHECKPOINT = "model.safetensors", "checkpoint.json"


@dataclass(frozen=True, slots=True)
class Architecture:
    """The shape of a post-norm encoder with absolute positions.

    If ``block`` is not 0, attention is local: a token attends to its block of ``block`` tokens,
    ``reach`` more on either side, and the first ``anchors`` tokens of the sequence
    (``indexer.embed.encoder``); else to all. ``skipped`` layers are left out of the graph.
    """

    layers: int
    heads: int
    hidden: int
    intermediate: int
    vocabulary: int
    positions: int
    norm_epsilon: float = 1e-12
    block: int = 0
    reach: int = 0
    anchors: int = 0
    skipped: tuple[int, ...] = ()

    @property
    def dense(self) -> Architecture:
        """The same shape with full attention and all layers."""
        return replace(self, block=0, reach=0, anchors=0, skipped=())

    @property
    def kept_layers(self) -> tuple[int, ...]:
        """The layers that are not skipped."""
        return tuple(layer for layer in range(self.layers) if layer not in self.skipped)


@dataclass(frozen=True, slots=True)
class Probe:
    """A sentence and the first values of its vector, to verify a compiled graph.

    The vector is the mean over all tokens, special ones included, by the encoder of queries if
    there are two.
    """

    text: str
    values: tuple[float, ...]
    tolerance: float = 1e-3


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What is known of a file of weights besides what the model's record says."""

    architecture: Architecture
    sha256: str
    probe: Probe | None = None


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read the checkpoint of a model's folder.

    Raises:
        OSError, ValueError, KeyError, TypeError: If it cannot be read.
    """
    found = json.loads((folder / CHECKPOINT).read_text("utf-8"))
    shape = found["architecture"]
    probe = found["probe"]
    if probe is not None:
        probe = Probe(**probe | {"values": tuple(probe["values"])})
    shape = Architecture(**shape | {"skipped": tuple(shape["skipped"])})
    return Checkpoint(shape, found["sha256"], probe)


def write_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint of a model into its folder."""
    text = json.dumps(asdict(checkpoint), indent=1) + "\n"
    (folder / CHECKPOINT).write_text(text, "utf-8")
