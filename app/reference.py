"""The reference: every command, setting, state, operator and error code, in Markdown.

Owns the page's layout; what stands in it comes from the tables that the program itself works
with, so it cannot differ from them. ``python -m app.reference > resources/reference.md`` makes the
page, and a test compares.
"""

from __future__ import annotations

import sys
from argparse import SUPPRESS
from typing import TYPE_CHECKING

from app.cli import COMMANDS, build_parser
from app.cli_settings import markdown as settings_table
from indexer.api.errors import CODES
from indexer.api.formats import FORMATS
from indexer.api.labels import STATES
from indexer.query.filters import GRAMMAR, help_of

if TYPE_CHECKING:
    from argparse import Action, ArgumentParser
    from collections.abc import Iterator, Sequence

    from app.cli_common import Command


def reference() -> str:
    """Return the whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Reference"
    yield ""
    yield "Made from the program itself by `python -m app.reference`."
    yield from _commands()
    yield from _section("Settings")
    yield from settings_table()
    yield from _section("Queries")
    yield from _table(("example", "finds"), [(f"`{row.example}`", help_of(row)) for row in GRAMMAR])
    yield from _section("States of files")
    yield from _table(
        ("state", ""), [(f"`{state}`", label.meaning) for state, label in STATES.items()]
    )
    yield from _section("Formats")
    formats = [(known.name, known.unit or "none", " ".join(known.extensions)) for known in FORMATS]
    yield from _table(("format", "what its pages are", "names that end with"), formats)
    yield from _section("Errors")
    rows = [
        (f"`{each.code}`", each.message, each.next_step, str(each.exit_status))
        for each in CODES.values()
    ]
    yield from _table(("code", "meaning", "what to do", "exit status"), rows)


def _section(title: str) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _commands() -> Iterator[str]:
    yield from _section("Commands")
    parser = build_parser()
    yield "Everywhere:"
    yield ""
    yield from _options(parser, skip=())
    for command in COMMANDS:
        if not command.hidden:
            yield from _command(command, _parser_of(parser, command.name), parser)


def _command(command: Command, parser: ArgumentParser, common: ArgumentParser) -> Iterator[str]:
    yield ""
    yield f"### lectern {command.name}"
    yield ""
    # What is set by hand in the help has a section of its own here.
    yield from (part for part in command.description.split("\n\n") if "\n" not in part)
    yield ""
    yield "```"
    yield from (f"{line}    # {meaning}" for line, meaning in command.examples)
    yield "```"
    known = {action.dest for action in _actions(common)}
    yield from _options(parser, skip=tuple(known))


def _options(parser: ArgumentParser, skip: tuple[str, ...]) -> Iterator[str]:
    for action in _actions(parser):
        if action.dest not in skip:
            yield f"- `{_name(action)}`: {action.help}"


def options_of(command: str) -> list[tuple[str, str]]:
    """Return name and meaning of each option of a command, "" for those that all have."""
    common = build_parser()
    asked = _parser_of(common, command) if command else common
    known = {action.dest for action in _actions(common)} if command else set()
    return [(_name(one), str(one.help)) for one in _actions(asked) if one.dest not in known]


def _actions(parser: ArgumentParser) -> list[Action]:
    actions = parser._actions  # noqa: SLF001  # argparse has no other way to ask
    return [each for each in actions if each.help not in {None, SUPPRESS} and each.dest != "help"]


def _name(action: Action) -> str:
    value = action.metavar or ""
    if not action.option_strings:
        return str(value or action.dest)
    takes = action.nargs != 0
    return (
        f"{action.option_strings[0]} {value or action.dest.upper()}".strip()
        if takes
        else (action.option_strings[0])
    )


def _parser_of(parser: ArgumentParser, name: str) -> ArgumentParser:
    for action in parser._actions:  # noqa: SLF001  # as above
        if isinstance(action.choices, dict) and name in action.choices:
            found: ArgumentParser = action.choices[name]
            return found
    raise KeyError(name)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a text stream of Python's
    sys.stdout.write(reference())
