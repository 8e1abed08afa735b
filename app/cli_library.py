"""The commands about the library itself: status, files, remove, move-library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context, absolute_path, json_argument
from app.cli_pace import pace_line
from indexer.api.codec import encode
from indexer.api.errors import CODES, WorldError, sentence
from indexer.api.phrases import english, fill, read_detail, reason_in
from indexer.api.requests import GetStatus, ListFiles, Remove
from indexer.api.types import FileState

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from indexer.api.contract import EngineApi
    from indexer.api.status import LanguageStatus, RootStatus, Running, ScannedPagesStatus, Status
    from indexer.api.types import FileRow

PAGE_ROWS = 1000


def _status(options: Namespace, context: Context) -> int:
    status = context.with_engine(lambda engine: engine.call(GetStatus()))
    if options.json:
        context.print_json(encode(status))
    else:
        context.print(*status_lines(status))
    return 0


def status_lines(status: Status) -> list[str]:
    """Lay out the status of the library."""
    place = f"{render.name(status.library)}, {render.size(status.bytes)}"
    rows = [("Library", f"{place}, {render.size(status.free_bytes)} free")]
    rows += _named("Folders", [_root(root) for root in status.roots])
    states = sorted(status.files.items(), key=lambda item: -item[1])
    rows += _named("Files", [f"{n:,} {render.phrase(state)}" for state, n in states if n])
    passages = f"{status.passages:,}"
    if status.passages:
        passages += f", {render.share(status.embedded_share)} embedded"
    rows += [("Passages", passages), ("Model", f"{status.model}, {status.precision}")]
    if status.reranker:
        rows.append(("First hits", f"ordered by {render.name(status.reranker)}"))
    if changing := status.changing:
        done = (
            f"{render.share(changing.embedded_share)} done; the previous model is used until then"
        )
        rows.append(("Changing to", f"{changing.model}, {changing.precision}: {done}"))
    if status.device:
        rows.append(("Device", _device(status)))
    rows += _named("Not covered", list(_not_covered(status.languages)))
    rows += _named("Scans", _scans(status.scanned_pages))
    rows.append(("Pace", pace_line(status)))
    if status.running is not None:
        rows.append(("Running", _running(status.running)))
    return render.columns(rows)


def _named(name: str, values: list[str]) -> list[tuple[str, str]]:
    return [(name if place == 0 else "", value) for place, value in enumerate(values)]


def _root(root: RootStatus) -> str:
    text = f"{render.name(root.path)}, {render.count(root.files, 'file')}"
    if root.offline:
        return f"{text}, offline"
    how = {"events": ", watched", "polling": ", looked at every few minutes"}
    return text + how.get(root.watched, "")


def _scans(scans: ScannedPagesStatus) -> list[str]:
    """Format how many scanned pages wait, and for what."""
    lines = []
    if scans.waiting:
        why = f": install Tesseract ({scans.install})" if scans.install else ", switched off"
        pages = f"{render.count(scans.waiting, 'page')} to be recognised"
        lines.append(pages if scans.engine else pages + why)
    if scans.set_aside:
        lines.append(f"{render.count(scans.set_aside, 'page')} could not be recognised")
    return lines


def _device(status: Status) -> str:
    why = "; ".join(map(sentence, status.device_notes))
    return ": ".join(filter(None, (status.device, why)))


def _not_covered(languages: Iterable[LanguageStatus]) -> Iterator[str]:
    for row in languages:
        if note := row.advice:
            how = f" (`lectern reindex --model {row.offered}`)" if row.offered else ""
            documents = render.count(row.documents, "document")
            yield f"{row.language}, {documents}, {sentence(note)}{how}"


def _running(running: Running) -> str:
    from app.progress_line import describe

    return describe(running.progress, render.Style())


def _files_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state", action="append", default=[], choices=tuple(FileState), metavar="STATE",
        help="only files in this state: " + ", ".join(FileState),
    )  # fmt: skip
    parser.add_argument("--root", metavar="FOLDER", help="only files of this indexed folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")


def _files(options: Namespace, context: Context) -> int:
    states: list[FileState | None] = [*map(FileState, options.state)] or [None]
    root = absolute_path(options.root) if options.root else None
    for state in states:
        done = 0

        def action(engine: EngineApi, state: FileState | None = state) -> None:
            # Called again with another engine if this one ends: continue after the printed rows.
            nonlocal done
            while rows := engine.call(ListFiles(state, root, done, PAGE_ROWS)).files:
                _print_files(context, rows, as_json=options.json)
                done += len(rows)

        context.with_engine(action)
    return 0


def _print_files(context: Context, rows: Iterable[FileRow], *, as_json: bool) -> None:
    import json

    if as_json:
        context.print(*(json.dumps(encode(row), ensure_ascii=False) for row in rows))
    else:
        context.print(*(file_line(row) for row in rows))


def file_line(row: FileRow) -> str:
    """Format a file's path, state and reason, separated by tabs."""
    reason = reason_of(row)
    if row.bad_pages and reason_in(read_detail(row.detail)) != "parts_unread":
        pages = ", ".join(str(page) for page in row.bad_pages[:20])
        if len(row.bad_pages) > 20:
            pages += f" and {len(row.bad_pages) - 20:,} more"
        noun = "page" if len(row.bad_pages) == 1 else "pages"
        reason = f"{reason} Not read: {noun} {pages}.".strip()
    return "\t".join([row.state, render.name(row.path), reason]).rstrip("\t")


def reason_of(row: FileRow) -> str:
    """Return the sentence of a row's reason code, filled from its detail."""
    declared = CODES.get(row.code)
    detail = {"path": row.path, **read_detail(row.detail)}
    if declared is None:
        return render.name(f"{row.code} {english(reason_in(detail), detail)}".strip())
    # A next step with a placeholder says what this file needs, such as what to install.
    step = declared.next_step if "{" in declared.next_step and row.detail else ""
    return render.name(fill(f"{declared.message} {step}".strip(), detail))


def _remove_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folders or files to forget")
    parser.add_argument(
        "--everything", action="store_true", help="delete the whole library, and the log"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _remove(options: Namespace, context: Context) -> int:
    if options.everything == bool(options.paths):
        raise WorldError(
            "bad_usage", command="lectern remove", reason="name what to remove, or use --everything"
        )
    if options.everything:
        return _remove_everything(context, sure=options.yes)
    # A file that is removed from the library need not exist any more.
    request = Remove(tuple(absolute_path(path) for path in options.paths))
    removed = context.with_engine(lambda engine: engine.call(request))
    files = render.count(removed.files, "file")
    context.print(f"{files} taken out of the library. The files themselves were not touched.")
    return 0


def _remove_everything(context: Context, *, sure: bool) -> int:
    from app import logs
    from indexer.library import library

    if not sure and not _confirmed(context):
        context.note("Nothing was deleted.")
        return 1
    freed = library.remove_everything(context.library)
    logs.remove()
    context.print(
        f"The library is deleted, {render.size(freed)} are free again. "
        "Your documents were not touched."
    )
    return 0


def _confirmed(context: Context) -> bool:
    if not sys.stdin.isatty():
        raise WorldError(
            "bad_usage", command="lectern remove", reason="use --yes where nobody can be asked"
        )
    context.err.write(f"Delete the whole library {render.name(str(context.library))}? [y/N] ")
    context.err.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _move_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("destination", metavar="DEST", help="a folder that does not exist yet")


def _move(options: Namespace, context: Context) -> int:
    from app import paths
    from indexer.library import library

    destination = absolute_path(options.destination)
    usual = absolute_path(str(context.settings["library"] or paths.default_library()))
    library.move(context.library, destination)
    context.print(f"The library is now at {render.name(str(destination))}.")
    if context.library == usual:
        context.settings.set("library", str(destination))
    else:
        context.print("Name it with --library from now on.")
    return 0


COMMANDS = (
    Command(
        "status",
        "show the library: folders, files by state, size, model, device",
        "Describe the library: its folders, how many files are in which state, how much of it is "
        "embedded, its size and the free disk, the model and the device it runs on and why, "
        "languages the model does not cover, and what is running.",
        (("lectern status", "for a person"), ("lectern status --json", "for a program")),
        json_argument,
        _status,
    ),
    Command(
        "files",
        "list every file with its state and the reason",
        "List the files of the library, a line each: state, path and reason, separated by tabs. "
        "Files that were not read are listed too, with the reason.",
        (
            ("lectern files", "everything"),
            ("lectern files --state unreadable --state failed", "what could not be read"),
            ("lectern files --json --root ~/Documents", "for a program"),
        ),
        _files_arguments,
        _files,
    ),
    Command(
        "remove",
        "take folders or files out of the library, or delete it all",
        "Forget folders or files that were given to `lectern index`; the documents themselves are "
        "never touched. To leave out a part of a folder, add a pattern to the setting `exclude`. "
        "With --everything the whole library is deleted, the log too. Settings and models stay.",
        (
            ("lectern remove ~/Documents/Old", "forget a folder"),
            ("lectern remove --everything", "delete the library; asks first"),
        ),
        _remove_arguments,
        _remove,
    ),
    Command(
        "move-library",
        "move the library to another place",
        "Move the library to another folder or disk. Nothing is read again. The default library "
        "is remembered at its new place.",
        (("lectern move-library /mnt/big/lectern", "move it to another disk"),),
        _move_arguments,
        _move,
    ),
)
