"""Measures a graphics card beside the processor: ``python -m tests.benchmarks.card``.

It answers, in one run of a few minutes, whether ONNX Runtime uses the card, whether the card's
vectors are those of the processor, how fast passages are embedded by each, how fast reports are
indexed through the card, and how fast sentence-transformers encodes the same pages in half
precision. Each part prints a line of JSON as soon as it is done, so that a run cut short is useful.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.paths import models_folder
from indexer.api.codec import encode
from indexer.config import DEFAULT_MODEL, EngineConfig, Precision
from indexer.embed.devices import AUTO, CPU, installed_runtimes, load_runtime
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from indexer.engine.engine import Engine
from tests.benchmarks import passages, peer_pipeline, sets, throughput
from tests.benchmarks.peers import write_folder

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.embed.embedder import OnnxEmbedder

SET = "financebench"
# Passages whose vectors are compared, and those that the bare sessions read.
COMPARED, READ = 200, 3000
# Chunks that sentence-transformers encodes, about as many tokens.
CHUNKS = 6000
BATCHES = (32, 256)


def facts() -> dict[str, Any]:
    """The card, its driver and the providers of ONNX Runtime."""
    wanted = ["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        found = subprocess.run(["nvidia-smi", *wanted], capture_output=True, text=True, check=True)
        card = found.stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        card = f"none: {error}"
    return {
        "card": card,
        "runtimes": installed_runtimes(),
        "providers": list(load_runtime().get_available_providers()),
    }


def numbers(models: Path, corpus: Path) -> dict[str, Any]:
    """The cosines of the card's pooled and sentence vectors with those of the processor."""
    sample = passages.sample(corpus, COMPARED)
    card, processor = (_open(models, Precision.FP32, provider) for provider in (AUTO, CPU))
    eight = _open(models, Precision.INT8, CPU)
    ours, theirs, packed = (one.encode_passages(sample) for one in (card, processor, eight))
    return {
        "device": card.provider.name,
        "notes": [str(encode(note)) for note in card.provider.notes],
        "passages": len(sample),
        "pooled": _cosines([one.vector for one in ours], [one.vector for one in theirs]),
        "sentences": _cosines(
            np.concatenate([one.sentences for one in ours]),
            np.concatenate([one.sentences for one in theirs]),
        ),
        "pooled, card with 8 bits": _cosines(
            [one.vector for one in ours], [one.vector for one in packed]
        ),
    }


def bare(models: Path, corpus: Path) -> dict[str, Any]:
    """Tokens a second of the sessions alone; each is warmed up, then run twice."""
    sample = passages.sample(corpus, READ)
    found: dict[str, Any] = {}
    for name, precision, provider, count in (
        ("card, fp32", Precision.FP32, AUTO, READ),
        ("processor, 8 bits", Precision.INT8, CPU, READ // 4),
        ("processor, fp32", Precision.FP32, CPU, READ // 8),
    ):
        embedder = _open(models, precision, provider)
        sequences = embedder.sequences(sample)[:count]
        embedder.bare_throughput(sequences[:100])
        speeds = [round(embedder.bare_throughput(sequences)) for _ in range(2)]
        found[name] = {"device": embedder.provider.name, "tokens/s": speeds}
    return found


def indexing(models: Path, corpus: Path, precision: Precision, provider: str) -> dict[str, Any]:
    """Index a folder into a new library, and time the bare session before and after."""
    with tempfile.TemporaryDirectory() as folder:
        config = EngineConfig(
            library=Path(folder) / "library", models=models, precision=precision,
            provider=provider, ocr=False,
        )  # fmt: skip
        with closing(Engine.open(config)) as engine:
            device = engine.models.indexing().provider.name
            measured = throughput.measure(engine, corpus)
    return {
        "device": device,
        "pages/s": round(measured.pages / measured.seconds, 1),
        "found by words, pages/s": round(measured.pages / measured.read, 1),
        "tokens/s": round(measured.indexing),
        "of bare": round(measured.indexing / measured.bare, 3),
        **asdict(measured),
    }


def sentence_transformers(corpus: Path) -> dict[str, Any]:
    """Chunks and tokens a second of sentence-transformers with the same weights."""
    import torch
    from sentence_transformers import SentenceTransformer

    device = "cuda" if torch.cuda.is_available() else "cpu"
    texts = [
        chunk["text"]
        for file, page, text in peer_pipeline.pages(corpus)
        for chunk in peer_pipeline.cut(file, page, text)
    ][:CHUNKS]
    found: dict[str, Any] = {"device": device, "chunks": len(texts)}
    with tempfile.TemporaryDirectory() as place:
        folder = write_folder(DEFAULT_MODEL, Side.PASSAGES, Path(place) / "model")
        for kind in ("float16", "float32"):
            options = {"dtype": getattr(torch, kind)}
            model = SentenceTransformer(str(folder), device=device, model_kwargs=options)
            tokens = sum(len(ids) for ids in model.tokenizer(texts)["input_ids"])
            for size in BATCHES:
                model.encode(texts[:size], batch_size=size, show_progress_bar=False)
                began = time.perf_counter()
                model.encode(
                    texts, batch_size=size, normalize_embeddings=True, show_progress_bar=False
                )
                seconds = time.perf_counter() - began
                found[f"{kind}, batches of {size}"] = {
                    "chunks/s": round(len(texts) / seconds),
                    "tokens/s": round(tokens / seconds),
                }
    return found


def main() -> int:
    """Run all parts; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.card", description=__doc__)
    parser.add_argument("--models", type=Path, default=models_folder(), help="folder of models")
    asked = parser.parse_args()
    corpus = sets.find(SET).corpus
    models: Path = asked.models
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "facts": facts,
        "numbers": partial(numbers, models, corpus),
        "bare": partial(bare, models, corpus),
        "indexing, card": partial(indexing, models, corpus, Precision.FP32, AUTO),
        "sentence-transformers": partial(sentence_transformers, corpus),
        "indexing, processor": partial(indexing, models, corpus, Precision.INT8, CPU),
    }
    failed = False
    for name, part in parts.items():
        began = time.perf_counter()
        try:
            told = part()
        except Exception as error:  # noqa: BLE001  # the other parts are of use by themselves
            failed = True
            told = {"error": repr(error), "where": traceback.format_exc()[-1500:]}
        told["seconds taken"] = round(time.perf_counter() - began, 1)
        print(json.dumps({name: told}), flush=True)
    return int(failed)


def _open(models: Path, precision: Precision, provider: str) -> OnnxEmbedder:
    record = find_record(DEFAULT_MODEL, models)
    return open_embedder(record, models, precision, provider=provider)


def _cosines(ours: Any, theirs: Any) -> dict[str, float]:
    """The least and the mean cosine of unit vectors, row by row."""
    found = np.einsum("ij,ij->i", np.asarray(ours), np.asarray(theirs))
    return {"least": round(float(found.min()), 5), "mean": round(float(found.mean()), 5)}


if __name__ == "__main__":
    sys.exit(main())
