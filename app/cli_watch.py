"""``lectern watch``: keep a library up to date until stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context, no_arguments
from indexer.api.phrases import english
from indexer.api.requests import GetStatus, Watch

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from indexer.api.answers import WatchState
    from indexer.api.contract import EngineApi

# Seconds between two requests for the engine's state.
POLL_S = 0.5


def _run(_options: Namespace, context: Context) -> int:
    import threading
    from dataclasses import replace
    from functools import partial

    from app import logs
    from app.engine import open_host
    from app.signals import stopping
    from indexer.api.client import with_engine

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


def watch(engine: EngineApi, context: Context, stopped: Callable[[float], bool]) -> None:
    """Watch until stopped, and print what changes.

    Args:
        engine: In this process or another; afterwards it watches only if it did before.
        context: Where to print.
        stopped: Waits for so many seconds and returns whether to end.
    """
    before = engine.call(Watch()).on
    engine.call(Watch(on=True))
    shown: dict[str, str] = {}
    quiet, problem = False, ""
    try:
        while not (_ending(engine) or stopped(POLL_S)):
            now = engine.call(Watch())
            for path, line in _lines(now).items():
                if shown.get(path) != line:
                    context.note(line)
            if now.problem not in {"", problem}:
                context.note(render.name(now.problem))
            if now.quiet and not quiet:
                documents = engine.call(GetStatus()).documents
                context.note(f"Up to date: {render.count(documents, 'document')}.")
            shown, quiet, problem = _lines(now), now.quiet, now.problem
    finally:
        if not before and not _ending(engine):
            engine.call(Watch(on=False))


def _ending(engine: EngineApi) -> bool:
    """Return whether an engine of this process was asked to end.

    Raises:
        WorldError: ``library_moved``.
    """
    from indexer.server.host import Host

    if not isinstance(engine, Host):
        return False
    engine.service.check()
    return engine.service.stopping()


def _lines(state: WatchState) -> dict[str, str]:
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
        _run,
    ),
)
