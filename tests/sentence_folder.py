"""A folder of a tiny model as sentence-transformers exports it to ONNX."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.models import TOKENIZER
from tests.exported_graph import HIDDEN, TABLE, places, write_graph
from tests.tiny_model import tiny_tokenizer, tiny_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize",
     "type": "sentence_transformers.models.Normalize"},
]  # fmt: skip
CONFIG = {"model_type": "bert", "architectures": ["BertModel"], "max_position_embeddings": 160}
GRAPH = "onnx/model.onnx"


def write_folder(folder: Path, pooling: str = "mean_tokens", *, seed: int = 0) -> Path:
    """Write the folder and return it; with another seed its weights are others."""
    (folder / "1_Pooling").mkdir(parents=True)
    modes = {
        f"pooling_mode_{mode}": mode == pooling
        for mode in ("cls_token", "mean_tokens", "lasttoken")
    }
    files: dict[str, Any] = {
        "modules.json": MODULES,
        "config.json": CONFIG,
        "1_Pooling/config.json": {
            "word_embedding_dimension": HIDDEN, "include_prompt": True, **modes,
        },
        "sentence_bert_config.json": {"max_seq_length": 150, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
    }  # fmt: skip
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    (folder / TOKENIZER).write_bytes(tiny_tokenizer(tiny_vocabulary()))
    write_graph(folder / GRAPH, table=_table(seed))
    return folder


def states_of(ids: np.ndarray[Any, Any], seed: int = 0) -> np.ndarray[Any, Any]:
    """What its graph computes of a sequence, ``(tokens, HIDDEN)``."""
    own = _table(seed)[ids] + places(len(ids))
    found: np.ndarray[Any, Any] = own + own.mean(axis=0)
    return found


def _table(seed: int) -> np.ndarray[Any, Any]:
    return np.roll(TABLE, seed, axis=0)


def change(file: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | values), "utf-8")
