"""``lectern engine``: serve a library until stopped; and the hidden ``lectern demo``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import render
from app.cli_common import Command, Context
from indexer.api.errors import WorldError
from indexer.api.requests import Watch

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from indexer.server.host import Host

STOP_S = 30.0


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit", type=float, metavar="SECONDS",
        help="end after so long without use",
    )  # fmt: skip
    parser.add_argument(
        "--watch", action="store_true", help="keep the library up to date with its folders"
    )
    parser.add_argument("--stop", action="store_true", help="end the engine that is running")


def _run(options: Namespace, context: Context) -> int:
    if options.stop:
        return _stop(context)
    return serve(context, options.idle_exit, watch=options.watch)


def serve(context: Context, idle_exit: float | None, *, watch: bool = False) -> int:
    """Serve the library until a signal, a request or idleness ends it."""
    import contextlib

    from app import logs
    from app.engine import open_host
    from app.signals import stopping

    logs.start()
    host = open_host(context.config(), context.open_engine, lasting=True)
    with contextlib.closing(host), stopping(host.service.stop):
        if watch:
            _watch(host, context)
        context.note(f"Serving {render.name(str(context.library))}; Ctrl+C ends it.")
        host.service.wait(idle_exit)
    return 0


def _watch(host: Host, context: Context) -> None:
    """Keep the library up to date, if it can be written; one that cannot is served all the same."""
    try:
        host.call(Watch(on=True))
    except WorldError as error:
        context.note(f"{error.message} {error.next_step}")


def _stop(context: Context) -> int:
    import contextlib

    from indexer.api.client import EngineClient
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
    parser.add_argument("--folder", default=".demo", help="where the demo's library goes")


def _demo(options: Namespace, context: Context) -> int:
    from app.demo import run

    return run(context, options.folder)


COMMANDS = (
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
        _arguments,
        _run,
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
