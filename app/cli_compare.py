"""The commands on pairs of documents: compare and similar."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context, absolute_path
from app.cli_search import DEFAULT_LIMIT, filter_terms, positive
from app.hit_lines import print_result
from indexer.api.formats import page_unit
from indexer.api.requests import Compare, Search
from indexer.api.types import HEADING_SEPARATOR

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from app.render import Style
    from indexer.api.comparison import Comparison, ComparisonSide, Statement

STATEMENTS = 50
# The nearest statement is shown from this share of ``Comparison.border`` on.
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


def _compare(options: Namespace, context: Context) -> int:
    from indexer.api.codec import encode

    limit = 0 if options.all else options.limit or STATEMENTS
    request = Compare(place(options.first), place(options.second), limit)
    found = context.with_engine(lambda engine: engine.call(request))
    found = replace(found, seconds=context.elapsed)
    if options.json:
        context.print_json(encode(found))
    else:
        context.print(*_comparison_lines(found, context.style()))
    return 0


def place(text: str) -> str:
    """Return the absolute path of an existing file, with its ``#part``; else the text as typed."""
    path, mark, part = text.rpartition("#")
    for name, rest in ((text, ""), (path, mark + part)):
        if name and absolute_path(name).exists():
            return f"{absolute_path(name)}{rest}"
    return text


def _comparison_lines(found: Comparison, style: Style) -> list[str]:
    first, second = found.first, found.second
    lines: list[str] = []
    for mine, other in ((first, second), (second, first)):
        lines += [*_side_lines(mine, other, found.border, style), ""]
    if found.changes:
        title = f"In both, with other numbers or a negation: {found.changes:,}"
        lines += [style.bold(title), *_change_lines(found, style), ""]
    counts = " and ".join(f"{each.statements:,}" for each in (first, second))
    foot = f"{counts} statements in {found.seconds:.1f} s; the same from {found.border:.2f}."
    return [*lines, style.dim(foot)]


def _side_lines(
    mine: ComparisonSide, other: ComparisonSide, border: float, style: Style
) -> Iterator[str]:
    """Format the statements of one document alone, by pages and headings."""
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


def _change_lines(found: Comparison, style: Style) -> Iterator[str]:
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


def _wrapped(text: str, style: Style, sign: str) -> Iterator[str]:
    words = [render.Word(word) for word in render.clean(text).split()]
    for number, line in enumerate(render.wrap(words, style.width - 4, style)):
        yield f"  {sign if number == 0 else '  '}{line}"


def _similar_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "place", metavar="PLACE", help="a document, or a page of it: lease.pdf, lease.pdf#page=3"
    )
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="words that the hits should be about too"
    )
    parser.add_argument("--limit", type=positive, metavar="N", help="passages to show (10)")
    parser.add_argument(
        "--in", dest="folders", action="append", default=[], metavar="FOLDER",
        help="only files under this folder",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def _similar(options: Namespace, context: Context) -> int:
    like = f'like:"{place(options.place)}"'
    text = " ".join([*filter_terms(options.folders, [], None), like, *options.words])
    request = Search(text, options.limit or DEFAULT_LIMIT, explain=True)
    result = context.with_engine(lambda engine: engine.call(request))
    result = replace(result, seconds=context.elapsed)
    print_result(context, text, result, as_json=options.json, explain=True)
    return 0


COMMANDS = (
    Command(
        "compare",
        "show what each of two documents says that the other does not",
        "Show what each of two documents says that the other does not, statement by statement, by "
        "pages and headings, and where both say the same with other numbers or a negation. Both "
        "must be in the library. Tables, headings and lists of names are left out. Meaning and "
        "wording are compared; how similar two statements must be is derived from the documents. "
        "It helps to compare two versions; it is no proof.",
        (
            ("lectern compare lease-2023.pdf lease-2024.pdf", "two versions of a contract"),
            ("lectern compare --all --json report-2022.pdf report-2023.pdf", "for a program"),
            ("lectern compare 2023/lease.pdf 2024/lease.pdf", "files of one name"),
        ),
        _compare_arguments,
        _compare,
    ),
    Command(
        "similar",
        "find what resembles a document or a page",
        "Find what resembles a document or a page of one, and show which sentences match. Whole "
        "documents are compared passage by passage. `like:` does the same within a query.",
        (
            ("lectern similar lease.pdf", "documents like this one"),
            ("lectern similar lease.pdf#page=3 deposit", "a page, and a word to favour"),
            ("lectern similar --in ~/Contracts --limit 5 lease.pdf", "in one folder"),
        ),
        _similar_arguments,
        _similar,
    ),
)
