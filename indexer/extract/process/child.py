"""The extraction child: extracts documents for the engine, over stdin and stdout.

``sandbox`` starts it and may kill it at any time. Where the system supports it, each document is
read by a confined worker that can read nothing else (``indexer.confine.worker``); the child itself
then opens no document.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from indexer.api.codec import LENGTH_BYTES, Hello, hello, read_frame, unpack, write_frame
from indexer.api.codec import frame as packed_frame
from indexer.api.errors import InternalError, LecternError, WorldError
from indexer.api.formats import Format, SizeClass, page_unit
from indexer.api.phrases import reason_of
from indexer.api.types import Block, BlockKind
from indexer.catalog.states import Stamp
from indexer.confine import worker
from indexer.confine.process import Alarm, ChildOptions, confine, take_stdout
from indexer.extract.base import PageSource, PageText, too_large
from indexer.extract.document import PAGE_JOINT, CanonicalText, Spool
from indexer.extract.plain.decode import detect_legacy, languages_expected
from indexer.extract.process.border import broken
from indexer.extract.process.messages import (
    LAST,
    MAX_FRAME_BYTES,
    DocumentRead,
    Ended,
    Extract,
    Failed,
    FromChild,
    Go,
    LinesFound,
    PageReached,
    PassagesSent,
    Recognise,
    Textless,
    TextSent,
    ToChild,
)
from indexer.extract.registry import identify, opener, promised_format
from indexer.ocr.cache import RecognisedPages
from indexer.ocr.layer import pack

if TYPE_CHECKING:
    from indexer.api.types import DocumentInfo, OutlineEntry, Passage

    Job = Extract | Recognise

# A frame of passages is sent once it has this many passages, or this many characters.
PASSAGES_A_FRAME, CHARACTERS_A_FRAME = 64, 250_000
# Formats whose text may be in an old encoding, and a text that makes the models for these load.
_UNLABELLED = (SizeClass.TEXT, SizeClass.MARKUP, SizeClass.MESSAGE, SizeClass.MAILBOX)
_GERMAN = "gr\xfc\xdfe".encode("latin-1")
# This has every kind of character whose pattern is compiled at its first use.
_EXAMPLE = (
    "Dr. Wei\xdf paid 1,234.50\xa0\u20ac on 5 March 2024 (see \xa7 3.2); "
    "\u201cthe crew\u2019s ship\u201d left at 9 a.m. from the U.S. \u8239\u304c\u51fa\u305f\u3002"
)
_LAST = frozenset(kind.wire_name for kind in LAST)
_PROGRESS_INTERVAL_S = 0.5


class EnginePipe:
    """The child's side of the pipe. Each message restarts the watchdog."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO, alarm: Alarm) -> None:
        self._incoming = incoming
        self.outgoing = outgoing
        self._alarm = alarm
        self._last = 0.0
        self.id = 0
        self.pages = 0
        self.careful = False

    def receive(self) -> tuple[ToChild, int] | None:
        """Wait without time limit for a message, and return it and its number, None at the end."""
        self._alarm.stop()
        frame = read_frame(self._incoming)
        self._alarm.restart()
        return None if frame is None else (ToChild.from_header(frame[0]), int(frame[0]["id"]))

    def send(self, message: FromChild) -> None:
        self._alarm.stop()  # the pipe may be full while the engine is busy
        write_frame(self.outgoing, message.header(self.id))
        self._alarm.restart()

    def fail(self, error: LecternError) -> None:
        self.send(Failed(error.failure()))

    def progress(self, page: int) -> None:
        now = time.monotonic()
        if self.careful or now - self._last >= _PROGRESS_INTERVAL_S:
            self._last = now
            self.send(PageReached(min(page, self.pages), self.pages))

    def reach(self, page: int, source: PageSource) -> None:
        """Report the next page, and the page count, which may grow while a mailbox is read."""
        self.pages = source.page_count
        self.progress(page)

    def beat(self) -> None:
        """Report progress after a long step."""
        self.send(PageReached(self.pages, self.pages))

    def is_wanted(self) -> bool:
        """Wait for the engine's decision whether it wants the passages.

        Raises ``EOFError`` if the engine closed the pipe.
        """
        answer = self.receive()
        if answer is None:
            raise EOFError
        return answer == (Go(), self.id)


def main() -> int:
    outgoing = take_stdout()
    started = confine(sys.argv[1:])
    serve(EnginePipe(sys.stdin.buffer, outgoing, started.alarm), started)
    return 0


def serve(conversation: EnginePipe, started: ChildOptions) -> None:
    """Serve until the engine closes the pipe."""
    with contextlib.suppress(EOFError, BrokenPipeError):
        write_frame(conversation.outgoing, hello(Hello("extract", os.getpid())))
        while (received := conversation.receive()) is not None:
            request, conversation.id = received
            if isinstance(request, (Extract, Recognise)):
                conversation.careful = isinstance(request, Extract) and request.careful
                _serve_apart(conversation, request, started)
    started.alarm.stop()


def _serve_apart(conversation: EnginePipe, request: Job, started: ChildOptions) -> None:
    """Serve a request in a confined worker, if the system supports it."""
    recognised = _recognised(request)
    if not worker.is_available():
        _serve(conversation, request, recognised)
        return
    given = request.format if isinstance(request, Extract) else ""
    promised = promised_format(request.path, given)
    _load_libraries(promised)
    started.alarm.stop()  # its thread does not survive the fork

    def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
        own = EnginePipe(incoming, outgoing, started.alarm)
        own.id, own.careful = conversation.id, conversation.careful
        started.alarm.restart()
        _serve(own, request, recognised)

    programs = _programs(request, promised)
    with swept(programs):
        _relay(conversation, worker.DocumentWorker(serve, request.path, started, programs))


def _relay(conversation: EnginePipe, reader: worker.DocumentWorker) -> None:
    """Pass on a reader's messages, up to its last one, and the engine's decision."""
    while (frame := reader.receive(MAX_FRAME_BYTES)) is not None:
        try:
            kind = unpack(frame[LENGTH_BYTES:])[0].get("type")
        except WorldError:
            reader.end()
            conversation.fail(broken())
            return
        reader.deliver(conversation.outgoing.fileno(), frame)
        if kind in _LAST:
            reader.end()
            return
        if kind == DocumentRead.wire_name:
            reader.until_ready(sys.stdin.fileno())
            if (answer := read_frame(sys.stdin.buffer)) is None:
                reader.end()
                raise EOFError
            reader.send(packed_frame(answer[0]))
    reader.finish()
    conversation.fail(broken())  # the reader ended without a last message


def swept(programs: list[Path]) -> contextlib.AbstractContextManager[None]:
    """Remove the sockets that LibreOffice leaves, if ``programs`` are to be started."""
    if not programs:
        return contextlib.nullcontext()
    from indexer.extract.office.libreoffice import leftover_sockets_removed

    return leftover_sockets_removed()


def _programs(request: Job, promised: Format | None) -> list[Path]:
    """Return the programs that a request may start."""
    if isinstance(request, Recognise):
        return [Path(request.program.path)] if request.program else []
    return programs_of(promised)


def programs_of(promised: Format | None) -> list[Path]:
    """Return the programs that the reader of a format may start."""
    if promised is None or not promised.needs_program:
        return []
    from indexer.extract.office.libreoffice import find_program

    return [Path(found)] if (found := find_program()) else []


def _load_libraries(promised: Format | None) -> None:
    """Import the libraries for a document before the fork, so that later workers share them."""
    from indexer.text import language

    if promised is not None:
        with contextlib.suppress(ImportError):
            opener(promised)
        if promised.size_class in _UNLABELLED:
            _load_encodings()
    language.classifier()
    with contextlib.suppress(ImportError):
        _cut_an_example()


@functools.cache
def _cut_an_example() -> None:
    """Cut a short text, or else each worker would compile the patterns again, for 10 ms."""
    from indexer.text import language, passages, terms

    text = f"{_EXAMPLE}\n" * 2
    page = PageText(1, 0, text, (Block(0, len(text), BlockKind.PARAGRAPH, 1),))
    for _ in passages.cut([page], (), language.detect_language(text), stem=terms.stems):
        pass


@functools.cache
def _load_encodings() -> None:
    """Load the models of old encodings, which takes 0.25 s."""
    detect_legacy(_GERMAN)


def _serve(conversation: EnginePipe, request: Job, recognised: RecognisedPages | None) -> None:
    try:
        if isinstance(request, Extract):
            with languages_expected(request.languages):
                _extract(conversation, request, recognised)
        else:
            _recognise(conversation, request)
    except (EOFError, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001  # a broken document must not end the child
        limit = f"{request.limits.resident_bytes // 1024**2} MB"
        conversation.fail(error_on_document(error, str(request.path), limit))


def _extract(
    conversation: EnginePipe, request: Extract, recognised: RecognisedPages | None
) -> None:
    from indexer.text import language

    path, limits = request.path, request.limits
    before = Stamp.from_status(path.stat())
    if before.size > limits.largest_bytes:
        raise too_large(limits.largest_bytes)
    known = identify(path, request.format)
    source = opener(known)(path, request.password, limits)
    source.recognised = recognised
    with Spool() as spool:
        try:
            conversation.pages = source.page_count
            document = CanonicalText(spool)
            skip = frozenset(request.skip)
            try:
                document.read_pages(source, lambda page: conversation.reach(page, source), skip)
            finally:
                if source.textless is not None:
                    conversation.send(Textless(tuple(source.textless)))
            conversation.beat()
            info = document.info(source, known.name, language.detect_language)
            outline = source.outline
        finally:
            source.close()
        if Stamp.from_status(path.stat()) != before:
            raise WorldError("changed_while_read")
        conversation.send(DocumentRead(info))
        if conversation.is_wanted():
            if request.as_text:
                for page in document.pages():
                    text = page.text + PAGE_JOINT
                    for at in range(0, len(text), CHARACTERS_A_FRAME):
                        piece = text[at : at + CHARACTERS_A_FRAME]
                        conversation.send(TextSent(page.number, page.part, piece))
            else:
                _send_passages(conversation, document, outline, info)
    conversation.send(Ended())


def _recognised(request: Job) -> RecognisedPages | None:
    """Load the recognised pages of a document from the library."""
    known = request.recognised if isinstance(request, Extract) else None
    if known is not None:
        with contextlib.suppress(OSError):
            size = request.path.stat().st_size
            return RecognisedPages.load(known.library, size, lambda: known.content)
    return None


def _recognise(conversation: EnginePipe, request: Recognise) -> None:
    from indexer.extract.pdf.recognition import recognise_page

    lines, lasting = recognise_page(
        request.path,
        request.password,
        request.limits,
        request.page,
        request.program,
        request.languages,
        lambda: conversation.progress(0),
    )
    packed = base64.b64encode(pack(lines)).decode("ascii")
    conversation.send(LinesFound(packed, lasting))


def _send_passages(
    conversation: EnginePipe,
    document: CanonicalText,
    outline: tuple[OutlineEntry, ...],
    info: DocumentInfo,
) -> None:
    from indexer.text.passages import cut
    from indexer.text.terms import stems

    apart = page_unit(info.format) == "message"
    passages = cut(document.pages(), outline, info.language, stem=stems, apart=apart)
    group: list[Passage] = []
    size = 0
    for passage in passages:
        group.append(passage)
        size += len(passage.text)
        if len(group) == PASSAGES_A_FRAME or size >= CHARACTERS_A_FRAME:
            conversation.send(PassagesSent(tuple(group)))
            group, size = [], 0
    if group:
        conversation.send(PassagesSent(tuple(group)))


def error_on_document(error: Exception, path: str, limit: str) -> LecternError:
    """Return the error to report for an exception on the document at ``path``.

    ``limit`` is the memory limit as it is shown.
    """
    match error:
        case LecternError():
            return error
        case MemoryError():
            return WorldError("out_of_memory", limit=limit)
        case FileNotFoundError():
            return WorldError("vanished")
        case PermissionError():
            return WorldError("path_denied", path=path)
        case OSError():
            return WorldError("read_error", reason=reason_of(error))
    traceback.print_exception(error)
    return InternalError("internal", reason=type(error).__name__)


if __name__ == "__main__":
    sys.exit(main())
