"""Makes the multilingual base model from its package: weights, tokenizer and record.

    python packaging/model/e5.py --folder build/model/e5

Training starts from this model, and it encodes queries. Matrices stay in 4 bits; word embeddings
have only the rows of the kept pieces. It needs `pip install 'lectern[convert]'`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from architecture import WEIGHTS
from base_package import Genuine
from e5_pieces import read_kept
from e5_source import FILE, PACKAGE, SHAPE, Packed, read_source
from e5_tokenizer import characters_map, write_tokenizer
from packed import NIBBLES, SCALES

from indexer.embed.models import TOKENIZER, ModelRecord, Pooling, PoolScope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from e5_source import Source

GENUINE = "multilingual-e5-small"
WORDS = "embeddings.word_embeddings.weight"
# The languages whose pieces were counted, among the hundred on which it was trained.
LANGUAGES = (
    "am", "ar", "be", "bg", "bn", "br", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et",
    "eu", "fa", "fi", "fr", "ga", "gd", "gl", "gu", "he", "hi", "hr", "hu", "id", "is", "it", "ja",
    "ka", "kk", "km", "kn", "ko", "lt", "lv", "mk", "ml", "mn", "mr", "ms", "ne", "nl", "no", "or",
    "pa", "pl", "pt", "ro", "ru", "si", "sk", "sl", "sr", "sv", "ta", "te", "th", "tl", "tr", "ug",
    "uk", "ur", "vi", "zh",
)  # fmt: skip
RECORD = ModelRecord(
    id=GENUINE,
    dimension=SHAPE.hidden,
    vocabulary=SHAPE.vocabulary,
    pooling=Pooling.MEAN,
    pool_scope=PoolScope.SEQUENCE,
    window=SHAPE.positions,
    late=False,
    overlap=64,
    max_prefix=64,
    query_prefix="query: ",
    document_prefix="passage: ",
    languages=LANGUAGES,
    licence="MIT",
    homepage="https://huggingface.co/intfloat/multilingual-e5-small",
)


def make(folder: Path, kept: Sequence[int] | None = None, layers: Sequence[int] = ()) -> Genuine:
    """Write weights and tokenizer into a folder.

    Args:
        folder: Destination; its name is the model's id.
        kept: The ids of the pieces; by default those of ``e5_pieces.bits``.
        layers: The layers to keep; by default all.
    """
    source = read_source(PACKAGE.fetch(folder.parent / "package") / FILE)
    kept = read_kept() if kept is None else kept
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TOKENIZER).write_text(write_tokenizer(source, kept, characters_map()), "utf-8")
    chosen = list(layers) or list(range(SHAPE.layers))
    _write_weights(source, kept, chosen, folder / WEIGHTS)
    shape = replace(SHAPE, vocabulary=len(kept), layers=len(chosen))
    return Genuine(structs.replace(RECORD, id=folder.name, vocabulary=len(kept)), shape)


def _write_weights(
    source: Source, kept: Sequence[int], layers: Sequence[int], target: Path
) -> None:
    from safetensors.numpy import save_file

    tensors: dict[str, Any] = {}
    for name, tensor in source.tensors.items():
        own = _renumbered(name, layers)
        if not own:
            continue
        if isinstance(tensor, Packed):
            rows = np.array(kept) if name == WORDS else slice(None)
            tensors[own + NIBBLES] = np.ascontiguousarray(tensor.nibbles[rows])
            tensors[own + SCALES] = np.ascontiguousarray(tensor.scales[rows])
        else:
            tensors[own] = tensor.astype(np.float16)
    save_file(tensors, target)
    target.chmod(0o644)


def _renumbered(name: str, layers: Sequence[int]) -> str:
    """The name of a tensor with the layers renumbered, "" if its layer is not kept."""
    parts = name.split(".")
    if parts[0] != "encoder":
        return name
    number = int(parts[2])
    return ".".join([*parts[:2], str(layers.index(number)), *parts[3:]]) if number in layers else ""


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the folder of the genuine model.")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "model" / GENUINE)
    parser.add_argument("--layers", type=int, nargs="+", default=(), help="those to keep")
    options = parser.parse_args()
    genuine = make(options.folder, layers=options.layers)
    size = sum((options.folder / name).stat().st_size for name in (WEIGHTS, TOKENIZER))
    print(f"{options.folder}: {genuine.architecture.vocabulary} pieces, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
