"""What token vectors cost and find, and first passes to them, on one public set.

    python -m tests.benchmarks.late_interaction --set chunking-eval

No late-interaction model comes with Lectern, so the token states of the shipped model stand in for
its vectors: it was trained for their mean, not for MaxSim. How exactly a first pass finds what
MaxSim puts first carries over; how good MaxSim itself is does not. Time is of the processor.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.paths import models_folder
from indexer.config import DEFAULT_MODEL, Precision
from indexer.embed.batches import unit_vectors
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from indexer.embed.token_vectors import max_sim, pool_tokens
from indexer.store import values
from indexer.store.store import Store
from indexer.store.values import VectorRows, keys_of
from tests.benchmarks import sets
from tests.benchmarks.dense import BEST, first_right, read
from tests.benchmarks.fixed_encoding import Encoding
from tests.benchmarks.multivector import _rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

FACTORS = (1, 2, 3, 4)
CANDIDATES = (50, 100)
# Repetitions, bits and dimensions of each part; 0 for all of them.
ENCODINGS = ((4, 3, 16), (10, 4, 16), (20, 4, 16), (20, 5, 32))
_HITS = 50  # re-ranked


@dataclass(frozen=True, slots=True)
class Tokens:
    """A set's passages and questions by their tokens."""

    places: list[tuple[str, int, int]]
    passages: list[Floats]
    pooled: Floats
    queries: list[dict[str, Any]]
    asked: list[Floats]
    whole: Floats


def load(name: str, most: int) -> Tokens:
    """Read a set with the shipped model."""
    record, found = find_record(DEFAULT_MODEL), read(sets.find(name).corpus)
    reader = open_embedder(record, models_folder(), Precision.INT8, threads=2)
    states: list[list[Floats]] = [[] for _ in found.inputs]
    sequences = reader._layout.sequences(
        found.inputs, reader._layout.tokenize(found.inputs), found.runs
    )
    for batch in reader._batches([sequence.ids for sequence in sequences], None):
        for index, made in reader._run(batch):
            for piece in sequences[index].pieces:
                own = made[piece.bounds[0] : piece.bounds[-1]]
                states[piece.passage].append(own.astype(np.float16))
    sums = [np.concatenate(parts).astype(np.float32) for parts in states]
    filled = [at for at, one in enumerate(sums) if len(one)]
    asker = open_embedder(record, models_folder(), Precision.FP32, Side.QUERIES, threads=2)
    text = (sets.find(name).folder / "queries.jsonl").read_text("utf-8")
    queries = [json.loads(line) for line in text.splitlines() if line]
    queries = queries[:: -(-len(queries) // most)]
    asked = [unit_vectors(asker.query_states(query["query"]).states) for query in queries]
    whole = np.stack([asker.encode_query(query["query"]) for query in queries])
    return Tokens(
        places=[found.places[at] for at in filled],
        passages=[unit_vectors(sums[at]) for at in filled],
        pooled=np.stack([unit_vectors(sums[at].sum(axis=0)) for at in filled]),
        queries=queries, asked=asked, whole=whole,
    )  # fmt: skip


def flattened(passages: list[Floats]) -> tuple[Floats, NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in passages])]).astype(np.int64)
    return np.concatenate(passages), offsets


def orders(tokens: Tokens, passages: list[Floats]) -> list[NDArray[np.intp]]:
    """The passages of each question, best first by MaxSim."""
    flat, offsets = flattened(passages)
    return [np.argsort(-max_sim(one, flat, offsets), kind="stable") for one in tokens.asked]


def quality(tokens: Tokens, found: list[NDArray[np.intp]]) -> float:
    """Mean reciprocal rank among the first ten."""
    right = [
        first_right(query["gold"], [tokens.places[at] for at in order[:BEST]])
        for query, order in zip(tokens.queries, found, strict=True)
    ]
    return round(float(np.mean(right)), 4)


def shared(found: list[NDArray[np.intp]], wanted: list[NDArray[np.intp]], among: int) -> float:
    """The share of MaxSim's first ten that are among the first of another order."""
    pairs = zip(found, wanted, strict=True)
    return round(float(np.mean([np.isin(w[:BEST], f[:among]).mean() for f, w in pairs])), 4)


def pooling(tokens: Tokens, wanted: list[NDArray[np.intp]]) -> Iterator[dict[str, Any]]:
    """Token pooling by each factor."""
    for factor in FACTORS:
        began = time.process_time()
        passages = [pool_tokens(one, factor) for one in tokens.passages]
        spent = 1e3 * (time.process_time() - began) / len(passages)
        found = orders(tokens, passages)
        each = sum(map(len, passages)) / len(passages)
        yield {
            "pooling": factor, "vectors": round(each, 1), "mrr": quality(tokens, found),
            "first ten": shared(found, wanted, BEST), "ms a passage": round(spent, 2),
            "bytes in 4 bits": round(each * values.bytes_of_sentence(passages[0].shape[1])),
            "bytes in 16 bits": round(each * 2 * passages[0].shape[1]),
        }  # fmt: skip


def first_passes(tokens: Tokens, wanted: list[NDArray[np.intp]]) -> Iterator[dict[str, Any]]:
    """The mean vector and fixed-dimensional encodings, each in 16 bits."""
    yield _first_pass("mean", tokens, wanted, tokens.pooled, lambda at: tokens.whole[at])
    dimension = tokens.pooled.shape[1]
    for repetitions, bits, projected in ENCODINGS:
        encoding = Encoding.drawn(dimension, repetitions, bits, projected)
        began = time.process_time()
        made = np.stack([encoding.passage(one).astype(np.float16) for one in tokens.passages])
        spent = 1e3 * (time.process_time() - began) / len(made)
        name = f"MUVERA {repetitions} x 2^{bits} x {projected}"
        ask = partial(_encoded, encoding, tokens)
        line = _first_pass(name, tokens, wanted, made.astype(np.float32), ask)
        yield line | {"ms a passage": round(spent, 2)}


def _encoded(encoding: Encoding, tokens: Tokens, at: int) -> Floats:
    return encoding.query(tokens.asked[at])


def _first_pass(
    name: str, tokens: Tokens, wanted: list[NDArray[np.intp]], vectors: Floats,
    asked: Callable[[int], Floats],
) -> dict[str, Any]:  # fmt: skip
    began = time.process_time()
    found = [np.argsort(-(vectors @ asked(at)), kind="stable") for at in range(len(tokens.asked))]
    spent = 1e3 * (time.process_time() - began) / len(found)
    reached = {f"of ten in {count}": shared(found, wanted, count) for count in CANDIDATES}
    ordered = [w[np.isin(w, f[: CANDIDATES[0]])] for f, w in zip(found, wanted, strict=True)]
    return {
        "first pass": name, "bytes": 2 * vectors.shape[1], **reached,
        "mrr alone": quality(tokens, found), "mrr of MaxSim over 50": quality(tokens, ordered),
        "ms a query": round(spent, 2),
    }  # fmt: skip


def stored(tokens: Tokens, _wanted: list[NDArray[np.intp]]) -> Iterator[dict[str, Any]]:
    """Reading the vectors of hits: packed as sentences are, and from a multivector column."""
    import lancedb

    passages = [pool_tokens(one, 2) for one in tokens.passages]
    flat, offsets = flattened(passages)
    count = len(passages)
    ordinals = np.arange(count, dtype=np.int32)
    keys = keys_of(1, ordinals)
    random = np.random.default_rng(1)
    some = [np.sort(random.choice(keys, min(_HITS, count), replace=False)) for _ in range(20)]
    with tempfile.TemporaryDirectory() as scratch:
        store = Store.open(Path(scratch) / "packed", threads=2)
        docs = np.ones(count, np.int32)
        store.add_vectors("tokens", VectorRows(docs, ordinals, tokens.pooled, flat, offsets))
        store.maintain(idle=True)
        size = next(size for name, size in store.sizes().items() if name.startswith("vectors"))
        read = [store.sentence_vectors_of("tokens", chosen) for chosen in some]
        began = time.process_time()
        read = [store.sentence_vectors_of("tokens", chosen) for chosen in some]
        spent = 1e3 * (time.process_time() - began) / len(some)
        packed = [max_sim(tokens.asked[0], *one) for one in read]
        yield {
            "column": "packed in 4 bits",
            "bytes": round(size.live / count),
            "ms": round(spent, 2),
        }
        store.close()

        database: Any = lancedb.connect(str(Path(scratch) / "lance"))
        table = database.create_table("tokens", _rows(keys, flat, offsets))
        began = time.process_time()
        whole = []
        for chosen in some:
            where = f"key IN ({','.join(map(str, chosen.tolist()))})"
            found = table.search().where(where).select(["key", "vectors"]).limit(_HITS).to_arrow()
            found = found.combine_chunks().sort_by("key")
            lists = found.column("vectors").combine_chunks()
            values = lists.flatten().flatten().to_numpy().astype(np.float32)
            ends = np.cumsum([0, *map(len, lists)]).astype(np.int64)
            whole.append(max_sim(tokens.asked[0], values.reshape(-1, flat.shape[1]), ends))
        spent = 1e3 * (time.process_time() - began) / len(some)
        total = int(table.stats()["total_bytes"])
        errors = [np.abs(a - b).max() for a, b in zip(packed, whole, strict=True)]
        yield {
            "column": "multivector in 16 bits", "bytes": round(total / count),
            "ms": round(spent, 2), "largest difference of MaxSim": round(float(max(errors)), 4),
        }  # fmt: skip


PARTS: dict[str, Callable[[Tokens, list[NDArray[np.intp]]], Iterator[dict[str, Any]]]] = {
    "passes": first_passes, "pooling": pooling, "columns": stored,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--set", choices=sets.NAMES, default=sets.NAMES[0])
    parser.add_argument("--most", type=int, default=150, help="questions")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=[*PARTS])
    asked = parser.parse_args()
    tokens = load(asked.set, asked.most)
    wanted = orders(tokens, tokens.passages)
    print(json.dumps({
        "set": asked.set, "passages": len(tokens.passages), "questions": len(tokens.asked),
        "mrr of MaxSim": quality(tokens, wanted),
    }), flush=True)  # fmt: skip
    for name in asked.parts:
        for line in PARTS[name](tokens, wanted):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
