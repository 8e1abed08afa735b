"""``lectern index``: read folders and files, show the progress, and print the outcome."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app import render
from app.cli_common import CANCELLED, Command, CommandContext, existing
from indexer.api.codec import encode
from indexer.api.errors import Cancelled, LecternError
from indexer.api.requests import Calibrate, GetActivity, Index
from indexer.api.types import FileState, Summary

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from indexer.api.models import Reindex

# In these states a file was read, or has nothing to read.
_QUIET_STATES = frozenset(
    {FileState.INDEXED, FileState.TEXT_ONLY, FileState.EMPTY, FileState.EXCLUDED}
)


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="folders or files to add; without any, all folders of the library are scanned again",
    )
    parser.add_argument(
        "--rescan", action="store_true", help="read files again even if size and time are unchanged"
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def _run(options: Namespace, context: CommandContext) -> int:
    paths = [existing(path) for path in options.paths]
    job = Index(tuple(paths), options.rescan)
    summary = run_job(context, job, quiet=options.quiet, as_json=options.json)
    if not (paths or summary.states or summary.cancelled):
        context.note("The library has no files yet: `lectern index PATH` adds a folder.")
    return exit_status(summary)


def exit_status(summary: Summary) -> int:
    return CANCELLED if summary.cancelled else 0


def run_job(
    context: CommandContext, job: Index | Reindex, *, quiet: bool = False, as_json: bool = False
) -> Summary:
    """Run an indexing job with progress, print what it did, and calibrate the library."""
    with context.calling(quiet=quiet) as call:
        if call(GetActivity()).rebuilding:
            context.note("Lectern was updated: it reads the documents again.")
        summary = replace(call(job), seconds=context.elapsed)
        if as_json:
            context.print_json(encode(summary))
        else:
            context.print(*summary_lines(summary))
        context.out.flush()  # nobody waits for what follows
        if not summary.cancelled:
            with contextlib.suppress(Cancelled, LecternError):
                call(Calibrate())
    return summary


def summary_lines(summary: Summary) -> list[str]:
    """Format a run's summary: one line of totals, then a line for each state."""
    pages = render.count(summary.pages, "page")
    per_second = summary.pages / summary.seconds if summary.seconds else 0.0
    rate = f" ({per_second:.1f}/s)" if per_second else ""
    # `lectern retry` scans no folders.
    seen = f"{render.count(summary.files_seen, 'file')} seen, " if summary.files_seen else ""
    unchanged = f" and {summary.reused:,} unchanged" if summary.reused else ""
    head = (
        f"{'Stopped' if summary.cancelled else 'Done'} after {render.duration(summary.seconds)}: "
        f"{seen}{render.count(summary.documents_added, 'document')} read, {pages}{rate}, "
        f"{render.count(summary.passages, 'passage')}{unchanged}."
    )
    states = [(state, number) for state, number in summary.states.items() if number]
    rows = []
    for state, number in sorted(states, key=lambda item: -item[1]):
        hint = "" if state in _QUIET_STATES else f"   lectern files --state {state}"
        rows.append((render.phrase(state), f"{number:>7,}{hint}"))
    end = ["`lectern index` goes on where it stopped."] if summary.cancelled else []
    return [head, *render.columns(rows, "  "), *end]


COMMANDS = (
    Command(
        "index",
        "read folders and files into the library",
        "Read documents so that they can be searched. Folders are remembered: run the command "
        "without a path to scan all of them again. Only what is new or changed is read. "
        "Ctrl+C ends the run cleanly at any time, and the next one continues from there. "
        "Searching works while it runs. The exit status is 0 even if some files could not be "
        "read; `lectern files` lists them with the reason.",
        (
            ("lectern index ~/Documents", "read a folder and everything in it"),
            ("lectern index report.pdf notes.md", "read two files"),
            ("lectern index", "scan all folders of the library again"),
        ),
        _arguments,
        _run,
    ),
)
