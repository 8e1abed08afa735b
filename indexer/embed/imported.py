"""Imports a model from a folder with ONNX files, all or nothing, after testing its graphs.

Padding must not change a graph's results, and a graph in 16 or 8 bits must have about the same
results as that in float32. The distribution of cosines is measured too. Whether the results are
what the model's authors intended cannot be tested here.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from indexer.api.private_files import replacing
from indexer.api.progress import CancelToken, Progress, Reporter, Step
from indexer.config import Precision
from indexer.embed.batches import Batch, closing_pool, in_batches, in_order, unit_vectors
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder, largest_error
from indexer.embed.exported_folder import (
    ExportedModel,
    card_licence,
    most_bytes,
    read_exported,
    refusal,
    regular_size,
)
from indexer.embed.layout import TextTokenizer
from indexer.embed.model_files import (
    changing_models,
    hash_file,
    shipped_folder,
    write_content,
    write_record,
)
from indexer.embed.models import TOKENIZER, GraphFile, ModelRecord, Pooling

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int32s

    Sequences = list[Int32s]

# A graph in 16 or 8 bits is not used if its cosine with float32 is lower on any calibration text.
CLOSE_HALF, USABLE = 0.999, 0.9
# The largest error of a token's state, relative to its size, that padding may cause.
_MOST_ERROR = 1e-3
_PADDING = 7  # tokens
_LONGEST = 1024  # tokens of a tested window, as longer ones may need much memory
_TOKENS = 1024  # tokens of a run
_END = re.compile(r"(?<=[.?!])\s+")
_SHORTEST = 25, 80  # characters of a sentence and of a passage
# Mean cosines of ``lectern-minilm-late`` on the sample: of a sentence with passages of other texts,
# of a sentence with its own passage, and of two passages.
APART, OWN, BETWEEN = 0.061, 0.597, 0.084
_LEAST_SPREAD = 0.05  # random weights, which distinguish nothing, have this


def accept_model(
    record: ModelRecord, folder: Path, graphs: Sequence[GraphFile], token: CancelToken
) -> tuple[ModelRecord, tuple[GraphFile, ...]]:
    """Test the graphs of a model, float32 first. The token is checked between runs.

    Returns the record with measured values, including dimension and vocabulary, and the usable
    graphs. Raises ``ValueError`` with the reason of a refusal, ``Cancelled`` if the token was
    cancelled.
    """
    tokenizer = _tokenizer(folder / TOKENIZER)
    exact, *coarse = graphs
    encoder = _open(folder, exact)
    record = replace(record, vocabulary=tokenizer.largest_id + 1)
    ids = sequences_of(record, tokenizer, calibration_texts(record))
    width = _check_padding(encoder, ids, token)
    if width == 1:
        raise ValueError(f"its graph gives {width} numbers")
    record = replace(record, dimension=width)
    wanted = vectors_of(encoder, ids, record.pooling)
    usable = [exact]
    for graph in coarse:
        token.check()
        least = CLOSE_HALF if graph.precision is Precision.FP16 else USABLE
        found = vectors_of(_open(folder, graph), ids, record.pooling)
        if closeness(found, wanted) >= least:
            usable.append(graph)
    token.check()
    centre, spread, between = _cosines(record, encoder, tokenizer)
    record = replace(record, cosine_centre=centre, cosine_spread=spread, cosine_between=between)
    return record, tuple(usable)


def calibration_texts(record: ModelRecord) -> list[str]:
    """The calibration texts, one per line, in many languages for a multilingual model.

    With only English the lowest cosine of ``lectern-e5-late`` with float32 was .991 on 96 passages
    in other languages. With fourteen more languages it is .997.
    """
    names = ["calibration.txt"]
    if len(record.languages) > 1:
        names.append("calibration-languages.txt")
    files = (resources.files("resources").joinpath("models", name) for name in names)
    return [line for file in files for line in file.read_text("utf-8").splitlines()]


def sequences_of(record: ModelRecord, tokens: TextTokenizer, texts: Sequence[str]) -> Sequences:
    """The token ids of texts, cut to the window."""
    room = record.window - len(tokens.lead) - len(tokens.tail)
    return [
        np.concatenate([tokens.lead, text.ids[:room], tokens.tail]) for text in tokens.encode(texts)
    ]


def vectors_of(
    encoder: Encoder, ids: Sequence[Int32s], pooling: Pooling = Pooling.MEAN
) -> Float32s:
    """The normalised vector of each sequence, ``(sequences, dimension)``."""
    rows = {Pooling.MEAN: slice(None), Pooling.CLS: slice(1), Pooling.LAST: slice(-1, None)}
    found: dict[int, Float32s] = {}

    def run(batch: Batch) -> None:
        for index, states in zip(batch.sequences, encoder.states(batch), strict=True):
            found[index] = states[: len(ids[index])][rows[pooling]].mean(axis=0)

    batches = in_batches(ids, lambda: _TOKENS, padded=encoder.padded)
    workers = os.cpu_count() or 1
    with closing_pool(workers) as pool:
        for _ in in_order(pool, run, batches, workers):
            pass
    return unit_vectors(np.stack([found[index] for index in range(len(ids))]))


def closeness(found: Float32s, wanted: Float32s) -> float:
    """The lowest cosine of pairs of vectors."""
    return float((found * wanted).sum(axis=1).min())


def sample(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Pair a sentence from the middle of each text with the text."""
    found = []
    for text in texts:
        sentences = [part for part in _END.split(text) if len(part) > _SHORTEST[0]]
        if sentences and len(text) > _SHORTEST[1]:
            found.append((sentences[len(sentences) // 2], text))
    return found


def scale_of(sentences: Float32s, passages: Float32s) -> tuple[float, float, float]:
    """The scale from a model's cosines to MiniLM's: ``cosine_centre``, ``_spread``, ``_between``.

    The arguments are the vectors, (n, dimension), of the sample's sentences as queries, and of its
    passages.
    """
    apart = ~np.eye(len(passages), dtype=bool)
    cosines, own = sentences @ passages.T, (sentences * passages).sum(axis=1)
    spread = float(own.mean() - cosines[apart].mean()) / (OWN - APART)
    spread = max(spread, _LEAST_SPREAD)
    centre = float(cosines[apart].mean()) - spread * APART
    between = float((passages @ passages.T)[apart].mean()) - spread * BETWEEN
    return round(centre, 3), round(spread, 3), round(between, 3)


def _cosines(
    record: ModelRecord, encoder: Encoder, tokenizer: TextTokenizer
) -> tuple[float, float, float]:
    sides = zip(*sample(calibration_texts(record)), strict=True)
    prefixes = record.query_prefix, record.document_prefix
    queries, passages = (
        vectors_of(encoder, sequences_of(record, tokenizer, [prefix + text for text in side]),
                   record.pooling)
        for prefix, side in zip(prefixes, sides, strict=True)
    )  # fmt: skip
    return scale_of(queries, passages)


def _check_padding(encoder: Encoder, ids: Sequences, token: CancelToken) -> int:
    """Compare runs with and without padding; return the dimension of a token's state.

    Raises ``ValueError`` if the results differ or a run fails.
    """
    whole = np.concatenate(ids)
    width = 0
    for length in (2, 48, min(_LONGEST, max(map(len, ids)) - _PADDING)):
        token.check()
        padded = np.zeros((2, length + _PADDING), np.int32)
        padded[:, :length] = np.resize(whole, length)
        lengths = np.array([length, length + _PADDING], np.int32)
        try:
            alone = encoder.states(Batch((0,), padded[:1, :length], lengths[:1]))[0]
            beside = encoder.states(Batch((0, 1), padded, lengths))[0]
        except Exception as error:  # the runtime raises many kinds of exceptions
            said = str(error)[:200]
            raise ValueError(f"its graph cannot read {length} tokens ({said})") from error
        error_size = largest_error(beside[: len(alone)], alone)
        if not error_size <= _MOST_ERROR:
            raise ValueError(f"padding changes what its graph computes by {error_size:.2g}")
        width = alone.shape[1]
    return width


def _open(folder: Path, graph: GraphFile) -> Encoder:
    try:
        return Encoder(folder / graph.name, CPU)
    except Exception as error:
        raise ValueError(f"{graph.name} cannot be run ({str(error)[:200]})") from error


def _tokenizer(file: Path) -> TextTokenizer:
    try:
        return TextTokenizer(file)
    except Exception as error:  # the library raises nothing more specific
        raise ValueError(f"{TOKENIZER} cannot be read ({str(error)[:200]})") from error


SCRATCH = "importing-"
LOCK_TIMEOUT_S = 600
IMPORT_LOCK = "import.lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST_NAME = 64
_CHUNK = 1 << 20


def import_model(
    folder: Path,
    models: Path,
    *,
    name: str = "",
    late: bool = False,
    completed: Callable[[ModelRecord], ModelRecord] | None = None,
    reporter: Reporter | None = None,
) -> ModelRecord:
    """Copy a model into the folder of models if its graphs are usable.

    Args:
        folder: The folder with ONNX files, as exported by sentence-transformers or optimum.
        models: The folder of models; made if missing.
        name: The id; by default the name of the folder.
        late: Whether the model was trained for late chunking, which its files do not say.
        completed: Adds values to the record that the files lack. It is for a folder of our own,
            whose files are linked instead of copied.
        reporter: Receives the number of bytes copied, and can cancel.

    Raises ``Cancelled`` if the reporter's token was cancelled, ``model_refused`` with the reason,
    ``disk_full``, ``library_unwritable`` or ``busy``.
    """
    chosen = name or folder.resolve().name
    if not _NAME.fullmatch(chosen) or len(chosen) > _LONGEST_NAME:
        raise refusal(folder, "model_name_bad", name=chosen)
    found = read_exported(folder, chosen, late=late)
    record = replace(found.record, licence=card_licence(folder))
    found = replace(found, record=completed(record) if completed is not None else record)
    lock = models / IMPORT_LOCK
    with changing_models(models, lock, "importing", seconds=LOCK_TIMEOUT_S):
        if any((place / chosen).exists() for place in (shipped_folder(), models)):
            raise refusal(folder, "model_name_taken", name=chosen)
        for left in models.glob(f"{SCRATCH}*"):  # left by imports that were killed
            shutil.rmtree(left, ignore_errors=True)
        scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=models))
        try:
            copy = _link if completed is not None else _copy
            return _take_over(folder, found, scratch, copy, reporter or Reporter())
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _take_over(
    folder: Path,
    found: ExportedModel,
    scratch: Path,
    copy: Callable[[Path, Path, Path, int], Iterator[int]],
    reporter: Reporter,
) -> ModelRecord:
    """Make the folder of the model in ``scratch``, and move it beside that when complete."""
    home = scratch / found.record.id
    home.mkdir(parents=True)
    reporter.note(f"Copying {found.record.id}")
    total = sum(regular_size(folder, path, most_bytes(name)) for name, path in found.files.items())
    done = 0
    for name, path in found.files.items():
        for size in copy(folder, path, home / name, most_bytes(name)):
            done += size
            step = Progress(Step.FETCH, current=home.name, bytes_done=done, bytes_total=total)
            reporter.report(step, force=done == total)
    reporter.note(f"Trying {found.record.id}, once")
    try:
        record, graphs = accept_model(found.record, home, found.graphs, reporter.token)
    except ValueError as error:
        raise refusal(folder, str(error)) from error
    exact = graphs[0]
    weights = home / (exact.data[0] if exact.data else exact.name)
    record = replace(record, edition=hash_file(weights)[:8])
    used = {name for graph in graphs for name in (graph.name, *graph.data)}
    given = {name for graph in found.graphs for name in (graph.name, *graph.data)}
    for name in given - used:
        (home / name).unlink()
    write_content(home, graphs, [name for name in found.files if name not in given - used])
    write_record(record, scratch)
    home.rename(scratch.parent / record.id)
    return record


def _link(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Link a file if the file system can, which saves space; else copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        yield from _copy(folder, file, target, most)


def _copy(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Copy a file of at most ``most`` bytes; yield the size of each copied block.

    Raises ``model_refused`` if it is larger or cannot be read, ``OSError`` if writing fails.
    """
    regular_size(folder, file, most)
    try:
        source = file.open("rb")
    except OSError as error:
        raise refusal(folder, "model_file_missing", file=file.name) from error
    with source, replacing(target) as sink:
        left = most
        while left > 0 and (block := source.read(min(left, _CHUNK))):
            left -= sink.write(block)
            yield len(block)
