"""The commands that serve a library until they are stopped: watch, engine and demo."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app import render
from app.cli_common import CANCELLED, Command, CommandContext, absolute_path, no_arguments
from app.cli_index import index, summary_lines
from app.hit_lines import hit_lines
from indexer.api.errors import WorldError
from indexer.api.phrases import english
from indexer.api.requests import GetStatus, Search, Watch

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from indexer.api.answers import WatchState
    from indexer.api.contract import EngineApi
    from indexer.server.service import Host

# Seconds between two requests for the engine's state.
POLL_S = 0.5
DEMO_FOLDER = ".demo"
# Shares hardly a word with the clause that answers it.
DEMO_QUESTION = "What if the shed cannot be used because water has come in?"
DEMO_HITS = 3


def _watch(_options: Namespace, context: CommandContext) -> int:
    import threading
    from dataclasses import replace
    from functools import partial

    from app import logs
    from app.cli_common import stopping
    from app.engine import open_host
    from indexer.api.endpoint import with_engine

    logs.start()
    config = replace(context.config(), background=True)
    open_here = partial(open_host, config, context.open_engine, lasting=True)
    stop = threading.Event()
    with stopping(stop.set):
        with_engine(
            context.library,
            open_here,
            lambda engine: watch(engine, context, stop.wait),
            offline=config.offline,
        )
    return 0


def watch(engine: EngineApi, context: CommandContext, stopped: Callable[[float], bool]) -> None:
    """Watch until stopped, and print what changes.

    Args:
        engine: In this process or another; afterwards it watches only if it did before.
        context: Where to print.
        stopped: Waits for the given number of seconds; returns whether the engine should end.
    """
    before = engine.call(Watch()).on
    engine.call(Watch(on=True))
    shown: dict[str, str] = {}
    quiet, problem = False, ""
    try:
        while not (_is_ending(engine) or stopped(POLL_S)):
            now = engine.call(Watch())
            for path, line in _root_lines(now).items():
                if shown.get(path) != line:
                    context.note(line)
            if now.problem not in {"", problem}:
                context.note(render.name(now.problem))
            if now.quiet and not quiet:
                documents = engine.call(GetStatus()).documents
                context.note(f"Up to date: {render.count(documents, 'document')}.")
            shown, quiet, problem = _root_lines(now), now.quiet, now.problem
    finally:
        if not before and not _is_ending(engine):
            engine.call(Watch(on=False))


def _is_ending(engine: EngineApi) -> bool:
    """Return whether an engine of this process was asked to end.

    Raises:
        WorldError: ``library_moved``.
    """
    from indexer.server.service import Host

    if not isinstance(engine, Host):
        return False
    engine.service.check()
    return engine.service.stopping()


def _root_lines(state: WatchState) -> dict[str, str]:
    """Return how each root is watched, by its path."""
    if not state.roots:
        return {"": "Nothing to watch yet: `lectern index FOLDER` adds a folder."}
    said = {}
    for root in state.roots:
        path = render.name(root.path)
        match root.how:
            case "offline":
                said[path] = f"{path} is offline; what it holds stays in the library."
            case "polling":
                said[path] = f"{path} is looked at every few minutes: {english(root.why, {})}."
            case _:
                said[path] = f"Watching {path}."
    return said


STOP_S = 30.0


def _engine_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit", type=float, metavar="SECONDS",
        help="end after so long without use",
    )  # fmt: skip
    parser.add_argument(
        "--watch", action="store_true", help="keep the library up to date with its folders"
    )
    parser.add_argument("--stop", action="store_true", help="end the engine that is running")


def _engine(options: Namespace, context: CommandContext) -> int:
    if options.stop:
        return _stop(context)
    return serve(context, options.idle_exit, watch=options.watch)


def serve(context: CommandContext, idle_exit: float | None, *, watch: bool = False) -> int:
    """Serve the library until a signal, a request or idleness ends it."""
    import contextlib

    from app import logs
    from app.cli_common import stopping
    from app.engine import open_host

    logs.start()
    host = open_host(context.config(), context.open_engine, lasting=True)
    with contextlib.closing(host), stopping(host.service.stop):
        if watch:
            _keep_up_to_date(host, context)
        context.note(f"Serving {render.name(str(context.library))}; Ctrl+C ends it.")
        host.service.wait(idle_exit)
    return 0


def _keep_up_to_date(host: Host, context: CommandContext) -> None:
    """Keep the library up to date, if it can be written; one that cannot is served all the same."""
    try:
        host.call(Watch(on=True))
    except WorldError as error:
        context.note(f"{error.message} {error.next_step}")


def _stop(context: CommandContext) -> int:
    import contextlib

    from indexer.api.endpoint import EngineClient
    from indexer.api.requests import Shutdown

    client = EngineClient.attach(context.library)
    if client is None:
        context.note("No engine serves this library.")
        return 0
    with contextlib.closing(client):
        client.call(Shutdown())
        if not client.wait_until_gone(STOP_S):
            raise WorldError("busy", reason="finishing")
    return 0


def _demo_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--folder", default=DEMO_FOLDER, help="where the demo's library goes")


def _demo(options: Namespace, context: CommandContext) -> int:
    return run_demo(context, options.folder)


def sample_documents() -> Path:
    """Return the folder of the sample documents, which come with the program."""
    import resources

    return Path(next(iter(resources.__path__))) / "sample" / "documents"


def run_demo(context: CommandContext, folder: str = DEMO_FOLDER) -> int:
    """Index the samples into ``folder`` and answer the question; return the exit status."""
    home = absolute_path(folder)
    context.library = home / "library"
    context.note("Reading the sample documents.")
    summary = index(context, [sample_documents()])
    context.print(*summary_lines(summary))
    if summary.cancelled:
        return CANCELLED
    result = context.with_engine(lambda engine: engine.call(Search(DEMO_QUESTION, DEMO_HITS)))
    style = context.style()
    context.print("", style.bold(f"lectern search {DEMO_QUESTION}"), "")
    for number, hit in enumerate(result.hits, 1):
        context.print(*hit_lines(number, hit, style), "")
    if not result.hits:
        return 1
    context.print("Ask it something yourself:")
    context.print(
        f"  lectern --library {_from_here(context.library)} search how did they reach land"
    )
    return 0


def _from_here(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


COMMANDS = (
    Command(
        "watch",
        "keep the library up to date with its folders",
        "Notice what changes in the folders of the library and read it, within seconds, until "
        "Ctrl+C. Where the system does not report changes, for example on network drives, the "
        "folders are scanned every few minutes instead, and the command says so. A drive "
        "that is unplugged loses nothing: its files count as offline until it is back. "
        "Other commands can be used meanwhile. If an engine is running, it does the watching.",
        (("lectern watch", "watch until Ctrl+C"),),
        no_arguments,
        _watch,
    ),
    Command(
        "engine",
        "serve the library to the window and to other commands",
        "Keep the library open and answer the window and other commands, which attach to it by "
        "themselves. It listens on a local socket that only you can open. Other commands do not "
        "need it: without a running engine they open the library themselves.",
        (
            ("lectern engine", "serve until Ctrl+C"),
            ("lectern engine --watch", "and read what changes meanwhile"),
            ("lectern engine --idle-exit 300", "and end after five minutes without use"),
            ("lectern engine --stop", "end the one that is running"),
        ),
        _engine_arguments,
        _engine,
    ),
    Command(
        "demo",
        "index the sample documents and answer a question",
        "Index the documents that come with Lectern into a library of their own, in the current "
        "folder, and answer a question from them.",
        (("lectern demo", "try Lectern out"),),
        _demo_arguments,
        _demo,
        hidden=True,
    ),
)
