"""Formats the explanation of a hit: its score, its evidence, the words that match.

Owns the names of numbers and the layout. The fields of explanations are in ``indexer.api.types``;
a number without a name here is shown with its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from indexer.api.types import HitExplanation

if TYPE_CHECKING:
    from app.render import Style
    from indexer.api.types import AlignedSentence, Explanation, Hit

# The most pairs of words, and pairs of sentences, that are shown.
PAIRS = 6
SENTENCES = 3

NAMES = {
    "around": "neighbours",
    "clarity": "lead of the best document",
    "document": "document",
    "document.words": "words of the document",
    "document_words": "words of the document",
    "figures": "figures",
    "steered": "more and less",
    "heading": "headings",
    "meaning": "meaning",
    "name_meaning": "similarity of the name",
    "name_words": "words of the name",
    "near": "words that stand together",
    "named": "share of a name that the query has",
    "opening": "names where the document begins",
    "pooled": "similarity to the query",
    "pooled_question": "to its question",
    "question": "question",
    "sentence": "best sentence",
    "sentence_question": "best sentence to the question",
    "share": "share of the words",
    "short": "shortness",
    "unknown": "meaning, not known yet",
    "listing": "a list of names",
    "words": "words",
    "year": "year of the name",
}


def explained_lines(hit: Hit, style: Style) -> list[str]:
    """Lay out why a hit is where it is, a line for each kind of evidence."""
    lines = []
    explanation = hit.explain or HitExplanation()
    for group, numbers in (
        ("score", explanation.score),
        ("passage", explanation.passage),
        ("document", explanation.document),
        ("weights", explanation.weights),
    ):
        if numbers:
            shown = ", ".join(f"{_name(group, k)} {v:.3f}" for k, v in numbers.items())
            total = f" {hit.score:.3f}" if group == "score" else ""
            lines.append(f"{group}{total}: {shown}")
    if explanation.match is not None:
        lines += _match_lines(hit, explanation.match)
    wrapped = [
        line
        for whole in lines
        for line in render.wrap([render.Word(word) for word in whole.split()], style.width, style)
    ]
    pairs = explanation.aligned[:SENTENCES]
    return wrapped + [line for pair in pairs for line in _pair_lines(hit, pair, style)]


def _name(group: str, key: str) -> str:
    return NAMES.get(f"{group}.{key}") or NAMES.get(key) or render.phrase(key)


def _match_lines(hit: Hit, match: Explanation) -> list[str]:
    """Format which words contribute to a passage's similarity."""
    lines = []
    for title, spans in (
        ("meaning carried by", match.marks),
        ("the query's own words", match.same),
    ):
        words = dict.fromkeys(hit.text[first:last].lower() for first, last in spans)
        if words:
            lines.append(f"{title}: {', '.join(map(render.clean, words))}")
    pairs = [f"{mine} = {theirs} {cosine:.2f}" for mine, theirs, cosine in match.pairs[:PAIRS]]
    if pairs:
        lines.append(f"closest words: {render.clean(', '.join(pairs))}")
    rest = match.rest / match.cosine if match.cosine > 0 else 0.0
    lines.append(
        f"similarity {match.cosine:.3f}, of which {round(100 * rest)} % from the title, the "
        f"headings and what is no word; {round(100 * match.recall)} % of the question covered"
    )
    return lines


def _pair_lines(hit: Hit, pair: AlignedSentence, style: Style) -> list[str]:
    """A sentence of a passage, and the one of its source that it resembles."""
    mine = f"{pair.cosine:.2f}  {render.clean(hit.text[pair.start : pair.end])}"
    theirs = f"page {pair.source.page}: {render.clean(pair.source.text)}"
    room = style.width - 6
    return [
        render.elide(mine, style.width, style.dots),
        f"      {render.elide(theirs, room, style.dots)}",
    ]
