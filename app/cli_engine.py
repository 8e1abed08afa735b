"""The commands that serve a library: engine, until it is stopped, and demo."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import resources
from app import encryption, render
from app.cli_common import CANCELLED, Command, CommandContext, LibraryUse, absolute_path, stopping
from app.cli_index import run_job
from app.engine import ENDS_S, end_staying_engine, open_host
from app.hit_lines import hit_lines
from indexer.api.endpoint import end_engine
from indexer.api.errors import WorldError
from indexer.api.requests import Index, Search, Watch

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from indexer.config import EngineConfig

DEMO_FOLDER = ".demo"
# The question shares hardly a word with the clause that answers it.
DEMO_QUESTION = "What if the shed cannot be used because water has come in?"
DEMO_HITS = 3


def _engine_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--idle-exit", type=float, metavar="SECONDS",
        help="end after this time without use",
    )  # fmt: skip
    parser.add_argument(
        "--watch", action="store_true", help="keep the library up to date with its folders"
    )
    parser.add_argument("--stop", action="store_true", help="end the engine that is running")


def _engine(options: Namespace, context: CommandContext) -> None:
    if options.stop:
        if not end_engine(context.library, ENDS_S):
            context.note("No engine serves this library.")
        return
    if options.watch or options.idle_exit is None:  # else this is a staying engine itself
        end_staying_engine(context.library)
    config = context.opened()
    try:
        serve(context, config, options.idle_exit, watch=options.watch)
    finally:
        encryption.lock_if_unused(context.library)


def serve(
    context: CommandContext, config: EngineConfig, idle_exit: float | None, *, watch: bool = False
) -> None:
    """Serve the library until a signal, a request or idleness ends it."""
    host = open_host(config, context.open_engine, lasting=True)
    host.service.staying = idle_exit is not None and not watch
    host.service.lock_after_s = encryption.lock_after_s(context.library, context.settings)
    with contextlib.closing(host), stopping(host.service.stop):
        if watch:
            try:
                host.call(Watch(on=True))
            except WorldError as error:  # a library that cannot be written is served all the same
                context.note(f"{error.message} {error.next_step}")
        context.note(f"Serving {render.name(str(context.library))}; Ctrl+C ends it.")
        host.service.wait(idle_exit)


def sample_documents() -> Path:
    """Return the folder of the sample documents, which come with the program."""
    return Path(next(iter(resources.__path__))) / "sample" / "documents"


def run_demo(context: CommandContext, folder: str = DEMO_FOLDER) -> int:
    """Index the samples into ``folder`` and answer the question; return the exit status."""
    home = absolute_path(folder)
    context.library = home / "library"
    context.note("Reading the sample documents.")
    summary = run_job(context, Index((sample_documents(),)))
    if summary.cancelled:
        return CANCELLED
    result = context.ask_engine(Search(DEMO_QUESTION, DEMO_HITS))
    style = context.style()
    context.print("", style.bold(f"lectern search {DEMO_QUESTION}"), "")
    for number, hit in enumerate(result.hits, 1):
        context.print(*hit_lines(number, hit, style), "")
    if not result.hits:
        return 1
    here, path = Path.cwd(), context.library
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    context.print("Ask it something yourself:")
    context.print(f"  lectern --library {shown} search how did they reach land")
    return 0


COMMANDS = (
    Command(
        "engine",
        "serve the library to the window and to other commands",
        "Keep the library open and answer the window and other commands, which attach to it by "
        "themselves. It listens on a local socket that only you can open. Other commands do not "
        "need it: without a running engine they open the library themselves.\n\n"
        "With --watch it reads what changes in the folders of the library within seconds, as the "
        "engine of the window does. Folders whose system does not report changes, such as network "
        "drives, are scanned every few minutes; `lectern status` shows which. A drive that is "
        "unplugged loses nothing: its files count as offline until it is back.",
        (
            ("lectern engine", "serve until Ctrl+C"),
            ("lectern engine --watch", "keep the library up to date without a window"),
            ("lectern engine --idle-exit 300", "and end after five minutes without use"),
            ("lectern engine --stop", "end the one that is running"),
        ),
        _engine_arguments,
        _engine,
        LibraryUse.ASKS,
    ),
    Command(
        "demo",
        "index the sample documents and answer a question",
        "Index the documents that come with Lectern into a library of their own, in the current "
        "folder, and answer a question from them.",
        (("lectern demo", "try Lectern out"),),
        lambda parser: parser.add_argument(
            "--folder", default=DEMO_FOLDER, help="where the demo's library goes"
        ),
        lambda options, context: run_demo(context, options.folder),
        LibraryUse.NONE,
        hidden=True,
    ),
)
