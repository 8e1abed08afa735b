"""Hits on a terminal: titles and pages, snippets and reasons."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from app import render
from indexer.api.codec import encode
from indexer.api.errors import sentence
from indexer.api.formats import BY_EXTENSION, page_name, page_unit
from indexer.api.labels import WHYS
from indexer.api.types import HEADING_SEPARATOR, FileState, Match

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.cli_common import CommandContext
    from app.render import TerminalStyle
    from indexer.api.types import AlignedSentence, Hit, SearchResult

MOST_SENTENCES = 3  # pairs shown under a hit of ``like:``


def _pair_lines(hit: Hit, pair: AlignedSentence, style: TerminalStyle) -> list[str]:
    """Format a sentence of a passage and the sentence of the source that it resembles."""
    mine = f"{pair.cosine:.2f}  {render.clean(hit.text[pair.start : pair.end])}"
    theirs = f"page {pair.source.page}: {render.clean(pair.source.text)}"
    room = style.width - len(_INDENT)
    return [
        render.elide(mine, room, style.dots),
        f"      {render.elide(theirs, room - 6, style.dots)}",
    ]


_INDENT = "    "
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
    context: CommandContext, text: str, result: SearchResult, *, as_json: bool
) -> None:
    """Print what was found, for a person or a program."""
    if as_json:
        context.print_json(_as_json(text, result))
        return
    style = context.style()
    for note in result.notes:
        context.note(render.name(sentence(note)))
    context.print(*result_lines(result, style))


def _as_json(text: str, result: SearchResult) -> dict[str, Any]:
    """Return the answer and the parsed query as values for JSON."""
    from indexer.query.grammar import parse  # late, since importing it takes 30 ms

    answer = encode(result)
    for hit in answer["hits"]:
        hit["explain"] = {name: part for name, part in (hit["explain"] or {}).items() if part}
    return {"text": text, **answer, "query": parse(text).to_values()}


def result_lines(result: SearchResult, style: TerminalStyle) -> list[str]:
    """Lay out an answer: the verdict, its hits, and the time it took."""
    lines: list[str] = []
    if result.hits and result.match in _VERDICTS:
        lines += [_VERDICTS[result.match], ""]
    for number, hit in enumerate(result.hits, 1):
        lines += [*hit_lines(number, hit, style), ""]
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
    """Return a sentence that counts the files no search covers, by state; "" if there are none."""
    if not any(files.values()):
        return "The library is empty: read a folder with `lectern index PATH` first."
    counts = [(state, files.get(state, 0)) for state in _UNSEARCHED]
    parts = [f"{number:,} {render.phrase(state)}" for state, number in counts if number]
    return f"Not searched: {', '.join(parts)}; `lectern files` lists them." if parts else ""


def hit_lines(number: int, hit: Hit, style: TerminalStyle) -> list[str]:
    """Lay out one hit: title and page, heading path and reason, snippet, path."""
    room = style.width - len(_INDENT)
    right = _place(hit)
    title = render.elide(_title(hit), room - render.cells(right) - 2, style.dots)
    gap = " " * max(2, room - render.cells(title) - render.cells(right))
    lines = [f"{number:>2}  {style.bold(title)}{gap}{right}"]
    separator = HEADING_SEPARATOR if style.unicode else " > "
    heading = separator.join(render.clean(part) for part in hit.heading_path)
    if heading:
        lines.append(_INDENT + style.dim(render.elide(heading, room, style.dots)))
    words = render.snippet(hit.text, hit.best, _SNIPPET_LINES * room - room // 3, style)
    lines += [_INDENT + line for line in render.wrap(words, room, style)]
    lines.append(_INDENT + style.dim(f"{render.name(hit.path)} ({_reason(hit)})"))
    lines += [_INDENT + style.dim(f"also {render.name(path)}") for path in hit.other_paths]
    for other in hit.also[:_ALSO]:
        known = BY_EXTENSION.get(PurePath(other.path).suffix.lower())
        paged = known is not None and known.unit and other.page
        named = page_name(known.unit, other.page, other.page_label) if known and paged else ""
        place = f", {render.clean(named)}" if named else ""
        lines.append(_INDENT + style.dim(f"also {render.name(other.path)}{place}"))
    if len(hit.also) > _ALSO:
        more = render.count(len(hit.also) - _ALSO, "other place")
        lines.append(_INDENT + style.dim(f"also in {more}"))
    for pair in hit.explain.aligned[:MOST_SENTENCES] if hit.explain else ():
        lines += [_INDENT + style.dim(line) for line in _pair_lines(hit, pair, style)]
    return lines


def _title(hit: Hit) -> str:
    """Return the document's own title, else the name of its file, unchanged but for escapes."""
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
