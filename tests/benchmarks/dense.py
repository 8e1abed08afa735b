"""Measures what a model's vectors find alone, without words or any other part of the search.

    python -m tests.benchmarks.dense --model lectern-minilm-late xquad-cross chunking-eval
    python -m tests.benchmarks.dense --models build/model --model multilingual-e5-small xquad-mono

Every passage of a set gets one cosine. The table has the mrr@10 of the first passage that overlaps
an answer, by the language of the questions. It shows which of several new models is worth a whole
bench.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from app.paths import models_folder
from indexer.config import Limits, Precision
from indexer.embed.batches import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from indexer.extract.process.sandbox import ExtractionChild

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.api.types import DocumentInfo
    from indexer.embed.models import ModelRecord

SETS = Path(__file__).resolve().parents[3] / "shared" / "bench"
BEST = 10
SENTENCE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Read:
    """The passages of a set with their files and places, and as the model reads them."""

    places: list[tuple[str, int, int]]
    inputs: list[EmbedInput]
    runs: list[int]


def read(corpus: Path, only: Collection[str] = ()) -> Read:
    """Extract and cut every file of a set, or only some."""
    found = Read([], [], [])
    with ExtractionChild(Limits()) as child:
        for file in sorted(path for path in corpus.rglob("*") if path.is_file()):
            name = str(file.relative_to(corpus))
            if only and name not in only:
                continue
            before = len(found.inputs)
            _read_file(child, file, name, found)
            found.runs.append(len(found.inputs) - before)
    return found


def _read_file(child: ExtractionChild, file: Path, name: str, found: Read) -> None:
    titles: list[str] = []

    def decide(info: DocumentInfo) -> bool:
        titles.append(info.title)
        return True

    for group in child.extract(file, "", None, decide):
        for one in group:
            found.places.append((name, one.char_start, one.char_end))
            found.inputs.append(EmbedInput(titles[-1], one.heading_path, one.view, one.view_starts))


def first_right(gold: Sequence[Mapping[str, Any]], places: Sequence[tuple[str, int, int]]) -> float:
    """The reciprocal rank of the first place that overlaps an answer."""
    for rank, (file, start, end) in enumerate(places, 1):
        if any(
            file == one["file"] and min(end, high) > max(start, low)
            for one in gold
            for low, high in one["spans"]
        ):
            return 1 / rank
    return 0.0


def measure(
    record: ModelRecord, models: Path, name: str, every: int,
    precision: Precision = Precision.INT8, only: Collection[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Mean reciprocal ranks of one set, and what reading it took.

    Args:
        record: The record of the model.
        models: The folder of models.
        name: The name of the set.
        every: One in ``every`` questions is asked.
        precision: The precision of the encoder of passages.
        only: The files to read and to ask about; by default all.
    """
    text = (SETS / name / "queries.jsonl").read_text("utf-8")
    queries = [json.loads(line) for line in text.splitlines() if line]
    queries = [row for row in queries if not only or row["gold"][0]["file"] in only]
    queries = queries[:: max(1, every)]
    passages = read(SETS / name / "corpus", only)
    reader = open_embedder(record, models, precision, threads=2)
    pooled = np.zeros((len(passages.inputs), record.dimension), np.float32)
    sentences: list[NDArray[np.float32]] = [pooled] * len(pooled)
    began, work, tokens = time.perf_counter(), time.process_time(), 0
    for batch in reader.encode_batches(passages.inputs, runs=passages.runs):
        for index, vectors in batch:
            pooled[index], sentences[index] = vectors.vector, vectors.sentences
            tokens += vectors.tokens
    spent = time.perf_counter() - began, time.process_time() - work
    asker = open_embedder(record, models, Precision.FP32, Side.QUERIES, threads=2)
    owners = np.repeat(np.arange(len(sentences)), [len(one) for one in sentences])
    flat = np.concatenate(sentences)
    ranks: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for query in queries:
        vector = asker.encode_query(query["query"])
        whole = pooled @ vector
        best = np.full(len(pooled), -1, np.float32)
        np.maximum.at(best, owners, flat @ vector)
        mixed = (1 - SENTENCE_SHARE) * whole + SENTENCE_SHARE * best
        both = tuple(
            first_right(query["gold"], [passages.places[i] for i in np.argsort(-score)[:BEST]])
            for score in (whole, mixed)
        )
        for key in ("all", *([query["language"]] if "language" in query else [])):
            ranks[key].append((both[0], both[1]))
    means = {key: [round(fmean(x), 4) for x in zip(*r, strict=True)] for key, r in ranks.items()}
    return {
        "set": name, "model": record.id, "late": record.late, "passages": len(pooled),
        "tokens": tokens, "seconds": round(spent[0], 1), "processor seconds": round(spent[1], 1),
        "mrr@10 pooled, with sentences": means,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--models", type=Path, default=models_folder(), help="folder of models")
    parser.add_argument("--model", required=True, help="id of the record")
    parser.add_argument("--every", type=int, default=1, help="ask every so many of the questions")
    parser.add_argument("sets", nargs="+")
    options = parser.parse_args()
    record = find_record(options.model, options.models)
    for name in options.sets:
        print(json.dumps(measure(record, options.models, name, options.every)), flush=True)


if __name__ == "__main__":
    main()
