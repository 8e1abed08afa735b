"""Throughput: indexing, extraction and writing included, against the bare model.

The bare model runs a sample of the set's sequences before and after the set is indexed, in the
same process and the same session; its tokens a second are the mean of the two, so that a machine
that grows slower meanwhile favours neither side.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tests.benchmarks import passages
from tests.benchmarks.libraries import Indexed, index, note
from tests.benchmarks.report import Section
from tests.benchmarks.sets import find

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

# About 20 s of the bare model on two cores.
SAMPLE = 1500
COLUMNS = ("set", "what", "pages/s", "tokens/s", "of bare", "processor µs/token")


@dataclass(frozen=True, slots=True)
class Measured:
    """Tokens a second, and what led to them."""

    bare_before: float
    bare_after: float
    indexed: Indexed
    bare_work: float  # processor time, in µs a token
    indexing_work: float

    @property
    def bare(self) -> float:
        return (self.bare_before + self.bare_after) / 2

    @property
    def indexing(self) -> float:
        return self.indexed.summary.tokens / self.indexed.seconds


def run(options: Options, libraries: Libraries) -> Section:
    """Index one set anew: the largest of those chosen."""
    name = options.names[-1]
    with libraries.open_empty(name) as engine:
        measured = measure(engine, find(name).corpus)
    return Section(
        "throughput",
        "Throughput",
        COLUMNS,
        _rows(name, measured),
        (_note(measured),),
        asdict(measured),
    )


def measure(engine: Engine, corpus: Path) -> Measured:
    """Bare, index, bare."""
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
    return Measured(before, after, indexed, bare_work, work)


def _worked() -> float:
    """Seconds of processor time of this process and of its children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _rows(name: str, measured: Measured) -> tuple[tuple[Cell, ...], ...]:
    pages = measured.indexed.summary.pages / measured.indexed.seconds
    bare, indexing = measured.bare, measured.indexing
    return (
        (name, "bare model", None, round(bare), 1.0, measured.bare_work),
        (name, "indexing", pages, round(indexing), indexing / bare, measured.indexing_work),
    )


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
