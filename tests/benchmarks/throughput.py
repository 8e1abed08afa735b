"""Throughput: indexing, extraction and writing included, against the bare model.

The bare model runs a sample of the set's sequences before and after the set is indexed, in the
same process and the same session; its tokens a second are the mean of the two, so that a machine
that grows slower meanwhile favours neither side. With a Python that has torch,
sentence-transformers encodes the same texts between two more runs of ours.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.paths import models_folder
from indexer.embed.base import EmbedInput, passage_prefix
from indexer.embed.models import TOKENIZER, WEIGHTS
from tests.benchmarks import passages
from tests.benchmarks.libraries import Indexed, index, note
from tests.benchmarks.report import Section
from tests.benchmarks.sets import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.embed.embedder import OnnxEmbedder
    from indexer.engine.engine import Engine
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

# About 20 s of the bare model on two cores, and as long for torch.
SAMPLE, TORCH_SAMPLE = 1500, 400
COLUMNS = ("set", "what", "pages/s", "tokens/s", "of bare", "processor µs/token", "times torch")


@dataclass(frozen=True, slots=True)
class Measured:
    """Tokens a second, and what led to them."""

    bare_before: float
    bare_after: float
    indexed: Indexed
    bare_work: float  # processor time, in µs a token
    indexing_work: float
    ours: float | None = None  # encode_passages alone, on the texts that torch had
    torch: float | None = None

    @property
    def bare(self) -> float:
        return (self.bare_before + self.bare_after) / 2

    @property
    def indexing(self) -> float:
        return self.indexed.summary.tokens / self.indexed.seconds


def python_with_torch() -> str:
    """This Python, if it could run ``torch_encode``; else nothing."""
    wanted = ("torch", "sentence_transformers")
    return sys.executable if all(importlib.util.find_spec(name) for name in wanted) else ""


def run(options: Options, libraries: Libraries) -> Section:
    """Index one set anew: the largest of those chosen."""
    name = options.names[-1]
    with libraries.open_empty(name) as engine:
        measured = measure(engine, find(name).corpus, options)
    return Section(
        "throughput",
        "Throughput",
        COLUMNS,
        tuple(_rows(name, measured)),
        (_note(measured),),
        asdict(measured),
    )


def measure(engine: Engine, corpus: Path, options: Options) -> Measured:
    """Bare, index, bare; then, if asked, ours, torch, ours."""
    embedder = engine.models.indexing()
    sample = passages.sample(corpus, SAMPLE)
    sequences = embedder.sequences(sample)
    embedder.bare_throughput(sequences[:100])  # warm
    tokens = sum(len(ids) for ids in sequences)
    began = _worked()
    before = embedder.bare_throughput(sequences)
    first = _worked()
    note(f"{corpus.parent.name}: {before:,.0f} tokens/s bare, before")
    indexed = index(engine, corpus)
    second = _worked()
    after = embedder.bare_throughput(sequences)
    bare_work = 1e6 * (first - began + _worked() - second) / (2 * tokens)
    work = 1e6 * (second - first) / indexed.summary.tokens
    note(f"{corpus.parent.name}: {after:,.0f} tokens/s bare, after")
    ours, torch = _against_torch(options, embedder, sample)
    return Measured(before, after, indexed, bare_work, work, ours, torch)


def _worked() -> float:
    """Seconds of processor time of this process and of its children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _against_torch(
    options: Options, embedder: OnnxEmbedder, sample: Sequence[EmbedInput]
) -> tuple[float | None, float | None]:
    """Tokens a second of ours and of sentence-transformers on the same texts, if it is there."""
    if not options.convert_python:
        return None, None
    texts = passages.thinned(sample, TORCH_SAMPLE)
    first, tokens = _ours(embedder, texts)
    torch = _torch(options, embedder, texts)
    last, _ = _ours(embedder, texts)
    return 2 * tokens / (first + last), tokens / torch if torch else None


def _ours(embedder: OnnxEmbedder, texts: Sequence[EmbedInput]) -> tuple[float, int]:
    began = time.perf_counter()
    made = embedder.encode_passages(texts)
    return time.perf_counter() - began, sum(one.tokens for one in made)


def _torch(options: Options, embedder: OnnxEmbedder, texts: Sequence[EmbedInput]) -> float | None:
    """Seconds that sentence-transformers takes for texts, in a process of its own.

    None, with a note, where it fails: what was measured before is worth keeping.
    """
    record = embedder.record
    source = models_folder() / record.id / "source"
    job = {
        "weights": str(source / WEIGHTS),
        "tokenizer": str(source / TOKENIZER),
        "shape": asdict(record.architecture),
        "window": record.window,
        "texts": [passage_prefix(one.title, one.heading_path) + one.view for one in texts],
    }
    script = Path(__file__).with_name("torch_encode.py")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        command = [options.convert_python, str(script), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        note(f"sentence-transformers ended with {done.returncode}: {done.stderr}")
        return None
    return float(json.loads(done.stdout)["seconds"])


def _rows(name: str, measured: Measured) -> list[tuple[Cell, ...]]:
    summary, torch = measured.indexed.summary, measured.torch
    pages = summary.pages / measured.indexed.seconds
    bare, work = measured.bare, (measured.bare_work, measured.indexing_work)

    def row(
        what: str, rate: float, pages: float | None = None, work: float | None = None
    ) -> tuple[Cell, ...]:
        return name, what, pages, round(rate), rate / bare, work, rate / torch if torch else None

    rows = [
        row("bare model", bare, work=work[0]),
        row("indexing", measured.indexing, pages, work[1]),
    ]
    if measured.ours is not None:
        rows.append(row("embedding alone", measured.ours))
    if torch is not None:
        rows.append(row("sentence-transformers", torch))
    return rows


def _note(measured: Measured) -> str:
    summary = measured.indexed.summary
    return (
        f"{summary.documents_added:,} documents, {summary.pages:,} pages, "
        f"{summary.passages:,} passages, {summary.tokens:,} tokens in "
        f"{measured.indexed.seconds:.0f} s, from the call to its return: scan, extraction, "
        "embedding, writing and upkeep. The bare model ran the same sequences through the same "
        f"session before ({measured.bare_before:,.0f} tokens/s) and after "
        f"({measured.bare_after:,.0f}); the share is of their mean. Processor time counts all "
        "threads and children; other work on the machine changes it less."
    )
