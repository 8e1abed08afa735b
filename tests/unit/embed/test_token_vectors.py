"""A tiny random late-interaction model against numpy; token pooling and MaxSim by properties."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.api.errors import WorldError
from indexer.api.models import ModelKind
from indexer.config import Precision
from indexer.embed.batches import EmbedInput, unit_vectors
from indexer.embed.factory import open_embedder
from indexer.embed.imported import import_model
from indexer.embed.installed import describe
from indexer.embed.layout import TextTokenizer
from indexer.embed.model_files import find_embedding
from indexer.embed.token_vectors import TokenEmbedder, max_sim, pool_tokens
from tests.sentence_folder import change, states_of, write_late_interaction

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

QUESTION = "who pays the rent?"
PASSAGE = "the tenant pays it, in may. " * 6
SUMMARY = "config_sentence_transformers.json"


def opened(folder: Path, models: Path, **how: Any) -> TokenEmbedder:
    """The model of a folder, imported; ``how`` changes its record."""
    record = import_model(folder, models)
    assert record.interaction is not None
    record = replace(record, interaction=replace(record.interaction, **how))
    embedder = open_embedder(record, models, Precision.FP32, threads=2)
    return cast("TokenEmbedder", embedder)


def reference(ids: list[int]) -> Floats:
    """The vectors of a sequence that all tokens attend to."""
    return unit_vectors(states_of(np.array(ids)))


def test_vectors_are_those_of_the_reference(tmp_path: Path) -> None:
    folder = write_late_interaction(tmp_path / "mine", do_query_expansion=False)
    embedder = opened(folder, tmp_path / "models", pooled=1)
    assert describe(embedder.record, tmp_path / "models").kind is ModelKind.LATE_INTERACTION
    with pytest.raises(WorldError, match="mine only orders"):
        find_embedding("mine", tmp_path / "models")

    tokenizer = TextTokenizer(folder / "tokenizer.json")
    asked, read = (body.ids.tolist() for body in tokenizer.encode([QUESTION, PASSAGE]))
    (start,), (end,) = tokenizer.lead.tolist(), tokenizer.tail.tolist()
    marker = {letter: tokenizer.id_of(letter) or 0 for letter in "qd.,"}
    wanted = reference([start, marker["q"], *asked[:17], end])
    np.testing.assert_allclose(embedder.encode_tokens(QUESTION), wanted, atol=1e-4)

    room = 60 - 3
    assert len(read) > room  # it is read in two parts
    parts = []
    for at in range(0, len(read), room):
        ids = [start, marker["d"], *read[at : at + room], end]
        kept = ~np.isin(ids, [marker["."], marker[","]])
        parts.append(reference(ids)[kept])
    inputs = [EmbedInput("a title", (), text, (0,)) for text in ("short", PASSAGE, "")]
    found = embedder.encode_passages(inputs)
    np.testing.assert_allclose(found[1].sentences, np.concatenate(parts), atol=1e-4)
    np.testing.assert_allclose(
        found[1].vector, unit_vectors(found[1].sentences.sum(axis=0)), atol=1e-5
    )
    assert [len(one.sentences) for one in (found[0], found[2])] == [
        3 + len(tokenizer.encode(["short"])[0]), 3
    ]  # fmt: skip


def test_a_query_is_filled_with_tokens_that_none_attends_to(tmp_path: Path) -> None:
    folder = write_late_interaction(tmp_path / "mine")
    embedder = opened(folder, tmp_path / "models")
    ids, own = embedder._sequences.query("rent")
    found = embedder.encode_tokens("rent")
    assert len(ids) == len(found) == 20
    alone = reference(ids[:own].tolist())
    np.testing.assert_allclose(found[:own], alone, atol=1e-4)
    # What fills it does not depend on how much fills it.
    shorter = opened_with(embedder, tmp_path, query_tokens=own + 3)
    np.testing.assert_allclose(shorter.encode_tokens("rent"), found[: own + 3], atol=1e-4)

    attended = opened_with(embedder, tmp_path, attended=True).encode_tokens("rent")
    np.testing.assert_allclose(attended, reference(ids.tolist()), atol=1e-4)
    assert float(np.abs(attended[:own] - alone).max()) > 1e-3


def opened_with(embedder: TokenEmbedder, tmp_path: Path, **how: Any) -> TokenEmbedder:
    """The same model under a record that differs."""
    assert embedder.record.interaction is not None
    record = replace(embedder.record, interaction=replace(embedder.record.interaction, **how))
    other = open_embedder(record, tmp_path / "models", Precision.FP32, threads=1)
    return cast("TokenEmbedder", other)


@pytest.mark.parametrize(
    ("file", "values"),
    [
        (SUMMARY, {"query_prefix": "no such token"}),
        (SUMMARY, {"query_length": 5}),
        (SUMMARY, {"skiplist_words": 3}),
    ],
)
def test_what_would_be_read_wrongly_is_refused(
    file: str, values: dict[str, object], tmp_path: Path
) -> None:
    folder = write_late_interaction(tmp_path / "mine")
    change(folder / file, **values)
    with pytest.raises(WorldError) as caught:
        import_model(folder, tmp_path / "models")
    assert caught.value.code == "model_refused"


def drawn(count: int, seed: int) -> Floats:
    return unit_vectors(np.random.default_rng(seed).standard_normal((count, 6)).astype(np.float32))


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 99))
def test_pooled_vectors_are_means_of_groups(count: int, factor: int, seed: int) -> None:
    vectors = drawn(count, seed)
    pooled = pool_tokens(vectors, factor)
    assert len(pooled) == 1 + -(-(count - 1) // factor)
    np.testing.assert_allclose(np.linalg.norm(pooled, axis=1), 1, atol=1e-5)
    assert np.array_equal(pooled[0], vectors[0])
    if factor == 1:
        assert np.array_equal(pooled, vectors)


@given(st.integers(2, 12), st.integers(2, 4), st.integers(0, 99))
def test_pairs_are_merged_that_cost_the_least(count: int, factor: int, seed: int) -> None:
    vectors = drawn(count, seed)
    groups = [[at] for at in range(1, count)]

    def cost(one: list[int], other: list[int]) -> float:
        apart = vectors[one].mean(axis=0) - vectors[other].mean(axis=0)
        return float(apart @ apart) * len(one) * len(other) / (len(one) + len(other))

    while len(groups) > -(-(count - 1) // factor):
        pairs = [(a, b) for a in range(len(groups)) for b in range(a + 1, len(groups))]
        one, other = min(pairs, key=lambda pair: cost(groups[pair[0]], groups[pair[1]]))
        groups[one] += groups.pop(other)
    wanted = [vectors[0], *(unit_vectors(vectors[group].sum(axis=0)) for group in groups)]
    np.testing.assert_allclose(pool_tokens(vectors, factor), wanted, atol=1e-4)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.integers(0, 99))
def test_max_sim_is_the_sum_of_the_largest(counts: list[int], seed: int) -> None:
    query, vectors = drawn(4, seed), drawn(sum(counts) + 1, seed + 1)[1:]
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    wanted = [
        sum(max((float(one @ other) for other in vectors[start:end]), default=-1) for one in query)
        for start, end in pairwise(offsets.tolist())
    ]
    np.testing.assert_allclose(max_sim(query, vectors, offsets), wanted, atol=1e-5)
