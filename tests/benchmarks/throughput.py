"""Throughput: indexing, including extraction and writing, compared with the bare model.

The bare model reads a sample of the set's sequences before and after the set is indexed, in the
same process and session. Its tokens a second are the mean of both, so that a machine that becomes
slower favours neither side. That process does nothing else, and its memory is watched from outside:

    python -m tests.benchmarks.throughput --library DIR --corpus DIR [--model ID]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.engine.engine import Engine
from tests.benchmarks import passages
from tests.benchmarks.libraries import Options, index, note
from tests.benchmarks.processes import MB, watch
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from tests.benchmarks.libraries import Libraries
    from tests.benchmarks.processes import Peaks
    from tests.benchmarks.report import Cell

# As many as take the bare model 10 to 20 s on two cores.
SAMPLE = 750
LOOK_S = 0.5
COLUMNS = (
    "set", "what", "pages/s", "tokens/s", "of bare", "processor µs/token", "engine MB",
    "largest child MB",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """The amount and time of indexing, and the tokens a second of the bare model."""

    documents: int
    pages: int
    passages: int
    tokens: int
    seconds: float
    read: float  # seconds until all could be found by words
    bare_before: float
    bare_after: float
    bare_work: float  # processor time, in µs a token
    indexing_work: float

    @property
    def bare(self) -> float:
        return (self.bare_before + self.bare_after) / 2

    @property
    def indexing(self) -> float:
        return self.tokens / self.seconds


def run(options: Options, libraries: Libraries) -> Section:
    """Index one set anew: the largest of those chosen.

    Raises:
        subprocess.CalledProcessError: The process failed.
    """
    wanted = options.chosen[-1]
    with libraries.make(wanted) as library:
        folders = ["--library", str(library), "--corpus", str(wanted.corpus)]
        command = [sys.executable, "-m", __name__, *folders, "--model", wanted.model]
        peaks = watch(command, look_s=LOOK_S)
        if peaks.status:
            raise subprocess.CalledProcessError(peaks.status, command)
    measured = Measured(**json.loads(peaks.output))
    rows = _rows(wanted.name, measured, peaks)
    return Section("throughput", "Throughput", COLUMNS, rows, (_note(measured),), asdict(measured))


def measure(engine: Engine, corpus: Path) -> Measured:
    """Time the bare model, indexing, and the bare model again."""
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
    summary = indexed.summary
    return Measured(
        summary.documents_added, summary.pages, summary.passages, summary.tokens, indexed.seconds,
        indexed.read, before, after, bare_work, work,
    )  # fmt: skip


def _worked() -> float:
    """The processor seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _rows(name: str, measured: Measured, peaks: Peaks) -> tuple[tuple[Cell, ...], ...]:
    pages, share = measured.pages / measured.seconds, measured.indexing / measured.bare
    memory = round(peaks.engine / MB), round(peaks.child / MB)
    return (
        (name, "bare model", None, round(measured.bare), 1.0, measured.bare_work, None, None),
        (name, "found by words", measured.pages / measured.read, *[None] * 5),
        (name, "indexing", pages, round(measured.indexing), share, measured.indexing_work, *memory),
    )


def _note(measured: Measured) -> str:
    return (
        f"{measured.documents:,} documents, {measured.pages:,} pages, "
        f"{measured.passages:,} passages, {measured.tokens:,} tokens in "
        f"{measured.seconds:.0f} s, from the call to its return: scan, extraction, "
        f"embedding, writing and upkeep; after {measured.read:.0f} s the last document could be "
        "found by words. The bare model ran the same sequences through the same "
        f"session before ({measured.bare_before:,.0f} tokens/s) and after "
        f"({measured.bare_after:,.0f}); the share is of their mean. Processor time counts all "
        "threads and children; other work on the machine changes it less. Memory: the most "
        "that was resident."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--library", type=Path, required=True, help="where it is made")
    parser.add_argument("--corpus", type=Path, required=True, help="folder of documents")
    parser.add_argument("--model", default="", help="its id; else it goes by the documents")
    asked = parser.parse_args()
    config = Options(asked.library.parent).config(asked.library, asked.model)
    with closing(Engine.open(config)) as engine:
        json.dump(asdict(measure(engine, asked.corpus)), sys.stdout)


if __name__ == "__main__":
    main()
