"""The man page, in the troff macros that ``man`` reads: ``python -m app.manual``.

Owns its layout only; its content comes from the declared commands, as ``app.reference`` has
them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from app.cli import COMMANDS, build_parser
from app.reference import options_of
from app.versions import version

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILES = (
    ("~/.local/share/lectern", "the library, compiled models and what the window remembers"),
    ("~/.config/lectern/settings.json", "the settings"),
    ("~/.local/state/lectern/log", "the log"),
)


def manual() -> str:
    """Return the whole page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    parser = build_parser()
    yield f'.TH LECTERN 1 "" "Lectern {version("lectern")}" "User Commands"'
    yield from (".SH NAME", _plain("lectern - find the passage that answers a question"))
    yield from (".SH SYNOPSIS", r".B lectern", r"[\fICOMMAND\fR] [\fIOPTIONS\fR]")
    yield from (".SH DESCRIPTION", _plain(parser.description or ""))
    yield _plain("Without a command the window opens.")
    yield ".SH OPTIONS"
    yield from _options("")
    yield ".SH COMMANDS"
    for command in COMMANDS:
        if not command.hidden:
            yield f'.SS "lectern {command.name}"'
            yield from (_plain(part) for part in command.description.split("\n\n"))
            yield from _options(command.name)
            yield from _examples(command.examples)
    yield ".SH FILES"
    for name, meaning in _FILES:
        yield from (".TP", f".I {_plain(name)}", _plain(meaning))


def _options(command: str) -> Iterator[str]:
    for name, meaning in options_of(command):
        yield from (".TP", rf".B {_plain(name)}", _plain(meaning))


def _examples(examples: tuple[tuple[str, str], ...]) -> Iterator[str]:
    yield from (".PP", ".nf")
    for line, meaning in examples:
        yield rf"    {_plain(line)}    \fI{_plain(meaning)}\fR"
    yield ".fi"


def _plain(text: str) -> str:
    """Escape what troff would read as a request."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("`", r"\(ga")
    return "\n".join(
        rf"\&{line}" if line[:1] in {".", "'"} else line for line in escaped.split("\n")
    )


if __name__ == "__main__":
    sys.stdout.write(manual())
