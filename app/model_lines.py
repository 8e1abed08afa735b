"""Language models as text: a line or a table of each, two compared.

It must not know where the facts come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from indexer.api.models import ModelKind, ModelState, Origin, RankScore, Unused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.models import ComparedQuestion, ModelComparison, ModelInfo

UNKNOWN = "unknown"
_ORIGINS = {
    Origin.SHIPPED: "comes with Lectern",
    Origin.IMPORTED: "imported from a folder",
    Origin.PUBLISHED: "published on a hub",
}
_STATES = {
    ModelState.HERE: "ready",
    ModelState.ABSENT: "not here yet",
}
_KINDS = {
    ModelKind.EMBEDDING: "a vector for each passage",
    ModelKind.LATE_INTERACTION: "a vector for each token",
    ModelKind.RERANKER: "a score for a question and a passage",
}
_UNUSED = {
    Unused.SPARSE: "its sparse vectors",
    Unused.TOKENS: "its vectors of tokens",
}
_POOLING = {
    "mean": "the mean of its tokens",
    "cls": "that of the first token",
    "last": "that of the last token",
}


def summary(model: ModelInfo) -> str:
    """Describe a model in a line; what nobody has verified is left out, but for the licence."""
    spoken = f"{len(model.languages or ())} languages"
    if not model.languages:
        spoken = f"{model.language_count}+ languages" if model.language_count else ""
    elif len(model.languages) == 1:
        (spoken,) = model.languages
    facts = (
        _STATES[model.state],
        _KINDS[model.kind] if model.kind is not ModelKind.EMBEDDING else "",
        f"{model.dimensions} dimensions" if model.dimensions else "",
        _window(model) if model.tokens else "",
        spoken,
        render.size(model.bytes) if model.bytes is not None else "",
        model.licence or f"licence {UNKNOWN}",
    )
    return ", ".join(filter(None, facts))


def _window(model: ModelInfo) -> str:
    return f"{'windows of ' if model.late else ''}{model.tokens:,} tokens"


def info_rows(model: ModelInfo) -> Iterator[tuple[str, str]]:
    """Describe a model, a row for each fact; what nobody has verified is unknown."""
    yield "Model", f"{render.name(model.id)}, {_ORIGINS[model.origin]}"
    yield "Makes", _KINDS[model.kind]
    forms = f" ({', '.join(model.precisions)})" if model.precisions else ""
    yield "State", _STATES[model.state] + forms
    if model.kind is not ModelKind.RERANKER:
        yield from _vector_rows(model)
    if model.unused:
        yield "Not used", ", ".join(_UNUSED[each] for each in model.unused)
    yield "Parameters", _known(model.parameters)
    yield "Layers", _known(model.layers)
    queries = (
        "" if model.query_tokens in {None, model.tokens}
        else f", of queries {model.query_tokens:,}"
    )  # fmt: skip
    yield "Window", f"{_known(model.tokens)} tokens{queries}"
    yield (
        "Languages",
        " ".join(
            model.languages or (f"{model.language_count}+" if model.language_count else UNKNOWN,)
        ),
    )
    yield (
        "Licence",
        (model.licence or UNKNOWN) + (f", with terms: {model.terms}" * bool(model.terms)),
    )
    yield "Homepage", render.name(model.homepage or UNKNOWN)
    if model.revision:
        yield "Revision", model.revision
    if model.files is not None:
        yield "Files", ", ".join(map(render.name, model.files))
    yield "Size", UNKNOWN if model.bytes is None else render.size(model.bytes)
    yield "On the disk", render.size(model.disk_bytes)


def _vector_rows(model: ModelInfo) -> Iterator[tuple[str, str]]:
    """Describe the vectors of a model that makes such, and what they are made from."""
    if model.kind is ModelKind.LATE_INTERACTION:
        yield "Vectors", f"{_known(model.dimensions)} dimensions, one for each token"
        return
    pooling = _POOLING[model.pooling] if model.pooling else f"pooling {UNKNOWN}"
    yield "Vectors", f"{_known(model.dimensions)} dimensions, {pooling}"
    if model.matryoshka:
        yield "May be cut to", " ".join(map(str, model.matryoshka))
    late = {None: UNKNOWN, True: "yes", False: "no: each passage is read alone"}
    yield "Late chunking", late[model.late]
    for name, prefix in (("Queries", model.query_prefix), ("Passages", model.document_prefix)):
        begin = f"begin with “{render.name(prefix)}”" if prefix else "have no prefix"
        yield name, UNKNOWN if prefix is None else begin


def _known(number: int | None) -> str:
    return UNKNOWN if number is None else f"{number:,}"


def comparison_lines(found: ModelComparison) -> Iterator[str]:
    """Format what two models find: each question, then the sums."""
    for each in found.questions:
        yield render.name(each.question.text)
        yield f"  {each.shared} of the first ten passages in both" + _ranks(each)
        for number, model in enumerate((found.first, found.second)):
            places = [one.place for one in each.passages if one.ranks[1 - number] is None]
            if places:
                yield f"  only {render.name(model)}: {', '.join(map(render.name, places))}"
    yield ""
    shared = [each.shared for each in found.questions]
    mean = sum(shared) / len(shared) if shared else 0.0
    asked = render.count(len(shared), "question")
    yield f"{asked}; {mean:.1f} of the first ten passages are found by both."
    marked = [each for each in found.questions if each.question.right]
    for number, model in enumerate((found.first, found.second)):
        score = RankScore.of([each.right_rank(number) for each in marked])
        if score.questions:
            yield (
                f"{render.name(model)}: the right document first {score.first} of "
                f"{score.questions} times, among ten {score.ten} times, "
                f"mrr@10 {score.reciprocal:.3f}."
            )
    if not marked:
        yield "Write the right document behind a question, after a tab, to see who is right."


def _ranks(each: ComparedQuestion) -> str:
    if not each.question.right:
        return ""
    ranks = (str(each.right_rank(model) or "-") for model in (0, 1))
    return f"; the right one at {' and '.join(ranks)}"
