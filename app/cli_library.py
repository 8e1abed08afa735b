"""The commands on the library and on its indexing."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from app import encryption, logs, paths, render
from app.cli_common import (
    Command,
    CommandContext,
    LibraryUse,
    absolute_path,
    existing,
    json_argument,
    no_arguments,
    stopping,
)
from app.cli_index import exit_status, run_job
from app.render import pace_reason
from indexer.api.codec import encode
from indexer.api.errors import CODES, bad_usage, sentence
from indexer.api.labels import SPEEDS
from indexer.api.phrases import english, fill, read_detail, reason_in
from indexer.api.progress import CancelToken
from indexer.api.requests import EstimateIndex, GetStatus, Index, ListFiles, Remove, Retry, SetPace
from indexer.api.status import Speed
from indexer.api.types import FileRow, FileState
from indexer.vault.place import is_encrypted, is_locked, place_of

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable, Iterator

    from indexer.api.answers import Estimate
    from indexer.api.status import Activity, LanguageStatus, RootStatus, ScannedPagesStatus, Status

PAGE_ROWS = 1000


def _status(options: Namespace, context: CommandContext) -> None:
    if is_locked(context.library) and not place_of(context.library).in_keyring:
        library, encrypted = str(context.library), encryption.state(context.library)
        rows = [("Library", render.name(library)), ("Encrypted", encrypted)]
        answer = {"library": library, "encrypted": encrypted}
        context.answer(options, answer, *render.columns(rows))
        return
    status = context.ask_engine(GetStatus())
    encrypted = encryption.state(context.library)
    lines = [*status_lines(status), *render.columns([("Encrypted", encrypted)])]
    context.answer(options, {**encode(status), "encrypted": encrypted}, *lines)


def status_lines(status: Status) -> list[str]:
    """Lay out the status of the library."""
    place = f"{render.name(status.library)}, {render.size(status.bytes)}"
    rows = [("Library", f"{place}, {render.size(status.free_bytes)} free")]
    rows += _named("Folders", [_root(root) for root in status.roots])
    if status.watch_problem is not None:
        rows.append(("Watching", sentence(status.watch_problem)))
    states = sorted(status.files.items(), key=lambda item: -item[1])
    rows += _named("Files", [f"{n:,} {render.phrase(state)}" for state, n in states if n])
    passages = f"{status.passages:,}"
    if status.passages:
        passages += f", {render.share(status.embedded_share)} embedded"
    rows += [("Passages", passages), ("Model", f"{status.model}, {status.precision}")]
    if status.rebuilding:
        rows.append(("Made anew", "after an update, from the documents"))
    if changing := status.changing:
        done = (
            f"{render.share(changing.embedded_share)} done; the previous model is used until then"
        )
        rows.append(("Changing to", f"{changing.model}, {changing.precision}: {done}"))
    if status.device:
        why = "; ".join(map(sentence, status.device_notes))
        rows.append(("Device", ": ".join(filter(None, (status.device, why)))))
    rows += _named("Not covered", list(_not_covered(status.languages)))
    rows += _named("Scans", _scans(status.scanned_pages))
    rows.append(("Pace", pace_line(status)))
    if status.running is not None:
        done = render.describe(status.running.progress, render.TerminalStyle())
        rows.append(("Running", done))
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
        pages = f"{render.count(scans.waiting, 'page')} to be recognised"
        lines.append(pages if scans.engine else f"{pages}, switched off")
    if scans.set_aside:
        lines.append(f"{render.count(scans.set_aside, 'page')} could not be recognised")
    return lines


def _not_covered(languages: Iterable[LanguageStatus]) -> Iterator[str]:
    for row in languages:
        if note := row.advice:
            how = f" (`lectern reindex --model {row.offered}`)" if row.offered else ""
            documents = render.count(row.documents, "document")
            yield f"{row.language}, {documents}, {sentence(note)}{how}"


def _files_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--state", action="append", default=[], choices=tuple(FileState), metavar="STATE",
        help="only files in this state: " + ", ".join(FileState),
    )  # fmt: skip
    parser.add_argument("--root", metavar="FOLDER", help="only files of this indexed folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")


def _files(options: Namespace, context: CommandContext) -> None:
    states: list[FileState | None] = [*map(FileState, options.state)] or [None]
    root = absolute_path(options.root) if options.root else None
    with context.engine() as engine:
        for state in states:
            done = 0
            while rows := engine.call(ListFiles(state, root, done, PAGE_ROWS)).files:
                context.print(*map(_file_as_json if options.json else file_line, rows))
                done += len(rows)


def _file_as_json(row: FileRow) -> str:
    return json.dumps(encode(row), ensure_ascii=False)


def file_line(row: FileRow) -> str:
    """Format a file's path, state and reason, separated by tabs."""
    reason = reason_of(row)
    if row.bad_pages and reason_in(read_detail(row.detail)) != "parts_unread":
        reason = f"{reason} Not read: {render.pages(row.bad_pages)}.".strip()
    return "\t".join([row.state, render.name(row.path), reason]).rstrip("\t")


def reason_of(row: FileRow) -> str:
    """Return the sentence of a row's reason code, filled from its detail."""
    declared = CODES.get(row.code)
    detail = {"path": row.path, **read_detail(row.detail)}
    if declared is None:
        return render.name(f"{row.code} {english(reason_in(detail), detail)}".strip())
    # A next step with a placeholder concerns this file, for example by naming what to install.
    step = declared.next_step if "{" in declared.next_step and row.detail else ""
    return render.name(fill(f"{declared.message} {step}".strip(), detail))


def _remove_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folders or files to forget")
    parser.add_argument(
        "--everything", action="store_true", help="delete the whole library, and the log"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def _remove(options: Namespace, context: CommandContext) -> int:
    if options.everything == bool(options.paths):
        raise bad_usage("remove", "name what to remove, or use --everything")
    if options.everything:
        return _remove_everything(context, sure=options.yes)
    # A file that is removed from the library need not exist any more.
    removed = context.ask_engine(Remove(tuple(absolute_path(path) for path in options.paths)))
    files = render.count(removed, "file")
    context.print(f"{files} taken out of the library. The files themselves were not touched.")
    return 0


def _remove_everything(context: CommandContext, *, sure: bool) -> int:
    from indexer.library import library

    if not sure and not _confirmed(context):
        context.note("Nothing was deleted.")
        return 1
    freed = encryption.remove(context.library) or library.remove_everything(context.library)
    logs.remove()
    context.print(
        f"The library is deleted, {render.size(freed)} are free again. "
        "Your documents were not touched."
    )
    return 0


def _confirmed(context: CommandContext) -> bool:
    if not sys.stdin.isatty():
        raise bad_usage("remove", "use --yes where nobody can be asked")
    context.err.write(f"Delete the whole library {render.name(str(context.library))}? [y/N] ")
    context.err.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _move(options: Namespace, context: CommandContext) -> None:
    from indexer.library import library

    if is_encrypted(context.library):
        folder = render.name(str(place_of(context.library).folder))
        reason = f"lock the library and move {folder} yourself; name it without .encrypted then"
        raise bad_usage("move-library", reason)
    destination = absolute_path(options.destination)
    usual = absolute_path(str(context.settings["library"] or paths.default_library()))
    library.move(context.library, destination)
    context.print(f"The library is now at {render.name(str(destination))}.")
    if context.library == usual:
        context.settings.set("library", str(destination))
    else:
        context.print("Name it with --library from now on.")


# Reasons that change nothing while the speed is set to slow.
_SLOWING = frozenset({"typing", "battery", "busy"})


def pace_line(activity: Activity | Status) -> str:
    """Format the current speed and its reason in a few words."""
    speed, reason = activity.speed, activity.reason
    if not reason or (speed is Speed.SLOW and reason in _SLOWING):
        return speed
    return f"{speed}, {pace_reason(reason)}"


def _set_pace(context: CommandContext, change: SetPace) -> None:
    activity = context.ask_engine(change)
    context.print(f"Pace: {pace_line(activity)}.")


def _pace_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "speed", nargs="?", choices=SPEEDS, metavar="SPEED",
        help=f"{', '.join(SPEEDS)}; without one, say which it is",
    )  # fmt: skip


def _pace(options: Namespace, context: CommandContext) -> None:
    _set_pace(context, SetPace(Speed(options.speed) if options.speed else None))


def _retry_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH",
        help="files, or folders whose failed files to read; without any, all files that failed",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _retry(options: Namespace, context: CommandContext) -> int:
    # Files that are gone are queued too, so that their state is updated.
    queued = context.ask_engine(Retry(tuple(absolute_path(path) for path in options.paths)))
    if not queued:
        context.print("There is nothing to read again.")
        return 0
    context.note(f"{render.count(queued, 'file')} to read again.")
    return exit_status(run_job(context, Index(scan=False), quiet=options.quiet))


def _estimate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="folders or files to look at")
    parser.add_argument("--json", action="store_true", help="print the estimate as JSON")


def _estimate(options: Namespace, context: CommandContext) -> None:
    request = EstimateIndex(tuple(existing(path) for path in options.paths))
    token = CancelToken()
    with stopping(token.cancel):
        found = context.ask_engine(request, token)
    context.answer(options, encode(found), *estimate_lines(found))


def estimate_lines(found: Estimate) -> list[str]:
    """Format an estimate: what there is to read and how long it would take."""
    files, size = render.count(found.files, "file"), render.size(found.bytes)
    head = f"{files} to read, {size}, about {render.count(found.pages, 'page')}."
    formats = [
        (form, f"{one.files:>7,}   {render.size(one.bytes)}")
        for form, one in sorted(found.formats.items(), key=lambda item: -item[1].files)
    ]
    left_out = [
        (render.phrase(code), f"{count:>7,}   left out")
        for code, count in sorted(found.left_out.items(), key=lambda item: -item[1])
    ]
    known = [("known already", f"{found.known:>7,}")] if found.known else []
    lines = [head, *render.columns([*formats, *known, *left_out], "  ")]
    if found.files:
        words, meaning = render.about(found.seconds_words), render.about(found.seconds_meaning)
        basis = "at the rates of this library" if found.measured else "a guess before any work"
        lines.append(f"Found by words in {words}, by meaning in {meaning} ({basis}).")
    return lines


COMMANDS = (
    Command(
        "status",
        "show the library: folders, files by state, size, model, device",
        "Describe the library: its folders, the number of files in each state, how much of it is "
        "embedded, its size and the free disk, the model, the device it runs on and why, "
        "languages that the model does not cover, and running work.",
        (("lectern status", "for a person"), ("lectern status --json", "for a program")),
        json_argument,
        _status,
        LibraryUse.ASKS,
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
        LibraryUse.ASKS,
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
        lambda parser: parser.add_argument(
            "destination", metavar="DEST", help="a folder that does not exist yet"
        ),
        _move,
    ),
    Command(
        "pause",
        "stop indexing until `lectern resume`",
        "Stop running work within seconds and start no new work. Searching still works. The pause "
        "lasts until `lectern resume`, even after a restart.",
        (("lectern pause", "stop indexing"),),
        no_arguments,
        lambda _options, context: _set_pace(context, SetPace(paused=True)),
    ),
    Command(
        "resume",
        "continue after `lectern pause`",
        "Continue indexing where it was paused. What was finished is not done again.",
        (("lectern resume", "go on"),),
        no_arguments,
        lambda _options, context: _set_pace(context, SetPace(paused=False)),
    ),
    Command(
        "pace",
        "set or show the speed of indexing: slow, normal or fast",
        "Set the speed of indexing, or show it with the reason why it is reduced. Slow uses a "
        "quarter of the time and keeps searches as quick as without indexing. Normal slows down on "
        "battery, while other programs are busy and while you type. Fast never slows down.",
        (("lectern pace", "show the speed"), ("lectern pace slow", "stay in the background")),
        _pace_arguments,
        _pace,
        lambda options: LibraryUse.CHANGES if options.speed else LibraryUse.READS,
    ),
    Command(
        "retry",
        "read again what could not be read",
        "Read files again that failed, or that were set aside because reading them stopped a "
        "process. Files that are named are read again whatever their state.",
        (
            ("lectern retry", "everything that failed"),
            ("lectern retry ~/Documents/report.pdf", "one file"),
        ),
        _retry_arguments,
        _retry,
    ),
    Command(
        "estimate",
        "estimate what indexing would take",
        "Count the documents under folders and estimate how long reading and embedding them "
        "would take on this machine. Nothing is opened and nothing is written.",
        (
            ("lectern estimate ~/Documents", "before `lectern index ~/Documents`"),
            ("lectern estimate --json ~/Documents", "for a program"),
        ),
        _estimate_arguments,
        _estimate,
        LibraryUse.READS,
    ),
)
