"""The embedder: vectors of passages, long and unusual ones, and whole documents."""

from __future__ import annotations

import threading
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from indexer.config import Precision
from indexer.embed.batches import EmbedInput, passage_prefix, unit_vectors
from indexer.embed.factory import open_embedder
from indexer.embed.layout import TextTokenizer, WindowLayout, plan_windows
from indexer.embed.models import TOKENIZER, space_of
from tests.compiler import compiler
from tests.tiny_model import TINY, install_tiny_model
from tests.unit.embed.reference import plain_states

read_checkpoint = compiler("architecture").read_checkpoint

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models import ModelRecord

SENTENCES = ("The storm broke at dawn. ", "Nobody on the quay had slept. ", "Bread was dear. ")


def passage(*sentences: str, title: str = "", headings: tuple[str, ...] = ()) -> EmbedInput:
    starts = tuple(accumulate((len(one) for one in sentences[:-1]), initial=0))
    return EmbedInput(title, headings, "".join(sentences), starts if sentences else ())


def _models(factory: pytest.TempPathFactory, *, late: bool) -> tuple[ModelRecord, Path]:
    folder = factory.mktemp("models")
    return install_tiny_model(folder, late=late, window=96), folder


@pytest.fixture(scope="module", params=list(Precision))
def embedder(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> OnnxEmbedder:
    record, folder = _models(tmp_path_factory, late=False)
    return open_embedder(record, folder, request.param, threads=2)


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> tuple[OnnxEmbedder, Path]:
    record, folder = _models(tmp_path_factory, late=False)
    return open_embedder(record, folder, Precision.FP32, threads=1), folder


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> tuple[OnnxEmbedder, Path]:
    record, folder = _models(tmp_path_factory, late=True)
    return open_embedder(record, folder, Precision.FP32, threads=1), folder


def _close(a: NDArray[np.float32], b: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(a, b, atol=2e-5)


def test_a_query_asked_again_is_encoded_once(embedder: OnnxEmbedder) -> None:
    first = embedder.encode_query("Bread was dear.")
    assert embedder.encode_query("Bread was dear.") is first
    assert not first.flags.writeable
    for number in range(300):
        embedder.encode_query(f"loaf {number}")
    again = embedder.encode_query("Bread was dear.")
    assert again is not first
    assert np.array_equal(again, first)


def test_vectors_have_length_one_and_their_shape(embedder: OnnxEmbedder) -> None:
    (made,) = embedder.encode_passages([passage(*SENTENCES, title="Log")])
    assert made.vector.shape == (embedder.record.dimension,)
    assert made.sentences.shape == (3, embedder.record.dimension)
    assert made.vector.dtype == made.sentences.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(made.vector), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(made.sentences, axis=1), 1, atol=1e-5)


texts = st.lists(
    st.lists(st.sampled_from([*SENTENCES, "", "\0", "[SEP] ", "x " * 150]), min_size=1, max_size=5),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(texts)
def test_vectors_do_not_depend_on_the_batch(embedder: OnnxEmbedder, texts: list[list[str]]) -> None:
    passages = [passage(*sentences) for sentences in texts]
    together = embedder.encode_passages(passages)
    for one, made in zip(passages, together, strict=True):
        (alone,) = embedder.encode_passages([one])
        _close(made.vector, alone.vector)
        _close(made.sentences, alone.sentences)
        assert made.tokens == alone.tokens


def test_a_passage_is_the_mean_over_prefix_text_and_special_tokens(
    exact: tuple[OnnxEmbedder, Path],
) -> None:
    embedder, models = exact
    one = passage(*SENTENCES, title="Log", headings=("Day 2",))
    (made,) = embedder.encode_passages([one])
    tokenizer = TextTokenizer(models / TINY / TOKENIZER)
    front = tokenizer.encode([passage_prefix("Log", ("Day 2",))])[0].ids
    bodies = [body.ids for body in tokenizer.encode(SENTENCES)]
    ids = np.concatenate([tokenizer.lead, front, *bodies, tokenizer.tail])
    states = plain_states(read_checkpoint(models / TINY).architecture, models / TINY, ids)
    _close(made.vector, unit_vectors(states.mean(axis=0)))
    borders = np.cumsum([len(tokenizer.lead) + len(front), *map(len, bodies)])
    for row, (start, end) in enumerate(pairwise(borders.tolist())):
        _close(made.sentences[row], unit_vectors(states[start:end].mean(axis=0)))


def test_a_query_has_no_prefix(exact: tuple[OnnxEmbedder, Path]) -> None:
    embedder, _ = exact
    (made,) = embedder.encode_passages([passage("bread")])
    _close(embedder.encode_query("bread"), made.vector)


def test_all_of_a_long_passage_is_encoded(embedder: OnnxEmbedder) -> None:
    filler = "the sea was calm and grey. " * 30
    (calm,) = embedder.encode_passages([passage(filler, "the sea was calm and grey. ")])
    (fire,) = embedder.encode_passages([passage(filler, "zzz zzz zzz zzz zzz zzz zzz! ")])
    assert calm.tokens > embedder.record.window
    assert np.abs(calm.vector - fire.vector).max() > 1e-3
    (last,) = embedder.encode_passages([passage("zzz zzz zzz zzz zzz zzz zzz! ")])
    assert fire.sentences[1] @ last.sentences[0] > calm.sentences[1] @ last.sentences[0]


def test_a_long_prefix_is_cut(embedder: OnnxEmbedder) -> None:
    (made,) = embedder.encode_passages([passage("short", title="endless title " * 200)])
    assert made.tokens <= embedder.record.max_prefix + 2 + 3


@pytest.mark.parametrize("view", ["", " ", "\0", "\ufffd", "\n\f\n"])
def test_a_text_without_words_has_vectors(embedder: OnnxEmbedder, view: str) -> None:
    (made,) = embedder.encode_passages([passage(view, title="Log")])
    np.testing.assert_allclose(np.linalg.norm(made.vector), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(made.sentences, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(embedder.encode_query(view)), 1, atol=1e-5)


def test_no_passages_yield_no_vectors(embedder: OnnxEmbedder) -> None:
    assert embedder.encode_passages([]) == []


def test_batches_yield_every_passage_once(embedder: OnnxEmbedder) -> None:
    passages = [passage(*SENTENCES[: 1 + n % 3]) for n in range(40)]
    asked = []

    def budget() -> int:
        asked.append(1)
        return 64

    runs = list(embedder.encode_batches(passages, budget=budget))
    assert sorted(index for run in runs for index, _ in run) == list(range(40))
    assert len(asked) == len(runs) > 5


def test_closing_the_iterator_early_ends_its_threads(embedder: OnnxEmbedder) -> None:
    before = threading.active_count()
    batches = embedder.encode_batches([passage(*SENTENCES)] * 60, budget=lambda: 40)
    next(batches)
    batches.close()
    assert threading.active_count() == before


def test_throughput_counts_the_tokens_of_passages(embedder: OnnxEmbedder) -> None:
    passages = [passage(*SENTENCES, title="Log")] * 3
    sequences = embedder.sequences(passages)
    made = embedder.encode_passages(passages)
    assert sum(map(len, sequences)) == sum(one.tokens for one in made)
    assert embedder.bare_throughput(sequences) > 0


def test_the_name_of_a_space_has_all_that_vectors_depend_on(
    embedder: OnnxEmbedder, late: tuple[OnnxEmbedder, Path]
) -> None:
    names = [space_of(one.record, one.precision) for one in (embedder, late[0])]
    assert str(embedder.precision) in names[0]
    assert names[0] != names[1]


def test_late_pooling_equals_the_reference(late: tuple[OnnxEmbedder, Path]) -> None:
    embedder, models = late
    chosen = [SENTENCES[: 1 + n % 3] for n in range(12)]
    passages = [passage(*sentences, title="Log") for sentences in chosen]
    made = embedder.encode_passages(passages)

    tokenizer = TextTokenizer(models / TINY / TOKENIZER)
    lead = np.concatenate([tokenizer.lead, tokenizer.encode([passage_prefix("Log", ())])[0].ids])
    bodies = [body.ids for body in tokenizer.encode([one.view for one in passages])]
    document = np.concatenate(bodies)
    capacity = embedder.record.window - len(lead) - len(tokenizer.tail)
    plan = plan_windows([len(body) for body in bodies], capacity, embedder.record.overlap)
    assert len(plan.windows) > 2
    for one, vectors, slices in zip(chosen, made, plan.slices, strict=True):
        (part,) = slices
        start, end = plan.windows[part.window]
        ids = np.concatenate([lead, document[start:end], tokenizer.tail])
        states = plain_states(read_checkpoint(models / TINY).architecture, models / TINY, ids)
        own = states[len(lead) + part.start - start : len(lead) + part.end - start]
        _close(vectors.vector, unit_vectors(own.mean(axis=0)))
        position = 0
        for row, sentence in enumerate(tokenizer.encode(one)):
            mean = own[position : position + len(sentence)].mean(axis=0)
            _close(vectors.sentences[row], unit_vectors(mean))
            position += len(sentence)


def test_changed_headings_are_inserted_into_a_window(
    late: tuple[OnnxEmbedder, Path],
) -> None:
    embedder, models = late
    passages = [
        passage(SENTENCES[0], title="Log", headings=("Weather",)),
        passage(SENTENCES[1], title="Log", headings=("Weather", "People")),
    ]
    made = embedder.encode_passages(passages)
    tokenizer = TextTokenizer(models / TINY / TOKENIZER)
    ahead = passage_prefix("", ("Weather", "People"))
    texts = [passage_prefix("Log", ("Weather",)), SENTENCES[0], ahead, SENTENCES[1]]
    parts = [tokenizer.lead, *(one.ids for one in tokenizer.encode(texts)), tokenizer.tail]
    states = plain_states(
        read_checkpoint(models / TINY).architecture, models / TINY, np.concatenate(parts)
    )
    lengths = [len(part) for part in parts]
    for index, vectors in zip((2, 4), made, strict=True):
        first = sum(lengths[:index])
        own = states[first : first + lengths[index]]
        _close(vectors.vector, unit_vectors(own.mean(axis=0)))


def test_the_document_prefix_is_only_at_the_start_of_a_window(
    late: tuple[OnnxEmbedder, Path],
) -> None:
    embedder, _ = late
    run = [
        passage(SENTENCES[0], title="Log", headings=("Weather",)),
        passage(SENTENCES[1], title="Log", headings=("People",)),
    ]
    tokenizer = embedder._layout._tokenizer
    layout = WindowLayout(replace(embedder.record, document_prefix="passage: "), tokenizer)
    (sequence,) = layout.sequences(run, layout.tokenize(run))
    texts = ["passage: Log. Weather: ", SENTENCES[0], "People: ", SENTENCES[1]]
    body = [tokens.ids for tokens in tokenizer.encode(texts)]
    assert sequence.ids.tolist() == [*tokenizer.lead, *np.concatenate(body), *tokenizer.tail]


def test_no_headings_are_inserted_before_an_empty_passage(late: tuple[OnnxEmbedder, Path]) -> None:
    embedder, _ = late
    made = embedder.encode_passages(
        [passage(SENTENCES[0], headings=("Weather",)), passage("", headings=("People",))]
    )
    assert all(np.isclose(np.linalg.norm(each.vector), 1.0) for each in made)


def test_the_vector_of_a_late_passage_depends_on_its_neighbours(
    late: tuple[OnnxEmbedder, Path],
) -> None:
    embedder, _ = late
    (alone,) = embedder.encode_passages([passage(SENTENCES[0])])
    beside = embedder.encode_passages([passage(SENTENCES[0]), passage(SENTENCES[2])])[0]
    assert np.abs(alone.vector - beside.vector).max() > 1e-4
