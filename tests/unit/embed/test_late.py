"""The late-chunking models: equal to transformers in float32, close in 8 bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from msgspec.structs import replace

from indexer.config import DEFAULT_MODEL, Precision
from indexer.embed.batches import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.imported import calibration_texts, sample, scale_of
from indexer.embed.layout import TextTokenizer
from indexer.embed.model_files import RECORD, find_record, shipped_folder
from indexer.embed.models import TOKENIZER, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder

OURS = sorted(folder.parent.name for folder in shipped_folder().glob(f"*/{RECORD}"))
MINILM_LATE = "lectern-minilm-late"
# Cosines of the multilingual model have a smaller spread.
SPREAD = {"lectern-e5-late": 0.05}
DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="module", params=OURS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def models(own_models_dir: Path) -> Path:
    """Where other tests need some of the same compiled models."""
    return own_models_dir


@pytest.fixture(scope="module")
def expected(name: str) -> NDArray[np.float32]:
    with np.load(DATA / "late" / name / "vectors.npz") as file:
        return np.asarray(file["vectors"])


def _vectors(
    name: str, models: Path, precision: Precision
) -> tuple[OnnxEmbedder, NDArray[np.float32]]:
    """The vectors of the reference passages, by the shipped files alone."""
    kept = json.loads((DATA / "late" / name / "runs.json").read_text("utf-8"))
    record = replace(find_record(name), window=kept["window"])
    embedder = open_embedder(record, models, precision)
    headings = tuple(kept["headings"])
    passages = [
        EmbedInput(kept["title"], headings, text, (0,)) for run in kept["runs"] for text in run
    ]
    found: dict[int, NDArray[np.float32]] = {}
    for batch in embedder.encode_batches(passages, runs=[len(run) for run in kept["runs"]]):
        found.update({index: vectors.vector for index, vectors in batch})
    return embedder, np.stack([found[index] for index in range(len(passages))])


def test_float32_equals_transformers(
    name: str, models: Path, expected: NDArray[np.float32]
) -> None:
    embedder, vectors = _vectors(name, models, Precision.FP32)
    assert embedder.record.late
    np.testing.assert_allclose(vectors, expected, atol=1e-4)


def test_8_bits_are_close(name: str, models: Path, expected: NDArray[np.float32]) -> None:
    _, vectors = _vectors(name, models, Precision.INT8)
    assert (vectors * expected).sum(axis=1).min() >= 0.98


def test_the_default_and_the_previous_model_are_shipped() -> None:
    """A library of the previous model is searched by it until its last vector is replaced."""
    assert {DEFAULT_MODEL, MINILM_LATE} <= set(OURS)


def test_queries_are_encoded_by_the_base_model(models: Path) -> None:
    texts = json.loads((DATA / "minilm" / "passages.json").read_text("utf-8"))
    with np.load(DATA / "minilm" / "vectors.npz") as file:
        genuine = np.asarray(file["vectors"])
    queries = open_embedder(find_record(MINILM_LATE), models, Precision.FP32, Side.QUERIES)
    found = np.stack([queries.encode_query(text) for text in texts[::4]])
    assert (found * genuine[::4]).sum(axis=1).min() >= 0.9999  # the weights are in float16


QUESTION = "How much notice must be given to terminate the agreement?"
NOTICE = "Either party may terminate upon thirty days' notice. "
BREAD = "Knead the dough for ten minutes and let it rise."
# Meaningless text as found in documents.
NOISE = {
    "special tokens": "<s> </s> <pad> <unk> <mask> [CLS] [SEP] [MASK]",
    "prefixes": "query: passage: query: passage: query:",
    "no letters": "\0\0\ufffd\ufffd\0\ufffd",
    "runs": "-" * 40 + " " + "." * 40 + " " + "_" * 40,
    "no width": "\u200b\u200d\ufeff\u2060\u00ad\u200e" * 6,
    "private letters": "\ue000\uf8ff\U000e0fff\U0010fffd" * 5,
    "boxes": "\u25a1\u25a0\u2588\u2591" * 6,
    # Repeated often, they make unrelated texts similar.
    "sticky tokens": "\u2581\u2581 lucrarea trakten " * 4,
}


@pytest.fixture(scope="module")
def sides(name: str, models: Path) -> tuple[OnnxEmbedder, OnnxEmbedder]:
    """The embedders of passages and of queries."""
    passages, queries = (
        open_embedder(find_record(name), models, Precision.FP32, side) for side in Side
    )
    return passages, queries


def _similar(sides: tuple[OnnxEmbedder, OnnxEmbedder], *texts: str) -> NDArray[np.float32]:
    """The cosines of a question and some passages, each encoded alone."""
    passages, queries = sides
    alone = [passages.encode_passages([EmbedInput("", (), text, (0,))])[0] for text in texts]
    found: NDArray[np.float32] = np.stack([one.vector for one in alone]) @ queries.encode_query(
        QUESTION
    )
    return found


@pytest.mark.parametrize("end", ["", " ?!", " \u2026 \u201d", "\u061f"])
def test_a_question_after_a_prefix_is_the_mean_of_its_words(
    sides: tuple[OnnxEmbedder, OnnxEmbedder], end: str
) -> None:
    queries = sides[1]
    starts = set(queries.query_states("Notice, please" + end).starts.tolist())
    assert {0, 8} <= starts
    others = starts & {-1, 6, *range(14, 20)}
    assert not others if queries.record.query_prefix else {-1, 6} <= others


def test_a_query_finds_its_passage(name: str, sides: tuple[OnnxEmbedder, OnnxEmbedder]) -> None:
    notice, bread = _similar(sides, NOTICE, BREAD)
    assert notice > bread + SPREAD.get(name, 0.2)


@pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE.keys())
def test_noise_neither_matches_a_query_nor_hides_an_answer(
    sides: tuple[OnnxEmbedder, OnnxEmbedder], noise: str
) -> None:
    answers = _similar(sides, NOTICE, f"{NOTICE} {noise}", f"{noise} {NOTICE}")
    others = _similar(sides, noise, BREAD, f"{BREAD} {noise}", f"{noise} {BREAD}")
    assert answers.min() > others.max()


@pytest.mark.parametrize("noise", NOISE.values(), ids=NOISE.keys())
def test_noise_is_tokenised_with_correct_offsets(name: str, noise: str) -> None:
    tokenizer = TextTokenizer(shipped_folder() / name / TOKENIZER)
    vocabulary = json.loads((shipped_folder() / name / TOKENIZER).read_text("utf-8"))
    special = {one["id"] for one in vocabulary["added_tokens"] if one["special"]}
    unknown = tokenizer.encode(["\U000e0fff"])[0].ids[-1]
    for text in (noise, f"{NOTICE}{noise}", f"{noise}{NOTICE}", noise.replace(" ", "")):
        (tokens,) = tokenizer.encode([text])
        assert not special - {unknown} & set(tokens.ids.tolist())
        assert len(tokens) <= 2 * len(text)
        assert (np.diff(tokens.starts) >= 0).all()
        assert not len(tokens) or 0 <= tokens.starts[0] <= tokens.starts[-1] < len(text)


def test_the_scale_of_cosines_is_measured_as_it_was_fitted(
    name: str, sides: tuple[OnnxEmbedder, OnnxEmbedder]
) -> None:
    """That of imported models is measured alone; of these it was fitted to many questions."""
    passages, queries = sides
    pairs = sample(calibration_texts(find_record(MINILM_LATE)))
    centre, spread, between = scale_of(
        np.stack([queries.encode_query(sentence) for sentence, _ in pairs]),
        np.stack([
            passages.encode_passages([EmbedInput("", (), text, (0,))])[0].vector
            for _, text in pairs
        ]),
    )  # fmt: skip
    record = find_record(name)
    assert abs(centre - record.cosine_centre) < 0.03
    assert abs(spread - record.cosine_spread) < 0.05
    assert abs(between - record.cosine_between) < 0.1
