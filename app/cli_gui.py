"""``lectern gui``, and ``lectern`` alone: open the window."""

from __future__ import annotations

from argparse import SUPPRESS
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_common import Command, CommandContext

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "given",
        nargs="*",
        metavar="QUERY",
        help="what to search for at once, or the absolute paths of files and folders to open",
    )
    parser.add_argument(
        "--tray", action="store_true", help="start in the tray, without showing the window"
    )
    parser.add_argument("--check", type=Path, metavar="FOLDER", help=SUPPRESS)


def _run(options: Namespace, context: CommandContext) -> int:
    return open_window(context, options.given, in_tray=options.tray, check=options.check)


def open_window(
    context: CommandContext,
    given: Sequence[str] = (),
    *,
    in_tray: bool = False,
    check: Path | None = None,
) -> int:
    """Open the window of the library, or raise the one that is open."""
    from app.gui import run

    return run(
        context.settings, context.library, offline=context.offline, given=given,
        in_tray=in_tray, check=check,
    )  # fmt: skip


COMMANDS = (
    Command(
        "gui",
        "open the window",
        "Open the window; `lectern` alone does the same. There is one window for each library: a "
        "second start brings the first to the front and hands its query over. A file of the "
        "library is searched in; other files and folders are offered to be added.",
        (
            ("lectern gui", "open the window"),
            ("lectern gui who pays for the repairs", "and search at once"),
            ("lectern gui ~/Contracts", "offer to add a folder, with an estimate"),
            ("lectern gui --tray", "start in the tray, as at login"),
        ),
        _arguments,
        _run,
    ),
)
