"""The engine's side of the extraction child.

A child that crashes, stops answering or exceeds its memory limit is replaced. Its document is then
read again carefully, page by page, without the pages that crash the child.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Self

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.errors import Cancelled, WorldError
from indexer.config import Limits
from indexer.extract.base import MAX_SKIPPED_PAGES
from indexer.extract.process.border import BROKEN, Border, broken
from indexer.extract.process.messages import (
    DocumentRead,
    Ended,
    Extract,
    Failed,
    FromChild,
    Go,
    KnownPages,
    LinesFound,
    PageReached,
    PassagesSent,
    Recognise,
    Skip,
    Textless,
    TextSent,
)
from indexer.extract.process.process import ENDLESS, KILLED, ChildProcess

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo, Passage
    from indexer.ocr.tesseract import Tesseract

    Decide = Callable[[DocumentInfo], bool]
    Watch = Callable[[int, int], None]
    OnTextless = Callable[[Sequence[int]], None]


# The most documents that one process reads, to bound the memory that libraries leak.
DOCUMENTS_A_CHILD = 500
# A child with more than this share of the memory limit is replaced after a document.
_RECYCLE_SHARE = 0.7
# Errors that may not recur if the document is read again without a page.
_SALVAGEABLE = frozenset({"child_died", "out_of_time", "out_of_memory"})
# If every page is reported, a page may take this share of the usual limit, or these seconds.
_CAREFUL_SHARE = 0.25
_CAREFUL_S = 10.0
# All attempts at a document together take at most this many times the limit of silence, plus a
# second for this many bytes. A reader that reports progress for ever would never end.
_TOTAL_SILENCES = 15
_BYTES_A_SECOND = 20_000
_log = logging.getLogger(__name__)


class _Attempt(Struct):
    """One attempt at a document, and its state."""

    request: Extract
    decide: Decide
    on_textless: OnTextless
    watch: Watch | None = None
    page: int = 0  # the page being read
    decided: bool = False


class ExtractionChild:
    """Reads documents in a child process, one at a time.

    One thread at a time may extract; ``kill`` may be called from any thread.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._process: ChildProcess | None = None
        self._served = 0
        self._size, self._left_s = 0, 0.0  # the current document's size, and its time limit
        self._ids = count(1)
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The id of the running process, if any."""
        process = self._process
        return process.pid if process is not None else None

    def extract(  # noqa: PLR0913  # what is known of a document before it is read
        self,
        path: Path,
        form: str,
        password: str | None,
        decide: Decide,
        *,
        watch: Watch | None = None,
        recognised: KnownPages | None = None,
        on_textless: OnTextless = lambda _pages: None,
        languages: Sequence[str] = (),
        alone: bool = False,
    ) -> Iterator[list[Passage]]:
        """Read one document and yield its passages in groups, in order.

        Args:
            path: The file.
            form: The name of its format if the scan found it, else "".
            password: The document's password.
            decide: Called once after reading. It returns whether the passages are wanted.
            watch: Called with the page being read and the number of pages.
            recognised: Where to find its recognised pages.
            on_textless: Called with the pages that have content but no text, before ``decide``, for
                formats whose pages may be scanned.
            languages: The languages (ISO 639-1) of the documents beside it.
            alone: Whether the document is to blame if the system kills its reader.

        Raises ``WorldError`` if the document could not be read to its end (``reader_killed`` only
        if it was not alone), and ``Cancelled`` if ``kill`` was called meanwhile.
        """
        request = Extract(
            path.absolute(), form, password, self._limits,
            recognised=recognised, languages=tuple(languages),
        )  # fmt: skip
        for message in self._read(_Attempt(request, decide, on_textless, watch), alone=alone):
            if isinstance(message, PassagesSent):
                yield list(message.passages)

    def text(
        self,
        path: Path,
        decide: Decide,
        *,
        recognised: KnownPages | None = None,
        on_textless: OnTextless = lambda _pages: None,
        languages: Sequence[str] = (),
    ) -> Iterator[TextSent]:
        """Read one document and yield its canonical text, with the arguments of ``extract``."""
        given = path.absolute()
        request = Extract(
            given, "", None, self._limits,
            recognised=recognised, as_text=True, languages=tuple(languages),
        )  # fmt: skip
        for message in self._read(_Attempt(request, decide, on_textless)):
            if isinstance(message, TextSent):
                yield message

    def _read(self, asked: _Attempt, *, alone: bool = False) -> Iterator[PassagesSent | TextSent]:
        """Read a document, and again carefully if that ends the child."""
        skip: list[int] = []
        careful = False
        self._size = _size_of(asked.request.path)
        self._left_s = self._total_s(self._size)
        while True:
            request = replace(asked.request, skip=tuple(skip), careful=careful)
            attempt = replace(asked, request=request)
            try:
                yield from self._run(attempt)
            except WorldError as failure:
                error = failure
                if alone and error.code == "reader_killed":
                    error = WorldError("child_died", reason=KILLED)
                if error.code not in _SALVAGEABLE or attempt.decided:
                    raise error from failure
                if self._left_s <= 0 or error.reason == BROKEN:
                    raise error from failure
                if careful:
                    if attempt.page in (0, *skip) or len(skip) >= MAX_SKIPPED_PAGES:
                        raise error from failure
                    skip.append(attempt.page)
                careful = True
            else:
                return

    def _run(self, attempt: _Attempt) -> Iterator[PassagesSent | TextSent]:
        process = self._ready()
        number = next(self._ids)
        finished = False
        process.silence_s = self._patience(careful=attempt.request.careful)
        process.left_s = self._left_s
        try:
            process.send(attempt.request, number)
            border = Border(number, self._size, self._limits)
            for message in self._replies(process, border):
                match message:
                    case PageReached():
                        attempt.page = message.page
                        if attempt.watch is not None:
                            attempt.watch(message.page, message.pages)
                    case Textless():
                        attempt.on_textless(message.pages)
                    case DocumentRead():
                        attempt.decided = True
                        border.wanted = wanted = attempt.decide(message.info)
                        process.send(Go() if wanted else Skip(), number)
                    case PassagesSent() | TextSent():
                        yield message
                    case Failed():
                        finished = True
                        raise message.error.error()
            finished = True
        finally:
            self._left_s = process.left_s
            self._recycle(process, finished=finished)

    def recognise(
        self,
        path: Path,
        page: int,
        password: str | None,
        program: Tesseract | None,
        languages: Sequence[str],
        *,
        stopping: Callable[[], bool],
    ) -> tuple[bytes, bool]:
        """Recognise the text on a page (from 1) of a PDF, with the most likely language first.

        Returns:
            The lines, packed by ``indexer.ocr.layer.pack``, and whether they last, that is, no
            other language of Tesseract would change them.

        Raises ``WorldError`` if the document or the page cannot be read, or if the program or the
        child crashes, and ``Cancelled`` if ``stopping``, called meanwhile, returned True.
        """
        process = self._ready()
        self._size = _size_of(path)
        process.silence_s, process.stopping = self._limits.silence_s, stopping
        process.left_s = self._total_s(self._size)
        number = next(self._ids)
        finished = False
        try:
            given = (page, program, tuple(languages))
            request = Recognise(path.absolute(), password, self._limits, *given)
            process.send(request, number)
            replies = self._replies(process, Border(number, self._size, self._limits))
            answer = next(reply for reply in replies if not isinstance(reply, PageReached))
            finished = True
        finally:
            self._recycle(process, finished=finished)
        if isinstance(answer, Failed):
            raise answer.error.error()
        if not isinstance(answer, LinesFound):
            raise broken()
        return base64.b64decode(answer.lines), answer.lasting

    def kill(self) -> None:
        """Cancel the extraction by killing the process. Any thread may call this."""
        if (process := self._process) is not None:
            process.kill("cancelled")

    def close(self) -> None:
        """End the process and wait for it."""
        self._closed = True
        self._drop()

    def _patience(self, *, careful: bool) -> float:
        """Return the seconds after which a silent child is killed."""
        patience = self._limits.silence_s
        return max(patience * _CAREFUL_SHARE, min(patience, _CAREFUL_S)) if careful else patience

    def _total_s(self, size: int) -> float:
        """Return the seconds that all attempts at a file of a size may take together."""
        return _TOTAL_SILENCES * self._limits.silence_s + size / _BYTES_A_SECOND

    def _replies(self, process: ChildProcess, border: Border) -> Iterator[FromChild]:
        """Yield the child's messages about one document, up to ``Ended``.

        Raises ``WorldError`` if the child ends earlier or sends a forbidden message, and
        ``Cancelled`` if ``kill`` killed it.
        """
        while (header := process.receive()) is not None:
            message = border.check(header)
            if isinstance(message, Ended):
                return
            yield message
        raise self._outcome(process)

    def _outcome(self, process: ChildProcess) -> Exception:
        reason = process.outcome()
        if reason == "cancelled":
            return Cancelled()
        if reason == ENDLESS:
            return WorldError("out_of_time", limit=f"{self._total_s(self._size) / 60:.3g} minutes")
        failure = process.failure(reason)
        if failure.code == "child_died":
            _log.warning("extraction child died: %s\n%s", reason, process.stderr_tail())
        return failure

    def _ready(self) -> ChildProcess:
        """Return a running process, started if necessary."""
        if self._process is not None and not self._process.is_alive():
            self._drop()
        if self._process is None:
            self._process = ChildProcess(self._limits)
            self._served = 0
        return self._process

    def _recycle(self, process: ChildProcess, *, finished: bool) -> None:
        """Drop the process after a document, unless it is idle and small and has served few."""
        self._served += 1
        if not finished:
            process.kill("abandoned")
        large = process.resident_bytes() > _RECYCLE_SHARE * self._limits.resident_bytes
        if not finished or large or self._served >= DOCUMENTS_A_CHILD:
            self._drop()

    def _drop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with suppress(OSError):
                process.close()


def _size_of(path: Path) -> int:
    """Return the size of a file, 0 if it is unknown."""
    with suppress(OSError, ValueError):
        return path.stat().st_size
    return 0
