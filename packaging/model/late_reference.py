"""Makes the reference vectors of the tests of a late-chunking model, with transformers.

The attention mask is computed token by token, independently of ``indexer.embed.encoder``. The
passages are those of ``reference.py``, grouped into windows; a multilingual model also reads some
in other languages. It needs `pip install 'lectern[convert]'`:

    python packaging/model/late_reference.py --model resources/models/lectern-minilm-late
"""

from __future__ import annotations

import argparse
import json
import math
from itertools import cycle, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import indexer  # noqa: F401  # disables the telemetry of model libraries

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"
PASSAGES, LANGUAGES = DATA / "minilm" / "passages.json", DATA / "late" / "languages.json"
TITLE, HEADINGS = "A library of adventures", ("Part One", "The sea")
PREFIX = "A library of adventures. Part One \u203a The sea: "
WINDOWS = (512, 4096)  # used alternately
WEIGHTS, RECORD, CHECKPOINT = "model.safetensors", "record.json", "checkpoint.json"
NIBBLES, SCALES = ".nibbles", ".scales"
LAYER = "encoder.layer."


def open_original(folder: Path, shape: Mapping[str, Any]) -> tuple[Any, Any]:
    """Open the tokenizer, and the encoder in transformers."""
    from safetensors.torch import load_file
    from tokenizers import Tokenizer
    from transformers import BertConfig, BertModel

    read = [one for one in range(shape["layers"]) if one not in shape.get("skipped", ())]
    config = BertConfig(
        vocab_size=shape["vocabulary"], hidden_size=shape["hidden"],
        num_hidden_layers=len(read), num_attention_heads=shape["heads"],
        intermediate_size=shape["intermediate"], max_position_embeddings=shape["positions"],
        layer_norm_eps=shape["norm_epsilon"],
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    weights = passage_weights(unpacked(load_file(folder / WEIGHTS)))
    model.load_state_dict(without_gaps(weights, read), strict=True)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer, model.eval()


def unpacked(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """All tensors as float32; see ``packed`` for those in 4 bits."""
    found = {}
    for name, tensor in tensors.items():
        if name.endswith(NIBBLES):
            stem = name.removesuffix(NIBBLES)
            scales = tensors[stem + SCALES].float()
            blocks = tensor.reshape(*scales.shape, 16)
            values = torch.cat([blocks & 15, blocks >> 4], dim=2).float() - 8
            found[stem] = (values * scales[:, :, None]).reshape(len(tensor), -1)
        elif not name.endswith(SCALES):
            found[name] = tensor.float()
    return found


def without_gaps(weights: Mapping[str, Any], read: Sequence[int]) -> dict[str, Any]:
    """The weights of the layers that are kept, renumbered without gaps."""
    numbers = {f"{LAYER}{old}.": f"{LAYER}{new}." for new, old in enumerate(read)}
    found = {name: one for name, one in weights.items() if not name.startswith(LAYER)}
    for name, one in weights.items():
        for old, new in numbers.items():
            if name.startswith(old):
                found[new + name.removeprefix(old)] = one
    return found


def passage_weights(tensors: dict[str, Any]) -> dict[str, Any]:
    """The weights of the encoder of passages, with the adapter merged."""
    weights = {name: one for name, one in tensors.items() if not name.startswith("passages.")}
    for name, own in weights.items():
        change = f"passages.{name}"
        weights[name] = tensors.get(change, own)
        if f"{change}.up" in tensors:
            up, down = tensors[f"{change}.up"], tensors[f"{change}.down"]
            repeated = own.repeat(-(-len(up) // len(own)), 1)[: len(up)]  # longer for positions
            weights[name] = repeated + up @ down
    return weights


def runs_of(texts: Sequence[str], tokenizer: Any, prefix: str) -> Iterator[list[str]]:
    """Yield groups of at least two passages that fit a window."""
    windows = cycle(WINDOWS)
    taken = 2 + len(_ids(tokenizer, prefix))
    run: list[str] = []
    room = next(windows) - taken
    for text in texts:
        length = len(_ids(tokenizer, text))
        if length > room:
            if len(run) > 1:
                yield run
            run, room = [], next(windows) - taken
        if length <= room:
            run.append(text)
            room -= length


def attention_mask(length: int, block: int, reach: int, anchors: int) -> Any:
    """True where a token (row) attends to another (column), ``(length, length)``.

    The anchors attend to all tokens, and all attend to them. The others are in blocks of equal
    size; the last block ends with the text. A block attends to itself and to a fixed number of
    tokens around it. In a short text attention is full.
    """
    sees = torch.ones(length, length, dtype=torch.bool)
    body, seen = length - anchors, block + 2 * reach
    if not block or body <= seen:
        return sees
    size = math.ceil(body / math.ceil(body / block))
    for token in range(body):
        begin = min(token // size * size, body - size)
        first = min(max(begin - (seen - size) // 2, 0), body - seen)
        sees[anchors + token, anchors : anchors + first] = False
        sees[anchors + token, anchors + first + seen :] = False
    return sees


def encode(
    model: Any, tokenizer: Any, run: Sequence[str], how: Sequence[int], prefix: str
) -> np.ndarray[Any, Any]:
    """Return the normalised vectors of the passages of a window, ``(passages, hidden)``."""
    first, last = tokenizer.encode("").ids
    parts = [[first, *_ids(tokenizer, prefix)], *(_ids(tokenizer, text) for text in run), [last]]
    ids = torch.tensor([[token for part in parts for token in part]])
    sees = attention_mask(ids.shape[1], *how)[None, None]
    with torch.no_grad():
        states = model(input_ids=ids, attention_mask=sees).last_hidden_state[0].numpy()
    ends = np.cumsum([len(part) for part in parts])
    means = [states[a:b].mean(axis=0) for a, b in pairwise(ends[:-1])]
    vectors = np.stack(means)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _ids(tokenizer: Any, text: str) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the reference vectors of the late model.")
    parser.add_argument("--model", type=Path, required=True, help="folder with record and weights")
    options = parser.parse_args()
    record = json.loads((options.model / RECORD).read_text("utf-8"))
    shape = json.loads((options.model / CHECKPOINT).read_text("utf-8"))["architecture"]
    prefix = record["document_prefix"] + PREFIX
    tokenizer, model = open_original(options.model, shape)
    texts = json.loads(PASSAGES.read_text("utf-8"))
    how = shape["block"], shape["reach"], shape["anchors"]
    runs = list(runs_of(texts, tokenizer, prefix))
    if len(record["languages"]) > 1:
        runs.append(json.loads(LANGUAGES.read_text("utf-8")))
    vectors = np.concatenate([encode(model, tokenizer, run, how, prefix) for run in runs])
    folder = DATA / "late" / record["id"]
    folder.mkdir(parents=True, exist_ok=True)
    kept = {"title": TITLE, "headings": HEADINGS, "window": max(WINDOWS), "runs": runs}
    (folder / "runs.json").write_text(json.dumps(kept, ensure_ascii=False, indent=0), "utf-8")
    np.savez_compressed(folder / "vectors.npz", vectors=vectors)
    print(f"{len(vectors)} passages in {len(runs)} windows -> {folder}")


if __name__ == "__main__":
    main()
