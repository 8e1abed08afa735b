"""The commands on indexing: pause, resume, pace, retry, estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context, absolute_path, existing, no_arguments
from app.progress_line import pace_reason
from indexer.api.labels import SPEEDS
from indexer.api.requests import EstimateIndex, Index, Retry, SetPace
from indexer.api.status import Speed

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from indexer.api.answers import Estimate
    from indexer.api.status import Activity, Status

# Reasons that change nothing while the speed is set to slow.
_SLOWING = frozenset({"typing", "battery", "busy"})


def pace_line(activity: Activity | Status) -> str:
    """Format the current speed and its reason in a few words."""
    speed, reason = activity.speed, activity.reason
    if not reason or (speed is Speed.SLOW and reason in _SLOWING):
        return speed
    return f"{speed}, {pace_reason(reason)}"


def _set(context: Context, change: SetPace) -> int:
    activity = context.with_engine(lambda engine: engine.call(change))
    context.print(f"Pace: {pace_line(activity)}.")
    return 0


def _pause(_options: Namespace, context: Context) -> int:
    return _set(context, SetPace(paused=True))


def _resume(_options: Namespace, context: Context) -> int:
    return _set(context, SetPace(paused=False))


def _pace_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "speed", nargs="?", choices=SPEEDS, metavar="SPEED",
        help=f"{', '.join(SPEEDS)}; without one, say which it is",
    )  # fmt: skip


def _pace(options: Namespace, context: Context) -> int:
    return _set(context, SetPace(Speed(options.speed) if options.speed else None))


def _retry_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="*", metavar="PATH",
        help="files, or folders of which to read what failed; without any, everything that failed",
    )  # fmt: skip
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _retry(options: Namespace, context: Context) -> int:
    from app.cli_index import outcome, run_job

    # Files that are gone are queued too, so that their state is updated.
    request = Retry(tuple(absolute_path(path) for path in options.paths))
    queued = context.with_engine(lambda engine: engine.call(request))
    if not queued:
        context.print("There is nothing to read again.")
        return 0
    context.note(f"{render.count(queued, 'file')} to read again.")
    return outcome(run_job(context, Index(scan=False), quiet=options.quiet), context)


def _estimate_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="folders or files to look at")
    parser.add_argument("--json", action="store_true", help="print the estimate as JSON")


def _estimate(options: Namespace, context: Context) -> int:
    from app.signals import stopping
    from indexer.api.codec import encode
    from indexer.api.progress import CancelToken

    request = EstimateIndex(tuple(existing(path) for path in options.paths))
    token = CancelToken()
    with stopping(token.cancel):
        found = context.with_engine(lambda engine: engine.call(request, token=token))
    if options.json:
        context.print_json(encode(found))
    else:
        context.print(*estimate_lines(found))
    return 0


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
        "pause",
        "stop indexing until `lectern resume`",
        "Stop running work within seconds and start no new work. Searching still works. The pause "
        "lasts until `lectern resume`, over a restart too.",
        (("lectern pause", "stop indexing"),),
        no_arguments,
        _pause,
    ),
    Command(
        "resume",
        "continue after `lectern pause`",
        "Continue indexing where it was paused. What was finished is not done again.",
        (("lectern resume", "go on"),),
        no_arguments,
        _resume,
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
    ),
)
