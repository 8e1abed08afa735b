"""The recipe of the re-ranker, with a tiny random encoder: trained, written, imported, compared."""

from __future__ import annotations

import importlib
import json
import sys
from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.config import EngineConfig, Precision
from indexer.embed.imported import import_model
from indexer.embed.reranker import CrossEncoder
from indexer.embed.tokens import TextTokenizer
from tests.tiny_families import SHAPES, family_weights
from tests.tiny_model import tiny_tokenizer, tiny_vocabulary

if TYPE_CHECKING:
    from types import ModuleType

RECIPE = Path(__file__).resolve().parents[2] / "packaging" / "model"
# torch and its company deprecate things of their own.
pytestmark = [
    pytest.mark.convert, pytest.mark.filterwarnings("default"), pytest.mark.timeout(900),
]  # fmt: skip
SHAPE = replace(SHAPES["bert"], scores=True)
WORDS = ("tenant", "owner", "bank", "state", "lease", "rent", "door")


@pytest.fixture
def recipe(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    pytest.importorskip("torch", reason="needs `make test-convert`")
    monkeypatch.syspath_prepend(str(RECIPE))
    return {name: importlib.import_module(name) for name in ("lists", "train_reranker")}


def _lists(recipe: dict[str, ModuleType]) -> list[Any]:
    """Questions with the one passage that has their word, and its sentence once more."""
    kind = recipe["lists"].CandidateList
    turns = [WORDS[turn % len(WORDS) :] + WORDS[: turn % len(WORDS)] for turn in range(80)]
    return [
        kind(
            f"who is the {words[0]}",
            f"It is the {words[0]}.",
            tuple(f"The {word} is here. It is the {word}." for word in words[:5]),
            (5.0, 4.0, 3.0, 2.0, 1.0),
            (True, False, False, False, False),
        )
        for words in turns
    ]


def test_what_is_trained_can_be_imported(recipe: dict[str, ModuleType], tmp_path: Path) -> None:
    import torch

    lines = [json.dumps(asdict(one)) for one in _lists(recipe)]
    (tmp_path / recipe["lists"].LISTS).write_text("\n".join(lines), "utf-8")
    (tmp_path / "tokenizer.json").write_bytes(tiny_tokenizer(tiny_vocabulary()))
    tokenizer = TextTokenizer(tmp_path / "tokenizer.json")
    options = Namespace(
        work=tmp_path, run=tmp_path / "run", steps=25, lists=4, size=4, window=60, own=0.5,
        removed=0.5, rate=3e-3, seed=1, checked=8,
    )  # fmt: skip

    def run(steps: int) -> Any:
        weights = {name: torch.tensor(one) for name, one in family_weights("bert", SHAPE).items()}
        trained = recipe["train_reranker"].Run(
            Namespace(**vars(options) | {"steps": steps}), SHAPE, weights, tokenizer
        )
        trained.train()
        return trained.weights

    run(20)
    weights = run(25)  # goes on at the checkpoint
    log = [json.loads(line) for line in (options.run / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in log] == [0, 20, 25]
    assert log[-1]["held"][0] < log[0]["held"][0]

    train = recipe["train_reranker"]
    train.write_folder(tmp_path / "mine", weights, SHAPE, tmp_path / "tokenizer.json")
    config = EngineConfig(
        tmp_path / "library", tmp_path / "models", threads=1, precision=Precision.FP32
    )
    record = import_model(tmp_path / "mine", config.models)
    encoder = sys.modules["cross_encoder"]
    one = _lists(recipe)[0]
    pairs = encoder.pairs(tokenizer, one.question, one.passages, 60)
    (asked,) = tokenizer.encode([one.question])
    lesson = encoder.Lesson(tuple(pairs), len(asked.ids) + 2, torch.zeros(len(pairs)))
    with torch.no_grad():
        (wanted,) = encoder.scores(weights, SHAPE, [lesson])
    found = CrossEncoder(config, record).score(one.question, one.passages, 1e6)
    np.testing.assert_allclose(found, wanted.numpy(), atol=0.02)
