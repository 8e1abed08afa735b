"""The declaration of a command, and what it gets: settings, streams, signals, an engine."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import threading
import time
from enum import Enum
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TextIO, TypeVar

from msgspec import Struct, field

from app import logs, render
from app.encryption import open_library
from app.engine import (
    LastingEngine,
    OpenEngine,
    open_engine,
    open_host,
    reach,
    start_staying_engine,
)
from app.render import ProgressLine, TerminalStyle
from app.settings import Settings, engine_config
from indexer.api.codec import ERRORS_AS_JSON, encode
from indexer.api.errors import LecternError, WorldError
from indexer.api.progress import CancelToken

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator
    from types import FrameType

    from indexer.api.contract import EngineApi, Request
    from indexer.config import EngineConfig


CANCELLED = 130  # the status that a shell reports after Ctrl+C


@contextlib.contextmanager
def stopping(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first signal to end; a second signal ends the process at once.

    ``stop`` runs on a thread of its own: even setting an event takes a lock, and a signal handler
    would wait for ever for a lock that the interrupted code holds. Ending at once is like being
    killed: the next process that opens the library recovers it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may handle signals
        return
    stop_requested = False
    # A handler can interrupt itself, and ``put`` of this queue allows that.
    calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

    def run() -> None:
        if (call := calls.get()) is not None:
            call()

    def handle(_number: int, _frame: FrameType | None) -> None:
        nonlocal stop_requested
        if stop_requested:
            os._exit(CANCELLED)
        stop_requested = True
        calls.put(stop)

    runner = threading.Thread(target=run, name="signals", daemon=True)
    runner.start()
    before = {name: signal.signal(name, handle) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
        calls.put(None)
        runner.join()


A = TypeVar("A")

LIBRARY_VARIABLE = "LECTERN_LIBRARY"
STOPPING = b"\nStopping; what is finished is kept. Ctrl+C again ends at once.\n"
MAX_WIDTH = 110  # longer lines are hard to read


class Call(Protocol):
    """Makes a request of the engine and waits for its answer."""

    def __call__(self, request: Request[A]) -> A: ...


class LibraryUse(Enum):
    """What a command does with the library."""

    NONE = "it uses none"
    ASKS = "an engine that stays for the next question may answer; see ``app.engine``"
    READS = "it leaves the library as it is"
    CHANGES = "it is refused for a library that is named by a URI"


class Command(Struct, frozen=True):
    """A subcommand; its help, documentation and parser are made from this record.

    ``run`` returns the exit status, or None for 0. ``examples`` are whole command lines with what
    they do. ``uses`` may depend on the options. ``opens`` is called before the process is cut off
    from the network: it opens what the command listens on.
    """

    name: str
    summary: str
    description: str
    examples: tuple[tuple[str, str], ...]
    arguments: Callable[[ArgumentParser], object]
    run: Callable[[Namespace, CommandContext], int | None]
    uses: LibraryUse | Callable[[Namespace], LibraryUse] = LibraryUse.CHANGES
    hidden: bool = False
    opens: Callable[[Namespace], None] | None = None

    def use(self, options: Namespace) -> LibraryUse:
        """Return what the command does with the library when it is given these options."""
        return self.uses if isinstance(self.uses, LibraryUse) else self.uses(options)


class CommandContext(Struct):
    """The context in which a command runs: settings, library, streams, and access to an engine."""

    settings: Settings
    library: Path
    offline: bool
    open_engine: OpenEngine
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since the process began, imports included."""
        return time.monotonic() - self.began

    def config(self) -> EngineConfig:
        return engine_config(self.settings, self.library, offline=self.offline)

    def opened(self) -> EngineConfig:
        """Unlock the library if it is encrypted, begin the log, and return the configuration.

        Raises ``vault_locked``.
        """
        open_library(self.library, self.settings)
        logs.start()
        return self.config()

    @contextlib.contextmanager
    def engine(self, *, stays: bool = False) -> Iterator[EngineApi]:
        """Open the library's engine for the block; see ``lasting_engine``."""
        with contextlib.closing(self.lasting_engine(stays=stays)) as engine:
            yield engine

    def ask_engine(self, request: Request[A], token: CancelToken | None = None) -> A:
        """Have the library's engine answer one request."""
        with self.engine() as engine:
            return engine.call(request, token=token)

    def lasting_engine(self, *, stays: bool = False) -> LastingEngine:
        """Return a proxy that connects at the first request, and again if its engine has ended.

        It uses a running engine if there is one. Otherwise it opens one in this process or, with
        ``stays`` and where possible, starts a process that stays for the next question.
        """
        config = self.opened()

        def open_here() -> EngineApi:
            staying = stays and self.open_engine is open_engine
            started = start_staying_engine(config) if staying else None
            return started or open_host(config, self.open_engine)

        return LastingEngine(partial(reach, self.library, open_here, offline=config.offline))

    @contextlib.contextmanager
    def calling(self, *, quiet: bool = False) -> Iterator[Call]:
        """Yield a function that makes requests and shows their progress; Ctrl+C cancels them."""
        with self.progress(quiet=quiet) as (line, token), self.engine() as engine:

            def call(request: Request[A]) -> A:
                try:
                    return engine.call(request, token=token, report=line)
                finally:
                    line.clear()

            yield call

    @contextlib.contextmanager
    def progress(self, *, quiet: bool = False) -> Iterator[tuple[ProgressLine, CancelToken]]:
        """Show progress on the error stream while the block runs; Ctrl+C cancels the token."""
        line = ProgressLine(self.err, self.style(self.err), live=self.err.isatty(), quiet=quiet)
        token = CancelToken()

        def stop() -> None:
            token.cancel()
            if line.live:
                # The command may be writing to the stream, which must not be entered twice.
                os.write(self.err.fileno(), STOPPING)

        try:
            with stopping(stop):
                yield line, token
        finally:
            line.clear()

    def print(self, *lines: str) -> None:
        for line in lines:
            print(line, file=self.out)

    def print_json(self, value: Any) -> None:
        print(json.dumps(value, ensure_ascii=False, indent=2, default=str), file=self.out)

    def answer(self, options: Namespace, value: Any, *lines: str) -> None:
        """Print an answer: its value with ``--json``, else its lines."""
        if options.json:
            self.print_json(value)
        else:
            self.print(*lines)

    def note(self, *lines: str) -> None:
        """Print to the error stream, apart from the result."""
        self.out.flush()
        for line in lines:
            print(line, file=self.err, flush=True)

    def style(self, stream: TextIO | None = None) -> TerminalStyle:
        """Return the capabilities of a stream, by default of the output."""
        stream = stream or self.out
        encoding = (stream.encoding or "ascii").lower()
        return TerminalStyle(
            colour=_wants_colour(stream),
            width=min(MAX_WIDTH, max(40, shutil.get_terminal_size().columns)),
            unicode="utf" in encoding,
        )


def _wants_colour(stream: TextIO) -> bool:
    """Return whether the stream is a terminal with colours that the environment allows."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if sys.platform == "win32" and not os.environ.get("WT_SESSION"):
        return False
    return stream.isatty()


def explain_failure(context: CommandContext, error: LecternError) -> int:
    """Print an error's sentence and next step; return the exit status.

    With ``LECTERN_ERRORS=json`` the error is JSON, for the program that started this one.
    """
    if ERRORS_AS_JSON.items() <= os.environ.items():
        context.note(json.dumps(encode(error.failure()), default=str))
        return error.declared.exit_status
    style = context.style(context.err)
    context.note(f"{style.bad('lectern:')} {render.name(error.message)} [{error.code}]")
    if error.next_step:
        context.note(f"  {render.name(error.next_step)}")
    return error.declared.exit_status


def no_arguments(_parser: ArgumentParser) -> None:
    """Add no arguments besides those that every command has."""


def json_argument(parser: ArgumentParser) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")


def existing(path: str) -> Path:
    """Return the absolute path of a file or folder that can be read.

    Raises ``path_missing`` or ``path_denied``.
    """
    absolute = absolute_path(path)
    try:
        absolute.stat()
    except PermissionError as error:
        raise WorldError("path_denied", path=str(absolute)) from error
    except (OSError, ValueError) as error:
        raise WorldError("path_missing", path=str(absolute)) from error
    needed = os.R_OK | os.X_OK if absolute.is_dir() else os.R_OK
    if not os.access(absolute, needed):
        raise WorldError("path_denied", path=str(absolute))
    return absolute


def absolute_path(path: str) -> Path:
    """Return the absolute form of a path, without following symbolic links."""
    # ``resolve`` follows links; pathlib's ``expanduser`` fails for an unknown user's home.
    return Path(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111  # see above
