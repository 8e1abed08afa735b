"""Compiles the checkpoints that come with Lectern into their ONNX files.

    python packaging/model/compile_forms.py [FOLDER…]

A FOLDER is that of a model, by default each in ``resources/models``. Its forms, in 8 bits, in
float32, and for passages in float32 and float16 for accelerators, share the file of weights;
``content.json`` says what they were compiled from, and nothing is done if that is unchanged. The
form in 8 bits is calibrated: the float32 graph reads a few pages of public-domain text to find the
range of every activation with a fixed scale.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from adapter import POSITIONS, own_names, weights_of
from architecture import CHECKPOINT, WEIGHTS, read_checkpoint

from indexer.config import Precision
from indexer.embed.model_files import CONTENT, find_record, hash_file, read_content, write_content
from indexer.embed.models import TOKENIZER, GraphFile, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from architecture import Architecture, Checkpoint
    from graph import DataFile
    from numpy.typing import NDArray
    from quantize import Range

    from indexer.embed.batches import Batch
    from indexer.embed.encoder import Encoder
    from indexer.embed.layout import TextTokenizer
    from indexer.embed.models import ModelRecord

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]

MODELS = HERE.parents[1] / "resources" / "models"
LOCK = "compiling.lock"
CONSTANTS = "constants.bin"
# Below this cosine with float32, on any calibration text, a form is refused.
LEAST = {Precision.FP16: 0.999, Precision.INT8: 0.9}
# Factor on the observed ranges, so that slightly larger values are not clipped.
_MARGIN = 1.05
_TOKENS = 1024  # of a run; all its activations are in memory
_SPARSE = 16  # each so many texts are read by the forms in floating point, to verify them


@dataclass(frozen=True, slots=True)
class Encoding:
    """One encoder of a model: its record, its shape and its weights."""

    record: ModelRecord
    shape: Architecture
    weights: Weights
    side: Side


@dataclass(frozen=True, slots=True)
class Observed:
    """What the float32 graph computed from the calibration texts.

    Attributes:
        ids: Token ids of each text.
        vectors: Their normalised vectors, ``(texts, dimension)``.
        ranges: Of each activation with a fixed scale, by the name of its product.
    """

    ids: list[NDArray[np.int32]]
    vectors: Floats
    ranges: Mapping[str, Range]


def compile_all(folders: Sequence[Path] = ()) -> None:
    """Compile the models of some folders, by default those that come with Lectern."""
    for folder in folders or sorted(file.parent for file in MODELS.glob(f"*/{CHECKPOINT}")):
        compile_model(folder, note=print)


def is_compiled(folder: Path) -> bool:
    """Whether the forms of a folder are there, and were compiled from what it contains."""
    content = read_content(folder)
    if content is None or content.made != _made(folder):
        return False
    sizes = {file.name: file.size for file in content.files}
    return all(
        (folder / name).is_file() and (folder / name).stat().st_size == size
        for name, size in sizes.items()
    )


def compile_model(folder: Path, note: Callable[[str], None] = lambda _text: None) -> None:
    """Compile the forms of a model into its folder, unless they are there.

    Raises:
        ValueError: If the weights do not match the record, or a form computes something else.
        KeyError: If a tensor is missing.
    """
    if is_compiled(folder):
        return
    from filelock import FileLock

    with FileLock(folder / LOCK):
        if not is_compiled(folder):
            note(f"compiling the language model {folder.name}")
            _compile(folder)
    (folder / LOCK).unlink(missing_ok=True)


def _made(folder: Path) -> str:
    """The hash of everything that the forms depend on."""
    digest = hashlib.sha256()
    sources = [HERE / f"{name}.py" for name in (
        "adapter", "architecture", "attention", "compile_forms", "encoder_graph", "graph", "linear",
        "packed", "quantize", "tensors",
    )]  # fmt: skip
    texts = sorted(MODELS.glob("calibration*.txt"))
    for file in (*sources, *texts, folder / CHECKPOINT, folder / "record.json", folder / TOKENIZER):
        digest.update(hash_file(file).encode())
    return digest.hexdigest()


def _compile(folder: Path) -> None:
    checkpoint, record = read_checkpoint(folder), find_record(folder.name, folder.parent)
    if hash_file(folder / WEIGHTS) != checkpoint.sha256:
        raise ValueError(f"{folder / WEIGHTS} is not the file that {CHECKPOINT} describes")
    scratch = Path(tempfile.mkdtemp(prefix="compiling-", dir=folder))
    try:
        for name in (WEIGHTS, TOKENIZER):
            _link(folder / name, scratch / name)
        graphs = write_forms(record, checkpoint, scratch)
        (folder / CONTENT).unlink(missing_ok=True)
        for left in (*folder.glob("*.onnx"), *folder.glob("*.bin")):
            left.unlink()
        for path in scratch.iterdir():
            path.replace(folder / path.name)
    finally:
        shutil.rmtree(scratch)
    names = {name for graph in graphs for name in (graph.name, *graph.data)} | {TOKENIZER}
    write_content(folder, graphs, sorted(names), _made(folder))


def _link(file: Path, target: Path) -> None:
    try:
        os.link(file, target)
    except OSError:
        shutil.copyfile(file, target)


def write_forms(record: ModelRecord, checkpoint: Checkpoint, folder: Path) -> tuple[GraphFile, ...]:
    """Write the graphs of a model and their data into a folder that has its weights.

    Raises:
        ValueError: If the weights do not match the record, or a form computes something else.
        KeyError: If a tensor is missing.
    """
    from graph import DataFile

    graphs: list[GraphFile] = []
    with DataFile(folder / CONSTANTS) as data:
        for encoding in _encodings(record, checkpoint, folder):
            seen = _observe(encoding, checkpoint, folder)
            forms = [(Precision.INT8, False), (Precision.FP32, False)]
            if encoding.side is Side.PASSAGES:  # the processor reads queries
                forms += [(Precision.FP32, True), (Precision.FP16, True)]
            graphs += [_write(encoding, seen, form, folder, data) for form in forms]
    return tuple(graphs)


def _write(
    encoding: Encoding, seen: Observed, form: tuple[Precision, bool], folder: Path, data: DataFile
) -> GraphFile:
    """Write one graph, and compare it with the float32 graph on the calibration texts."""
    from encoder_graph import write_encoder
    from linear import FloatLinear
    from quantize import IntegerLinear
    from tensors import StoredWeights

    from indexer.embed.imported import closeness, vectors_of

    precision, card = form
    side = encoding.side if encoding.record.adapted else None
    parts = [side, precision, "card" if card and precision is Precision.FP32 else None]
    path = folder / f"{'-'.join(part for part in parts if part)}.onnx"
    stored = StoredWeights(folder / WEIGHTS, encoding.side)
    if precision is Precision.INT8:
        linear: FloatLinear = IntegerLinear(seen.ranges, stored)
    else:
        linear = FloatLinear(stored, padded=card, half=precision is Precision.FP16)
    files = write_encoder(encoding.shape, encoding.weights, linear, path, data)
    # Only the form in 8 bits depends on the texts.
    some = slice(None, None, 1 if precision is Precision.INT8 else _SPARSE)
    found = vectors_of(_open(path), seen.ids[some], encoding.record.pooling)
    cosine = closeness(found, seen.vectors[some])
    if not cosine >= LEAST.get(precision, 0.99999):
        raise ValueError(f"{path.name} is too coarse: its lowest cosine is {cosine:.6f}")
    return GraphFile(path.name, precision, side, card, tuple(sorted(files)))


def _encodings(record: ModelRecord, checkpoint: Checkpoint, folder: Path) -> Iterator[Encoding]:
    """The encoders of a model."""
    from packed import readable
    from tensors import open_tensors

    names, read = readable(*open_tensors(folder / WEIGHTS))
    if record.adapted == (len(own_names(names)) == len(names)):
        raise ValueError(f"the record and the file of {record.id} differ in number of encoders")
    for side in Side if record.adapted else (Side.PASSAGES,):
        weights = weights_of(names, read, side)
        window = record.encoder_of(side).window
        if len(weights(POSITIONS)) < window:
            raise ValueError(f"{record.id} has fewer positions than the window of its {side}")
        queries = record.adapted and side is Side.QUERIES
        shape = checkpoint.architecture.dense if queries else checkpoint.architecture
        yield Encoding(record.encoder_of(side), shape, weights, side)


def _observe(encoding: Encoding, checkpoint: Checkpoint, folder: Path) -> Observed:
    """Read the calibration texts with the float32 graph."""
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        # Its encoder ends in there: Windows deletes no file that one has mapped.
        return _read_texts(encoding, checkpoint, folder, Path(scratch) / "observed.onnx")


def _read_texts(encoding: Encoding, checkpoint: Checkpoint, folder: Path, path: Path) -> Observed:
    """Write the float32 graph, and read the calibration texts with it."""
    from encoder_graph import write_encoder
    from graph import DataFile
    from linear import RecordingLinear
    from quantize import Range

    from indexer.embed.batches import closing_pool, in_batches, in_order
    from indexer.embed.imported import calibration_texts, sequences_of, vectors_of
    from indexer.embed.layout import TextTokenizer

    record, linear = encoding.record, RecordingLinear()
    tokenizer = TextTokenizer(folder / TOKENIZER)
    low: dict[str, Floats] = {}
    high: dict[str, Floats] = {}
    with DataFile(path.with_suffix(".bin")) as data:
        write_encoder(encoding.shape, encoding.weights, linear, path, data, linear.activations)
    encoder = _open(path)
    if not record.adapted or encoding.side is Side.QUERIES:
        _check_probe(encoder, checkpoint, record, tokenizer)
    ids = sequences_of(record, tokenizer, calibration_texts(record))
    vectors = vectors_of(encoder, ids, record.pooling)
    names = list(linear.activations)
    outputs = [linear.activations[name] for name in names]

    def run(batch: Batch) -> tuple[Batch, list[Floats]]:
        return batch, encoder.outputs(batch, outputs)

    batches = in_batches(ids, lambda: _TOKENS, padded=encoder.padded)
    workers = os.cpu_count() or 1
    with closing_pool(workers) as pool:
        for batch, activations in in_order(pool, run, batches, workers):
            for name, values in zip(names, activations, strict=True):
                real = zip(batch.sequences, values, strict=True)
                rows = np.concatenate([row[: len(ids[index])] for index, row in real])
                low[name] = np.minimum(low.get(name, np.inf), rows.min(axis=0))
                high[name] = np.maximum(high.get(name, -np.inf), rows.max(axis=0))
    ranges = {name: Range(low[name] * _MARGIN, high[name] * _MARGIN) for name in names}
    return Observed(ids, vectors, ranges)


def _check_probe(
    encoder: Encoder, checkpoint: Checkpoint, record: ModelRecord, tokenizer: TextTokenizer
) -> None:
    from indexer.embed.imported import sequences_of, vectors_of

    if (probe := checkpoint.probe) is None:
        return
    (vector,) = vectors_of(encoder, sequences_of(record, tokenizer, [probe.text]))
    error = np.abs(vector[: len(probe.values)] - probe.values).max()
    if not error <= probe.tolerance:
        raise ValueError(f"{record.id} was compiled wrongly: its probe differs by {error:.2g}")


def _open(path: Path) -> Encoder:
    from indexer.embed.devices import CPU
    from indexer.embed.encoder import Encoder

    return Encoder(path, CPU)


if __name__ == "__main__":
    compile_all([Path(each) for each in sys.argv[1:]])
