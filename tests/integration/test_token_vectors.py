"""A library with a tiny random late-interaction model: token vectors beside it, and their order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.api.models import RemoveModel, UseReranker
from indexer.api.progress import Reporter
from indexer.api.requests import GetStatus, Search
from indexer.config import NO_RERANKER
from indexer.embed.batches import unit_vectors
from indexer.embed.imported import import_model
from indexer.embed.layout import TextTokenizer
from indexer.embed.token_vectors import pool_tokens
from indexer.pipeline import token_feed
from indexer.query.reranking import rerank_request, reranked
from indexer.store.vectors import vectors_name
from tests.integration.world import World, search
from tests.sentence_folder import states_of, write_late_interaction
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.catalog.records import Space
    from indexer.embed.embedder import OnnxEmbedder
    from indexer.engine.engine import Engine

QUESTION = "who pays the rent"
SUBJECTS = ("tenant pays the rent", "owner of the house", "sea, which is calm", "rent is due")


@pytest.fixture
def world(tmp_path: Path) -> World:
    models = tmp_path / "models"
    install_tiny_model(models)
    folder = write_late_interaction(tmp_path / "mine", do_query_expansion=False)
    import_model(folder, models)
    made = World(tmp_path / "documents", tmp_path / "library", models)
    made.documents.mkdir()
    for number, subject in enumerate(SUBJECTS):
        (made.documents / f"{number}.txt").write_text(f"It tells of the {subject}. " * 3)
    return made


def token_space(engine: Engine) -> Space | None:
    return next((space for space in engine.catalog.spaces.all() if space.of_tokens), None)


def reference(folder: Path, marker: str, text: str, skipped: str = "") -> NDArray[np.float32]:
    """The vectors of a text's tokens, by numpy alone."""
    tokenizer = TextTokenizer(folder / "tokenizer.json")
    own = np.array([tokenizer.id_of(marker)], np.int32)
    ids = np.concatenate([tokenizer.lead, own, tokenizer.encode([text])[0].ids, tokenizer.tail])
    kept = ~np.isin(ids, [tokenizer.id_of(sign) or 0 for sign in skipped])
    return unit_vectors(states_of(ids))[kept]


def test_hits_are_ordered_by_the_best_match_of_each_token(world: World, tmp_path: Path) -> None:
    with world.engine() as engine:
        world.index(engine)
        assert engine.call(GetStatus()).model == TINY
        space = token_space(engine)
        assert space is not None
        assert not engine.catalog.spaces.pending(space.id, 1)
        size = engine.store.sizes()[vectors_name(space.key)]
        assert (size.rows, size.live > 0) == (len(SUBJECTS), True)
        assert not engine.store.vectors[vectors_name(space.key)].searched

        result = engine.call(Search(QUESTION, 10))
        request = rerank_request(QUESTION, result)
        assert request is not None
        assert engine.call(request) == ()  # nobody waits while it is opened
        order = engine.call(replace(request, wait=True))
        asked = reference(tmp_path / "mine", "q", QUESTION)
        scores = []
        for text, key in zip(request.passages, request.keys, strict=True):
            wanted = pool_tokens(reference(tmp_path / "mine", "d", " ".join(text.split()), ".,"), 2)
            stored, _ = engine.store.sentence_vectors_of(space.key, np.array([key]))
            assert float((stored * wanted).sum(axis=1).min()) > 0.98  # it is stored in 4 bits
            scores.append(float((asked @ stored.T).max(axis=1).sum()))
        assert order == tuple(np.argsort(-np.array(scores), kind="stable").tolist())
        assert [hit.key for hit in reranked(result, order).hits] == [
            request.keys[index] for index in order
        ]

        # Only what is new is read, and a document that goes takes its token vectors along.
        (world.documents / "new.txt").write_text("It tells of a new lease. " * 3)
        (world.documents / "0.txt").unlink()
        world.index(engine)
        assert engine.store.sizes()[vectors_name(space.key)].rows == len(SUBJECTS)
        assert not engine.store.verify()

        _can_be_turned_off(engine)
        engine.call(RemoveModel("mine"))
        assert engine.call(replace(request, wait=True)) == ()
        world.index(engine)
        assert token_space(engine) is None
        assert vectors_name(space.key) not in engine.store.sizes()
        assert not engine.call(Search(QUESTION, 10)).reranks
        assert search(engine, QUESTION)


def _can_be_turned_off(engine: Engine) -> None:
    assert engine.call(GetStatus()).reranker == "mine"
    assert engine.call(UseReranker(NO_RERANKER)) == ""
    assert not engine.call(Search(QUESTION, 10)).reranks
    with pytest.raises(WorldError, match=TINY):
        engine.call(UseReranker(TINY))
    assert engine.call(UseReranker("mine")) == "mine"
    assert engine.call(Search(QUESTION, 10)).reranks


def test_a_run_gives_way_to_files_and_goes_on_with_what_is_missing(world: World) -> None:
    with world.engine() as engine:
        world.index(engine)
        space = token_space(engine)
        assert space is not None
        docs = list(engine.catalog.spaces.expected(space.id))
        engine.store.vectors[vectors_name(space.key)].delete_docs(docs[:1])
        engine.catalog.spaces.reopen(docs[:2], space.id)  # of one all vectors are there

        def opened() -> OnnxEmbedder:
            (world.documents / "new.txt").write_text("It tells of a new lease. " * 3)
            engine.look_ahead([world.documents], None)
            return engine.models.indexing(space)

        parts = replace(engine._parts(first=False), space=space, open_embedder=opened)
        assert not token_feed.fill(parts, Reporter())
        assert engine.store.vector_counts(space.key, docs) == dict.fromkeys(docs, 1)
        world.index(engine)
        assert not engine.catalog.spaces.pending(space.id, 1)
        assert engine.store.sizes()[vectors_name(space.key)].rows == len(SUBJECTS) + 1
