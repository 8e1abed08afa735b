"""A real encoder made in milliseconds: two layers of random weights, dimension 32.

For tests of everything round the model. It runs through the same builder, tokenizer and session
as the real one. Its vectors are all but bags of words, so texts that share words are similar.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import shutil
import tempfile
import zlib
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase, digits, punctuation
from typing import TYPE_CHECKING, Any

import numpy as np
from filelock import FileLock
from msgspec import structs

from indexer.embed.model_files import write_record
from indexer.embed.models import TOKENIZER, ModelRecord, Pooling, PoolScope
from tests.compiler import compiler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

architecture = compiler("architecture")
WEIGHTS: str = architecture.WEIGHTS
TINY = "tiny"
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SHAPE = architecture.Architecture(
    layers=2, heads=2, hidden=32, intermediate=64, vocabulary=0, positions=160
)
_SEED = 7
# Compiled ones, by what they are made of.
_KEPT = Path(tempfile.gettempdir()) / f"lectern-tiny-{getpass.getuser()}"


def install_tiny_model(
    models: Path,
    *,
    name: str = TINY,
    late: bool = False,
    window: int = 160,
    query_window: int = 0,
    blocks: tuple[int, int, int] = (0, 0, 0),
    probe: tuple[float, ...] = (),
    weights: Mapping[str, NDArray[Any]] | None = None,
    shape: Any = None,
    pooling: Pooling = Pooling.MEAN,
) -> ModelRecord:
    """Write the tiny model, compiled, into a folder of models.

    Afterwards ``find_record(TINY, models)`` finds it. Other processes can use it by naming ``TINY``
    as the model and the same folder. Under another name it is another model, with other weights,
    unless they are given; with a ``query_window`` they have to hold two encoders, and with a
    ``shape`` to be of it.
    """
    from safetensors.numpy import save

    vocabulary = tiny_vocabulary()
    contents = {
        TOKENIZER: tiny_tokenizer(vocabulary),
        WEIGHTS: save(dict(weights or tiny_weights(name))),
    }
    digest = hashlib.sha256(contents[WEIGHTS]).hexdigest()
    block, reach, anchors = blocks
    shape = shape or replace(tiny_shape(), block=block, reach=reach, anchors=anchors)
    record = structs.replace(
        _record(len(vocabulary), late=late, window=window), id=name, query_window=query_window,
        pooling=pooling, edition=digest[:8], layers=len(shape.kept_layers),
    )  # fmt: skip
    said = architecture.Probe("a probe", probe) if probe else None
    checkpoint = architecture.Checkpoint(shape, digest, said)
    key = hashlib.sha256(repr((record, checkpoint, contents[TOKENIZER])).encode()).hexdigest()
    kept = _KEPT / key[:16]
    with FileLock(_lock(key)):
        folder = kept / name
        for file, content in contents.items():
            if not (folder / file).exists():
                folder.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(content)
        write_record(record, kept)
        architecture.write_checkpoint(folder, checkpoint)
        compiler("compile_forms").compile_model(folder)
    shutil.copytree(folder, models / name, dirs_exist_ok=True)
    return record


def tiny_shape() -> Any:
    """The architecture of the tiny model."""
    return replace(_SHAPE, vocabulary=len(tiny_vocabulary()))


def _lock(key: str) -> Path:
    _KEPT.mkdir(mode=0o700, exist_ok=True)
    return _KEPT / f"{key[:16]}.lock"


def tiny_weights(name: str = TINY) -> dict[str, NDArray[np.float32]]:
    """The weights of the tiny model of a name."""
    seed = _SEED if name == TINY else zlib.crc32(name.encode())
    return _weights(len(tiny_vocabulary()), seed)


def _record(vocabulary: int, *, late: bool, window: int) -> ModelRecord:
    return ModelRecord(
        id=TINY,
        dimension=_SHAPE.hidden,
        vocabulary=vocabulary,
        pooling=Pooling.MEAN,
        pool_scope=PoolScope.PASSAGE if late else PoolScope.SEQUENCE,
        window=window,
        late=late,
        overlap=16,
        max_prefix=24,
        query_prefix="",
        document_prefix="",
        languages=("en",),
        licence="AGPL-3.0-or-later",
    )


def tiny_vocabulary() -> list[str]:
    """Single characters and pairs of letters, so that a word takes few tokens."""
    single = [*ascii_lowercase, *digits]
    pairs = [a + b for a in ascii_lowercase for b in ascii_lowercase]
    whole = [*_SPECIAL, *punctuation, *single, *pairs]
    return [*whole, *(f"##{part}" for part in (*single, *pairs))]


def tiny_tokenizer(vocabulary: list[str]) -> bytes:
    added = [
        {
            "id": index, "content": token, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": True,
        }
        for index, token in enumerate(_SPECIAL)
    ]  # fmt: skip
    frame: list[dict[str, Any]] = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    second = [
        {"Sequence": {"id": "B", "type_id": 1}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 1}},
    ]
    pair = [*frame, *second]
    special = {
        token: {"id": token, "ids": [vocabulary.index(token)], "tokens": [token]}
        for token in ("[CLS]", "[SEP]")
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": {
                "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                "strip_accents": None, "lowercase": True,
            },
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "post_processor": {
                "type": "TemplateProcessing", "single": frame, "pair": pair,
                "special_tokens": special,
            },
            "decoder": None,
            "model": {
                "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": {token: index for index, token in enumerate(vocabulary)},
            },
        }
    ).encode()  # fmt: skip


def _weights(vocabulary: int, seed: int) -> dict[str, NDArray[np.float32]]:
    random = np.random.default_rng(seed)
    hidden, inner = _SHAPE.hidden, _SHAPE.intermediate

    def matrix(rows: int, columns: int, size: float) -> NDArray[np.float32]:
        return (random.standard_normal((rows, columns)) * size).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": matrix(vocabulary, hidden, 1.0),
        "embeddings.position_embeddings.weight": matrix(_SHAPE.positions, hidden, 0.1),
        "embeddings.token_type_embeddings.weight": matrix(2, hidden, 0.1),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in range(_SHAPE.layers):
        stem = f"encoder.layer.{layer}"
        shapes = {
            "attention.self.query": (hidden, hidden),
            "attention.self.key": (hidden, hidden),
            "attention.self.value": (hidden, hidden),
            "attention.output.dense": (hidden, hidden),
            "intermediate.dense": (inner, hidden),
            "output.dense": (hidden, inner),
        }
        for name, (rows, columns) in shapes.items():
            weights[f"{stem}.{name}.weight"] = matrix(rows, columns, 0.1)
            weights[f"{stem}.{name}.bias"] = matrix(1, rows, 0.1)[0]
        norms += [f"{stem}.attention.output.LayerNorm", f"{stem}.output.LayerNorm"]
    for norm in norms:
        weights[f"{norm}.weight"] = np.ones(hidden, np.float32)
        weights[f"{norm}.bias"] = matrix(1, hidden, 0.1)[0]
    return weights
