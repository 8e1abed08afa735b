"""Formats hits for the terminal: titles and pages, snippets, reasons, explanations.

Owns the layout of hits on a terminal. It must not know how they are asked for.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from app import render
from app.explained import explained_lines
from indexer.api.codec import encode
from indexer.api.errors import sentence
from indexer.api.formats import BY_EXTENSION, page_unit
from indexer.api.labels import WHYS
from indexer.api.types import HEADING_SEPARATOR, FileState, Match

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cli_common import Context
    from app.render import Style
    from indexer.api.types import Hit, SearchResult

_SNIPPET_LINES = 3
_VERDICTS = {
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
    context: Context, text: str, result: SearchResult, *, as_json: bool, explain: bool
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
    return {"text": text, **answer, "query": parse(text).describe()}


def result_lines(result: SearchResult, style: Style, *, explain: bool) -> list[str]:
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


def hit_lines(number: int, hit: Hit, style: Style, *, explain: bool = False) -> list[str]:
    """Lay out one hit: title and page, heading path and reason, snippet, path."""
    indent = "    "
    room = style.width - len(indent)
    right = _place(hit)
    title = render.elide(
        _title(hit),
        room - render.cells(right) - 2,
        style.dots,
    )
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
        place = f", {known.unit} {other.page}" if known is not None and known.unit else ""
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
    if hit.start == hit.end or not unit:
        return ""
    if hit.page == hit.page_last:
        return f"{unit} {hit.page}"
    return f"{unit}s {hit.page}-{hit.page_last}"


def _reason(hit: Hit) -> str:
    reason = WHYS[hit.why].name + (f", in another language: {hit.language}" if hit.language else "")
    by_name = hit.start == hit.end
    if by_name or hit.state is FileState.OFFLINE:
        return f"{reason}, {render.phrase(hit.state)}"
    return reason
