"""Encodes texts with sentence-transformers and prints how long it took, as JSON.

    python torch_encode.py JOB.json

Runs alone, in a Python that has torch and sentence-transformers; it imports nothing of Lectern.
The job names weights, tokenizer, the model's shape and the texts. What is timed is ``encode`` as
people call it, after one call to warm up.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

WARM = 16


def load(job: dict[str, Any], folder: Path) -> Any:
    """The model as sentence-transformers builds it, with mean pooling and unit length."""
    from sentence_transformers import SentenceTransformer

    try:
        from sentence_transformers.sentence_transformer.modules import (
            Normalize,
            Pooling,
            Transformer,
        )
    except ImportError:  # before version 6
        from sentence_transformers.models import Normalize, Pooling, Transformer

    shape = job["shape"]
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_size": shape["hidden"],
        "num_hidden_layers": shape["layers"],
        "num_attention_heads": shape["heads"],
        "intermediate_size": shape["intermediate"],
        "vocab_size": shape["vocabulary"],
        "max_position_embeddings": shape["positions"],
        "layer_norm_eps": shape["norm_epsilon"],
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    tokens = {"tokenizer_class": "BertTokenizerFast", "model_max_length": job["window"]}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokens), encoding="utf-8")
    shutil.copy(job["weights"], folder / "model.safetensors")
    shutil.copy(job["tokenizer"], folder / "tokenizer.json")
    encoder = Transformer(str(folder), max_seq_length=job["window"])
    pooling = Pooling(shape["hidden"], pooling_mode="mean")
    return SentenceTransformer(modules=[encoder, pooling, Normalize()], device="cpu")


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        model = load(job, Path(folder))
        model.encode(job["texts"][:WARM], show_progress_bar=False)
        began = time.perf_counter()
        vectors = model.encode(job["texts"], show_progress_bar=False)
        seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "first": [float(x) for x in vectors[0][:8]]}))


if __name__ == "__main__":
    main()
