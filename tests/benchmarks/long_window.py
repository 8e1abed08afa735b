"""``python -m tests.benchmarks.long_window``: memory and time of one long window on the processor.

The model has the shape of ModernBERT base, 149 million parameters, and random weights, on which
speed and memory do not depend. 8,192 tokens on one thread of loaded machines: 631 MB and 30 s in 8
bits (EPYC), 1,147 MB and 67 s with ``--precision fp32`` (Xeon; without groups of blocks 1,818 MB).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

from indexer.compiler.encoder_graph import write_encoder
from indexer.compiler.linear import FloatLinear, PaddedLinear, RecordingLinear
from indexer.compiler.quantize import IntegerLinear, Range
from indexer.compiler.weight_shapes import expected_shapes
from indexer.config import Precision
from indexer.embed.architecture import Architecture, Family
from indexer.embed.batches import Batch
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder

SHAPE = Architecture(
    layers=22, heads=12, hidden=768, intermediate=1152, vocabulary=50_368, positions=8192,
    norm_epsilon=1e-5, family=Family.MODERNBERT, global_every=3, local=64, block=128, reach=64,
    rotary_bases=(160_000.0, 10_000.0),
)  # fmt: skip
_RANGE = 4.0  # of a normalised activation


def weight(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """A random tensor, made when it is asked for."""
    size = expected_shapes(SHAPE, 1)[name]
    random = np.random.default_rng(zlib.crc32(name.encode()))
    values = random.standard_normal(size, np.float32) * np.float32(0.02)
    return values + np.float32(len(size) == 1)


def compile_into(folder: Path, precision: Precision) -> Path:
    """Write the graph; 8 bits with ranges that were not observed."""
    linear = FloatLinear(grouped=SHAPE.wide)
    if precision is Precision.FP16:
        linear = PaddedLinear(half=True)
    if precision is Precision.INT8:
        recorded = RecordingLinear()
        write_encoder(SHAPE, weight, recorded, folder, recorded.activations)
        edge = np.full(SHAPE.hidden, _RANGE, np.float32)
        linear = IntegerLinear(dict.fromkeys(recorded.activations, Range(-edge, edge)))
    return write_encoder(SHAPE, weight, linear, folder)


def run(graph: Path, tokens: int) -> dict[str, float]:
    """Encode one window in this process, and say what it took."""
    import resource

    encoder = Encoder(graph, CPU)
    ids = np.random.default_rng(1).integers(0, SHAPE.vocabulary, (1, tokens)).astype(np.int32)
    started = time.perf_counter()
    encoder.states(Batch((0,), ids, np.array([tokens], np.int32)))
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": round(seconds, 1), "peak_mb": round(peak / 1e6)}


def main() -> None:
    """Compile, and run in a process of its own."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.long_window")
    parser.add_argument("--precision", type=Precision, default=Precision.INT8)
    parser.add_argument("--tokens", type=int, default=SHAPE.positions)
    parser.add_argument("--graph", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.graph is not None:
        print(json.dumps(run(asked.graph, asked.tokens)))
        return
    with tempfile.TemporaryDirectory() as folder:
        graph = compile_into(Path(folder), asked.precision)
        own = [sys.executable, "-m", __spec__.name, "--graph", str(graph)]
        subprocess.run([*own, "--tokens", str(asked.tokens)], check=True)


if __name__ == "__main__":
    main()
