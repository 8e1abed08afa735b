"""The commands that find passages: search and compare."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from itertools import groupby
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from app import render
from app.cli_common import Command, CommandContext, LibraryUse, absolute_path
from app.hit_lines import print_result, unsearched
from indexer.api.codec import encode
from indexer.api.contract import MAX_LIMIT, EngineApi
from indexer.api.errors import WorldError, bad_usage
from indexer.api.formats import page_unit
from indexer.api.private_files import write_file
from indexer.api.requests import Compare, Explain, GetStatus, Search
from indexer.api.types import HEADING_SEPARATOR, Hit, HitExplanation, Match, SearchResult
from indexer.query.filters import grammar_help

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.render import TerminalStyle
    from indexer.api.answers import Comparison, ComparisonSide, Statement

DEFAULT_LIMIT = 10
BATCH_LIMIT = 20
_BATCH_KEYS = ("path", "file", "page", "page_last", "start", "end", "score", "text")

GRAMMAR = f"""\
the grammar of queries:
{indent(grammar_help(), "  ")}
In a shell, put queries with double quotes into single quotes."""


def _search_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", nargs="*", metavar="QUERY", help="what to look for")
    parser.add_argument("--limit", type=positive, metavar="N", help="hits to show (10)")
    parser.add_argument(
        "--in", dest="folders", action="append", default=[], metavar="FOLDER",
        help="only files under this folder; the same as in:FOLDER",
    )  # fmt: skip
    parser.add_argument(
        "--ext", action="append", default=[], help="only files of this kind; the same as ext:EXT"
    )
    parser.add_argument("--date", help="only files of this date; the same as date:DATE")
    parser.add_argument(
        "--like", metavar="PLACE",
        help="passages similar to a document or page: lease.pdf#page=3; the same as like:PLACE",
    )  # fmt: skip
    parser.add_argument(
        "--explain",
        action="store_true",
        help="with --json: add the evidence behind each hit, and the words that count",
    )
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.add_argument(
        "--format", choices=("alfred", "rofi", "json-lines"), help="print the hits for a launcher"
    )
    parser.add_argument(
        "--batch", metavar="FILE",
        help='run all queries of a file with lines {"id", "query"}; - is the standard input',
    )  # fmt: skip
    parser.add_argument(
        "--out", metavar="FILE", default="-",
        help="where the hits of --batch go, a line for each query (the standard output)",
    )  # fmt: skip


def positive(text: str) -> int:
    """Parse a number of hits: 1 to ``MAX_LIMIT``.

    Raises ``ArgumentTypeError`` for anything else.
    """
    if not text.isdecimal() or not 1 <= int(text) <= MAX_LIMIT:
        raise ArgumentTypeError(f"it lies between 1 and {MAX_LIMIT:,}")
    return int(text)


def _search(options: Namespace, context: CommandContext) -> None:
    filters = filter_terms(options.folders, options.ext, options.date)
    if options.batch:
        _search_batch(options, filters, context)
        return
    if options.like:
        filters.append(f'like:"{place(options.like)}"')
    # Filters go first, since only the last word of a query may be a prefix.
    text = " ".join([*filters, *options.query]).strip()
    if options.explain and not options.json:
        raise bad_usage("search", "--explain goes with --json")
    if not text:
        raise WorldError("bad_query", reason="it is empty")
    # Passages found by ``like:`` are shown with the sentences that resemble each other.
    explain = options.explain or bool(options.like)
    with context.engine(stays=True) as engine:
        result = engine.call(Search(text, options.limit or DEFAULT_LIMIT, explain))
        if options.explain:
            result = _with_matches(engine, text, result)
        answered = result.hits and result.match is not Match.NONE
        left_out = "" if answered else unsearched(engine.call(GetStatus()).files)
    if options.format:
        from app.doors.launchers import FORMATS

        context.print(*FORMATS[options.format](result.hits))
        return
    if left_out:
        context.note(left_out)
    result = replace(result, seconds=context.elapsed)
    print_result(context, text, result, as_json=options.json)


def _with_matches(engine: EngineApi, text: str, result: SearchResult) -> SearchResult:
    """Add to each hit the words of its passage that match the query."""

    def matched(hit: Hit) -> Hit:
        if hit.start == hit.end or (hit.explain is not None and hit.explain.aligned):
            return hit
        match = engine.call(Explain(text, Path(hit.path), hit.start))
        explained = replace(hit.explain or HitExplanation(), match=match)
        return replace(hit, explain=explained)

    return replace(result, hits=tuple(map(matched, result.hits)))


def filter_terms(folders: Iterable[str], kinds: Iterable[str], date: str | None) -> list[str]:
    """Write the filters given as options in the grammar of queries."""
    terms = [f"in:{_quoted(_folder(folder))}" for folder in folders]
    terms += [f"ext:{_quoted(kind)}" for kind in kinds]
    return terms + ([f"date:{_quoted(date)}"] if date else [])


def _folder(text: str) -> str:
    """Return an existing folder as absolute path; other text matches a part of a path."""
    path = absolute_path(text)
    return str(path) if path.exists() else text


def _quoted(value: str) -> str:
    return f'"{value}"' if any(character.isspace() for character in value) else value


def _search_batch(options: Namespace, filters: list[str], context: CommandContext) -> None:
    """Answer the queries of a file, in order."""
    if options.query:
        raise bad_usage("search", "with --batch the queries come from the file")
    queries = read_queries(options.batch)
    lines = []
    with context.engine() as engine:
        for done, (number, text) in enumerate(queries, 1):
            request = Search(" ".join([*filters, text]), options.limit or BATCH_LIMIT)
            hits = [batch_hit(hit) for hit in engine.call(request).hits]
            lines.append(json.dumps({"id": number, "hits": hits}, ensure_ascii=False))
            _count(context, done, len(queries))
    _write_run(options.out, lines, context)


def _count(context: CommandContext, done: int, total: int) -> None:
    if context.err.isatty():
        end = "\n" if done == total else ""
        context.err.write(f"\r{done:,}/{render.count(total, 'query', 'queries')}{end}")
        context.err.flush()


def batch_hit(hit: Hit) -> dict[str, Any]:
    """Return a hit as a line of a run file; offsets count characters of the decoded file."""
    line = {key: getattr(hit, key) for key in _BATCH_KEYS}
    return {**line, "heading_path": list(hit.heading_path), "why": str(hit.why)}


def read_queries(name: str) -> list[tuple[Any, str]]:
    """Read lines of ``{"id", "query"}``; other keys and empty lines are ignored.

    Raises ``path_missing``, ``path_denied`` or ``bad_query``.
    """
    try:
        raw = sys.stdin.buffer.read() if name == "-" else absolute_path(name).read_bytes()
    except PermissionError as error:
        raise WorldError("path_denied", path=name) from error
    except OSError as error:
        raise WorldError("path_missing", path=name) from error
    queries = []
    for place, line in enumerate(raw.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            query = data["query"]
            if not isinstance(query, str):
                raise TypeError
            queries.append((data["id"], query))
        except (ValueError, KeyError, TypeError) as error:
            raise WorldError(
                "bad_query", reason=f'line {place} of {name} is not {{"id", "query"}}'
            ) from error
    return queries


def _write_run(name: str, lines: list[str], context: CommandContext) -> None:
    if name == "-":
        context.print(*lines)
        return
    path = absolute_path(name)
    text = "".join(f"{line}\n" for line in lines)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        else:
            write_file(path, text)
    except FileNotFoundError as error:
        raise WorldError("path_missing", path=str(path.parent)) from error
    except OSError as error:
        raise WorldError("path_denied", path=name) from error


STATEMENTS = 50
# The nearest statement is shown if its score is at least this share of ``Comparison.border``.
NEAR = 0.5


def _compare_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("first", metavar="A", help="a document of the library, by its path or name")
    parser.add_argument("second", metavar="B", help="another one")
    parser.add_argument(
        "--limit", type=positive, metavar="N",
        help=f"statements to show in each part, the most different ones ({STATEMENTS})",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="show every statement")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _compare(options: Namespace, context: CommandContext) -> None:
    limit = 0 if options.all else options.limit or STATEMENTS
    request = Compare(place(options.first), place(options.second), limit)
    found = context.ask_engine(request)
    found = replace(found, seconds=context.elapsed)
    context.answer(options, encode(found), *_comparison_lines(found, context.style()))


def place(text: str) -> str:
    """Return an existing file as an absolute path, with its ``#part``; else the text as typed."""
    path, mark, part = text.rpartition("#")
    for name, rest in ((text, ""), (path, mark + part)):
        if name and absolute_path(name).exists():
            return f"{absolute_path(name)}{rest}"
    return text


def _comparison_lines(found: Comparison, style: TerminalStyle) -> list[str]:
    first, second = found.first, found.second
    lines: list[str] = []
    for mine, other in ((first, second), (second, first)):
        lines += [*_side_lines(mine, other, found.border, style), ""]
    if found.changes:
        title = f"Changed: {found.changes:,}"
        lines += [style.bold(title), *_change_lines(found, style), ""]
    counts = " and ".join(f"{each.statements:,}" for each in (first, second))
    foot = f"{counts} statements in {found.seconds:.1f} s; the same from {found.border:.2f}."
    return [*lines, style.dim(foot)]


def _side_lines(
    mine: ComparisonSide, other: ComparisonSide, border: float, style: TerminalStyle
) -> Iterator[str]:
    """Format the statements that only one document has, by pages and headings."""
    names = [render.name(each.file.rpartition("/")[2]) for each in (mine, other)]
    yield style.bold(render.elide(f"Only in {names[0]}", style.width, style.dots))
    yield style.dim(
        f"{mine.alone:,} of {render.count(mine.statements, 'statement')} not in {names[1]}"
    )
    separator = HEADING_SEPARATOR if style.unicode else " > "
    unit, there = page_unit(mine.format), page_unit(other.format)
    for (number, path), group in groupby(mine.only, lambda one: (one.page, one.heading_path)):
        yield ""
        parts = [f"{unit} {number}" if unit else "", separator.join(map(render.clean, path))]
        where = "  ".join(part for part in parts if part)
        if where:
            yield f"  {style.bold(render.elide(where, style.width - 2, style.dots))}"
        for statement in group:
            yield from _wrapped(statement.text, style, "  ")
            if statement.near and statement.cosine >= NEAR * border:
                where = _on(statement.near, there)
                near = f"nearest {statement.cosine:.2f}, {where}{statement.near.text}"
                text = render.elide(render.clean(near), style.width - 6, style.dots)
                yield f"      {style.dim(text)}"
    if hidden := mine.alone - len(mine.only):
        yield ""
        yield style.dim(f"  and {hidden:,} more; show them with --all")


def _change_lines(found: Comparison, style: TerminalStyle) -> Iterator[str]:
    for change in found.changed:
        yield ""
        for sign, statement, side in (
            ("-", change.first, found.first),
            ("+", change.second, found.second),
        ):
            where = _on(statement, page_unit(side.format))
            yield from _wrapped(where + statement.text, style, f"{sign} ")
    if hidden := found.changes - len(found.changed):
        yield ""
        yield style.dim(f"  and {hidden:,} more; show them with --all")


def _on(statement: Statement, unit: str) -> str:
    return f"{unit} {statement.page}: " if unit else ""


def _wrapped(text: str, style: TerminalStyle, sign: str) -> Iterator[str]:
    words = [render.WrappedWord(word) for word in render.clean(text).split()]
    for number, line in enumerate(render.wrap(words, style.width - 4, style)):
        yield f"  {sign if number == 0 else '  '}{line}"


COMMANDS = (
    Command(
        "search",
        "find the passages that answer a question",
        "Find the passages that answer a question, and the pages they are on. The best "
        "sentence of each is marked.\n\nThe engine that answers keeps running for five minutes "
        "after the last question, so that the next is answered at once. A command that needs the "
        "library for itself ends it. The variable LECTERN_ENGINE_STAYS sets another time, in "
        "seconds; with 0 the engine ends at once.\n\n" + GRAMMAR,
        (
            ("lectern search how long did the crossing take", "ask a question"),
            ("lectern search 'termination \"notice period\" -draft'", "a phrase, and no drafts"),
            ("lectern search --in ~/Contracts --ext pdf who pays for repairs", "with filters"),
            ("lectern search --like lease.pdf#page=3 deposit", "passages similar to a page"),
            ("lectern search --json --limit 3 open boat", "for a program"),
            ("lectern search --format rofi boat", "for a launcher: alfred, rofi or json-lines"),
            ("lectern search --batch queries.jsonl --out run.jsonl", "many queries at once"),
        ),
        _search_arguments,
        _search,
        LibraryUse.ASKS,
    ),
    Command(
        "compare",
        "show what each of two documents says that the other does not",
        "List the statements of each of two documents that the other lacks, by pages and headings, "
        "and those that differ only in numbers or a negation. Both documents must be in the "
        "library. Tables, headings and lists of names are left out. Meaning and wording are "
        "compared; the documents decide how similar two statements must be. The list helps to "
        "compare two versions, but does not prove that nothing else differs.",
        (
            ("lectern compare lease-2023.pdf lease-2024.pdf", "two versions of a contract"),
            ("lectern compare --all --json report-2022.pdf report-2023.pdf", "for a program"),
            ("lectern compare 2023/lease.pdf 2024/lease.pdf", "files of one name"),
        ),
        _compare_arguments,
        _compare,
        LibraryUse.ASKS,
    ),
)
