"""Synthetic libraries: the same for the same seed, shaped as the table says."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.batches import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from tests.benchmarks.synthetic_engine import REAL_EVERY, StandIn
from tests.benchmarks.synthetic_texts import FOLDERS, Texts, vocabulary
from tests.tiny_model import TINY

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.embedder import OnnxEmbedder
    from tests.benchmarks.synthetic_texts import Vocabulary


@pytest.fixture
def words(tmp_path: Path) -> Vocabulary:
    (tmp_path / "corpus").mkdir()
    text = "often " * 900 + "seldom " * 100
    (tmp_path / "corpus" / "a.md").write_text(text, encoding="utf-8")
    return vocabulary(tmp_path / "corpus")


def test_words_come_as_often_as_in_the_corpus_before_a_long_tail(words: Vocabulary) -> None:
    drawn = Counter(words.draw(np.random.default_rng(1), 20_000).tolist())
    assert drawn["often"] / 20_000 == pytest.approx(0.9 * 0.97, abs=0.02)
    assert drawn["seldom"] / 20_000 == pytest.approx(0.1 * 0.97, abs=0.01)
    assert len(drawn) > 300


def test_documents_are_the_same_for_the_same_seed(words: Vocabulary) -> None:
    first = list(Texts(words, 500).documents())
    assert first == list(Texts(words, 500).documents())
    assert first != list(Texts(words, 500, seed=9).documents())


def test_documents_have_as_many_passages_as_asked(words: Vocabulary) -> None:
    parts = [part for _, text in Texts(words, 700).documents() for part in text.split("\n\n")]
    passages = [part for part in parts if not part.startswith("#")]
    assert len(passages) == 700
    assert 100 < np.mean([len(part.split()) for part in passages]) < 200


def test_folders_hold_their_share_of_documents(words: Vocabulary) -> None:
    paths = [path.split("/") for path, _ in Texts(words, 20_000).documents()]
    for folder, share in FOLDERS.items():
        inside = sum(folder in path for path in paths) / len(paths)
        assert inside == pytest.approx(float(share.split()[0]) / 100, abs=0.01)


def test_files_are_written_where_their_paths_say(words: Vocabulary, tmp_path: Path) -> None:
    texts = Texts(words, 300)
    assert texts.write(tmp_path / "out") == len(list(texts.documents()))
    for path, text in texts.documents():
        assert (tmp_path / "out" / path).read_text(encoding="utf-8") == text


@pytest.fixture
def real(tiny_models_dir: Path) -> OnnxEmbedder:
    record = find_record(TINY, tiny_models_dir)
    return open_embedder(record, tiny_models_dir, Precision.FP32, threads=1)


@pytest.fixture
def standin(real: OnnxEmbedder) -> StandIn:
    return StandIn(real)


def _unit(count: int, title: str = "A title") -> list[EmbedInput]:
    return [EmbedInput(title, ("Part",), f"one {at}. two.", (0, 7)) for at in range(count)]


def test_vectors_are_drawn_near_their_document(standin: StandIn) -> None:
    made = [one for batch in standin.encode_batches(_unit(40)) for one in batch]
    assert [at for at, _ in made] == list(range(40))
    vectors = np.stack([one.vector for _, one in made])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    another = standin.encode_batches(_unit(40, "Another"))
    other = [one for batch in another for _, one in batch]
    within = (vectors @ vectors.T)[np.triu_indices(40, 1)].mean()
    across = (vectors @ np.stack([one.vector for one in other]).T).mean()
    assert within > across + 0.2
    assert all(one.sentences.shape == (2, vectors.shape[1]) for _, one in made)


def test_names_and_now_and_then_a_unit_go_through_the_model(
    real: OnnxEmbedder, standin: StandIn
) -> None:
    name = [EmbedInput("", (), "annual report", (0,))]
    ((made,),) = standin.encode_batches(name)
    again = real.encode_query("annual report")
    np.testing.assert_allclose(made[1].vector, again, atol=1e-5)
    unit = _unit(1)
    passes = [next(standin.encode_batches(unit))[0][1].vector for _ in range(2 * REAL_EVERY)]
    times = Counter(vector.tobytes() for vector in passes)
    assert max(times.values()) == 2
