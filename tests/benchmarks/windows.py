"""Windows: the cost of reading passages inside their document, compared with each passage alone.

The same passages of a set go through the late-chunking model with windows of each length, in runs
as an indexing job forms them, and through the original model one by one. All are measured twice in
one process, the second time in reverse order. The seconds count; the tokens show how much is read
twice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.paths import models_folder
from indexer.config import Precision
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.pipeline.vectors import SectionReader
from tests.benchmarks.libraries import note
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.embed.batches import EmbedInput
    from indexer.embed.embedder import OnnxEmbedder
    from indexer.engine.engine import Engine
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

LATE, ALONE = "lectern-minilm-late", "all-MiniLM-L6-v2"
LENGTHS = (512, 1024, 2048, 4096)
SETS = 3  # how many of the chosen sets are measured
PASSAGES = 500  # the least number of passages, in whole documents
COLUMNS = ("set", "passages", "read", "tokens", "s", "processor s", "times alone")
NOTE = "Sums of two runs each, down this table and up again; int8, two threads. {} is the default."


@dataclass(slots=True)
class Spent:
    """The tokens and seconds of two runs."""

    tokens: int = 0
    seconds: float = 0.0
    work: float = 0.0


def run(options: Options, libraries: Libraries) -> Section:
    """Measure both models on the first of the chosen sets."""
    rows: list[tuple[Cell, ...]] = []
    late = find_record(LATE)
    records = {ALONE: find_record(ALONE)}
    records |= {f"windows of {length}": replace(late, window=length) for length in LENGTHS}
    embedders = {
        name: open_embedder(record, models_folder(), Precision.INT8, threads=2)
        for name, record in records.items()
    }
    for wanted in options.chosen[:SETS]:
        with libraries.open(wanted) as engine:
            fed = {name: _fed(engine, one.record.window * one.record.late)
                   for name, one in embedders.items()}  # fmt: skip
        passages = len(fed[ALONE][0])
        spent = {name: Spent() for name in embedders}
        for name in (*embedders, *reversed(embedders)):
            _measure(embedders[name], *fed[name], spent[name])
        for name, one in spent.items():
            rows.append(
                (wanted.name, passages, name, one.tokens, one.seconds, one.work,
                 one.seconds / spent[ALONE].seconds)
            )  # fmt: skip
            note(f"{wanted.name}, {name}: {one.work / spent[ALONE].work:.2f} times the work")
    return Section(
        "windows", "What windows cost", COLUMNS, tuple(rows), (NOTE.format(late.window),)
    )


def _fed(engine: Engine, window: int) -> tuple[list[EmbedInput], list[int]]:
    """The model's inputs for whole documents, and the lengths of the runs that it reads."""
    inputs: list[EmbedInput] = []
    runs: list[int] = []
    passages = engine.store.texts.iter_passages(engine.store.known_docs().tolist())
    read = 0
    for doc, own in groupby(passages, attrgetter("doc")):
        reading = SectionReader(engine.catalog.docs.docs_by_id([doc])[doc].title_used, window)
        for run in reading.runs(own):
            both = [one for one in (run.before, *run.passages) if one is not None]
            inputs += [reading.input(one) for one in both]
            runs.append(len(both))
            read += len(run.passages)
        if read >= PASSAGES:
            break
    return inputs, runs


def _measure(
    embedder: OnnxEmbedder, inputs: Sequence[EmbedInput], runs: Sequence[int], spent: Spent
) -> None:
    began, work = time.perf_counter(), time.process_time()
    for batch in embedder.encode_batches(inputs, runs=runs):
        spent.tokens += sum(vectors.tokens for _, vectors in batch)
    spent.seconds += time.perf_counter() - began
    spent.work += time.process_time() - work
