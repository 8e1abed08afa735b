"""Helps to choose a model: the same questions by the vectors of two, and removing one."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.models import ComparedPassage, ComparedQuestion, ModelComparison
from indexer.api.progress import Progress, Step
from indexer.embed.installed import remove_model
from indexer.engine import reindex
from indexer.query.grammar import parse

if TYPE_CHECKING:
    from indexer.api.model_requests import CompareModels
    from indexer.api.models import Question
    from indexer.api.progress import Reporter
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
        WorldError: ``model_in_use``, and those of ``installed.remove_model``.
    """
    searched = {space.record["model"] for space in catalog.spaces.searchable()}
    if model in searched:
        library = str(config.library)
        raise WorldError("model_in_use", model=model, reason="library_model", library=library)
    return remove_model(model, config)


def compare_models(
    searcher: Searcher, request: CompareModels, reporter: Reporter
) -> ModelComparison:
    """Answer the questions twice; see ``CompareModels``."""
    catalog = searcher.catalog
    first = _space(catalog, request.first) if request.first else reindex.before(catalog)
    second = _space(catalog, request.second) if request.second else catalog.spaces.active()
    spaces = [first, second or first]
    found: list[list[Hit]] = []
    total = len(spaces) * len(request.questions)
    # All of one first, since one model at a time is open for queries.
    for space, question in product(spaces, request.questions):
        reporter.report(Progress(Step.MEASURE, files_done=len(found), files_total=total))
        query = parse(question.text)
        answer = searcher.search(query, limit=COMPARED, token=reporter.token, space=space)
        found.append(list(answer.hits))
    half = len(request.questions)
    compared = map(_compared, request.questions, found[:half], found[half:])
    names = [_name(space) for space in spaces]
    return ModelComparison(names[0], names[1], tuple(compared))


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


def _compared(question: Question, first: list[Hit], second: list[Hit]) -> ComparedQuestion:
    ranks = [{_key(hit): rank for rank, hit in enumerate(hits, 1)} for hits in (first, second)]
    hits = {_key(hit): hit for hit in (*first, *second)}
    passages = (
        ComparedPassage(
            place=f"{hit.file}#page={hit.page}",
            text=" ".join(hit.text[slice(*hit.best) if any(hit.best) else slice(None)].split()),
            ranks=(ranks[0].get(key), ranks[1].get(key)),
            right=_is_right(hit, question.right),
        )
        for key, hit in hits.items()
    )
    return ComparedQuestion(question, tuple(passages))


def _key(hit: Hit) -> tuple[str, int]:
    return hit.path, hit.start


def _is_right(hit: Hit, right: str) -> bool:
    """Whether a hit is in a document, or on a page of it; see ``Question``."""
    path, _, page = right.partition("#page=")
    named = any(f"/{each}".endswith(f"/{path}") for each in (hit.path, *hit.other_paths))
    on_page = not page or (page.isdigit() and hit.page_first <= int(page) <= hit.page_last)
    return bool(path) and named and on_page
