"""``lectern report``: what to send when something went wrong, for the person to read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_common import Command, Context
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

LOG_LINES = 300


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--with-log", action="store_true",
        help="add the end of the log, which may contain names of files",
    )  # fmt: skip
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it to this file")


def _run(options: Namespace, context: Context) -> int:
    lines = list(_lines(with_log=options.with_log))
    if options.out is None:
        context.print(*lines)
        return 0
    try:
        options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise WorldError("path_denied", path=str(options.out)) from error
    context.note(f"Written to {options.out}. Read it before you send it.")
    return 0


def _lines(*, with_log: bool) -> Iterator[str]:
    from app import fault_reports, logs

    yield from fault_reports.about_this_system()
    found = fault_reports.reports()
    for file in found:
        yield from ("", *file.read_text(encoding="utf-8", errors="replace").splitlines())
    if not found:
        yield from ("", "No fault was noted.")
    if with_log and logs.log_file().exists():
        log = logs.log_file().read_text(encoding="utf-8", errors="replace").splitlines()
        yield from ("", f"The last {LOG_LINES} lines of the log:", *log[-LOG_LINES:])


COMMANDS = (
    Command(
        "report",
        "show what to send when something went wrong",
        "Show versions, the system, and the faults that were logged, each by its kind and its "
        "place in the program. It contains no text of a document, no name of a file and no path; "
        "with --with-log it may contain names of files. Nothing is sent: read it, and send it "
        "yourself.",
        (
            ("lectern report", "show it"),
            ("lectern report --with-log --out report.txt", "with the log, into a file"),
        ),
        _arguments,
        _run,
    ),
)
