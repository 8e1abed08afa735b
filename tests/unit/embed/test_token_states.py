"""Token states: their mean is the vector, and offsets are right, for all kinds of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.batches import unit_vectors
from indexer.embed.embedder import TokenStates
from indexer.embed.factory import open_embedder
from indexer.query.focus import places_of
from indexer.search.alignment import align
from indexer.search.explain import token_owners
from indexer.text.terms import word_spans
from tests.tiny_model import install_tiny_model
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from indexer.embed.batches import EmbedInput
    from indexer.embed.embedder import OnnxEmbedder

LONG = passage(*SENTENCES * 8, title="Log", headings=("Weather",))  # several windows
SHORT = passage(*SENTENCES, title="Log")
EMPTY = passage(title="Log")


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "late"])
def embedder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> OnnxEmbedder:
    folder = tmp_path_factory.mktemp("models")
    record = install_tiny_model(folder, late=request.param, window=96)
    return open_embedder(record, folder, Precision.FP32, threads=1)


@pytest.mark.parametrize("wanted", range(4))
def test_the_normalised_mean_of_states_is_the_vector(embedder: OnnxEmbedder, wanted: int) -> None:
    passages = [SHORT, LONG, EMPTY, SHORT]
    tokens = embedder.passage_states(passages, wanted)
    vector = embedder.encode_passages(passages)[wanted].vector
    np.testing.assert_allclose(unit_vectors(tokens.states.sum(axis=0)), vector, atol=1e-5)
    query = embedder.query_states("who slept at dawn?")
    shares = align(query.states, tokens.states)
    cosine = float(embedder.encode_query("who slept at dawn?") @ vector)
    assert shares.total == pytest.approx(cosine, abs=1e-4)


def test_a_part_of_a_query_is_pooled_inside_it(embedder: OnnxEmbedder) -> None:
    part = "who slept at dawn"
    query = f"In the log, {part}?"
    found = embedder.encode_query(query, part, places_of(part, query))
    alone = embedder.encode_query(part)
    if not embedder.record.late:
        np.testing.assert_array_equal(found, alone)
        return
    read = embedder.query_states(query)
    begin = query.index(part)
    inside = (read.starts >= begin) & (read.starts < begin + len(part))
    np.testing.assert_allclose(found, unit_vectors(read.states[inside].sum(axis=0)), atol=1e-6)
    assert np.abs(found - alone).max() > 1e-3
    assert embedder.encode_query(query, part, ()) is found  # kept


@pytest.mark.parametrize(
    ("text", "starts", "kept"),
    [
        ("Why? (C++)", [-1, 0, 3, 5, 6, 7, 9, -1], [0, 6, 7]),
        ("\u957f\u57ce\uff1f", [-1, 0, 0, 1, 2, -1], [0, 0, 1]),
        ("?!", [-1, 0, 1, -1], [-1, 0, 1, -1]),  # nothing else is there
        ("", [-1, -1], [-1, -1]),
    ],
)
def test_words_are_what_is_no_punctuation(text: str, starts: list[int], kept: list[int]) -> None:
    states = np.arange(len(starts), dtype=np.float32)[:, None]
    found = TokenStates(states, np.array(starts, np.int32)).of_words(text)
    assert found.starts.tolist() == kept
    assert [starts[int(row)] for row in found.states[:, 0]] == kept


@pytest.mark.parametrize("chosen", [SHORT, LONG], ids=["short", "long"])
def test_every_word_has_token_states(embedder: OnnxEmbedder, chosen: EmbedInput) -> None:
    tokens = embedder.passage_states([chosen], 0)
    spans = word_spans(chosen.view)
    assert [chosen.view[a:b] for a, b in spans] == chosen.view.replace(".", "").split()
    owned = token_owners(spans, tokens.starts)
    assert set(owned.tolist()) - {-1} == set(range(len(spans)))
    body = tokens.starts[tokens.starts >= 0]
    assert body.tolist() == sorted(set(body.tolist()))
