"""A folder of a tiny model as sentence-transformers saves it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import save_file

from indexer.compiler.tensors import PROJECTION
from indexer.embed.models import TOKENIZER, WEIGHTS
from tests.tiny_families import SHAPES, family_config, family_weights
from tests.tiny_model import tiny_tokenizer, tiny_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize",
     "type": "sentence_transformers.models.Normalize"},
]  # fmt: skip


DENSE = "sentence_transformers.models.Dense"


# Of cross-encoders: the beginning of the class, and what stands before the names of tensors.
_CLASSES = {
    "bert": ("Bert", "bert"), "modernbert": ("ModernBert", "model"),
    "xlm-roberta": ("XLMRoberta", "roberta"),
}  # fmt: skip


def write_folder(folder: Path, family: str, pooling: str = "mean_tokens") -> Path:
    """Write the folder and return it."""
    (folder / "1_Pooling").mkdir(parents=True)
    modes = {
        f"pooling_mode_{mode}": mode == pooling
        for mode in ("cls_token", "mean_tokens", "lasttoken")
    }
    files: dict[str, Any] = {
        "modules.json": MODULES,
        "config.json": family_config(family),
        "1_Pooling/config.json": {"word_embedding_dimension": 32, "include_prompt": True, **modes},
        "sentence_bert_config.json": {"max_seq_length": 150, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "document": "passage: "},
            "similarity_fn_name": "cosine",
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    (folder / TOKENIZER).write_bytes(tiny_tokenizer(tiny_vocabulary()))
    weights = family_weights(family)
    if PROJECTION in weights:  # as two products
        part = {"bias": False, "activation_function": "torch.nn.modules.linear.Identity"}
        wide = np.eye(48, 32, dtype=np.float32)
        products = wide, weights.pop(PROJECTION) @ wide.T
        rows = []
        for number, matrix in enumerate(products, 2):
            name = f"{number}_Dense"
            rows.append({"idx": number, "name": str(number), "type": DENSE, "path": name})
            (folder / name).mkdir()
            sizes = {"in_features": matrix.shape[1], "out_features": matrix.shape[0]}
            (folder / name / "config.json").write_text(json.dumps(part | sizes))
            save_file({"linear.weight": matrix}, folder / name / WEIGHTS)
        last = MODULES[2] | {"idx": 4, "name": "4"}
        (folder / "modules.json").write_text(json.dumps([*MODULES[:2], *rows, last]))
    save_file(weights, folder / WEIGHTS)
    return folder


def write_cross_encoder(folder: Path, family: str = "modernbert") -> Path:
    """Write the folder of a tiny random cross-encoder and return it."""
    folder.mkdir(parents=True)
    kind, stem = _CLASSES[family]
    own = {
        "architectures": [f"{kind}ForSequenceClassification"], "id2label": {"0": "LABEL_0"},
        "classifier_pooling": "cls",
    }  # fmt: skip
    (folder / "config.json").write_text(json.dumps(family_config(family) | own), "utf-8")
    (folder / TOKENIZER).write_bytes(tiny_tokenizer(tiny_vocabulary()))
    weights = family_weights(family, replace(SHAPES[family], scores=True))
    heads = ("head.", "classifier.")
    save_file(
        {key if key.startswith(heads) else f"{stem}.{key}": part for key, part in weights.items()},
        folder / WEIGHTS,
    )
    return folder


def write_late_interaction(folder: Path, family: str = "modernbert", **options: Any) -> Path:
    """Write the folder of a tiny random late-interaction model as PyLate does, and return it.

    Its vectors have 24 dimensions; ``options`` are of its file of options.
    """
    write_folder(folder, family)
    (folder / "1_Dense").mkdir()
    matrix = late_projection(family)
    sizes = {"in_features": matrix.shape[1], "out_features": matrix.shape[0], "bias": False}
    identity = {"activation_function": "torch.nn.modules.linear.Identity", "use_residual": False}
    save_file({"linear.weight": matrix}, folder / "1_Dense" / WEIGHTS)
    dense = {"type": "pylate.models.Dense.Dense", "path": "1_Dense"}
    own = {
        "query_prefix": "q", "document_prefix": "d", "query_length": 20, "document_length": 60,
        "do_query_expansion": True, "attend_to_expansion_tokens": False,
        "skiplist_words": [".", ","], "similarity_fn_name": "MaxSim",
    }  # fmt: skip
    for name, content in {
        "modules.json": [MODULES[0], dense],
        "1_Dense/config.json": sizes | identity,
        "config_sentence_transformers.json": own | options,
    }.items():
        (folder / name).write_text(json.dumps(content), "utf-8")
    return folder


def late_projection(family: str) -> NDArray[np.float32]:
    """The projection of that model, (24, hidden)."""
    random = np.random.default_rng(len(family))
    return random.standard_normal((24, SHAPES[family].hidden), np.float32)


def change(file: Path, **values: Any) -> None:
    """Set keys of a JSON file."""
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | values), "utf-8")
