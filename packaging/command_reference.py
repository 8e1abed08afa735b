"""Documents made from the declarations: tables in Markdown, and the man page.

Commands, settings, operators, states, formats and errors are declared once. ``help_pages`` puts the
tables into pages; this file, started as a program, prints the man page in the macros of troff.
"""

from __future__ import annotations

import re
import sys
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.append(str(Path(__file__).resolve().parents[1]))

from app.cli import COMMANDS, build_parser
from app.cli_doctor import show
from app.settings import SETTINGS
from indexer.api.codec import program_version
from indexer.api.errors import CODES
from indexer.api.formats import FORMATS
from indexer.api.labels import STATES
from indexer.api.setting import SettingType
from indexer.query.filters import GRAMMAR, help_of

if TYPE_CHECKING:
    from app.cli_common import Command
    from indexer.api.setting import Setting


def tables() -> dict[str, str]:
    """Return each table by its name, in Markdown."""
    made = {
        "commands": _commands(),
        "settings": _settings(),
        "operators": _operators(),
        "states": _states(),
        "formats": _formats(),
        "errors": _errors(),
    }
    return {name: "\n".join(lines) for name, lines in made.items()}


def _operators() -> Iterator[str]:
    return _table(("example", "finds"), [(f"`{row.example}`", help_of(row)) for row in GRAMMAR])


def _settings() -> Iterator[str]:
    rows = [
        (f"`{each.name}`", each.values, _default(each), each.help) for each in SETTINGS.values()
    ]
    return _table(("setting", "values", "default", ""), rows)


def _default(setting: Setting) -> str:
    text = show(setting.default)
    return f"`{text}`" if text else "none" if setting.type is SettingType.LIST else "empty"


def _states() -> Iterator[str]:
    rows = [(label.name, f"`{state}`", label.meaning) for state, label in STATES.items()]
    return _table(("in the window", "in a terminal", "what it means"), rows)


def _formats() -> Iterator[str]:
    rows = [(known.name, known.unit or "none", " ".join(known.extensions)) for known in FORMATS]
    return _table(("format", "what its pages are", "names that end with"), rows)


def _errors() -> Iterator[str]:
    for each in CODES.values():
        yield f"### {each.code}"
        yield ""
        yield f"**{each.label}.** {_as_prose(each.message)}"
        yield ""
        if each.next_step == each.step_in_window:
            yield from filter(None, [_as_prose(each.next_step)])
        else:
            for where, step in (("window", each.step_in_window), ("terminal", each.next_step)):
                if step:
                    yield f"- In the {where}: {_as_prose(step)}"
        yield ""
        yield f"Exit status of a command: {each.exit_status}."
        yield ""


def _as_prose(text: str) -> str:
    """Show the placeholders of a message as their names in italics."""
    code = text.split("`")
    code[::2] = [re.sub(r"{(\w+)}", r"*\1*", part) for part in code[::2]]
    return "`".join(code)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _commands() -> Iterator[str]:
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
    # Paragraphs with line breaks are tables, which are sections of their own here.
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
    """Return the name and help of each option of a command, or with "" of the common options."""
    common = build_parser()
    asked = _parser_of(common, command) if command else common
    known = {action.dest for action in _actions(common)} if command else set()
    return [(_name(one), str(one.help)) for one in _actions(asked) if one.dest not in known]


def _actions(parser: ArgumentParser) -> list[Action]:
    actions = parser._actions  # noqa: SLF001  # argparse has no public list of them
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


_FILES = (
    ("~/.local/share/lectern", "the library, compiled models and what the window remembers"),
    ("~/.config/lectern/settings.json", "the settings"),
    ("~/.local/state/lectern/log", "the log"),
)


def manual() -> str:
    """Return the whole page."""
    return "\n".join(_manual_lines()) + "\n"


def _manual_lines() -> Iterator[str]:
    parser = build_parser()
    yield f'.TH LECTERN 1 "" "Lectern {program_version()}" "User Commands"'
    yield from (".SH NAME", _plain("lectern - find the passage that answers a question"))
    yield from (".SH SYNOPSIS", r".B lectern", r"[\fICOMMAND\fR] [\fIOPTIONS\fR]")
    yield from (".SH DESCRIPTION", _plain(parser.description or ""))
    yield _plain("Without a command the window opens.")
    yield ".SH OPTIONS"
    yield from _manual_options("")
    yield ".SH COMMANDS"
    for command in COMMANDS:
        if not command.hidden:
            yield f'.SS "lectern {command.name}"'
            yield from (_plain(part) for part in command.description.split("\n\n"))
            yield from _manual_options(command.name)
            yield from _examples(command.examples)
    yield ".SH FILES"
    for name, meaning in _FILES:
        yield from (".TP", f".I {_plain(name)}", _plain(meaning))


def _manual_options(command: str) -> Iterator[str]:
    for name, meaning in options_of(command):
        yield from (".TP", rf".B {_plain(name)}", _plain(meaning))


def _examples(examples: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield from (".PP", ".nf")
    for line, meaning in examples:
        yield rf"    {_plain(line)}    \fI{_plain(meaning)}\fR"
    yield ".fi"


def _plain(text: str) -> str:
    """Escape text that troff would read as a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga")
    return "\n".join(
        rf"\&{line}" if line[:1] in {".", "'"} else line for line in escaped.split("\n")
    )


if __name__ == "__main__":
    sys.stdout.write(manual())
