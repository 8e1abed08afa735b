"""Puts the questions of some tables to a real library of their texts.

Passages are found by words alone, as where no model can be had: what the tables ask must hold
before anything is embedded. Which words are highlighted is asked of the tiny model's library.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping  # the codec reads annotations
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from indexer.api.requests import Explain, Index, Search
from indexer.api.types import FileState, Hit, Span, Why
from indexer.config import EngineConfig, Precision
from indexer.engine.engine import Engine
from tests.languages.table import TEXTS, Row, rows
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Sequence

MANY = 100  # hits: more than a library of two documents has passages


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that holds words of a query, and whether it holds its phrase."""

    text: str
    phrase: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What a row's query finds, best first, and what is highlighted where it leads."""

    found: tuple[Found, ...]
    text: str  # of the passage that must lead; "" where it was not found
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """Of one library, by the id of the row."""

    by_row: Mapping[str, Answer]


def ask(languages: Sequence[str], folder: Path) -> Answers:
    """Make a library of the texts of some languages and ask it all their rows.

    Args:
        languages: Folders of ``TEXTS``.
        folder: For the library, and for the tiny model.
    """
    table = [row for language in languages for row in rows(language)]
    models = folder / "models"
    install_tiny_model(models)
    config = EngineConfig(
        library=folder / "library",
        models=models,
        model=TINY,
        precision=Precision.FP32,
        threads=1,
        children=1,
        offline=True,
        min_free_bytes=0,
    )
    with contextlib.closing(Engine.open(config)) as engine:
        summary = engine.call(Index(tuple(TEXTS / language for language in languages)))
        assert summary.states == {FileState.INDEXED: 2 * len(languages)}, summary.states
    with contextlib.closing(Engine.open(replace(config, models=folder / "none"))) as engine:
        hits = {row.id: _hits(engine, row.query) for row in table}
    with contextlib.closing(Engine.open(config)) as engine:
        return Answers({row.id: _answer(engine, row, hits[row.id]) for row in table})


def _hits(engine: Engine, query: str) -> list[Hit]:
    """The passages that hold words of a query; without vectors others fill the list up."""
    found = engine.call(Search(query, MANY, explain=True))
    assert any(note.code == "words_only" for note in found.notes)
    return [hit for hit in found.hits if hit.why is Why.PHRASE or _share(hit) > 0.0]


def _share(hit: Hit) -> float:
    return hit.explain.passage["share"] if hit.explain else 0.0


def _answer(engine: Engine, row: Row, hits: Sequence[Hit]) -> Answer:
    found = tuple(Found(hit.text, hit.why is Why.PHRASE) for hit in hits)
    wanted = next((hit for hit in hits if row.leads in hit.text), None)
    if wanted is None:
        return Answer(found, "", ())
    explained = engine.call(Explain(row.query, Path(wanted.path), wanted.start))
    return Answer(found, wanted.text, explained.same if explained else ())
