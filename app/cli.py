"""The command line: its parser, made from the declared commands, and its exit statuses.

Importing it loads nothing heavy, so that ``--help`` is quick.
"""

from __future__ import annotations

import argparse
import errno
import logging
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from app import (
    cli_cluster,
    cli_doctor,
    cli_doors,
    cli_encrypt,
    cli_engine,
    cli_gui,
    cli_index,
    cli_library,
    cli_models,
    cli_repair,
    cli_search,
    cli_text,
    logs,
    paths,
)
from app.cli_common import (
    CANCELLED,
    LIBRARY_VARIABLE,
    Command,
    CommandContext,
    LibraryUse,
    absolute_path,
    explain_failure,
)
from app.confined import WINDOW, begin
from app.encryption import follow
from app.engine import OpenEngine, end_staying_engine, open_engine
from app.settings import Settings
from indexer.api.codec import program_version
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.confine.process import frozen_program, is_frozen
from indexer.shards.object_store import checked

log = logging.getLogger(__name__)

BROKEN_PIPE = 141  # the status that a shell reports when the reader of a pipe has left
_LINE_TOO_LONG = 206  # Windows' error for a command line of more than 32,767 characters

COMMANDS: tuple[Command, ...] = (
    *cli_gui.COMMANDS,
    *cli_index.COMMANDS,
    *cli_search.COMMANDS,
    *cli_text.COMMANDS,
    *cli_library.COMMANDS,
    *cli_encrypt.COMMANDS,
    *cli_cluster.COMMANDS,
    *cli_repair.COMMANDS,
    *cli_models.COMMANDS,
    *cli_doctor.COMMANDS,
    *cli_doors.COMMANDS,
    *cli_engine.COMMANDS,
)


class Parser(argparse.ArgumentParser):
    """Reports errors as the commands do: a sentence, its code, a next step."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"lectern: {message} [bad_usage]\n  See `{self.prog} --help`.\n")


def build_parser(only: str = "") -> argparse.ArgumentParser:
    """Make the parser of all commands, or of one command, which takes a tenth of the time."""
    parser = Parser(
        prog="lectern",
        description="Find the passage that answers a question in your own long documents, "
        "on the page where it stands.",
        epilog="`lectern COMMAND --help` explains a command, with examples.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version and end")
    _common(parser, library=None, offline=False)
    group = parser.add_subparsers(
        title="commands", metavar="COMMAND", dest="command", parser_class=Parser
    )
    for command in (each for each in COMMANDS if only in ("", each.name)):
        shown: dict[str, Any] = {} if command.hidden else {"help": command.summary}
        sub = group.add_parser(
            command.name,
            description=_paragraphs(command.description),
            epilog="\n".join(
                ["examples:", *(f"  {line}\n      {does}" for line, does in command.examples)]
            ),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **shown,
        )
        # SUPPRESS keeps the value given before the command.
        _common(sub, library=argparse.SUPPRESS, offline=argparse.SUPPRESS)
        command.arguments(sub)
    return parser


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse a command line; a wrong one, or ``--help``, ends the process.

    A query may hold ``-word``, and options between its words, so unknown arguments are words of
    the query. Those with a minus go first, since only the last word of a query may be a prefix.
    Without a command the window opens.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = build_parser(_command_in(words))
    options, unknown = parser.parse_known_args(words)
    if options.command is None and not options.version:
        options, unknown = parser.parse_known_args([*words, "gui"])
    if (
        unknown
        and options.command in {"search", "gui"}
        and not any(w.startswith("--") for w in unknown)
    ):
        minus = [word for word in unknown if word.startswith("-")]
        words = [word for word in unknown if not word.startswith("-")]
        options.query = [*minus, *options.query, *words]
    elif unknown:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def _command_in(words: Sequence[str]) -> str:
    """Return the command that a line names after the options that every command has, else ""."""
    left = iter(words)
    for word in left:
        if word == "--library":
            next(left, None)
        elif word != "--offline":
            return word if any(word == command.name for command in COMMANDS) else ""
    return ""


def _common(parser: argparse.ArgumentParser, *, library: object, offline: object) -> None:
    parser.add_argument(
        "--library", metavar="DIR", default=library,
        help="folder of the library, or its URI on object storage "
        f"(else ${LIBRARY_VARIABLE}, else the setting)",
    )  # fmt: skip
    parser.add_argument(
        "--offline", action="store_true", default=offline, help="make any network access impossible"
    )


def _paragraphs(text: str) -> str:
    """Wrap each paragraph, except those that have line breaks of their own."""
    return "\n\n".join(
        part if "\n" in part else textwrap.fill(part, 78) for part in text.split("\n\n")
    )


def main(
    arguments: Sequence[str] | None = None,
    *,
    open_engine: OpenEngine = open_engine,
    began: float | None = None,
    confined: bool = False,
) -> int:
    """Run a command line and return its exit status.

    Args:
        arguments: The words after the program's name; by default those of this process.
        open_engine: Makes an engine where none is running.
        began: ``time.monotonic()`` at the start; by default now.
        confined: Cut this process off from the network.
    """
    for stream in (sys.stdout, sys.stderr):
        # A file name that is not UTF-8 is printed with escapes, which JSON accepts too.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    began = time.monotonic() if began is None else began
    options = parse(arguments)
    if options.version:
        print(f"lectern {program_version() or '(not installed)'}")
        return 0
    command = next(each for each in COMMANDS if each.name == options.command)
    settings, ours = Settings(), paths.default_library()
    context = CommandContext(settings, ours, options.offline, open_engine, began=began)
    try:
        if is_frozen():
            _hand_over(command.name)
        context.library = _library_for(command, options, settings)
    except (KeyboardInterrupt, Cancelled):
        return CANCELLED
    except LecternError as error:
        return explain_failure(context, error)
    if command.opens is not None:
        command.opens(options)
    if confined:
        begin(command.name, offline=options.offline)
    follow(context.library)
    return _run(command, options, context)


def _hand_over(command: str) -> None:
    """Replace this process by the other frozen program, if that one has the command.

    Raises ``bad_query``, if the command line is longer than the system allows.
    """
    program = frozen_program(window=command == WINDOW)
    if program == sys.executable:
        return
    try:
        if sys.platform == "win32":  # exec would detach from the console
            sys.exit(subprocess.call([program, *sys.argv[1:]]))
        os.execv(program, [program, *sys.argv[1:]])  # noqa: S606  # no shell is the point
    except OSError as error:
        if error.errno != errno.E2BIG and getattr(error, "winerror", 0) != _LINE_TOO_LONG:
            raise
        raise WorldError("bad_query", reason="no command line holds so much text") from error


def _library_for(command: Command, options: argparse.Namespace, settings: Settings) -> Path:
    """Return the folder of a command's library; a URI stands for a copy in the cache.

    Raises ``library_published`` if the command would change that copy, and what ``opened`` raises.
    """
    named = library_named(options.library, settings)
    if "://" in named and (use := command.use(options)) in {LibraryUse.NONE, LibraryUse.CHANGES}:
        if use is LibraryUse.CHANGES:
            raise WorldError("library_published", library=checked(named))
        return paths.default_library()
    return library_folder(named, settings, offline=options.offline)


def library_named(named: str | None, settings: Settings) -> str:
    """Return ``named``, else the library of the environment, of the settings or by default."""
    setting = str(settings["library"])
    return named or os.environ.get(LIBRARY_VARIABLE) or setting or str(paths.default_library())


def library_folder(named: str | None, settings: Settings, *, offline: bool = False) -> Path:
    """Return the folder of the library; a URI stands for a copy in the cache.

    Raises what ``cli_cluster.opened`` raises.
    """
    chosen = library_named(named, settings)
    return cli_cluster.opened(chosen, offline=offline) if "://" in chosen else absolute_path(chosen)


def _run(command: Command, options: argparse.Namespace, context: CommandContext) -> int:
    """Run a command; turn what it raises into a sentence and an exit status."""
    try:
        if command.use(options) is not LibraryUse.ASKS or context.offline:
            end_staying_engine(context.library)
        status = command.run(options, context) or 0
        context.out.flush()
    except (KeyboardInterrupt, Cancelled):
        return CANCELLED
    except BrokenPipeError:
        # Otherwise Python reports a second error when it flushes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except LecternError as error:
        return explain_failure(context, error)
    except PermissionError as error:  # for example, the library belongs to somebody else
        return explain_failure(context, WorldError("path_denied", path=str(error.filename)))
    except Exception as error:
        file = logs.start()
        log.exception("a command failed")
        status = explain_failure(context, InternalError("internal", reason=type(error).__name__))
        if file is not None:
            context.note(f"  The log: {file}")
    return status
