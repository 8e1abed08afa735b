"""``lectern gui``, and ``lectern`` alone: open the window."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path

from app.cli_common import Command, CommandContext, LibraryUse, absolute_path

QUOTE = '"'


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "given",
        nargs="*",
        metavar="QUERY",
        help="what to search for at once, or the absolute paths of files and folders to open",
    )
    parser.add_argument("--in", dest="folder", metavar="FOLDER", help="search in this folder")
    parser.add_argument("--like", metavar="PATH", help="find passages similar to this document")
    parser.add_argument(
        "--tray", action="store_true", help="start in the tray, without showing the window"
    )
    parser.add_argument("--check", type=Path, metavar="FOLDER", help=SUPPRESS)


def _run(options: Namespace, context: CommandContext) -> int:
    from app.gui import run

    given = [*clauses_of(options.folder, options.like), *options.given]
    return run(
        context.settings, context.library, offline=context.offline, given=given,
        in_tray=options.tray, check=options.check,
    )  # fmt: skip


def clauses_of(folder: str | None, like: str | None) -> list[str]:
    """Return filters, in the grammar of queries, for the folder or document a file manager names.

    A value cannot hold a quotation mark, so a path that has one is cut before it.
    """
    asked = {"in": folder, "like": like}
    paths = {name: str(absolute_path(path)) for name, path in asked.items() if path}
    return [f'{name}:"{path.partition(QUOTE)[0]}"' for name, path in paths.items()]


COMMANDS = (
    Command(
        "gui",
        "open the window",
        "Open the window; `lectern` alone does the same. There is one window for each library: a "
        "second start brings it to the front and passes the query on. Given a file or folder of "
        "the library, the window searches in it; it offers to add any other.",
        (
            ("lectern gui", "open the window"),
            ("lectern gui who pays for the repairs", "and search at once"),
            ("lectern gui ~/Contracts", "offer to add a folder, with an estimate"),
            ("lectern gui --in ~/Contracts", "search in a folder, as from a file manager"),
            ("lectern gui --tray", "start in the tray, as at login"),
        ),
        _arguments,
        _run,
        LibraryUse.READS,
    ),
)
