"""Helps to choose a model: the same questions by the vectors of two, and removing one.

Owns what may be removed, and the comparison of answers. It must not know how answers are found
(``indexer.search``) or when a change happens (``reindex``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.models import ComparedQuestion, ModelComparison
from indexer.embed.installed import remove
from indexer.query.grammar import parse

if TYPE_CHECKING:
    from indexer.api.models import Question
    from indexer.api.progress import CancelToken
    from indexer.api.requests import CompareModels
    from indexer.api.types import Hit
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import EngineConfig
    from indexer.search.search import Searcher

COMPARED = 10  # passages


def remove_unused(catalog: Catalog, config: EngineConfig, model: str) -> int:
    """Delete the files of a model that neither the settings nor the library use.

    The library's token vectors of a late-interaction model are deleted by the next run.

    Returns:
        The bytes that are free again.

    Raises:
        WorldError: ``model_in_use``, and those of ``installed.remove``.
    """
    searched = {space.record["model"] for space in catalog.spaces.searchable()}
    if model in searched:
        library = str(config.library)
        raise WorldError("model_in_use", model=model, reason="library_model", library=library)
    return remove(model, config)


def compare(searcher: Searcher, request: CompareModels, token: CancelToken) -> ModelComparison:
    """Answer the questions twice; see ``CompareModels``."""
    spaces = [_space(searcher.catalog, name) for name in (request.first, request.second)]
    # All of one first, since one model at a time is open for queries.
    first, second = (
        [_found(searcher, question, space, token) for question in request.questions]
        for space in spaces
    )
    compared = map(_compared, request.questions, first, second)
    return ModelComparison(_name(spaces[0]), _name(spaces[1]), tuple(compared))


def _name(space: Space) -> str:
    return f"{space.record['model']}:{space.record['precision']}"


def _space(catalog: Catalog, name: str) -> Space:
    """The space of a model whose vectors are complete; the one that is searched, if several are."""
    whole = [
        space
        for space in catalog.spaces.searchable()
        if name in {space.record["model"], _name(space)} and not catalog.spaces.pending(space.id, 1)
    ]
    if not whole:
        raise WorldError("model_not_embedded", model=name)
    return max(whole, key=lambda space: space.active)


def _found(searcher: Searcher, question: Question, space: Space, token: CancelToken) -> list[Hit]:
    query = parse(question.text)
    return list(searcher.search(query, limit=COMPARED, token=token, space=space).hits)


def _compared(question: Question, first: list[Hit], second: list[Hit]) -> ComparedQuestion:
    keys = [{(hit.path, hit.start) for hit in hits} for hits in (first, second)]
    return ComparedQuestion(
        question,
        len(keys[0] & keys[1]),
        _places(first, keys[1]),
        _places(second, keys[0]),
        _rank(first, question.right),
        _rank(second, question.right),
    )


def _places(hits: list[Hit], others: set[tuple[str, int]]) -> tuple[str, ...]:
    """Where the hits are that are not among the others."""
    return tuple(
        f"{hit.file}#page={hit.page}" for hit in hits if (hit.path, hit.start) not in others
    )


def _rank(hits: list[Hit], right: str) -> int | None:
    """The rank of the first hit of a document, or of a page of it; None if there is none."""
    path, _, page = right.partition("#page=")
    for rank, hit in enumerate(hits, 1):
        named = any(f"/{each}".endswith(f"/{path}") for each in (hit.path, *hit.other_paths))
        on_page = not page or (page.isdigit() and hit.page <= int(page) <= hit.page_last)
        if path and named and on_page:
            return rank
    return None
