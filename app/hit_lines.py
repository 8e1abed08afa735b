"""Hits on a terminal: titles and pages, snippets, reasons, and explanations of their scores.

A number of an explanation that has no name here is shown with its key.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from app import render
from indexer.api.codec import encode
from indexer.api.errors import sentence
from indexer.api.formats import BY_EXTENSION, page_name, page_unit
from indexer.api.labels import WHYS
from indexer.api.types import HEADING_SEPARATOR, FileState, HitExplanation, Match

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cli_common import CommandContext
    from app.render import TerminalStyle
    from indexer.api.types import AlignedSentence, Explanation, Hit, SearchResult

# The most pairs of words, and pairs of sentences, that are shown.
MOST_PAIRS = 6
MOST_SENTENCES = 3

NUMBER_NAMES = {
    "around": "neighbours",
    "clarity": "lead of the best document",
    "document": "document",
    "document.words": "words of the document",
    "document_words": "words of the document",
    "figures": "figures",
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
    "words": "words",
    "year": "year of the name",
}


def explained_lines(hit: Hit, style: TerminalStyle) -> list[str]:
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
            shown = ", ".join(f"{_number_name(group, k)} {v:.3f}" for k, v in numbers.items())
            total = f" {hit.score:.3f}" if group == "score" else ""
            lines.append(f"{group}{total}: {shown}")
    if explanation.match is not None:
        lines += _match_lines(hit, explanation.match)
    wrapped = [
        line
        for whole in lines
        for line in render.wrap(
            [render.WrappedWord(word) for word in whole.split()], style.width, style
        )
    ]
    pairs = explanation.aligned[:MOST_SENTENCES]
    return wrapped + [line for pair in pairs for line in _pair_lines(hit, pair, style)]


def _number_name(group: str, key: str) -> str:
    return NUMBER_NAMES.get(f"{group}.{key}") or NUMBER_NAMES.get(key) or render.phrase(key)


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
    pairs = [f"{mine} = {theirs} {cosine:.2f}" for mine, theirs, cosine in match.pairs[:MOST_PAIRS]]
    if pairs:
        lines.append(f"closest words: {render.clean(', '.join(pairs))}")
    rest = match.rest / match.cosine if match.cosine > 0 else 0.0
    lines.append(
        f"similarity {match.cosine:.3f}, of which {round(100 * rest)} % from the title, the "
        f"headings and what is no word; {round(100 * match.recall)} % of the question covered"
    )
    return lines


def _pair_lines(hit: Hit, pair: AlignedSentence, style: TerminalStyle) -> list[str]:
    """A sentence of a passage, and the one of its source that it resembles."""
    mine = f"{pair.cosine:.2f}  {render.clean(hit.text[pair.start : pair.end])}"
    theirs = f"page {pair.source.page}: {render.clean(pair.source.text)}"
    room = style.width - 6
    return [
        render.elide(mine, style.width, style.dots),
        f"      {render.elide(theirs, room, style.dots)}",
    ]


_SNIPPET_LINES = 3
_VERDICTS = {
    Match.CLOSEST: "The closest passages; whether they answer it cannot be told here.",
    Match.PERHAPS: "Perhaps not what you asked for.",
    Match.NONE: "No good match; the closest passages follow.",
}
# States of files that no search covers and that a person can change.
_UNSEARCHED = (
    FileState.QUEUED,
    FileState.NEEDS_PASSWORD,
    FileState.NO_TEXT,
    FileState.UNREADABLE,
    FileState.FAILED,
)
_ALSO = 3  # other places with the same text listed under a hit


def print_result(
    context: CommandContext, text: str, result: SearchResult, *, as_json: bool, explain: bool
) -> None:
    """Print what was found, for a person or a program."""
    if as_json:
        context.print_json(_as_json(text, result))
        return
    style = context.style()
    for note in result.notes:
        context.note(render.name(sentence(note)))
    context.print(*result_lines(result, style, explain=explain))


def _as_json(text: str, result: SearchResult) -> dict[str, Any]:
    """The answer and the parsed query as JSON-able values."""
    from indexer.query.grammar import parse  # 30 ms that only this needs

    answer = encode(result)
    for hit in answer["hits"]:
        hit["explain"] = {name: part for name, part in (hit["explain"] or {}).items() if part}
    return {"text": text, **answer, "query": parse(text).to_values()}


def result_lines(result: SearchResult, style: TerminalStyle, *, explain: bool) -> list[str]:
    """Lay out an answer: whether it is one, its hits, how long it took."""
    lines: list[str] = []
    if result.hits and result.match in _VERDICTS:
        lines += [_VERDICTS[result.match], ""]
    for number, hit in enumerate(result.hits, 1):
        lines += [*hit_lines(number, hit, style, explain=explain), ""]
    if not result.hits:
        lines.append("Nothing found.")
    foot = f"{render.count(len(result.hits), 'hit')} in {result.seconds:.2f} s"
    if result.embedded_share < 1:
        foot += (
            f"; {render.share(result.embedded_share)} of the library is embedded so far, "
            "the rest is searched by words"
        )
    return [*lines, style.dim(foot + ".")]


def unsearched(files: Mapping[str, int]) -> str:
    """Say which files, counted by state, no search covers; "" if all are searched."""
    if not any(files.values()):
        return "The library is empty: read a folder with `lectern index PATH` first."
    counts = [(state, files.get(state, 0)) for state in _UNSEARCHED]
    parts = [f"{number:,} {render.phrase(state)}" for state, number in counts if number]
    return f"Not searched: {', '.join(parts)}; `lectern files` lists them." if parts else ""


def hit_lines(number: int, hit: Hit, style: TerminalStyle, *, explain: bool = False) -> list[str]:
    """Lay out one hit: title and page, heading path and reason, snippet, path."""
    indent = "    "
    room = style.width - len(indent)
    right = _place(hit)
    title = render.elide(_title(hit), room - render.cells(right) - 2, style.dots)
    gap = " " * max(2, room - render.cells(title) - render.cells(right))
    lines = [f"{number:>2}  {style.bold(title)}{gap}{right}"]
    separator = HEADING_SEPARATOR if style.unicode else " > "
    heading = separator.join(render.clean(part) for part in hit.heading_path)
    if heading:
        lines.append(indent + style.dim(render.elide(heading, room, style.dots)))
    words = render.snippet(hit.text, hit.best, _SNIPPET_LINES * room - room // 3, style)
    lines += [indent + line for line in render.wrap(words, room, style)]
    lines.append(indent + style.dim(f"{render.name(hit.path)} ({_reason(hit)})"))
    lines += [indent + style.dim(f"also {render.name(path)}") for path in hit.other_paths]
    for other in hit.also[:_ALSO]:
        known = BY_EXTENSION.get(PurePath(other.path).suffix.lower())
        paged = known is not None and known.unit and other.page
        named = page_name(known.unit, other.page, other.page_label) if known and paged else ""
        place = f", {render.clean(named)}" if named else ""
        lines.append(indent + style.dim(f"also {render.name(other.path)}{place}"))
    if len(hit.also) > _ALSO:
        more = render.count(len(hit.also) - _ALSO, "other place")
        lines.append(indent + style.dim(f"also in {more}"))
    if explain:
        inside = replace(style, width=room)
        lines += [indent + style.dim(line) for line in explained_lines(hit, inside)]
    return lines


def _title(hit: Hit) -> str:
    """The title that the document has, else the name of its file as it is."""
    own = hit.title != hit.file.rpartition("/")[2]
    return (render.clean(hit.title) if own else render.name(hit.title)) or render.name(hit.file)


def _place(hit: Hit) -> str:
    unit = page_unit(hit.format) if hit.format else "page"
    if hit.start == hit.end or not unit or not hit.page:
        return ""
    return render.clean(page_name(unit, hit.page, hit.page_label))


def _reason(hit: Hit) -> str:
    reason = WHYS[hit.why].name + (f", in another language: {hit.language}" if hit.language else "")
    by_name = hit.start == hit.end
    if by_name or hit.state is FileState.OFFLINE:
        return f"{reason}, {render.phrase(hit.state)}"
    return reason
